"""Whole runs: the door, cancelling, resuming, tools, people at the table, the cache, events."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from madsim import llm
from madsim.llm._store import MemoryStore
from madsim.models import DebateModel
from madsim.protocols import Convergence, GroupChat, Judge, OneByOne, Protocol, Ranked, Visibility
from madsim.transcripts import read_record, read_run
from tests.unit.llm._help import choice, final, number, outcome, panel_of, scripted

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def record(tmp_path):
    return tmp_path / "run.jsonl"


def plain(run):
    """What a run says, without who said it when."""
    return [
        (
            t.sample.id,
            t.epoch,
            [(r.round, r.agent, r.text, r.answer) for r in t.replies],
            t.outcome["status"],
            t.outcome["answer"],
        )
        for t in run.transcripts
    ]


# --- the door


def test_the_door_is_open_inside_a_running_loop():
    async def notebook():
        return llm.run_debates(Protocol(rounds=1), scripted([final(1)] * 2, [final(2)] * 2), [number()])

    before = threading.active_count()
    assert outcome(asyncio.run(notebook()))["calls"] == 4
    assert threading.active_count() == before


def test_asynchronous_and_synchronous_runs_are_the_same():
    model = DebateModel.homogeneous(n_agents=3, belief=0.5, mass=2.0)
    panel = panel_of(llm.SimulatedModel(model, rng=2), 3)
    samples = [number(f"q{i}") for i in range(5)]
    assert plain(asyncio.run(llm.run_debates_async(Protocol(), panel, samples, rng=1))) == plain(
        llm.run_debates(Protocol(), panel, samples, rng=1)
    )


def test_a_record_and_the_memory_hold_the_same(record):
    model = DebateModel.homogeneous(n_agents=3, belief=0.5, mass=2.0)
    panel = panel_of(llm.SimulatedModel(model, rng=2, unparsed=0.2), 3)
    samples = [number(f"q{i}") for i in range(5)]
    on_file = llm.run_debates(Protocol(), panel, samples, rng=1, record=record)
    in_memory = llm.run_debates(Protocol(), panel, samples, rng=1)
    assert plain(on_file) == plain(in_memory) == plain(read_run(record))
    assert on_file.transcripts[3].replies[4].span == in_memory.transcripts[3].replies[4].span
    assert on_file.provenance["seed"] == in_memory.provenance["seed"]


@pytest.mark.parametrize("inside", [False, True])
def test_an_interrupt_keeps_the_record_and_leaves_nothing_running(record, inside):
    """Ctrl-C in a process of its own, in the plain door and in the door of a notebook."""
    script = f"""
import asyncio, os, signal, threading
from madsim import llm
from madsim.protocols import Protocol
from tests.unit.llm._help import number, panel_of
calls = []
async def reply(messages):
    calls.append(1)
    if len(calls) > 2:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start() if len(calls) == 3 else None
        await asyncio.Event().wait()
    return "Final answer: 4"
panel = panel_of(llm.CallableModel(function=reply), 1)
def go():
    llm.run_debates(Protocol(rounds=4), panel, [number()], record={str(record)!r})
async def notebook():
    go()
try:
    {"asyncio.run(notebook())" if inside else "go()"}
except KeyboardInterrupt:
    print("interrupted", threading.active_count())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("interrupted 1"), done.stderr
    found = read_record(record)
    assert len(found.calls) == 2
    assert [event["event"] for event in found.events][-1] == "interrupted"
    run = llm.resume(record, models=llm.ScriptedModel(replies=[final(4)] * 5))
    assert outcome(run)["status"] == "max_rounds"
    assert len(run.transcripts[0].replies) == 5


def test_plain_functions_run_beside_each_other():
    barrier = threading.Barrier(40, timeout=10)  # all forty calls must be under way at once

    def reply(messages):
        barrier.wait()
        return final(4)

    before = threading.active_count()
    panel = panel_of(llm.CallableModel(function=reply), 4)
    run = llm.run_debates(Protocol(rounds=0), panel, [number(f"q{i}") for i in range(10)], concurrency=40)
    assert {one.outcome["votes"] for one in run.transcripts} == {4}
    assert threading.active_count() == before


@pytest.mark.parametrize("value", [3, ["x"], b"bytes"])
def test_what_a_function_returns_must_be_text(value):
    run = llm.run_debates(Protocol(rounds=0), panel_of(llm.CallableModel(function=lambda m: value), 1), [number()])
    assert outcome(run)["failed"] == [["d0", 0, "TypeError"]]


def test_an_exception_of_a_model_is_its_debater_s_failure_and_a_bug_of_ours_is_not():
    def broken(messages):
        raise RuntimeError("no luck with key sk-planted-0123456789")

    panel = [*scripted([final(4)]), llm.Debater(name="broken", model=llm.CallableModel(function=broken))]
    run = llm.run_debates(Protocol(rounds=0), panel, [number()])
    assert outcome(run)["failed"] == [["broken", 0, "RuntimeError"]]
    with pytest.raises(llm.MisuseError, match="the script has 1 replies"):
        llm.run_debates(Protocol(rounds=1), scripted([final(4)]), [number()])


# --- timeouts


def test_who_is_late_sits_the_round_out():
    async def reply(request):
        if request.context.agent == 1 and request.context.round == 0:
            await asyncio.Event().wait()
        return final(request.context.agent)

    panel = panel_of(llm.CallableModel(function=reply, takes="request"), 3)
    for run in (
        llm.run_debates(Protocol(rounds=1), panel, [number()], round_timeout=0.1),
        llm.run_debates(
            Protocol(rounds=1), panel_of(panel[0].model, 3, timeout=0.05), [number()], retry=llm.Retry(attempts=1)
        ),
    ):
        assert outcome(run)["failed"] == [["d1", 0, "timeout"]]
        assert run.transcripts[0].replies[4].answer == "1"


# --- resuming


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


# --- tools and people


def test_tools_are_called_and_their_results_go_back():
    def add(a: int, b: int) -> int:
        return a + b

    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    tool = llm.Tool(function=add, name="add", description="Adds.", parameters=schema)
    calls = []

    def reply(request):
        calls.append(request)
        wanted = ['{"a": 2, "b": 2}', '{"a": 1}', "not json", '["list"]']
        if len(calls) <= len(wanted):
            one = {
                "id": f"c{len(calls)}",
                "type": "function",
                "function": {"name": "add", "arguments": wanted[len(calls) - 1]},
            }
            other = {"id": "x", "type": "function", "function": {"name": "unknown", "arguments": "{}"}}
            return llm.Completion(text=None, finish_reason="tool_calls", tool_calls=(one, other))
        return final(4)

    run = llm.run_debates(Protocol(rounds=0), panel_of(llm.ScriptedModel(replies=reply), 1, tools=(tool,)), [number()])
    assert run.transcripts[0].replies[0].answer == "4"
    results = [m["content"] for m in calls[-1].messages if m["role"] == "tool"]
    assert results[0] == "4"
    assert results[1] == "error: there is no tool 'unknown'"
    assert results[2].startswith("error: TypeError")
    assert results[4].startswith("error: JSONDecodeError")
    assert results[6].startswith("error: the arguments must be a JSON object")
    assert outcome(run)["calls"] == 5


def test_endless_tool_calls_end():
    call = {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    tool = llm.Tool(function=lambda: "again", name="t", description="", parameters={"type": "object"})
    model = llm.ScriptedModel(
        replies=lambda r: llm.Completion(text=None, finish_reason="tool_calls", tool_calls=(call,))
    )
    run = llm.run_debates(Protocol(rounds=0), panel_of(model, 1, tools=(tool,)), [number()])
    assert outcome(run)["calls"] == 9
    assert run.transcripts[0].replies[0].answer is None


@pytest.mark.parametrize(("seat", "asked"), [("never", []), ("end", [2]), ("always", [0, 1, 2])])
def test_a_person_at_the_table(seat, asked):
    turns = []

    def person(turn):
        turns.append(turn)
        return final(7)

    panel = [
        *scripted([final(1)] * 3),
        llm.Debater(name="Ada", model=llm.ScriptedModel(replies=[final(2)] * 3), human=seat),
    ]
    run = llm.run_debates(Protocol(rounds=2), panel, [number()], person=person)
    assert [turn.round for turn in turns] == asked
    assert [r.answer for r in run.transcripts[0].replies if r.agent == 1] == [
        "7" if r in asked else "2" for r in range(3)
    ]
    if turns:
        assert turns[-1].agent == 1
        assert "How much is two and two?" in turns[-1].messages[0]["content"]


def test_a_person_may_answer_later_or_not_at_all():
    async def person(turn):
        await asyncio.sleep(0)
        return None if turn.round == 0 else final(7)

    panel = [*scripted([final(1)] * 2), llm.Debater(name="Ada", model=llm.ScriptedModel(replies=[]), human="always")]
    run = llm.run_debates(Protocol(rounds=1), panel, [number()], person=person)
    assert outcome(run)["failed"] == [["Ada", 0, "no_reply"]]
    assert outcome(run)["calls"] == 2


# --- events and the cache


def test_events_tell_the_story_and_watching_changes_nothing():
    protocol = Protocol(rounds=2, convergence=Convergence())
    rows = [[final(1), final(2)], ["!500", final(2)]]
    events = []
    run = llm.run_debates(
        protocol,
        scripted(*rows),
        [number()],
        on_event=events.append,
        rng=1,
        steer=[llm.Steer(before_round=1, text="Go")],
    )

    def broken(event):
        raise RuntimeError

    assert plain(
        llm.run_debates(
            protocol, scripted(*rows), [number()], on_event=broken, rng=1, steer=[llm.Steer(before_round=1, text="Go")]
        )
    ) == plain(run)
    kinds = [event.kind for event in events]
    assert set(kinds) <= set(llm.EVENT_KINDS)
    assert kinds[0] == "run_opened"
    assert kinds[-2:] == ["debate_ended", "run_ended"]
    assert [
        kinds.count(kind)
        for kind in ("round_opened", "round_closed", "call_started", "reply", "failure", "steer", "convergence")
    ] == [2, 2, 4, 3, 1, 1, 1]
    failure = next(event for event in events if event.kind == "failure")
    assert (failure.agent, failure.round, failure.data["code"]) == (1, 0, "500")


def test_broken_watchers_are_counted(record):
    def broken(event):
        raise RuntimeError

    totals = llm.record_debates(Protocol(rounds=0), scripted([final(4)]), [number()], record=record, on_event=broken)
    assert totals.broken_watchers >= 5
    assert (totals.debates, totals.correct, totals.statuses) == (1, 1, {"max_rounds": 1})


def test_a_cache_serves_a_second_run_and_costs_nothing(tmp_path):
    count = []
    panel = panel_of(
        llm.ScriptedModel(
            replies=lambda r: (
                count.append(1) or llm.Completion(text=final(len(count)), usage=llm.Usage(input=5, output=1))
            )
        ),
        3,
    )
    runs = []
    for _ in range(2):
        with llm.ReplyCache(tmp_path / "cache.jsonl") as cache:
            runs.append(
                llm.run_debates(Protocol(rounds=1), panel, [number("a"), number("b")], cache=cache, concurrency=1)
            )
    assert plain(runs[0]) == plain(runs[1])
    assert len(count) == 12
    assert outcome(runs[1])["calls"] == 0
    assert outcome(runs[1])["usage"]["input"] == 0


def test_a_cache_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "cache.jsonl").write_text("no cache")
    with pytest.raises(ValueError, match="not JSON"):
        llm.ReplyCache(tmp_path / "cache.jsonl")


# --- what is refused before anything is sent


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"samples": []}, ValueError, "samples is empty"),
        ({"samples": [number(), number()]}, ValueError, "occurs twice"),
        ({"samples": ["text"]}, TypeError, "Sample objects"),
        ({"debaters": []}, TypeError, "at least one Debater"),
        ({"debaters": scripted(["x"]) * 2}, ValueError, "different names"),
        ({"epochs": 0}, ValueError, "epochs"),
        ({"concurrency": 0}, ValueError, "concurrency"),
        ({"concurrency": True}, ValueError, "concurrency"),
        ({"rng": "seed"}, TypeError, "rng"),
        ({"round_timeout": 0}, ValueError, "round_timeout"),
        ({"protocol": "debate"}, TypeError, "protocol must be"),
        ({"protocol": Protocol(convergence=Convergence(quorum=3))}, ValueError, "quorum is 3"),
    ],
)
def test_wrong_runs_are_refused(tmp_path, change, error, message):
    given = {"protocol": Protocol(), "debaters": scripted(["x"]), "samples": [number()], **change}
    with pytest.raises(error, match=message):
        llm.run_debates(
            given.pop("protocol"), given.pop("debaters"), given.pop("samples"), record=tmp_path / "run.jsonl", **given
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": -1},
        {"top_p": 0},
        {"max_tokens": 0},
        {"max_tokens": True},
        {"seed": -1},
        {"seed": "random"},
        {"timeout": 0},
        {"logprobs": -1},
        {"name": " "},
        {"name": "two\nlines"},
        {"human": "sometimes"},
    ],
)
def test_wrong_debaters_are_refused(settings):
    with pytest.raises(ValueError):
        llm.Debater(**{"name": "d", "model": llm.ScriptedModel(replies=[]), **settings})


def test_a_model_must_be_one():
    with pytest.raises(TypeError, match="to_dict"):
        llm.Debater(name="d", model="gpt")  # pyright: ignore[reportArgumentType]


def test_memory_does_not_keep_starts_of_calls():
    store = MemoryStore({"agents": ["a"]})
    store.event({"event": "call_started"})
    store.event({"event": "retry"})
    assert [entry["type"] for entry in store.entries] == ["run", "event"]


def test_signals_are_left_as_they_were():
    before = signal.getsignal(signal.SIGINT)
    llm.run_debates(Protocol(rounds=0), scripted([final(1)]), [number()])
    assert signal.getsignal(signal.SIGINT) is before
    assert os.getpid() > 0
