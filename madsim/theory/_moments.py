"""Exact mean, standard deviation and covariance of every belief in every round: no Monte Carlo error.

With A_t the masses and C_t the influence matrix, ``p_t = (A_{t-1} p_{t-1} + C_t y_{t-1}) / A_t`` where the votes y are independent given
the beliefs. Hence, with ``W_t = (diag(A_{t-1}) + C_t) / A_t`` and ``B_t = C_t / A_t``::

    m_t   = W_t m_{t-1}
    Cov_t = W_t Cov_{t-1} W_t' + B_t diag(m (1 - m) - diag Cov_{t-1}) B_t'        (m = m_{t-1})

on any graph, with any weights, priors and order of graphs. A memory that fades changes W_t and may put a share of the prior back in every
round. The cost is O(T N E).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim.theory._influence import Influence, influence_of
from madsim.theory._similar_moments import walk_similar
from madsim.theory._turns import walk_turns

if TYPE_CHECKING:
    import pandas
    import xarray

    from madsim.models import DebateModel

_LARGEST_COVARIANCE = 4_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DebateMoments:
    """Exact moments of the beliefs in one answer, by round.

    Attributes
    ----------
    mean : float64 (round, agent); round 0 is the prior
    sd : float64 (round, agent)
    covariance : float64 (agent, agent), after the last round
    pooled_mean, pooled_sd : float64 (round,), of the plain mean over agents
    answer : the answer that the beliefs are about; 0 is the target
    """

    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    covariance: NDArray[np.float64]
    pooled_mean: NDArray[np.float64]
    pooled_sd: NDArray[np.float64]
    answer: int

    @property
    def n_rounds(self) -> int:
        """Number of rounds after round 0."""
        return self.mean.shape[0] - 1

    def __str__(self) -> str:
        lines = [
            f"Exact beliefs in answer {self.answer}, {self.mean.shape[1]} agents",
            "round  mean    sd      (of the mean over agents)",
        ]
        lines += [
            f"{t:5d}  {m:.4f}  {s:.4f}" for t, (m, s) in enumerate(zip(self.pooled_mean, self.pooled_sd, strict=True))
        ]
        return "\n".join(lines)

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a round and agent: mean and standard deviation of the belief.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        n_times, n_agents = self.mean.shape
        columns = {
            "round": np.repeat(np.arange(n_times), n_agents),
            "agent": np.tile(np.arange(n_agents), n_times),
            "mean": self.mean.ravel(),
            "sd": self.sd.ravel(),
        }
        return dataframe(columns)

    def to_xarray(self) -> xarray.Dataset:
        """Mean and standard deviation by round and agent, of the mean over agents by round, and the covariance after the last round.

        Raises
        ------
        ImportError
            If xarray is not installed.
        """
        from madsim._core.tables import dataset

        both, agents = ("round", "agent"), np.arange(self.mean.shape[1])
        variables = {
            "mean": (both, self.mean),
            "sd": (both, self.sd),
            "covariance": (("agent", "other_agent"), self.covariance),
            "pooled_mean": (("round",), self.pooled_mean),
            "pooled_sd": (("round",), self.pooled_sd),
        }
        places = {"round": np.arange(self.n_rounds + 1), "agent": agents, "other_agent": agents}
        return dataset(variables, places, answer=self.answer)

    def _repr_html_(self) -> str:
        """What a notebook shows: the mean belief of every agent and of all, by round."""
        from madsim._core.html import table

        shown = self.mean.shape[1] if self.mean.shape[1] <= 12 else 0
        head = ["round", "mean of all", "sd", *(f"agent {i}" for i in range(shown))]
        rows = [
            [t, f"{self.pooled_mean[t]:.4f}", f"{self.pooled_sd[t]:.4f}", *(f"{m:.4f} ± {s:.4f}" for m, s in cells)]
            for t, cells in enumerate(np.stack([self.mean, self.sd], axis=-1)[:, :shown])
        ]
        return table(head, rows, caption=f"Exact beliefs in answer {self.answer} (± one sd over debates)")


def debate_moments(model: DebateModel, n_rounds: int | None = None, *, answer: int = 0) -> DebateMoments:
    """Exact mean, sd and covariance of the beliefs of `model` in every round.

    Parameters
    ----------
    model
        A debate whose beliefs move linearly in the votes heard: any graph or sequence of graphs, weights, priors, fading memory, order of
        speaking or similarity of answers.
    n_rounds
        Rounds after round 0; by default the protocol's.
    answer
        Which answer the beliefs are about; 0 is the target.

    Raises
    ------
    ValueError
        If the model is not linear (the part at fault is named), or has more than 4000 agents (then :func:`debate_mean` still works).

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> moments = debate_moments(DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0), 2)
    >>> moments.mean[:, 0].round(3).tolist(), moments.sd[:, 0].round(4).tolist()
    ([0.7, 0.7, 0.7], [0.0, 0.1464, 0.1673])
    """
    influence, n_rounds, answer = _checked(model, n_rounds, answer)
    n = influence.n_agents
    mean = np.empty((n_rounds + 1, n))
    variance = np.empty((n_rounds + 1, n))
    pooled = np.empty(n_rounds + 1)
    covariance = np.zeros((0, 0))
    for round, (expected, covariance) in enumerate(walk_moments(influence, n_rounds, answer)):
        mean[round], variance[round], pooled[round] = expected, covariance.diagonal(), covariance.mean()
    return DebateMoments(
        mean=readonly(mean),
        sd=readonly(np.sqrt(variance.clip(min=0))),
        covariance=readonly(covariance),
        pooled_mean=readonly(mean.mean(axis=1)),
        pooled_sd=readonly(np.sqrt(pooled.clip(min=0))),
        answer=answer,
    )


def debate_mean(model: DebateModel, n_rounds: int | None = None, *, answer: int = 0) -> NDArray[np.float64]:
    """Exact mean belief by round and agent, shape (round, agent).

    O(edges) a round, so for panels of any size, where all speak at once and every answer counts for itself.
    """
    influence, n_rounds, answer = _checked(model, n_rounds, answer)
    if influence.order is not None or influence.similarity is not None:
        return readonly(np.array([expected for expected, _ in walk_moments(influence, n_rounds, answer)]))
    mean = [influence.belief(answer)]
    for walk, _, anchor in steps(influence, n_rounds):
        mean.append(walk @ mean[-1] + anchor * mean[0])
    return readonly(np.array(mean))


def steps(influence: Influence, n_rounds: int) -> list[tuple[Any, Any, NDArray[np.float64]]]:
    """W_t, B_t and the weight of the prior that is put back, for t = 1, 2, ..., n_rounds."""
    mass = influence.masses(n_rounds)
    updates = []
    for update in range(1, n_rounds + 1):
        push = _scale_rows(influence.matrix(update), 1 / mass[update])
        walk = _add_diagonal(push, influence.keep * mass[update - 1] / mass[update])
        updates.append((walk, push, influence.refresh * mass[0] / mass[update]))
    return updates


def walk_moments(
    influence: Influence, n_rounds: int, answer: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Mean (agent,) and covariance (agent, agent) of the beliefs, round by round from round 0."""
    if influence.order is not None:
        yield from walk_turns(influence, n_rounds, answer)
        return
    if influence.similarity is not None:
        yield from walk_similar(influence, n_rounds, answer)
        return
    n = influence.n_agents
    if n > _LARGEST_COVARIANCE:
        raise ValueError(
            f"covariances of {n} agents do not fit; {_LARGEST_COVARIANCE} is the largest panel. debate_mean gives the means"
        )
    prior = influence.belief(answer)
    mean, covariance = prior, np.zeros((len(prior), len(prior)))
    yield mean, covariance
    for walk, push, anchor in steps(influence, n_rounds):
        noise = mean * (1 - mean) - covariance.diagonal()  # E p (1 - p), the variance of a vote given the beliefs
        covariance = sandwich(walk, covariance) + spread(push, noise)
        mean = walk @ mean + anchor * prior
        yield mean, covariance


def _checked(model: DebateModel, n_rounds: int | None, answer: int) -> tuple[Influence, int, int]:
    n_rounds = as_count(model.protocol.rounds if n_rounds is None else n_rounds, name="n_rounds")
    answer = as_count(answer, name="answer", maximum=model.concentration.shape[1] - 1)
    return influence_of(model, n_rounds, memory=True, order=True, similarity=True), n_rounds, answer


def sandwich(matrix: Any, inner: NDArray[np.float64]) -> NDArray[np.float64]:
    """``matrix @ inner @ matrix.T`` for symmetric `inner`."""
    return matrix @ (matrix @ inner).T


def spread(matrix: Any, noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """``matrix @ diag(noise) @ matrix.T`` as a dense array."""
    if isinstance(matrix, np.ndarray):
        return (matrix * noise) @ matrix.T
    return (matrix @ (matrix.T * noise[:, None]).tocsr()).toarray()


def _scale_rows(matrix: Any, factors: NDArray[np.float64]) -> Any:
    if isinstance(matrix, np.ndarray):
        return matrix * factors[:, None]
    from scipy.sparse import diags_array

    return (diags_array(factors) @ matrix).tocsr()


def _add_diagonal(matrix: Any, diagonal: NDArray[np.float64]) -> Any:
    if isinstance(matrix, np.ndarray):
        return matrix + np.diag(diagonal)
    from scipy.sparse import diags_array

    return (matrix + diags_array(diagonal)).tocsr()
