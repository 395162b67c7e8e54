"""Who wins between two options: closed forms, the diffusion limit, and the neutral consensus time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, as_probabilities
from madsim.models import BatchMean, CrossLearner, Learner, MaynardCrossLearner, NoiseFree, OracleBaseline, quality_at

Array = NDArray[np.float64]

_NODES = 96


def moran_fixation(n_agents: int, copies: int, ratio: float) -> float:
    """Chance that an option held by `copies` of `n_agents` takes over: (1 - r^-i) / (1 - r^-N).

    Exact for two options without reward noise, for the asynchronous weighted voter and for imitation of success alike.

    Parameters
    ----------
    n_agents, copies
        Size of the swarm and holders at the start.
    ratio
        Quality of this option over that of the other; above 0.
    """
    n_agents = as_count(n_agents, name="n_agents", minimum=1)
    copies = as_count(copies, name="copies", maximum=n_agents)
    log_ratio = math.log(_positive(ratio, "ratio"))
    return _rise(copies, n_agents, log_ratio)


def diffusion_fixation(share: float, n_agents: float, strength: float) -> float:
    """Chance of taking over in the diffusion limit: (1 - exp(-c N p)) / (1 - exp(-c N)).

    Parameters
    ----------
    share
        Share p at the start.
    n_agents
        Agents N; for a learner 1 / rate.
    strength
        c: s for asynchronous swarms and imitation of success, 2 s for synchronous swarms and Maynard-Cross learning, where s is the
        difference of the qualities over their mean.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share must lie in [0, 1], got {share!r}")
    return _rise(share, 1.0, strength * _positive(n_agents, "n_agents"))


def neutral_consensus_time(n_agents: int, n_options: int, *, synchronous: bool = False) -> float:
    """Expected time to consensus from equal shares where all options are equally good, in the diffusion limit.

    Returns
    -------
    float
        N (n - 1) ln(n / (n - 1)) in units of N events; twice that in rounds of a synchronous swarm.
    """
    n_agents = as_count(n_agents, name="n_agents", minimum=1)
    n = as_count(n_options, name="n_options", minimum=1)
    time = n_agents * (n - 1) * math.log(n / (n - 1)) if n > 1 else 0.0
    return 2 * time if synchronous else time


def learner_fixation(model: Learner) -> float:
    """Chance that a learner with two options and no reward noise ends on the first.

    The chance u(x) solves u(x) = sum_k x_k u(x after drawing k), u(0) = 0, u(1) = 1. It is smooth, so that collocation at Chebyshev
    points gives it to about 1e-10.

    Raises
    ------
    ValueError
        If there are not two options, samples are batched, rewards noisy, or the rate needs clipping.
    """
    if not isinstance(model, (CrossLearner, MaynardCrossLearner)) or model.n_options != 2 or model.batch != 1:
        raise ValueError("learner_fixation needs a CrossLearner or MaynardCrossLearner with two options and batch 1")
    if not isinstance(model.noise, NoiseFree) or model.rate > model.largest_rate:
        raise ValueError("learner_fixation needs NoiseFree() rewards and a rate that never clips")
    if isinstance(model, MaynardCrossLearner) and not isinstance(model.baseline, (OracleBaseline, BatchMean)):
        raise ValueError("learner_fixation needs the oracle baseline: a moving average has a memory of its own")
    nodes = (1 - np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))) / 2
    shares = np.stack([nodes, 1 - nodes], axis=1)
    quality = quality_at(model.quality, model.interaction, shares)
    if isinstance(model, CrossLearner):
        steps = model.rate * quality
    elif isinstance(model.baseline, BatchMean):
        steps = np.full_like(quality, model.rate)
    else:
        steps = model.rate * quality / (shares * quality).sum(axis=1, keepdims=True)
    up = nodes + steps[:, 0] * (1 - nodes)
    down = nodes - steps[:, 1] * nodes
    matrix = (
        np.eye(_NODES) - nodes[:, None] * _interpolation(nodes, up) - (1 - nodes)[:, None] * _interpolation(nodes, down)
    )
    matrix[[0, -1]] = 0.0
    matrix[0, 0] = matrix[-1, -1] = 1.0
    right = np.zeros(_NODES)
    right[-1] = 1.0
    chance = np.linalg.solve(matrix, right)
    return float((_interpolation(nodes, model.probabilities[:1]) @ chance)[0])


def heard_drift_factor(shares: ArrayLike, quality: ArrayLike, n_heard: int) -> float:
    """Speed of a weighted voter that hears `n_heard` agents of a large swarm, relative to one that hears everybody; about 1 - 1 / M.

    Parameters
    ----------
    shares, quality
        Shape (option,). The factor is that of the expected quality of the swarm, the common speed of its climb.
    n_heard
        Agents heard, drawn independently.

    Returns
    -------
    float
        0 for one agent heard (the neutral voter). NaN never: equal qualities raise, because nothing drifts.
    """
    from madsim.theory._counts import count_vectors, law_of_alike

    x = as_probabilities(shares, name="shares")
    q = np.asarray(quality, dtype=np.float64)
    samples = count_vectors(as_count(n_heard, name="n_heard", minimum=1), len(x))
    heard = samples * q
    total = heard.sum(axis=1, keepdims=True)
    adopt = np.where(total > 0, heard / np.where(total > 0, total, 1.0), samples / samples.sum(axis=1, keepdims=True))
    v = float(x @ q)
    full = float((x * (q - v) / v) @ q) if v > 0 else 0.0
    if full <= 0:
        raise ValueError("all options held have the same quality; there is no drift to compare")
    return float((law_of_alike(x[None], n_heard)[0] @ adopt - x) @ q) / full


def broadcast_factor(mean_quality: float, n_heard: int) -> float:
    """Chance that at least one of M agents heard speaks up, each with chance v: 1 - (1 - v)^M.

    With Bernoulli rewards it is exactly the speed relative to the Maynard Smith replicator: v for M = 1 (Taylor), 1 for M to infinity.
    """
    if not 0 <= mean_quality <= 1:
        raise ValueError(f"mean_quality must lie in [0, 1], got {mean_quality!r}")
    return float(1 - (1 - mean_quality) ** as_count(n_heard, name="n_heard", minimum=1))


def _rise(part: float, whole: float, log_ratio: float) -> float:
    """(1 - r^-part) / (1 - r^-whole), without cancellation or overflow."""
    if abs(log_ratio) * whole < 1e-12:
        return part / whole
    if log_ratio > 0:
        return math.expm1(-log_ratio * part) / math.expm1(-log_ratio * whole)
    # multiply above and below by r^whole, so that no power grows
    return math.exp(log_ratio * (whole - part)) * math.expm1(log_ratio * part) / math.expm1(log_ratio * whole)


def _interpolation(nodes: Array, points: Array) -> Array:
    """Barycentric interpolation from Chebyshev points of the second kind: shape (point, node)."""
    signs = (-1.0) ** np.arange(len(nodes))
    signs[[0, -1]] /= 2
    gaps = points[:, None] - nodes[None, :]
    exact = gaps == 0
    terms = signs / np.where(exact, 1.0, gaps)
    rows = terms / terms.sum(axis=1, keepdims=True)
    hit = exact.any(axis=1)
    rows[hit] = exact[hit].astype(np.float64)
    return rows


def _positive(value: float, name: str) -> float:
    if not 0 < value < math.inf:
        raise ValueError(f"{name} must be finite and above 0, got {value!r}")
    return float(value)
