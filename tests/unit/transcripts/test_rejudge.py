"""Judges' recorded words, read again."""

import json

import pytest

from madsim.transcripts import Rejudged, record_of, rejudge

QUESTION = {"type": "sample", "id": "q", "question": "?", "target": "4", "answer_type": "number"}


def record(kind, *replies, counts=("5", "4"), each_round=False, recorded="5"):
    reduction = {"type": "Judge", "kind": kind, "each_round": each_round}
    header = {"type": "run", "schema": 1, "agents": ["a", "b"], "protocol": {"rounds": 0, "reduction": reduction}}
    calls = [
        {
            "type": "call",
            "sample": "q",
            "round": 0,
            "agent": 0,
            "role": "judge",
            "step": step,
            "attempt": attempt,
            **more,
        }
        for attempt, (step, more) in enumerate(replies)
    ]
    outcome = {"type": "outcome", "sample": "q", "epoch": 0, "answer": recorded, "counts": dict.fromkeys(counts, 1)}
    return record_of(json.loads(json.dumps([header, QUESTION, *calls, outcome])))


def test_a_synthesis_is_read_like_a_reply():
    (one,) = rejudge(record("synthesis", (0, {"reply": "Final answer: 4", "finish_reason": "stop"})))
    assert one == Rejudged(sample="q", epoch=0, recorded="5", answer="4", reason="label", correct=True)


def test_the_last_whole_attempt_counts():
    replies = [
        (0, {"reply": None, "failed": True}),
        (0, {"reply": "Final answer: 4", "finish_reason": "stop"}),
        (0, {"reply": "Final answer: 5", "finish_reason": "length"}),
    ]
    assert rejudge(record("synthesis", *replies))[0].answer == "4"
    assert rejudge(record("synthesis", replies[0]))[0].answer is None


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        ('{"winner": "B"}', '{"winner": "A"}', "4"),  # the same answer, shown second and then first
        ('{"winner": "A"}', '{"winner": "A"}', None),  # always the first one shown
        ('{"winner": "A"}', '{"winner": "B"}', "5"),
        ("no idea", "none", None),
    ],
)
def test_a_comparison_reconciles_both_orders(first, second, answer):
    (one,) = rejudge(record("comparative", (0, {"reply": first}), (1, {"reply": second})))
    assert one.answer == answer
    assert one.correct is (None if answer is None else answer == "4")


def test_what_was_not_judged_is_refused():
    other = record_of([{"type": "run", "schema": 1, "agents": ["a"]}])
    with pytest.raises(ValueError, match="not decided by a judge"):
        rejudge(other)
    with pytest.raises(ValueError, match="after every round"):
        rejudge(record("synthesis", each_round=True))
    assert rejudge(record("synthesis")) == ()
