"""Votes made ready for tests: which debates count, what the answers are, and shares of right answers by question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from madsim.transcripts import State, Votes, carry_forward

NOT_ASKED = -2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """Answers of the debates that can be tested.

    Attributes
    ----------
    answers : int32 (sample, round, agent); 0 the target, 1, 2, ... others, -1 a reply without an answer, -2 not asked
    cluster : int64 (sample,); the question
    has_target : bool (sample,)
    kept : bool (sample of the votes,); which samples these are
    n_short : debates left out because some round is missing
    """

    answers: NDArray[np.int32]
    cluster: NDArray[np.int64]
    has_target: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    n_short: int

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Whether the agent was asked, same shape as `answers`."""
        return self.answers != NOT_ASKED

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether the target was given; a reply without an answer is not right."""
        return self.answers == 0

    @property
    def n_rounds(self) -> int:
        """Rounds after round 0."""
        return self.answers.shape[1] - 1

    def share(self, held: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Share of the agents asked that gave the answer marked in `held` (default: the target): (sample, round), NaN where unknown."""
        marked = self.right if held is None else held
        with np.errstate(invalid="ignore"):
            share = (marked & self.asked).sum(axis=2) / self.asked.sum(axis=2)
        if held is None:
            share[~self.has_target] = np.nan
        return share

    def change(self, before: int = 0, after: int | None = None) -> NDArray[np.float64]:
        """Change in the share of right answers by sample, over the agents asked in both rounds; NaN where unknown."""
        last = self.n_rounds if after is None else after
        both = self.asked[:, before] & self.asked[:, last]
        moved = self.right[:, last].astype(np.int64) - self.right[:, before]
        with np.errstate(invalid="ignore"):
            change = (moved * both).sum(axis=1) / both.sum(axis=1)
        change[~self.has_target] = np.nan
        return change

    def moved(self) -> float | None:
        """Share of the agents that were right in exactly one of the first and the last round; bounds any drift. None without targets."""
        both = (self.asked[:, 0] & self.asked[:, -1])[self.has_target]
        if not both.any():
            return None
        differ = (self.right[:, 0] != self.right[:, -1])[self.has_target]
        return float((differ & both).sum() / both.sum())

    def complete(self) -> NDArray[np.bool_]:
        """Samples in which every reply asked for holds an answer."""
        return ~(self.answers == -1).any(axis=(1, 2))


def panel_of(votes: Votes, *, carry: bool) -> Panel:
    """The debates that can be tested.

    With `carry` the last answers of a debate that ended stand in its later rounds. A debate in which some round is then still missing
    for everybody is left out and counted.
    """
    whole = carry_forward(votes) if carry else votes
    answers = np.where(whole.state == State.NOT_ASKED, NOT_ASKED, whole.answers).astype(np.int32)
    kept = (answers != NOT_ASKED).any(axis=2).all(axis=1)
    return Panel(
        answers=answers[kept],
        cluster=votes.cluster[kept],
        has_target=votes.has_target[kept],
        kept=kept,
        n_short=int((~kept).sum()),
    )
