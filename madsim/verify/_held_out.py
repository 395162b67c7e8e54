"""Held-out answers: round-0 answers to the same questions that no debater saw."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim.transcripts import State, Votes


def held_out_answers(votes: Votes, held_out: ArrayLike | Votes) -> NDArray[np.int32]:
    """Held-out answers by sample of `votes`: int32 (sample, held-out answer), below 0 for none.

    Votes of another run are matched by sample name; only its answers 0 (the target) mean the same in both runs, so its other answers
    are numbered apart, as -2 - answer, and count as wrong. A reply without an answer is -2 too, one that was never asked for -1.

    Raises
    ------
    ValueError
        If an array has another number of rows, or a sample has no held-out answers under its name, or samples of one name cannot be the
        same question: they have other numbers of possible answers, or a target in one run only.
    """
    if isinstance(held_out, Votes):
        rows = {name: row for row, name in enumerate(held_out.samples)}
        missing = [name for name in votes.samples if name not in rows]
        if missing:
            raise ValueError(
                f"{len(missing)} of {votes.n_samples} samples have no held-out answers (the first is {missing[0]!r}); "
                f"the held-out run has {held_out.n_samples} samples"
            )
        order = [rows[name] for name in votes.samples]
        _same_questions(votes, held_out, order)
        answers, state = held_out.answers[order, 0], held_out.state[order, 0]
        return np.where(state == State.NOT_ASKED, -1, np.where(answers == 0, 0, -2 - np.maximum(answers, 0))).astype(
            np.int32
        )
    array = np.asarray(held_out)
    if array.ndim != 2 or array.shape[0] != votes.n_samples or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"held_out must be integers (sample, answer) with {votes.n_samples} rows, got {array.dtype} {array.shape}"
        )
    return array.astype(np.int32)


def _same_questions(votes: Votes, held_out: Votes, order: list[int]) -> None:
    """What votes can tell about it; `match_held_out` compares the questions themselves."""
    if None not in (votes.n_answers, held_out.n_answers) and votes.n_answers != held_out.n_answers:
        raise ValueError(
            f"the held-out answers are to other questions: they have {held_out.n_answers} possible answers, those of the run "
            f"{votes.n_answers}"
        )
    differ = np.flatnonzero(votes.has_target != held_out.has_target[order])
    if len(differ):
        raise ValueError(
            f"{len(differ)} of {votes.n_samples} samples have a target in one of the two runs only "
            f"(the first is {votes.samples[differ[0]]!r}); held-out answers must be answers to the same questions"
        )


def share_right(held: NDArray[np.int32]) -> NDArray[np.float64]:
    """Share of right answers among those held out: (sample,), NaN where there are none."""
    given = (held != -1).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return (held == 0).sum(axis=1) / given
