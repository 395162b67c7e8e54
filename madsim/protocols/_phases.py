"""A pipeline of dialogues between two roles, each handing a typed document to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from madsim.protocols._document import check_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One dialogue of two seats.

    Attributes
    ----------
    name : of the phase
    first, second : the seats, counted from 0; they speak in turn, `first` begins
    turns : most replies, both seats together
    until : words that end the dialogue where a reply has them on a line of their own; None plays all turns
    publishes : type of the document that it hands on, by default the phase's name; if the protocol's visibility describes that type, a
        reply counts only where it has that form, and an end without one is a failed hand-off
    carry : ``"last"`` hands on the last reply of that form, ``"summary"`` a summariser's words about the dialogue
    task : what is asked of both, shown to them as part of a user turn; their role prompts stay as they are
    """

    name: str
    first: int
    second: int
    turns: int = 2
    until: str | None = None
    publishes: str | None = None
    carry: Literal["last", "summary"] = "last"
    task: str = ""

    def __post_init__(self) -> None:
        check_name(self.name, "the name of a phase")
        for name in ("first", "second"):
            seat = getattr(self, name)
            if isinstance(seat, bool) or not isinstance(seat, int) or seat < 0:
                raise ValueError(f"phase {self.name!r}: {name} must be a seat of at least 0, got {seat!r}")
        if self.first == self.second:
            raise ValueError(f"phase {self.name!r} needs two different seats, got {self.first} twice")
        if isinstance(self.turns, bool) or not isinstance(self.turns, int) or self.turns < 1:
            raise ValueError(f"phase {self.name!r}: turns must be an integer of at least 1, got {self.turns!r}")
        if self.carry not in ("last", "summary"):
            raise ValueError(f"phase {self.name!r}: carry must be 'last' or 'summary', got {self.carry!r}")
        if self.until is not None:
            check_name(self.until, f"phase {self.name!r}: until")
        object.__setattr__(self, "publishes", self.name if self.publishes is None else self.publishes)
        check_name(self.publishes, f"phase {self.name!r}: publishes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    """Dialogues one after another: every round, round 0 included, is one reply of one seat.

    Within a phase the two seats hear each other; of earlier phases they are shown what was handed on, as far as they subscribe to its
    type. A protocol needs ``rounds = turns - 1``, the most that all phases can take; phases that end early make it shorter.
    """

    phases: tuple[Phase, ...]

    def __post_init__(self) -> None:
        phases = tuple(Phase(**one) if isinstance(one, Mapping) else one for one in self.phases)
        if not phases or any(not isinstance(one, Phase) for one in phases):
            raise TypeError(f"phases must be at least one Phase, got {self.phases!r}")
        names = [one.name for one in phases]
        if len(set(names)) != len(names):
            raise ValueError(f"phases need different names, got {', '.join(names)}")
        object.__setattr__(self, "phases", phases)

    @property
    def turns(self) -> int:
        """Most replies of all phases together."""
        return sum(one.turns for one in self.phases)

    @property
    def n_agents(self) -> int:
        """Least size of a panel: the highest seat and one."""
        return 1 + max(max(one.first, one.second) for one in self.phases)

    def to_dict(self) -> dict[str, Any]:
        """Plain form of the fields."""
        return {"phases": [{name: getattr(one, name) for name in Phase.__slots__} for one in self.phases]}
