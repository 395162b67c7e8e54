"""Events, and the cache of replies."""

import pytest

from madsim import llm
from madsim.protocols import Convergence, Protocol
from tests.unit.llm._help import final, number, outcome, panel_of, plain, scripted


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
