"""Seats that wait for their person: nothing that was said is lost, and nothing is asked twice."""

import asyncio

import pytest

from madsim import llm
from madsim.protocols import OneByOne, Protocol, Simultaneous
from madsim.tasks import Sample
from madsim.transcripts import read_record
from tests.unit.llm._help import final, number, outcome, scripted

SAMPLE = Sample(id="q", question="How much is two and two?", target="4", answer_type="number")


def with_a_seat(sent):
    def reply(name):
        def model(messages):
            sent.append((name, len(messages)))
            return "Final answer: 4"

        return llm.CallableModel(function=model)

    first, last = (llm.Debater(name=name, model=reply(name)) for name in ("Bo", "Cy"))
    return [first, llm.Debater(name="Ada", model=llm.ScriptedModel(replies=[]), human="always"), last]


@pytest.mark.parametrize("schedule", [Simultaneous(), OneByOne()])
@pytest.mark.parametrize("leaves", [0, 1, 2])
def test_a_debate_waits_for_its_person_and_goes_on(tmp_path, schedule, leaves):
    sent, asked = [], []

    def leaving(turn):
        asked.append(turn.round)
        if turn.round == leaves:
            raise EOFError
        return "Final answer: 5"

    protocol = Protocol(rounds=2, schedule=schedule)
    run = llm.run_debates(protocol, with_a_seat(sent), [SAMPLE], record=tmp_path / "r", person=leaving)
    outcome = run.transcripts[0].outcome
    assert (outcome["status"], outcome["details"]["waiting_for"]) == ("paused", "Ada")
    assert outcome["failed"] == []
    before = len(sent)
    in_turn = leaves > 0 and isinstance(schedule, OneByOne)
    assert before == 2 * leaves + (1 if in_turn else 2)  # who speaks after Ada waits for her words

    done = llm.resume(
        tmp_path / "r", with_a_seat(sent), person=lambda turn: asked.append(turn.round) or "Final answer: 5"
    )
    assert done.transcripts[0].outcome["status"] == "max_rounds"
    assert len(sent) == 6
    assert asked == [*range(leaves + 1), *range(leaves, 3)]
    straight = llm.run_debates(protocol, with_a_seat([]), [SAMPLE], person=lambda turn: "Final answer: 5")
    said = [[(one.round, one.agent, one.text) for one in run.transcripts[0].replies] for run in (done, straight)]
    assert said[0] == said[1]
    assert len(read_record(tmp_path / "r").calls) == 9


def test_a_waiting_debate_can_be_accepted_as_it_is(tmp_path):
    def away(turn):
        raise EOFError

    llm.run_debates(Protocol(rounds=1), with_a_seat([]), [SAMPLE], record=tmp_path / "r", person=away)
    assert llm.accept(tmp_path / "r") == 1
    outcome = next(iter(read_record(tmp_path / "r").outcomes.values()))
    assert (outcome["status"], outcome["answer"]) == ("max_rounds", "4")


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
