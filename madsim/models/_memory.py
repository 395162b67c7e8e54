"""What an agent keeps of the answers that it heard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Cumulative:
    """Everything, for ever: ``a <- a + c``, c the counts heard. The model of Choi, Zhu and Li."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """Old evidence fades: ``a <- keep * a + c``.

    Attributes
    ----------
    keep : share of the old evidence that is kept each round, in [0, 1]
    prior_fades : whether the agent's first concentration fades too; where False, ``a = a_0 + b`` with ``b <- keep * b + c``
    """

    keep: float
    prior_fades: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.keep <= 1:
            raise ValueError(f"keep must lie in [0, 1], got {self.keep!r}")
        if self.keep == 0 and self.prior_fades:
            raise ValueError("keep=0 with a fading prior leaves nothing but the last answers; use LastRound()")


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRound:
    """Only the last round beside the first belief: ``a = a_0 + c``. Language models usually see no more than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rereading:
    """The whole shared transcript, read again each round: ``a <- a + c_1 + ... + c_t``, so that early answers count again and again."""


Memory: TypeAlias = Cumulative | Forgetting | LastRound | Rereading
