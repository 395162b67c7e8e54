"""What happens while a run goes on, as a typed stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

EventKind = Literal[
    "run_opened",
    "round_opened",
    "call_started",
    "reply",
    "retry",
    "failure",
    "round_closed",
    "convergence",
    "verdict",
    "handoff",
    "budget",
    "pause",
    "steer",
    "debate_ended",
    "run_ended",
]
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened.

    Attributes
    ----------
    kind : one of `EVENT_KINDS`
    sample, epoch, round, agent : where, None where it does not apply; `agent` is the place in the panel
    path : in which inner debate (``"1.2"``: that of seat 2 in round 1), empty for the debate itself
    data : what else there is to say: a ``reply`` carries ``answer``, ``reason`` and the text, shortened; a ``failure`` its code
    """

    kind: EventKind
    sample: str | None = None
    epoch: int | None = None
    round: int | None = None
    agent: int | None = None
    path: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
