"""How a belief becomes an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from madsim._core.arrays import as_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Probability matching: an answer is given with the probability that is believed. The model of Choi, Zhu and Li."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Temperature:
    """Answers drawn from belief to the power ``1 / temperature``, normalised.

    Below 1 sharper than belief (a sharpening exponent g is ``Temperature(temperature=1 / g)``), above 1 flatter.

    Attributes
    ----------
    temperature : above 0
    from_round : first round to which it applies; earlier rounds match probabilities
    """

    temperature: float
    from_round: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.temperature < float("inf"):
            raise ValueError(
                f"temperature must be finite and above 0 (Argmax() is the limit 0), got {self.temperature!r}"
            )
        as_count(self.from_round, name="from_round")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopP:
    """Nucleus sampling: only the fewest likeliest answers whose beliefs reach `mass` together, renormalised.

    Answers of equal belief are taken in the order of their numbers.

    Attributes
    ----------
    mass : in (0, 1]
    from_round : first round to which it applies; earlier rounds match probabilities
    """

    mass: float
    from_round: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.mass <= 1:
            raise ValueError(f"mass must lie in (0, 1], got {self.mass!r}")
        as_count(self.from_round, name="from_round")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argmax:
    """Always the likeliest answer.

    Attributes
    ----------
    ties : ``"random"`` draws one of the likeliest answers, ``"first"`` takes the one with the lowest number (the target, if it is one)
    from_round : first round to which it applies; earlier rounds match probabilities
    """

    ties: Literal["random", "first"] = "random"
    from_round: int = 0

    def __post_init__(self) -> None:
        if self.ties not in ("random", "first"):
            raise ValueError(f"ties must be 'random' or 'first', got {self.ties!r}")
        as_count(self.from_round, name="from_round")


Response: TypeAlias = Matching | Temperature | TopP | Argmax
