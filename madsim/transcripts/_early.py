"""Whether debates stopped before their last round, and what stands after they did."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from madsim.transcripts._votes import State, Votes


def recognise_early_stopping(answers: NDArray[np.int32], state: NDArray[np.int8]) -> bool | None:
    """Whether debates stopped at agreement, read off the votes themselves.

    True where some debates are shorter than the longest and every short one ends with all its answers equal; False where none is
    short although some agreed before the last round; None where neither can be told.

    Parameters
    ----------
    answers, state : as in `Votes`, axes (sample, round, agent)
    """
    asked = (state != State.NOT_ASKED).any(axis=2)
    n_samples, n_rounds = asked.shape
    last = n_rounds - 1 - np.argmax(asked[:, ::-1], axis=1)
    known = asked.any(axis=1)
    short = known & (last < n_rounds - 1)
    agreed = _agreed(answers)
    if short.any():
        ends_agreed = agreed[np.arange(n_samples), last]
        return True if ends_agreed[short].all() else None
    return False if agreed[known, : n_rounds - 1].any() else None


def _agreed(answers: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Per (sample, round): at least one answer, and all answers equal."""
    most = answers.max(axis=2)
    least = np.where(answers < 0, np.iinfo(np.int32).max, answers).min(axis=2)
    return (most >= 0) & (most == least)


def carry_forward(votes: Votes) -> Votes:
    """The same votes with every agent's last answer (or failure to answer) standing in the later rounds in which it was not asked.

    This is what a debate that has ended contributes to later rounds. Cells before an agent's first question stay empty. Shares
    carried on from debates that stopped at agreement drift although beliefs do not; see the conditions of the checks.
    """
    answers = votes.answers.copy()
    state = votes.state.copy()
    for number in range(1, answers.shape[1]):
        idle = state[:, number] == State.NOT_ASKED
        answers[:, number][idle] = answers[:, number - 1][idle]
        state[:, number][idle] = state[:, number - 1][idle]
    return replace(votes, answers=answers, state=state)
