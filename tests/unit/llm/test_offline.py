"""Saved debates decided anew, and events as an iterator."""

import asyncio

import pytest

from madsim import llm
from madsim.protocols import Consensus, Custom, Judge, Longest, Majority, Protocol, Ranked, Weighted
from madsim.tasks import Sample
from madsim.transcripts import Reply, Run, Transcript, cut_rounds, reorder_agents
from tests.unit.llm._help import choice, final, number, outcome, scripted

ROWS = [
    [final(1) + "\nConfidence: 90%", final(1) + "\nConfidence: 90%"],
    [final(2) + "\nConfidence: 20%", final(2) + "\nConfidence: 30%"],
    [final(1) + "\nConfidence: 20%", "because " * 30 + final(2) + "\nConfidence: 30%"],
]


@pytest.fixture
def run():
    return llm.run_debates(Protocol(rounds=1), scripted(*ROWS), [number("a"), number("b")])


def test_a_revote_by_another_rule(run):
    assert [one.outcome["answer"] for one in run.transcripts] == ["2", "2"]
    assert outcome(llm.revote(run))["answer"] == "2"
    weighted = llm.revote(run, Weighted())
    assert (outcome(weighted)["answer"], outcome(weighted)["method"], outcome(weighted)["votes"]) == (
        "1",
        "weighted",
        1,
    )
    assert outcome(llm.revote(run, Longest()))["agent"] == 2
    assert outcome(llm.revote(run, Custom(name="first"), reduce=lambda s, r: r[0].answer))["answer"] == "1"
    assert weighted.protocol["reduction"]["type"] == "Weighted"
    assert weighted.transcripts[0].replies == run.transcripts[0].replies
    assert outcome(weighted)["calls"] == 0


def test_a_revote_after_cutting_rounds_or_changing_the_order(run):
    assert outcome(llm.revote(cut_rounds(run, 0)))["answer"] == "1"
    two = llm.run_debates(Protocol(rounds=0), scripted([final(1)], [final(2)]), [number()])
    assert outcome(llm.revote(two))["answer"] == "1"
    assert outcome(llm.revote(reorder_agents(two, [1, 0])))["answer"] == "2"


def test_a_revote_of_imported_answers_and_of_debates_that_ended_early():
    def debate(name, rounds):
        replies = [
            Reply(round=r, agent=a, answer=x, reason="table")
            for r, row in enumerate(rounds)
            for a, x in enumerate(row)
            if x
        ]
        return Transcript(
            sample=Sample(id=name, question="?", target="A", choices={"A": "a", "B": "b"}, answer_type="choice"),
            replies=tuple(replies),
        )

    run = Run(
        agents=("x", "y", "z"),
        transcripts=(debate("early", ["AAA"]), debate("late", ["ABB", "AAB"]), debate("gap", [["A", None, "B"]])),
    )
    again = llm.revote(run, Majority())
    assert [one.outcome["answer"] for one in again.transcripts] == ["A", "A", "A"]
    assert [one.outcome["tie"] for one in again.transcripts] == [False, False, True]
    assert [one.outcome["correct"] for one in again.transcripts] == [True, True, True]


@pytest.mark.parametrize("reduction", [Judge(), Ranked(), Consensus()])
def test_a_revote_asks_nobody(run, reduction):
    with pytest.raises(ValueError, match="makes no calls"):
        llm.revote(run, reduction)


def test_a_second_judge_reads_the_same_debate(run):
    asked = []

    def reply(request):
        asked.append(request.messages[-1]["content"])
        return final(1)

    judge = llm.Debater(name="judge", model=llm.ScriptedModel(replies=reply, name="m"), max_tokens=20)
    again = llm.rejudge(run, judge)
    assert [one.outcome["answer"] for one in again.transcripts] == ["1", "1"]
    assert (outcome(again)["method"], outcome(again)["details"]["agrees_with_vote"]) == ("judge", False)
    assert len(asked) == 2
    assert "=== Round 1: d2 ===" in asked[0]
    both = llm.Debater(name="judge", model=llm.ScriptedModel(replies=lambda r: '{"winner": "tie"}'))
    assert outcome(llm.rejudge(run, both, Judge(kind="comparative")))["method"] == "majority_fallback"
    with pytest.raises(ValueError, match="price"):
        llm.rejudge(run, judge, budget=llm.Budget(max_cost=1.0))


def test_events_as_an_iterator():
    async def story():
        events = llm.watch_debates(Protocol(rounds=1), scripted([final(1)] * 2), [choice()])
        return [event.kind async for event in events]

    kinds = asyncio.run(story())
    assert (kinds[0], kinds[-1], kinds.count("reply")) == ("run_opened", "run_ended", 2)


def test_leaving_the_iterator_cancels_the_run(tmp_path):
    async def story():
        async def reply(messages):
            await asyncio.sleep(0)
            return final(1)

        panel = [llm.Debater(name="d", model=llm.CallableModel(function=reply))]
        samples = [number(f"q{i}") for i in range(50)]
        events = llm.watch_debates(Protocol(rounds=2), panel, samples, record=tmp_path / "run.jsonl")
        async for event in events:
            if event.kind == "debate_ended":
                break
        await events.aclose()
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(story()) == []
    run = llm.resume(tmp_path / "run.jsonl", models=llm.ScriptedModel(replies=[final(1)] * 3))
    assert {one.outcome["status"] for one in run.transcripts} == {"max_rounds"}


def test_errors_reach_whoever_watches():
    async def story():
        async for _ in llm.watch_debates(Protocol(rounds=1), scripted([]), [number()]):
            pass

    with pytest.raises(llm.MisuseError):
        asyncio.run(story())
