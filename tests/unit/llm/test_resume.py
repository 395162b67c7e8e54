"""Runs that stop and go on: nothing finished is asked again, nothing is lost."""

import json

import pytest

from madsim import llm
from madsim.protocols import Convergence, GroupChat, Judge, OneByOne, Protocol, Ranked, Visibility
from madsim.transcripts import read_record, read_run
from tests.unit.llm._help import choice, final, number, outcome, panel_of, plain, scripted


class Stop(BaseException):
    """An end from outside, in the middle of a call."""


PROTOCOLS = {
    "plain": Protocol(rounds=2),
    "judge": Protocol(rounds=1, reduction=Judge(kind="comparative")),
    "each round": Protocol(rounds=2, reduction=Judge(each_round=True)),
    "ballots": Protocol(rounds=1, reduction=Ranked()),
    "in turn": Protocol(rounds=2, schedule=OneByOne(order="random")),
    "chat": Protocol(rounds=4, schedule=GroupChat(speaker="model")),
    "summary": Protocol(rounds=1, visibility=Visibility(show="summary")),
    "tools": Protocol(rounds=1),
}


def answers(request):
    context = request.context
    if context.role == "judge":
        return (
            '{"resolved": false, "winner": "A"}' if "settled" in request.messages[-1]["content"] else "Final answer: B"
        )
    if context.role == "ballot":
        return f"Ranking: {1 + context.agent % 2}"
    if context.role == "speaker":
        return f"d{(context.turn + 1) % 3}"
    if context.role == "summary":
        return "They differ."
    if request.tools and request.messages[-1]["role"] != "tool":
        call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2, "b": 2}'}}
        return llm.Completion(
            text=None, finish_reason="tool_calls", tool_calls=(call,), usage=llm.Usage(input=5, output=1)
        )
    return llm.Completion(text=final("ABC"[(context.agent + context.round) % 3]), usage=llm.Usage(input=10, output=2))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_run_stopped_at_any_call_goes_on_as_if_it_had_not_been(tmp_path, name):
    """Stop at call 1, 2, 3, ...; every resumed run equals the whole one, and no finished call is made again."""
    added = []
    calls = []
    limit = [0]

    def reply(request):
        if len(calls) == limit[0]:
            raise Stop
        calls.append(request)
        return answers(request)

    def add(a, b):
        added.append((a, b))
        return a + b

    schema = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
    tools = (llm.Tool(function=add, name="add", description="Adds.", parameters=schema),) if name == "tools" else ()
    model = llm.ScriptedModel(replies=reply)
    panel = panel_of(model, 3, tools=tools)
    helper = llm.Debater(name="helper", model=model)
    protocol = PROTOCOLS[name]
    people = {"judge": helper, "summariser": helper, "moderator": helper}

    def start(record):
        return llm.run_debates(protocol, panel, [choice()], rng=4, record=record, concurrency=1, **people)

    limit[0] = -1
    whole = start(tmp_path / "whole.jsonl")
    total, tool_calls = len(calls), len(added)
    calls_by_place = [
        (r.context.role, r.context.agent, r.context.round, r.context.turn, str(r.messages)) for r in calls
    ]
    assert len(set(calls_by_place)) == total
    for stop in range(0, total, 1 if total < 12 else 3):
        calls.clear()
        added.clear()
        record = tmp_path / f"{stop}.jsonl"
        limit[0] = stop
        with pytest.raises(Stop):
            start(record)
        limit[0] = -1
        resumed = llm.resume(record, panel, **people)
        again = [(r.context.role, r.context.agent, r.context.round, r.context.turn, str(r.messages)) for r in calls]
        assert sorted(again) == sorted(calls_by_place), f"stopped at call {stop}"
        assert plain(resumed) == plain(whole)
        assert outcome(resumed)["usage"] == outcome(whole)["usage"]
        assert len(added) == tool_calls
        assert outcome(resumed)["method"] == outcome(whole)["method"]


def test_resuming_a_finished_run_makes_no_call(record):
    panel = scripted([final(1)] * 3, [final(2)] * 3)
    run = llm.run_debates(Protocol(), panel, [number()], record=record)
    before = record.read_bytes()
    again = llm.resume(record, scripted([], []))
    assert plain(again) == plain(run)
    assert record.read_bytes().startswith(before)


def test_a_record_alone_opens_endpoints_again_and_asks_for_other_models(record):
    llm.run_debates(Protocol(rounds=0), scripted([final(1)]), [number()], record=record, budget=llm.Budget(max_calls=0))
    with pytest.raises(ValueError, match="give models= or the debaters"):
        llm.resume(record)
    for models in (llm.ScriptedModel(replies=[final(5)]), {"d0": llm.ScriptedModel(replies=[final(5)])}):
        run = llm.resume(record, models=models, budget=llm.Budget(max_calls=5))
        assert outcome(run)["answer"] == "5"


def test_other_debaters_than_the_recorded_ones_are_refused(record):
    llm.run_debates(Protocol(rounds=0), scripted([final(1)], temperature=0.5), [number()], record=record)
    for other, difference in (
        (scripted([final(1)], temperature=0.7), r"d0 differs .* in temperature: given 0\.7, recorded 0\.5"),
        (scripted([final(1)], temperature=0.5, system="x"), "d0 differs .* in system: given 'x'"),
        (scripted([final(1)], temperature=0.5, side="A"), "d0 differs .* in side: given 'A'"),
        (scripted([final(1)], temperature=0.5, publishes="x"), "d0 differs .* in publishes: given 'x'"),
        (scripted([], []), "has 1 debaters, 2 are given"),
    ):
        with pytest.raises(ValueError, match=difference):
            llm.resume(record, other)


def test_a_stop_by_budget_goes_on_with_a_larger_one(record):
    panel = scripted(*[[final(i)] * 3 for i in range(3)])
    samples = [number(f"q{i}") for i in range(4)]
    run = llm.run_debates(Protocol(), panel, samples, record=record, budget=llm.Budget(max_calls=20), concurrency=2)
    assert [one.outcome["status"] for one in run.transcripts] == ["max_rounds"] * 2 + ["budget"] * 2
    whole = llm.resume(record, panel, budget=llm.Budget(max_calls=36))
    assert {one.outcome["status"] for one in whole.transcripts} == {"max_rounds"}
    assert len(read_record(record).calls) == 36


def test_the_cap_counts_what_was_spent_and_lost_before_a_kill(record):
    done, lost = [], []

    def reply(request):
        if len(done) == 4:
            lost.append(1)
            raise Stop
        done.append(1)
        return final(request.context.agent)

    panel = panel_of(llm.ScriptedModel(replies=reply), 3)
    with pytest.raises(Stop):
        llm.run_debates(
            Protocol(rounds=1), panel, [number()], record=record, budget=llm.Budget(max_calls=6), concurrency=1
        )
    done.clear()
    totals = llm.resume_record(record, panel)
    assert totals.maybe_paid_twice == len(lost) >= 1
    assert totals.spent.calls == 4 + len(lost)  # the second round does not fit any more
    assert totals.statuses == {"budget": 1}
    assert not done


def test_failed_debates_are_asked_again_only_on_request(record):
    up = [False]
    panel = panel_of(llm.ScriptedModel(replies=lambda r: final(4) if up[0] else "!503"), 2)
    samples = [number("a"), number("b")]
    run = llm.run_debates(Protocol(rounds=0), panel, samples, record=record)
    assert {one.outcome["status"] for one in run.transcripts} == {"failed"}
    up[0] = True
    assert {one.outcome["status"] for one in llm.resume(record, panel).transcripts} == {"failed"}
    again = llm.resume(record, panel, retry_failed=True)
    assert {one.outcome["answer"] for one in again.transcripts} == {"4"}
    attempts = [call["attempt"] for call in read_record(record).calls]
    assert sorted(attempts) == [0, 0, 0, 0, 1, 1, 1, 1]


def test_an_imported_record_cannot_be_resumed(record):
    record.write_text(json.dumps({"type": "run", "schema": 1, "agents": ["a"]}) + "\n")
    with pytest.raises(ValueError, match="does not describe protocol and debaters"):
        llm.resume(record)


@pytest.mark.parametrize(
    ("part", "odd", "message"),
    [
        ("debaters", [1], "does not describe protocol and debaters"),
        ("debaters", [{"name": "d0", "model": 5}], "model of d0 .* is not described fully enough"),
        ("debaters", [{"name": "d0", "model": {"kind": "debate", "debaters": []}}], "model of d0 .* not described"),
        ("steer", [1], "steer must map rounds to comments"),
        ("protocol", {"rounds": 1}, "not a protocol record"),
    ],
)
def test_headers_of_strangers_are_refused_in_words(record, part, odd, message):
    llm.run_debates(Protocol(rounds=0), scripted([final(1)]), [number()], record=record)
    header, *rest = record.read_text().splitlines()
    record.write_text("\n".join([json.dumps(json.loads(header) | {part: odd}), *rest]) + "\n")
    with pytest.raises(ValueError, match=message):
        llm.resume(record, models={} if part == "debaters" else scripted([final(1)])[0].model)


def test_pausing_accepting_ending_and_granting(record, tmp_path):
    panel = scripted(*[[final(i)] * 9 for i in range(2)])
    samples = [number("a"), number("b")]
    protocol = Protocol(rounds=1, convergence=Convergence())
    run = llm.run_debates(protocol, panel, samples, pause=True, record=record)
    assert [one.outcome["status"] for one in run.transcripts] == ["paused"] * 2
    assert {one.outcome["answer"] for one in run.transcripts} == {"0"}
    assert {one.outcome["status"] for one in llm.resume(record, panel).transcripts} == {"paused"}
    for name, act, status in (("accept", llm.accept, "max_rounds"), ("end", llm.terminate, "cancelled")):
        copy = tmp_path / f"{name}.jsonl"
        copy.write_bytes(record.read_bytes())
        assert act(copy) == 2
        assert {one.outcome["status"] for one in read_run(copy).transcripts} == {status}
        assert {one.outcome["status"] for one in llm.resume(copy, panel).transcripts} == {status}
        assert act(copy) == 0
    assert llm.grant(record, rounds=2, comment="Two more.") == 2
    more = llm.resume(record, panel)
    assert [one.outcome["status"] for one in more.transcripts] == ["paused"] * 2
    assert [one.outcome["stopped_after_round"] for one in more.transcripts] == [3, 3]
    with_note = [
        (c["round"], c["agent"])
        for c in read_record(record).calls
        if "Two more." in str(c["messages"]) and c["sample"] == "a"
    ]
    assert sorted(with_note) == [(2, 0), (2, 1)]
    llm.grant(record, rounds=1)
    assert outcome(llm.resume(record, panel))["stopped_after_round"] == 4


@pytest.mark.parametrize("wrong", [{"rounds": 0}, {"rounds": 1.5}, {"rounds": 1, "comment": " "}])
def test_wrong_grants_are_refused(record, wrong):
    llm.run_debates(Protocol(rounds=0), scripted([final(1)], [final(2)]), [number()], pause=True, record=record)
    with pytest.raises(ValueError):
        llm.grant(record, **wrong)


def test_nothing_to_grant(record):
    llm.run_debates(Protocol(rounds=0), scripted([final(1)]), [number()], record=record)
    with pytest.raises(ValueError, match="no debate is paused"):
        llm.grant(record, rounds=1)
