"""How answers become one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from madsim.protocols._document import check_name

Ties = Literal["first", "random", "fail"]


def _check(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(
            f"{name} must be {', '.join(repr(one) for one in allowed[:-1])} or {allowed[-1]!r}, got {value!r}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Majority:
    """The answer that most agents gave in the last round (plurality); an agent without an answer abstains.

    ``ties`` says what a tie gives: ``"first"`` the tied answer that comes first in declared order, ``"random"`` one of the tied
    answers with equal chance (an expected value where accuracy is estimated), ``"fail"`` no answer.
    """

    ties: Ties = "first"

    def __post_init__(self) -> None:
        _check("ties", self.ties, ("first", "random", "fail"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """The answer with the greatest sum of confidences.

    Each agent ends with a line ``Confidence: 80%``; one that states none counts with `unstated`. A `calibration` maps stated to
    calibrated confidence by straight lines between its (stated, calibrated) points, both in [0, 1], stated ascending; None uses
    confidences as they are stated.
    """

    ties: Ties = "first"
    unstated: float = 0.5
    calibration: tuple[tuple[float, float], ...] | None = None

    def __post_init__(self) -> None:
        _check("ties", self.ties, ("first", "random", "fail"))
        if not 0 <= self.unstated <= 1:
            raise ValueError(f"unstated must lie in [0, 1], got {self.unstated!r}")
        if self.calibration is not None:
            points = tuple((float(stated), float(true)) for stated, true in self.calibration)
            stated = [point[0] for point in points]
            if not points or any(not 0 <= value <= 1 for point in points for value in point):
                raise ValueError(f"calibration needs points (stated, calibrated) in [0, 1], got {self.calibration!r}")
            if any(b <= a for a, b in pairwise(stated)):
                raise ValueError("the stated confidences of a calibration must ascend")
            object.__setattr__(self, "calibration", points)

    def weight(self, stated: float | None) -> float:
        """The weight of an answer with this stated confidence (None: none stated)."""
        value = self.unstated if stated is None else min(1.0, max(0.0, stated))
        if self.calibration is None:
            return value
        points = self.calibration
        if value <= points[0][0]:
            return points[0][1]
        for (low, at_low), (high, at_high) in pairwise(points):
            if value <= high:
                return at_low + (at_high - at_low) * (value - low) / (high - low)
        return points[-1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """After the last round each agent ranks the answers at hand; the ballots decide by Borda count, instant run-off or pairwise wins."""

    method: Literal["borda", "instant_runoff", "condorcet"] = "borda"
    ties: Ties = "first"

    def __post_init__(self) -> None:
        _check("method", self.method, ("borda", "instant_runoff", "condorcet"))
        _check("ties", self.ties, ("first", "random", "fail"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """After the last round each agent names every answer at hand that it finds acceptable; the most approved one wins."""

    ties: Ties = "first"

    def __post_init__(self) -> None:
        _check("ties", self.ties, ("first", "random", "fail"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Longest:
    """The answer of the agent with the longest reply in the last round (the first of them in declared order)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneAgent:
    """The last answer of one agent, counted from 0: a centralised debate is a star graph whose hub decides."""

    agent: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.agent, bool) or not isinstance(self.agent, int) or self.agent < 0:
            raise ValueError(f"agent must be an integer of at least 0, got {self.agent!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """One agent proposes the answer at hand with most votes, the others accept or refine it, at most `proposals` times; a refined
    proposal is put to everybody again. The vote decides where nobody's proposal is accepted by all."""

    proposals: int = 2

    def __post_init__(self) -> None:
        if isinstance(self.proposals, bool) or not isinstance(self.proposals, int) or self.proposals < 1:
            raise ValueError(f"proposals must be an integer of at least 1, got {self.proposals!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge reads the debate and decides; where it fails the vote does, and the outcome says so.

    ``kind`` is ``"synthesis"`` (the judge gives the final answer itself) or ``"comparative"`` (it chooses between the answers at hand,
    shown in both orders, so that its position bias is seen and cancels). With ``each_round`` it is asked after every round whether the
    matter is settled, and the debate ends when it is.
    """

    kind: Literal["synthesis", "comparative"] = "synthesis"
    each_round: bool = False

    def __post_init__(self) -> None:
        _check("kind", self.kind, ("synthesis", "comparative"))
        if not isinstance(self.each_round, bool):
            raise TypeError(f"each_round must be True or False, got {self.each_round!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LastDocument:
    """The last document of a type that was handed on, as a whole, is the answer: what a pipeline makes need not be a short answer."""

    document: str

    def __post_init__(self) -> None:
        check_name(self.document, "the type of a document")


@dataclass(frozen=True, slots=True, kw_only=True)
class Custom:
    """A function given with the run decides; `name` says in the record which one it was."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"a custom reduction needs a name, got {self.name!r}")


Reduction: TypeAlias = (
    Majority | Weighted | Ranked | Approval | Longest | OneAgent | Consensus | Judge | LastDocument | Custom
)
REDUCTIONS: tuple[type, ...] = (
    Majority,
    Weighted,
    Ranked,
    Approval,
    Longest,
    OneAgent,
    Consensus,
    Judge,
    LastDocument,
    Custom,
)
