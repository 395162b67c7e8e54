"""The debates of all runs as data for the page's browser: a light index, and the replies in chunks that are read when opened."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from madsim._core.html import Markup, tag
from madsim.answers import REASONS
from madsim.report._summary import FLAGS, Summary, flags
from madsim.transcripts import Reply, State, Transcript

CHUNK = 100
_EXCERPT = 160

_STATES = {State.UNPARSED: "unparsed", State.FAILED: "failed", State.NOT_ASKED: "not asked"}


def data_scripts(summaries: Sequence[Summary]) -> Iterator[Markup]:
    """Script elements that hold data and are never executed: ``debates`` first, then the chunks ``debates-RUN-NUMBER``."""
    yield data_script(
        "debates",
        {
            "flags": FLAGS,
            "reasons": dict(REASONS),
            "chunk": CHUNK,
            "runs": [
                {"name": one.name, "agents": one.votes.agents, "rounds": one.votes.n_rounds + 1} for one in summaries
            ],
            "debates": [entry for number, one in enumerate(summaries) for entry in _index(number, one)],
        },
    )
    for number, one in enumerate(summaries):
        for part, start in enumerate(range(0, one.votes.n_samples, CHUNK)):
            rows = range(start, min(start + CHUNK, one.votes.n_samples))
            yield data_script(f"debates-{number}-{part}", [_detail(one, row) for row in rows])


def data_script(key: str, data: Any) -> Markup:
    """A script element of a type that no browser runs; no text in `data` can close it."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return tag("script", Markup(text), type="application/json", id=key)


def _index(run: int, summary: Summary) -> Iterator[list[Any]]:
    """Per debate: run, place in the run, id, flags, start of the question."""
    for row, (name, bits) in enumerate(zip(summary.votes.samples, flags(summary), strict=True)):
        question = summary.run.transcripts[row].sample.question if summary.run else ""
        yield [run, row, name, int(bits), " ".join(question[:_EXCERPT].split())]


def _detail(summary: Summary, row: int) -> dict[str, Any]:
    if summary.run is None:
        return {"answers": _cells(summary, row)}
    transcript = summary.run.transcripts[row]
    sample = transcript.sample
    return {
        "question": sample.question,
        "target": sample.target,
        "choices": None if sample.choices is None else dict(sample.choices),
        "outcome": _outcome(transcript),
        "answers": _cells(summary, row),
        "replies": [_reply(reply) for reply in transcript.replies],
    }


def _cells(summary: Summary, row: int) -> list[list[Any]]:
    """By round and agent: the number of the answer's group (0 is the target), or why there is none."""
    votes = summary.votes
    scored = bool(votes.has_target[row])
    answers, states = votes.answers[row].tolist(), votes.state[row].tolist()
    return [
        [
            (answer if scored else answer + 1) if answer >= 0 else _STATES[State(state)]
            for answer, state in zip(*both, strict=True)
        ]
        for both in zip(answers, states, strict=True)
    ]


def _reply(reply: Reply) -> list[Any]:
    """Round, agent, answer, reason, text in three parts around the answer (or None), and how the call ended."""
    return [reply.round, reply.agent, reply.answer, reply.reason, _parts(reply), reply.finish_reason]


def _parts(reply: Reply) -> list[str] | None:
    if reply.text is None:
        return None
    if reply.span is None or not 0 <= reply.span[0] < reply.span[1] <= len(reply.text):
        return [reply.text]
    start, end = reply.span
    return [reply.text[:start], reply.text[start:end], reply.text[end:]]


def _outcome(transcript: Transcript) -> list[str]:
    """The outcome's plain facts as text, in a fixed order."""
    known = transcript.outcome or {}
    facts = [(name, known.get(name)) for name in ("status", "method", "answer", "reason")]
    return [f"{name}: {value}" for name, value in facts if isinstance(value, (str, int, float))]
