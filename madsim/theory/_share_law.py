"""The full law of a finite swarm: iterated forward over every possible count vector, and solved for where it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, readonly
from madsim.models import Swarm, SynchronousVoter
from madsim.theory._counts import count_vectors, law_of_alike, n_count_vectors, rank
from madsim.theory._swarm_events import event_rates, is_lumpable, n_types, round_shares, start_counts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.float64]

_LARGEST_LATTICE = 2_000_000
_LARGEST_DENSE = 4_000
_LARGEST_SOLVE = 60_000
_CHUNK = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLaw:
    """Exact moments of the shares of a finite swarm.

    Attributes
    ----------
    times : int64 (time,); events, or rounds of a synchronous swarm
    mean : float64 (time, type); expected share of every option, and of the uncommitted where there are any
    sd : float64 (time, type)
    absorbed : float64 (time, type); chance that all agents hold one type
    """

    times: NDArray[np.int64]
    mean: Array
    sd: Array
    absorbed: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Absorption:
    """Where a finite swarm ends and how long it takes.

    Attributes
    ----------
    probability : float64 (type,); chance that all agents end with this type
    mean_time : expected number of events (rounds of a synchronous swarm) until then
    """

    probability: Array
    mean_time: float


def share_law(model: Swarm, times: ArrayLike) -> ShareLaw:
    """Exact mean, spread and absorption of the shares at the given times.

    Parameters
    ----------
    model
        A swarm whose counts are a Markov chain: everybody is heard, or a few others without reward noise; a synchronous swarm without
        reward noise.
    times
        Numbers of events (rounds of a synchronous swarm) at which to look, shape (time,).

    Returns
    -------
    ShareLaw
        By iteration over all C(N + n - 1, n - 1) count vectors; the only error is rounding.

    Raises
    ------
    ValueError
        If the counts are no Markov chain, or there are too many of them; the message names the largest swarm.
    """
    moments = np.asarray(times)
    if moments.ndim != 1 or moments.dtype.kind not in "iu" or (moments < 0).any() or not len(moments):
        raise ValueError(f"times must be whole numbers of at least 0 in a list, got {times!r}")
    transition = _transition(model, _LARGEST_LATTICE, "share_law")
    states = count_vectors(model.n_agents, n_types(model))
    law = np.zeros(len(states))
    law[rank(start_counts(model)[None], model.n_agents)] = 1.0
    corners = _corners(model)
    shares = states / model.n_agents
    mean = np.empty((len(moments), states.shape[1]))
    sd, absorbed = np.empty_like(mean), np.empty_like(mean)
    now = 0
    for position in np.argsort(moments, kind="stable"):
        while now < moments[position]:
            law = transition @ law
            now += 1
        mean[position] = law @ shares
        sd[position] = np.sqrt(np.maximum(law @ shares**2 - mean[position] ** 2, 0.0))
        absorbed[position] = law[corners]
    return ShareLaw(
        times=readonly(moments.astype(np.int64)), mean=readonly(mean), sd=readonly(sd), absorbed=readonly(absorbed)
    )


def absorption(model: Swarm) -> Absorption:
    """Exact chance of ending on every option, and the expected time, from the model's start.

    Raises
    ------
    ValueError
        As for :func:`share_law`, and where the swarm may never end (nobody holds an option of positive quality).
    """
    transition = _transition(model, _LARGEST_SOLVE, "absorption")
    corners = _corners(model)
    start = int(rank(start_counts(model)[None], model.n_agents)[0])
    if start in corners:
        return Absorption(probability=readonly((corners == start).astype(np.float64)), mean_time=0.0)
    inside = np.setdiff1d(np.arange(transition.shape[0]), corners)
    here = int(np.searchsorted(inside, start))
    visits = _visits(transition, inside, here)
    ends = np.asarray(transition[corners][:, inside] @ visits)
    if not np.isfinite(visits).all() or abs(ends.sum() - 1) > 1e-6:
        raise ValueError(
            "this swarm may never settle on one option (options held have quality 0), so it has no absorption time"
        )
    return Absorption(probability=readonly(ends), mean_time=float(visits.sum()))


def largest_lattice_swarm(model: Swarm, *, solve: bool = False) -> int:
    """The largest number of agents for which this kind of swarm has an exact law (with `solve`: an exact absorption)."""
    limit = _LARGEST_DENSE if isinstance(model, SynchronousVoter) else (_LARGEST_SOLVE if solve else _LARGEST_LATTICE)
    low, high = 1, 2
    while n_count_vectors(high, n_types(model)) <= limit and high < 10**7:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if n_count_vectors(middle, n_types(model)) <= limit else (low, middle)
    return low


def _visits(transition: Any, inside: NDArray[np.int64], here: int) -> Array:
    """Expected number of visits to every transient state."""
    import warnings

    from scipy.sparse import eye_array
    from scipy.sparse.linalg import MatrixRankWarning, spsolve

    matrix = eye_array(len(inside), format="csc") - transition[inside][:, inside].tocsc()
    unit = np.zeros(len(inside))
    unit[here] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MatrixRankWarning)
        return np.asarray(spsolve(matrix, unit))


def _corners(model: Swarm) -> NDArray[np.int64]:
    kinds = n_types(model)
    return rank(model.n_agents * np.eye(kinds, dtype=np.int64), model.n_agents)


def _transition(model: Swarm, limit: int, what: str) -> Any:
    """Column-stochastic transition matrix over all count vectors: ``law_next = matrix @ law``."""
    if not isinstance(model, Swarm):
        raise TypeError(f"{what} needs a swarm, got {type(model).__name__}")
    if not is_lumpable(model):
        raise ValueError(
            "the exact law needs counts that are a Markov chain: everybody heard, one vote, and no reward noise in synchronous "
            "swarms or samples; simulate this one with simulate_swarm"
        )
    synchronous = isinstance(model, SynchronousVoter)
    n_states = n_count_vectors(model.n_agents, n_types(model))
    if n_states > (_LARGEST_DENSE if synchronous else limit):
        largest = largest_lattice_swarm(model, solve=limit == _LARGEST_SOLVE)
        raise ValueError(
            f"{n_states} states are too many for an exact law; with {n_types(model)} types at most {largest} agents. Fewer "
            "agents or options, linear_noise for large swarms, or simulate_swarm"
        )
    return _round_matrix(model) if isinstance(model, SynchronousVoter) else _event_matrix(model)


def _event_matrix(model: Swarm) -> csr_array:
    from scipy.sparse import coo_array

    states = count_vectors(as_count(model.n_agents, name="n_agents"), n_types(model))
    kinds = states.shape[1]
    rows, columns, values = [], [], []
    for at in range(0, len(states), _CHUNK):
        chunk = states[at : at + _CHUNK]
        here = np.arange(at, at + len(chunk))
        rates = event_rates(model, chunk)
        for source in range(kinds):
            for target in range(kinds):
                possible = rates[:, source, target] > 0
                if source == target or not possible.any():
                    continue
                moved = chunk[possible].copy()
                moved[:, source] -= 1
                moved[:, target] += 1
                rows.append(rank(moved, model.n_agents))
                columns.append(here[possible])
                values.append(rates[possible, source, target])
        rows.append(here)
        columns.append(here)
        values.append(1 - rates.sum(axis=(1, 2)))
    shape = (len(states), len(states))
    return coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape).tocsr()


def _round_matrix(model: SynchronousVoter) -> csr_array:
    from scipy.sparse import csr_array

    states = count_vectors(model.n_agents, model.n_options)
    probability, silent = round_shares(model, states)
    stays = silent > 0.5
    probability = np.where(stays[:, None], 1 / model.n_options, probability)
    matrix = law_of_alike(probability, model.n_agents)
    matrix[stays] = np.eye(len(states))[stays]
    return csr_array(matrix.T)
