"""Reading a judge's recorded words again, without asking it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from madsim import answers
from madsim.tasks import Sample
from madsim.transcripts._record import Record, call_key

_CUT = ("length", "content_filter")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """What a judge said about one debate, as it is read now.

    Attributes
    ----------
    sample, epoch : which debate
    recorded : the answer of the recorded outcome
    answer : the judge's answer as it is read now; None where its words decide nothing (the vote then decides)
    reason : reason code of the reading, or why nothing was decided
    correct : whether `answer` is the target's; None without an answer or a target
    """

    sample: str
    epoch: int
    recorded: str | None
    answer: str | None
    reason: str
    correct: bool | None


def rejudge(record: Record) -> tuple[Rejudged, ...]:
    """Every judged debate of a record, its judge's replies read again.

    A synthesis is read like a debater's reply; a comparison needs both presentation orders, which are reconciled.

    Raises
    ------
    ValueError
        If the record's protocol has no judge, or asks it after every round (then its replies also say when to stop).
    """
    protocol = record.header.get("protocol")
    reduction = protocol.get("reduction") if isinstance(protocol, dict) else None
    if not isinstance(reduction, dict) or reduction.get("type") != "Judge":
        raise ValueError("this record's debates were not decided by a judge, so there is nothing to judge again")
    if reduction.get("each_round"):
        raise ValueError(
            "this judge was asked after every round; what it said then also ended debates and cannot be read alone"
        )
    said: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for call in record.calls:
        key = call_key(call)
        if key.role == "judge":
            said.setdefault((key.sample, key.epoch), []).append(call)
    return tuple(_rejudged(record, said, comparative=reduction.get("kind") == "comparative"))


def _rejudged(
    record: Record, said: dict[tuple[str, int], list[Mapping[str, Any]]], *, comparative: bool
) -> Iterator[Rejudged]:
    for (name, epoch), calls in said.items():
        sample = record.samples[name]
        outcome = record.outcomes.get((name, epoch), {})
        options = [str(option) for option in outcome.get("counts") or {}]
        texts = _texts(calls)
        answer, reason = _comparison(texts, options) if comparative else _synthesis(texts, sample)
        recorded = outcome.get("answer")
        yield Rejudged(
            sample=name,
            epoch=epoch,
            recorded=None if recorded is None else str(recorded),
            answer=answer,
            reason=reason,
            correct=None if answer is None or sample.target is None else _same(answer, sample.target, sample),
        )


def _texts(calls: list[Mapping[str, Any]]) -> dict[int, str | None]:
    """The judge's reply by step; of several attempts the last whole one counts."""
    texts: dict[int, str | None] = {}
    for call in calls:
        text = call.get("reply")
        step = call.get("step") or 0
        whole = isinstance(text, str) and not call.get("failed") and call.get("finish_reason") not in _CUT
        texts[step] = text if whole else texts.get(step)
    return texts


def _synthesis(texts: dict[int, str | None], sample: Sample) -> tuple[str | None, str]:
    kind: Any = sample.answer_type
    found = answers.extract(texts.get(0), kind, choices=sample.choices)
    return found.answer, found.reason


def _comparison(texts: dict[int, str | None], options: list[str]) -> tuple[str | None, str]:
    orders = (options, options[::-1])
    verdicts = [
        answers.parse_verdict(texts.get(step), options, shown_order=order, allow_tie=True)
        for step, order in enumerate(orders)
    ]
    verdict = answers.reconcile(verdicts, allow_tie=True)
    return (verdict.winner if verdict.winner in options else None), verdict.reason


def _same(answer: str, target: str, sample: Sample) -> bool:
    kind: Any = sample.answer_type or answers.infer_type(target, choices=sample.choices)
    return answers.equivalent(answer, target, kind, choices=sample.choices)
