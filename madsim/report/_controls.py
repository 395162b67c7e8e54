"""Debates against their controls: what a second look, the same compute or chance alone would have done on the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from madsim._core.estimate import Estimate
from madsim._core.html import Markup, join, tag
from madsim.report._charts import cell, table
from madsim.report._numbers import count, points, points_range
from madsim.report._plain import plain
from madsim.report._summary import Summary
from madsim.transcripts import State, carry_forward, clustered_mean

WORDS = {
    "reask": "the same agents asked again without peers",
    "vote": "a plain vote with as many calls",
    "placebo": "peers' words from another question",
    "replicate": "the same debate once more",
    "held_out": "independent answers, no debate",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """A debate less its control, by question, at the end of each.

    Attributes
    ----------
    debate, control : names of the runs
    kind : of the control
    vote, agent : difference in how often the vote, and a single agent, is right
    """

    debate: str
    control: str
    kind: str
    vote: Estimate
    agent: Estimate


def against_controls(summaries: Sequence[Summary]) -> list[Against]:
    """Every debate against every control that shares a question with it."""
    scores = [(one, _by_question(one)) for one in summaries]
    found = []
    for debate, mine in scores:
        for control, theirs in scores:
            kind = _kind(control)
            shared = mine.keys() & theirs.keys()
            if _kind(debate) is None and kind is not None and shared:
                differences = np.array([mine[key] - theirs[key] for key in sorted(shared)])
                units = np.arange(len(shared))
                vote, agent = (clustered_mean(column, units) for column in differences.T)
                found.append(Against(debate=debate.name, control=control.name, kind=kind, vote=vote, agent=agent))
    return found


def controls(summaries: Sequence[Summary]) -> Markup:
    """The differences as a table, or what to run to have them."""
    found = against_controls(summaries)
    if not found:
        return tag(
            "p",
            "No control run stands beside these debates. Asking again without peers can move answers as much as debate does: run the "
            "control that asks again, and a vote with as many calls, on the same questions, and report them together.",
        )
    rows = [
        [
            one.debate,
            cell(one.control, WORDS.get(one.kind, one.kind)),
            count(one.vote.n),
            cell(points(one.vote.value), points_range(one.vote.interval())),
            cell(points(one.agent.value), points_range(one.agent.interval())),
        ]
        for one in found
    ]
    head = ["debate", "control", "shared questions", "vote, points", "single agent, points"]
    caption = "Debate less control on the same questions, last round of each, with 95 % intervals over questions"
    said = [(f"{one.debate} against {one.control}", _difference_words(one)) for one in found]
    return join([plain(said), table(head, rows, caption=caption)])


def _difference_words(one: Against) -> str:
    interval, told = one.vote.interval(), points(one.vote.value)
    what = f"the debate's vote differs by {told} points from that of {WORDS.get(one.kind, one.kind)}"
    if interval is None or interval.low <= 0 <= interval.high:
        return f"{what}, which these questions do not tell from no difference."
    return f"{what}: more than chance."


def _kind(one: Summary) -> str | None:
    return one.run.control if one.run is not None else None


def _by_question(one: Summary) -> dict[str, NDArray[np.float64]]:
    """Vote and share right of the last round by question text, averaged over repeats."""
    if one.run is None:
        return {}
    whole = carry_forward(one.votes)
    asked = (whole.state[:, -1] != State.NOT_ASKED).sum(axis=1)
    right = whole.right[:, -1].sum(axis=1)
    gathered: dict[str, list[tuple[float, float]]] = {}
    for row, transcript in enumerate(one.run.transcripts):
        if one.votes.has_target[row] and asked[row]:
            key = transcript.sample.question.strip() or f"\0{transcript.sample.id}"
            gathered.setdefault(key, []).append((one.credit[row, -1], right[row] / asked[row]))
    return {key: np.mean(values, axis=0) for key, values in gathered.items()}
