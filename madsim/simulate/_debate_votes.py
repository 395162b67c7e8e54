"""Simulated votes in the type that real transcripts give too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from madsim.models import DebateModel
from madsim.transcripts import State, Votes

_NOT_HELD = 255


def votes_of_trials(
    model: DebateModel,
    answers: NDArray[np.uint8],
    *,
    cluster: NDArray[np.int64] | None = None,
    source: str = "simulated debates",
) -> Votes:
    """The votes of simulated debates, one sample a trial.

    `answers` is uint8 (trial, round, agent), 255 where an early stop left a round out; `cluster` defaults to one question a trial.
    """
    n_trials = len(answers)
    numbers = answers.astype(np.int32)
    state = np.zeros(answers.shape, np.int8)
    stops = model.protocol.convergence is not None
    if stops:
        absent = answers == _NOT_HELD
        numbers[absent] = -1
        state[absent] = State.NOT_ASKED
    return Votes(
        answers=numbers,
        state=state,
        samples=tuple(map(str, range(n_trials))),
        cluster=np.arange(n_trials) if cluster is None else cluster,
        has_target=np.ones(n_trials, bool),
        agents=tuple(f"agent {number}" for number in range(1, model.n_agents + 1)),
        early_stopping=stops,
        protocol=model.protocol.to_dict(),
        n_answers=model.n_answers,
        source=source,
    )
