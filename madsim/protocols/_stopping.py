"""When a debate ends before its last round."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """Stop when every agent that answered has the same final answer and at least `quorum` answered.

    Attributes
    ----------
    quorum : least number of answers; None means more than half of the panel
    similarity : where a reply has no final answer, least word-level Jaccard similarity of every pair of whole replies
    oscillation : whether to stop as well when the panel's answers are those of two rounds ago and not those of the last round

    Stopping at unanimity biases the shares of later rounds, so a protocol meant for checks has no convergence.
    """

    quorum: int | None = None
    similarity: float = 0.85
    oscillation: bool = False

    def __post_init__(self) -> None:
        if self.quorum is not None and (
            isinstance(self.quorum, bool) or not isinstance(self.quorum, int) or self.quorum < 1
        ):
            raise ValueError(f"quorum must be a positive integer or None, got {self.quorum!r}")
        if not 0 < self.similarity <= 1:
            raise ValueError(f"similarity must lie in (0, 1], got {self.similarity!r}")
