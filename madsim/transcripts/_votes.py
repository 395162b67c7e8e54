"""Votes: the one thing that simulated debates and transcripts have in common, and that every check, fit and plot reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import readonly

if TYPE_CHECKING:
    import pandas
    import xarray


class State(IntEnum):
    """Why there is or is not an answer."""

    ANSWERED = 0
    UNPARSED = 1
    FAILED = 2
    NOT_ASKED = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Votes:
    """Integer votes by sample, round and agent.

    Attributes
    ----------
    answers : int32 (sample, round, agent); 0 is the target, 1, 2, ... the sample's other answers, -1 none
    state : int8, same shape; a `State` code
    samples : ids, one a sample (trial numbers for simulated debates)
    cluster : int64 (sample,); equal for samples of the same question (epochs, repeats)
    has_target : bool (sample,); where False, no answer is 0 and right or wrong cannot be told
    agents : names
    early_stopping : whether debates could stop before the last round; None where unknown
    protocol : plain form of the protocol, None where unknown
    n_answers : number of possible answers where it is the same for every sample, else None
    source : where the votes came from, for people
    """

    answers: NDArray[np.int32]
    state: NDArray[np.int8]
    samples: tuple[str, ...]
    cluster: NDArray[np.int64]
    has_target: NDArray[np.bool_]
    agents: tuple[str, ...]
    early_stopping: bool | None = None
    protocol: dict[str, Any] | None = None
    n_answers: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        answers = np.asarray(self.answers, dtype=np.int32)
        if answers.ndim != 3:
            raise ValueError(f"answers must have the axes (sample, round, agent), got shape {answers.shape}")
        state = np.asarray(self.state, dtype=np.int8)
        if state.shape != answers.shape:
            raise ValueError(f"state must have the shape of answers {answers.shape}, got {state.shape}")
        if ((answers >= 0) != (state == State.ANSWERED)).any():
            raise ValueError("an answer of at least 0 and the state ANSWERED must go together")
        lengths = {len(self.samples), len(self.cluster), len(self.has_target)}
        if lengths != {answers.shape[0]} or len(self.agents) != answers.shape[2]:
            raise ValueError(f"samples, cluster, has_target and agents must match answers of shape {answers.shape}")
        object.__setattr__(self, "answers", readonly(answers))
        object.__setattr__(self, "state", readonly(state))
        object.__setattr__(self, "cluster", readonly(np.asarray(self.cluster, dtype=np.int64)))
        object.__setattr__(self, "has_target", readonly(np.asarray(self.has_target, dtype=np.bool_)))

    @property
    def n_samples(self) -> int:
        """Number of debates."""
        return self.answers.shape[0]

    @property
    def n_rounds(self) -> int:
        """Number of rounds after round 0."""
        return self.answers.shape[1] - 1

    @property
    def n_agents(self) -> int:
        """Size of the panel."""
        return self.answers.shape[2]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether the target was given, same shape as `answers`; an unparsed answer is not right."""
        return self.answers == 0

    def to_dataframe(self) -> pandas.DataFrame:
        """One row an agent asked: sample, question, round, agent, answer (0 the target, -1 none), state, right (None without a target).

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        sample, number, seat = np.nonzero(self.state != State.NOT_ASKED)
        states = np.array([state.name.lower() for state in State], dtype=object)
        right = self.right[sample, number, seat].astype(object)
        right[~self.has_target[sample]] = None
        columns = {
            "sample": np.array(self.samples, dtype=object)[sample],
            "question": self.cluster[sample],
            "round": number,
            "agent": np.array(self.agents, dtype=object)[seat],
            "answer": self.answers[sample, number, seat],
            "state": states[self.state[sample, number, seat]],
            "right": right,
        }
        return dataframe(columns)

    def to_xarray(self) -> xarray.Dataset:
        """`answers` and `state` with the axes sample, round and agent; questions and targets by sample.

        Raises
        ------
        ImportError
            If xarray is not installed.
        """
        from madsim._core.tables import dataset

        axes = ("sample", "round", "agent")
        variables = {
            "answers": (axes, self.answers),
            "state": (axes, self.state),
            "question": (("sample",), self.cluster),
            "has_target": (("sample",), self.has_target),
        }
        names = {"sample": list(self.samples), "round": np.arange(self.n_rounds + 1), "agent": list(self.agents)}
        return dataset(variables, names, source=self.source or None, n_answers=self.n_answers)

    def _repr_html_(self) -> str:
        """What a notebook shows: the scores by round."""
        from madsim._core.html import table
        from madsim.transcripts._scores import accuracy_by_round, unparsed_by_round, vote_by_round

        scored = bool(self.has_target.any())
        columns = [unparsed_by_round(self), *((accuracy_by_round(self), vote_by_round(self)) if scored else ())]
        head = ["round", "no readable answer", *(["accuracy of an agent", "accuracy of the vote"] if scored else [])]
        rows = [
            [t, *(f"{one:.4f}" if isinstance(one, float) else str(one) for one in cells)]
            for t, cells in enumerate(zip(*columns, strict=True))
        ]
        size = f"{self.n_samples} debates, {self.n_agents} agents, {self.n_rounds + 1} answers of each"
        return table(head, rows, caption=f"Votes: {size}")
