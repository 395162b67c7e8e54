"""How far beliefs are from martingales, exactly: drift given everybody's past, and given an agent's own past only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim.theory._influence import Influence, as_dense, influence_of
from madsim.theory._moments import spread, steps, walk_moments

if TYPE_CHECKING:
    from madsim.models import DebateModel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConditionalDrift:
    """Expected change of belief from one round to the next, given everything that was said before.

    Attributes
    ----------
    largest : float64 (agent,); the largest absolute drift over all histories
    rms : float64 (agent,); root mean square over histories
    step_rms : float64 (agent,); root mean square of the random part of the same step, for scale
    mean_largest, mean_rms : the same for the plain mean of the beliefs
    urn_largest, urn_rms : the same for all concentrations thrown together (total for the answer divided by total mass)
    round : the step is from this round to the next
    """

    largest: NDArray[np.float64]
    rms: NDArray[np.float64]
    step_rms: NDArray[np.float64]
    mean_largest: float
    mean_rms: float
    urn_largest: float
    urn_rms: float
    round: int


def conditional_drift(model: DebateModel, round: int = 1, *, answer: int = 0) -> ConditionalDrift:
    """Exact drift of every belief from `round` to the next, given everybody's past: its largest value and its root mean square.

    The drift is linear in the votes cast so far, so the largest value needs no enumeration. It is 0 for agents whose belief is a
    martingale in this step.

    Examples
    --------
    >>> from madsim import graphs
    >>> from madsim.models import DebateModel
    >>> from madsim.protocols import Protocol, Visibility
    >>> ring = Protocol(visibility=Visibility(graph=graphs.ring(4)))
    >>> drift = conditional_drift(DebateModel.homogeneous(n_agents=4, belief=0.6, mass=2.0, protocol=ring))
    >>> round(float(drift.largest.max()), 4), round(float(drift.rms.max()), 4)
    (0.05, 0.03)
    """
    round = as_count(round, name="round")
    influence = influence_of(model, round + 1)
    *_, (mean, covariance) = walk_moments(influence, round, answer)
    walk, push, _ = steps(influence, round + 1)[round]
    mass = influence.masses(round + 1)
    following = as_dense(walk)
    pull = following - np.eye(len(mean))
    after, before = mass[round + 1] / mass[round + 1].sum(), mass[round] / mass[round].sum()
    functionals = np.concatenate([pull, pull.mean(axis=0)[None], (after @ following - before)[None]])
    largest = _largest(functionals, influence, round, answer)
    rms = np.sqrt(((functionals @ covariance * functionals).sum(axis=1) + (functionals @ mean) ** 2).clip(min=0))
    noise = mean * (1 - mean) - covariance.diagonal()
    return ConditionalDrift(
        largest=readonly(largest[:-2]),
        rms=readonly(rms[:-2]),
        step_rms=readonly(np.sqrt(spread(push, noise).diagonal().clip(min=0))),
        mean_largest=float(largest[-2]),
        mean_rms=float(rms[-2]),
        urn_largest=float(largest[-1]),
        urn_rms=float(rms[-1]),
        round=round,
    )


def own_history_slopes(model: DebateModel, n_rounds: int = 2, *, answer: int = 0) -> NDArray[np.float64]:
    """Slope of an agent's next change of belief on its own last change from the prior, by round and agent.

    Row t - 1 holds the slope of ``E[p_{t+1} - p_t]`` on ``p_t - p_0`` (best linear predictor) for t = 1, ..., n_rounds - 1. After
    one round the conditional mean itself is linear wherever those whom an agent hears start alike. NaN where an agent's belief cannot
    move.

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> deaf = DebateModel.homogeneous(n_agents=5, belief=0.6, mass=2.0, self_weight=0.0)
    >>> own_history_slopes(deaf).round(3).tolist()
    [[-0.1, -0.1, -0.1, -0.1, -0.1]]
    """
    n_rounds = as_count(n_rounds, name="n_rounds", minimum=2)
    influence = influence_of(model, n_rounds)
    rows = []
    moments = list(walk_moments(influence, n_rounds - 1, answer))
    for (_, covariance), (following, _, _) in zip(moments[1:], steps(influence, n_rounds)[1:], strict=True):
        variance = covariance.diagonal()
        joint = np.asarray(following @ covariance).diagonal() - variance
        rows.append(np.divide(joint, variance, out=np.full(len(variance), np.nan), where=variance > 0))
    return readonly(np.array(rows))


def own_history_links(influence: Influence, n_rounds: int, answer: int = 0) -> NDArray[np.float64]:
    """``[t, s, i]``: slope of agent i's change from round t to t + 1 on its belief in round s <= t; 0 where that belief is certain."""
    result = np.zeros((n_rounds, n_rounds, influence.n_agents))
    crossed: list[NDArray[np.float64]] = []  # Cov(p_t, p_s) for every s <= t
    variance: list[NDArray[np.float64]] = []
    moments = walk_moments(influence, n_rounds - 1, answer)
    for t, ((_, covariance), (walk, _, _)) in enumerate(zip(moments, steps(influence, n_rounds), strict=True)):
        crossed.append(covariance)
        variance.append(covariance.diagonal())
        change = [np.asarray(walk @ cross) - cross for cross in crossed]
        for s, moved in enumerate(change):
            np.divide(moved.diagonal(), variance[s], out=result[t, s], where=variance[s] > 0)
        crossed = [cross + moved for cross, moved in zip(crossed, change, strict=True)]
    return result


def first_links(influence: Influence, answer: int = 0) -> NDArray[np.float64]:
    """Slope of every agent's change from round 1 to 2 on its belief in round 1, without a dense matrix: shape (agent,)."""
    belief = influence.belief(answer)
    (_, push, _), (walk, _, _) = steps(influence, 2)
    covariance = push @ (push * (belief * (1 - belief))).T  # beliefs of round 0 are certain
    variance = covariance.diagonal()
    moved = (walk @ covariance).diagonal() - variance
    return np.divide(moved, variance, out=np.zeros(len(belief)), where=variance > 0)


def _largest(functionals: NDArray[np.float64], influence: Influence, round: int, answer: int) -> NDArray[np.float64]:
    """Largest absolute value of every row of `functionals` times the beliefs after `round` rounds, over all histories.

    The beliefs are linear in the votes: cumulated over rounds (0 to `round` an agent) where the graph stays, else round by round.
    """
    mass = influence.masses(round)[round]
    low = high = functionals @ (influence.concentration[:, answer] / mass)
    for update in range(1, round + 1):
        slopes = functionals @ (influence.dense(update) / mass[:, None])
        low = low + slopes.clip(max=0).sum(axis=1)
        high = high + slopes.clip(min=0).sum(axis=1)
    return np.maximum(-low, high)
