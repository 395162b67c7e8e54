"""Who changed what: the flip table of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from madsim.transcripts._votes import State, Votes


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Counts of pairs (an agent's reply in one round, its reply in the next) on samples with a target.

    Attributes
    ----------
    kept_right, kept_wrong : the same answer again
    right_to_wrong, wrong_to_right, wrong_to_wrong : another answer
    lost_right, lost_wrong : an answer, then none
    found_right, found_wrong : none, then an answer
    kept_none : none both times
    """

    kept_right: int
    kept_wrong: int
    right_to_wrong: int
    wrong_to_right: int
    wrong_to_wrong: int
    lost_right: int
    lost_wrong: int
    found_right: int
    found_wrong: int
    kept_none: int

    @property
    def total(self) -> int:
        """All pairs."""
        return sum(getattr(self, name) for name in self.__slots__)

    @property
    def changed(self) -> int:
        """Pairs of two answers that differ."""
        return self.right_to_wrong + self.wrong_to_right + self.wrong_to_wrong

    @property
    def moved(self) -> float | None:
        """Share of the pairs of two answers that differ; None where there is no such pair."""
        pairs = self.changed + self.kept_right + self.kept_wrong
        return self.changed / pairs if pairs else None

    def to_dict(self) -> dict[str, Any]:
        """The counts by name, with ``moved``."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "moved": self.moved}


def flips(votes: Votes, *, first: int | None = None, last: int | None = None) -> Flips:
    """The flip table: over all pairs of consecutive rounds, or from round `first` to round `last`.

    Only agents that were asked both times count; a failed call counts as no answer.

    Raises
    ------
    ValueError
        If no sample has a target, or only one of the two rounds is given, or they are not rounds of the run in ascending order.
    """
    if not votes.has_target.any():
        raise ValueError("no sample has a target, so right and wrong cannot be told")
    if first is None and last is None:
        before, after = slice(0, votes.n_rounds), slice(1, votes.n_rounds + 1)
    elif first is not None and last is not None and 0 <= first < last <= votes.n_rounds:
        before, after = slice(first, first + 1), slice(last, last + 1)
    else:
        raise ValueError(f"give both first < last among the rounds 0 to {votes.n_rounds}; got {first!r} and {last!r}")
    known = votes.has_target
    old, new = votes.answers[known, before], votes.answers[known, after]
    state = votes.state[known]
    asked = (state[:, before] != State.NOT_ASKED) & (state[:, after] != State.NOT_ASKED)

    def count(condition: Any) -> int:
        return int(np.count_nonzero(condition & asked))

    return Flips(
        kept_right=count((old == 0) & (new == 0)),
        kept_wrong=count((old > 0) & (new == old)),
        right_to_wrong=count((old == 0) & (new > 0)),
        wrong_to_right=count((old > 0) & (new == 0)),
        wrong_to_wrong=count((old > 0) & (new > 0) & (new != old)),
        lost_right=count((old == 0) & (new < 0)),
        lost_wrong=count((old > 0) & (new < 0)),
        found_right=count((old < 0) & (new == 0)),
        found_wrong=count((old < 0) & (new > 0)),
        kept_none=count((old < 0) & (new < 0)),
    )
