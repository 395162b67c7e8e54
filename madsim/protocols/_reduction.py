"""How answers become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Majority:
    """The answer that most agents gave in the last round (plurality); an agent without an answer abstains.

    ``ties`` says what a tie gives: ``"first"`` the tied answer that comes first in declared order, ``"random"`` one of the tied
    answers with equal chance (an expected value where accuracy is estimated), ``"fail"`` no answer.
    """

    ties: Literal["first", "random", "fail"] = "first"

    def __post_init__(self) -> None:
        if self.ties not in ("first", "random", "fail"):
            raise ValueError(f"ties must be 'first', 'random' or 'fail', got {self.ties!r}")


Reduction: TypeAlias = Majority
