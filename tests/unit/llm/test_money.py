"""Prices and budgets: nothing is sent that could not be paid for."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import llm
from madsim.llm._budget import Ledger, input_bound
from madsim.llm._plan import plan
from madsim.protocols import Judge, OneByOne, Protocol, Ranked, Visibility
from tests.unit.llm._help import final, number, outcome, panel_of, scripted


def paid(n=2, tokens=(50, 10), **settings):
    usage = llm.Usage(input=tokens[0], output=tokens[1])
    model = llm.ScriptedModel(replies=lambda r: llm.Completion(text=final(r.context.agent), usage=usage), name="m")
    return panel_of(model, n, max_tokens=20, **settings)


def test_a_table_in_prices_a_million():
    prices = llm.Prices.of_table({"m": {"input": 2.0, "output": 8.0, "cached": 1.0}}, per=1e6)
    assert prices.of("m-large").cost(llm.Usage(input=1000, cached=400, output=100)) == pytest.approx(
        0.0012 + 0.0004 + 0.0008
    )


def test_prices_are_read_from_a_file(tmp_path):
    path = tmp_path / "prices.json"
    path.write_text('{"per": 1000, "models": {"m": {"input": 1, "output": 2, "per_call": 0.5}, "n": [3, 4]}}')
    prices = llm.read_prices(path)
    assert prices.of("m") == llm.Price(input=0.001, output=0.002, per_call=0.5)
    assert prices.of("n").output == 0.004
    assert prices.of("other") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"models": 3}',
        '{"models": {"m": 3}}',
        '{"models": {"m": {"input": 1}}}',
        '{"models": {"m": [1, "x"]}}',
    ],
)
def test_a_broken_price_file_is_refused(tmp_path, text):
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"price|JSON|models"):
        llm.read_prices(path)


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_impossible_prices_and_caps_are_refused(value):
    with pytest.raises(ValueError):
        llm.Price(input=value)
    with pytest.raises(ValueError):
        llm.Budget(max_cost=value)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 20)), min_size=1, max_size=12), st.integers(0, 4000))
@settings(max_examples=60, deadline=None)
def test_tokens_never_pass_the_cap(usages, cap):
    """Whatever calls really take within their bounds, the sum stays within the cap."""
    model = llm.ScriptedModel(
        replies=lambda r: llm.Completion(
            text=final(r.context.agent),
            usage=llm.Usage(
                input=min(usages[r.context.round % len(usages)][0], input_bound(r.messages)),
                output=usages[r.context.agent % len(usages)][1],
            ),
        )
    )
    events = []
    run = llm.run_debates(
        Protocol(rounds=2),
        panel_of(model, 3, max_tokens=20),
        [number("a"), number("b")],
        budget=llm.Budget(max_tokens=cap),
        on_event=events.append,
    )
    taken = sum(
        one["usage"]["input"] + one["usage"]["output"] for one in (debate.outcome for debate in run.transcripts)
    )
    assert taken <= cap
    assert {one.outcome["status"] for one in run.transcripts} <= {"max_rounds", "budget"}


def test_a_call_without_usage_counts_as_its_reservation():
    panel = panel_of(llm.ScriptedModel(replies=lambda r: final(1), name="m"), 1, max_tokens=20)
    run = llm.run_debates(Protocol(rounds=0), panel, [number()], prices=llm.Prices.of_table({"m": [0.0, 1.0]}))
    assert outcome(run)["cost"] == 20.0


def test_rejected_replies_are_paid_for():
    tries = []

    def reply(request):
        tries.append(1)
        if len(tries) < 3:
            raise llm.ModelError("empty_choices", retryable=True, billed="yes", usage=llm.Usage(input=100, output=0))
        return llm.Completion(text=final(4), usage=llm.Usage(input=100, output=10))

    panel = panel_of(llm.CallableModel(function=reply, name="m"), 1, max_tokens=20)
    prices = llm.Prices.of_table({"m": [1.0, 1.0]})
    run = llm.run_debates(Protocol(rounds=0), panel, [number()], prices=prices, retry=llm.Retry(first_wait=0))
    assert outcome(run)["cost"] == 310.0
    assert outcome(run)["calls"] == 3


def test_the_judge_is_reserved_for_too():
    judge = llm.Debater(name="judge", model=llm.ScriptedModel(replies=[final(0)], name="m"), max_tokens=20)
    prices = llm.Prices(table={"m": llm.Price(per_call=1.0)})
    for cap, status, method in ((4.0, "budget", "majority"), (5.0, "resolved", "judge")):
        run = llm.run_debates(
            Protocol(rounds=1, reduction=Judge()),
            paid(2),
            [number()],
            judge=judge,
            prices=prices,
            budget=llm.Budget(max_cost=cap),
        )
        assert (outcome(run)["status"], outcome(run)["method"]) == (status, method)
        assert outcome(run)["answer"] == "0"


def test_ballots_stop_at_the_cap_and_the_vote_stays():
    prices = llm.Prices(table={"m": llm.Price(per_call=1.0)})
    run = llm.run_debates(
        Protocol(rounds=0, reduction=Ranked()), paid(3), [number()], prices=prices, budget=llm.Budget(max_cost=4.0)
    )
    assert outcome(run)["status"] == "budget"
    assert outcome(run)["answer"] == "0"
    assert outcome(run)["cost"] <= 4.0


def test_a_round_of_turns_is_reserved_as_a_whole():
    prices = llm.Prices(table={"m": llm.Price(per_call=1.0)})
    run = llm.run_debates(
        Protocol(rounds=2, schedule=OneByOne()), paid(3), [number()], prices=prices, budget=llm.Budget(max_cost=8.0)
    )
    assert outcome(run)["calls"] == 6
    assert outcome(run)["status"] == "budget"
    assert outcome(run)["stopped_after_round"] == 1


@pytest.mark.parametrize("cap", range(3, 16))
def test_turns_with_a_summariser_never_wait_for_themselves(cap):
    """Reservations for later turns are held while the summariser asks for its own; at any cap the run ends."""
    summariser = llm.Debater(
        name="s", model=llm.ScriptedModel(replies=lambda r: "They differ.", name="m"), max_tokens=20
    )
    protocol = Protocol(rounds=1, schedule=OneByOne(), visibility=Visibility(show="summary"))
    run = llm.run_debates(
        protocol,
        paid(3),
        [number("a"), number("b")],
        summariser=summariser,
        budget=llm.Budget(max_calls=cap),
        concurrency=2,
    )
    taken = sum(one.outcome["calls"] for one in run.transcripts)
    assert taken <= cap
    assert outcome(run)["answer"] is not None
    assert (outcome(run)["status"] == "max_rounds") == (cap >= 9)


def test_a_round_of_turns_that_is_cut_short_keeps_what_stood_before():
    """The quota ends in the middle of a round of turns."""
    rows = [[final(1), final(1)], [final(2), final(1)], [final(2), "!quota"]]
    run = llm.run_debates(Protocol(rounds=1, schedule=OneByOne()), scripted(*rows), [number()])
    assert outcome(run)["status"] == "budget"
    assert (outcome(run)["answer"], outcome(run)["votes"]) == ("1", 2)
    rows = [[final(1), final(1)], [final(2), "!quota"], [final(2), final(2)]]
    cut = llm.run_debates(Protocol(rounds=2, schedule=OneByOne()), scripted(*rows), [number()])
    assert outcome(cut)["status"] == "budget"


@pytest.mark.parametrize("cap", [{"max_tokens": 1000}, {"max_cost": 5.0}])
def test_a_cap_without_a_longest_reply_is_refused(cap):
    panel = panel_of(llm.ScriptedModel(replies=["x"], name="m"), 1)
    with pytest.raises(ValueError, match="max_tokens"):
        llm.run_debates(
            Protocol(), panel, [number()], prices=llm.Prices.of_table({"m": [1, 1]}), budget=llm.Budget(**cap)
        )


def test_calls_are_capped_over_all_debates_together():
    count = []
    model = llm.ScriptedModel(replies=lambda r: count.append(1) or final(r.context.agent))
    run = llm.run_debates(
        Protocol(rounds=2), panel_of(model, 3), [number(f"q{i}") for i in range(20)], budget=llm.Budget(max_calls=50)
    )
    assert len(count) == 48  # the last two cannot make a round of three
    statuses = [one.outcome["status"] for one in run.transcripts]
    assert statuses.count("max_rounds") == 5
    assert statuses.count("budget") == 15


def test_reservations_of_others_are_waited_for():
    """With caps that leave room for one round at a time, debates take turns instead of giving up."""
    bound = input_bound([{"role": "user", "content": llm.Prompts().question(number())}]) + 20
    run = llm.run_debates(
        Protocol(rounds=0),
        paid(2, tokens=(5, 1)),
        [number(f"q{i}") for i in range(10)],
        budget=llm.Budget(max_tokens=2 * bound + 9 * 12 + 1),
    )
    assert {one.outcome["status"] for one in run.transcripts} == {"max_rounds"}


def test_time_is_capped_and_a_resumed_run_makes_the_missing_calls(tmp_path):
    slow = [True]

    async def reply(request):
        if slow[0] and request.context.round == 1:
            await asyncio.Event().wait()
        return final(request.context.agent)

    panel = panel_of(llm.CallableModel(function=reply, takes="request"), 2)
    samples = [number("a"), number("b"), number("c")]
    record = tmp_path / "run.jsonl"
    run = llm.run_debates(
        Protocol(rounds=2), panel, samples, record=record, budget=llm.Budget(max_seconds=0.3), concurrency=2
    )
    assert [one.outcome["status"] for one in run.transcripts] == ["budget"] * 3
    assert outcome(run)["answer"] == "0"
    assert outcome(run, 2)["calls"] == 0
    slow[0] = False
    whole = llm.resume(record, panel, budget=llm.Budget())
    assert [one.outcome["status"] for one in whole.transcripts] == ["max_rounds"] * 3
    assert [len(one.replies) for one in whole.transcripts] == [6] * 3
    assert not any(reply.failed for one in whole.transcripts for reply in one.replies)


def test_a_used_up_quota_stops_like_a_budget(tmp_path):
    up = [False]
    count = []

    def reply(request):
        count.append(1)
        if len(count) > 4 and not up[0]:
            return "!quota"
        return final(request.context.agent)

    panel = panel_of(llm.ScriptedModel(replies=reply), 2)
    samples = [number(f"q{i}") for i in range(30)]
    record = tmp_path / "run.jsonl"
    run = llm.run_debates(Protocol(rounds=1), panel, samples, record=record, concurrency=1)
    assert [one.outcome["status"] for one in run.transcripts] == ["max_rounds"] + ["budget"] * 29
    assert len(count) == 6
    up[0] = True
    whole = llm.resume(record, panel)
    assert {one.outcome["status"] for one in whole.transcripts} == {"max_rounds"}
    assert len(count) == 6 + 29 * 4


def test_a_record_that_cannot_be_written_ends_the_run(tmp_path, monkeypatch):
    from madsim.transcripts import RunWriter

    def full(self, event):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RunWriter, "event", full)
    count = []
    panel = panel_of(llm.ScriptedModel(replies=lambda r: count.append(1) or final(1)), 2)
    with pytest.raises(OSError, match="No space"):
        llm.run_debates(Protocol(), panel, [number()], record=tmp_path / "run.jsonl")
    assert not count


def test_the_ledger_refuses_what_does_not_fit():
    async def main():
        ledger = Ledger(budget=llm.Budget(max_tokens=10))
        await ledger.reserve([llm.Amount(calls=1, tokens=6)])
        with pytest.raises(llm.BudgetError, match="5 tokens needed, 4 left of 10"):
            await ledger.reserve([llm.Amount(calls=1, tokens=5)], held=True)
        ledger.settle(llm.Amount(calls=1, tokens=6), llm.Amount(calls=1, tokens=2), llm.Usage(input=2))
        await ledger.reserve([llm.Amount(calls=1, tokens=8)])
        assert ledger.spent.tokens + ledger.reserved.tokens == 10

    asyncio.run(main())


def test_a_plan_counts_what_the_run_then_takes():
    judge = llm.Debater(name="judge", model=llm.ScriptedModel(replies=["no"] * 9, name="m"), max_tokens=30)
    protocol = Protocol(rounds=2, reduction=Judge(kind="comparative"))
    panel = panel_of(llm.ScriptedModel(replies=lambda r: final(r.context.agent), name="m"), 3, max_tokens=50)
    prices = llm.Prices.of_table({"m": [1.0, 2.0]})
    samples = [number(f"q{i}") for i in range(7)]
    expected = plan(protocol, panel, samples, judge=judge, prices=prices, epochs=2)
    run = llm.run_debates(protocol, panel, samples, judge=judge, epochs=2)
    assert expected.debates == 14
    assert expected.calls == sum(one.outcome["calls"] for one in run.transcripts) == 14 * (9 + 2)
    assert expected.most.tokens > expected.input_tokens + expected.output_tokens
    assert expected.cost == pytest.approx(expected.input_tokens + 2 * expected.output_tokens)
    whole = llm.run_debates(
        protocol, panel, samples, judge=judge, epochs=2, prices=prices, budget=llm.Budget(max_cost=expected.most.cost)
    )
    assert {one.outcome["status"] for one in whole.transcripts} == {"max_rounds"}


def test_a_plan_without_prices_or_longest_replies_says_so():
    expected = plan(Protocol(rounds=1), panel_of(llm.ScriptedModel(replies=["x"]), 2), [number()])
    assert (expected.cost, expected.most, expected.calls) == (None, None, 4)
    assert "price unknown" in str(expected)
