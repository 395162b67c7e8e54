"""Who speaks when. Round 0 is independent and in parallel; a schedule orders the rounds after it. Two schedules also say who is asked in
round 0: phases and pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from madsim.protocols._phases import Phases
from madsim.protocols._pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Simultaneous:
    """Within a round nobody sees that round's replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneByOne:
    """Within a round agents speak one after another; each hears the latest reply of those it may hear, from this round where they
    have spoken already, else from the last one.

    ``order`` is ``"declared"`` (the order of the panel) or ``"random"`` (drawn anew each round from the run's seed).
    """

    order: Literal["declared", "random"] = "declared"

    def __post_init__(self) -> None:
        if self.order not in ("declared", "random"):
            raise ValueError(f"order must be 'declared' or 'random', got {self.order!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupChat:
    """A conversation: after round 0 each round is one turn of one speaker, who hears what was said since its own last turn.

    ``speaker`` is ``"round_robin"`` (declared order), ``"function"`` (a function given with the run chooses) or ``"model"`` (a
    moderator's model chooses). ``fallback`` says who speaks where the moderator names nobody, or more than one: ``"round_robin"`` the
    next in declared order, ``"random"`` one drawn from the run's seed, ``"last"`` whoever spoke last. At the end everybody's latest answer
    counts.
    """

    speaker: Literal["round_robin", "function", "model"] = "round_robin"
    fallback: Literal["round_robin", "random", "last"] = "round_robin"

    def __post_init__(self) -> None:
        if self.speaker not in ("round_robin", "function", "model"):
            raise ValueError(f"speaker must be 'round_robin', 'function' or 'model', got {self.speaker!r}")
        if self.fallback not in ("round_robin", "random", "last"):
            raise ValueError(f"fallback must be 'round_robin', 'random' or 'last', got {self.fallback!r}")


Schedule: TypeAlias = Simultaneous | OneByOne | GroupChat | Phases | Pool
SCHEDULES: tuple[type, ...] = (Simultaneous, OneByOne, GroupChat, Phases, Pool)
