"""Rules that stand between belief and answer from round 1 on: who keeps, copies or locks an answer instead of drawing one.

Published descriptions leave open what ties do and whether an answer that was not drawn still changes the belief of its giver; here both are
parameters. ``updates`` always means: an agent whose answer was kept by the rule still adds the answers heard to its concentration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


def _check_probability(value: float, name: str = "probability") -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in [0, 1], got {value!r}")


def _check_choice(value: str, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionLock:
    """An agent that was right in the last round keeps its answer with `probability`, else draws anew.

    Attributes
    ----------
    probability : of keeping
    lasting : whether an answer once kept is kept for ever after; where False, each round decides anew
    updates : whether a kept answer's giver still updates its belief
    """

    probability: float
    lasting: bool = False
    updates: bool = False

    def __post_init__(self) -> None:
        _check_probability(self.probability)


def Oracle(*, updates: bool = False) -> CorrectionLock:
    """Once right, an agent repeats its answer for ever (a correction lock of probability 1)."""
    return CorrectionLock(probability=1.0, lasting=True, updates=updates)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformist:
    """An agent keeps its answer when it equals the last round's majority, else draws anew.

    Attributes
    ----------
    among : whose last answers make the majority: ``"all"`` agents, or those that the agent ``"heard"`` and itself
    ties : ``"random"`` one of the tied answers is drawn and is the majority for everybody (for each agent apart, where it counts only those
        that it heard), ``"each"`` every agent draws its own, ``"any"`` every tied answer counts as the majority, ``"none"`` none does
    updates : whether a kept answer's giver still updates its belief
    """

    among: Literal["all", "heard"] = "all"
    ties: Literal["random", "each", "any", "none"] = "random"
    updates: bool = True

    def __post_init__(self) -> None:
        _check_choice(self.among, ("all", "heard"), "among")
        _check_choice(self.ties, ("random", "each", "any", "none"), "ties")


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """With `probability` an agent adopts the last round's majority answer, else draws anew.

    Attributes
    ----------
    probability : of following
    among : whose last answers make the majority: ``"all"`` agents, or those that the agent ``"heard"`` and itself
    ties : ``"random"`` one of the tied answers is drawn and is the majority for everybody (for each agent apart, where it counts only those
        that it heard), ``"each"`` every follower draws its own, ``"none"`` a tie is no majority: followers draw anew
    updates : whether a follower still updates its belief in that round
    """

    probability: float = 0.3
    among: Literal["all", "heard"] = "all"
    ties: Literal["random", "each", "none"] = "random"
    updates: bool = True

    def __post_init__(self) -> None:
        _check_probability(self.probability)
        _check_choice(self.among, ("all", "heard"), "among")
        _check_choice(self.ties, ("random", "each", "none"), "ties")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sticky:
    """With `probability` an agent repeats its own last answer, else draws anew.

    Attributes
    ----------
    probability : of repeating
    updates : whether a repeater still updates its belief in that round
    """

    probability: float = 0.8
    updates: bool = True

    def __post_init__(self) -> None:
        _check_probability(self.probability)


Intervention: TypeAlias = CorrectionLock | Conformist | Follower | Sticky
