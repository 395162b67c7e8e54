"""Exact one-event laws of swarms whose agents change one at a time, and of synchronous rounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from madsim.models import (
    AsynchronousVoter,
    CrossInhibition,
    Everybody,
    HearSome,
    ImitationOfSuccess,
    Swarm,
    SynchronousVoter,
    quality_at,
)
from madsim.theory._counts import count_vectors, n_count_vectors
from madsim.theory._swarm_adoption import adoption

Array = NDArray[np.float64]


def is_lumpable(model: Swarm) -> bool:
    """Whether counts alone are a Markov chain with a known law: everybody heard (or a few others, where rewards carry no noise)."""
    if isinstance(model, (ImitationOfSuccess, CrossInhibition)):
        return True
    if isinstance(model, AsynchronousVoter):
        return isinstance(model.hearing, Everybody) or (_some_heard(model) is not None)
    if isinstance(model, SynchronousVoter):
        plain = model.n_votes == 1 and model.accept == "always" and model.start == "fixed"
        return plain and isinstance(model.hearing, Everybody) and not _is_noisy(model)
    return False


def n_types(model: Swarm) -> int:
    """Options, plus the uncommitted where the rule knows them."""
    return model.n_options + isinstance(model, CrossInhibition)


def start_counts(model: Swarm) -> NDArray[np.int64]:
    """Counts at the start over options and, as the last type, the uncommitted."""
    if isinstance(model, CrossInhibition):
        return np.append(model.counts, model.n_agents - model.counts.sum())
    return model.counts


def event_rates(model: Swarm, counts: NDArray[np.int64]) -> Array:
    """Chance that the next event turns a holder of one type into another.

    Parameters
    ----------
    model
        A swarm whose agents change one at a time.
    counts
        Shape (state, type).

    Returns
    -------
    ndarray
        Shape (state, from, to), diagonal 0; what is missing to 1 is the chance that nothing changes.
    """
    n_agents = model.n_agents
    shares = counts / n_agents
    options = counts[:, : model.n_options]
    quality = quality_at(model.quality, model.interaction, options / n_agents)
    if isinstance(model, (ImitationOfSuccess, CrossInhibition)):
        heard = options / (n_agents - 1) * model.noise.mean(quality)
        rates = np.zeros((len(counts), counts.shape[1], counts.shape[1]))
        if isinstance(model, ImitationOfSuccess):
            rates[:] = shares[:, :, None] * heard[:, None, :]
        else:
            rates[:, -1, :-1] = shares[:, -1, None] * heard
            rates[:, :-1, -1] = shares[:, :-1] * (heard.sum(axis=1, keepdims=True) - heard)
    elif isinstance(model, AsynchronousVoter):
        size = _some_heard(model)
        if size is not None:
            rates = _some_rates(options, quality, size)
        else:
            rates = shares[:, :, None] * adoption(options, quality, model.noise, model.rewards)[0][:, None, :]
    else:
        raise TypeError(f"{type(model).__name__} does not change one agent at a time")
    same = np.arange(counts.shape[1])
    rates[:, same, same] = 0.0
    return rates


def round_shares(model: SynchronousVoter, counts: NDArray[np.int64]) -> tuple[Array, Array]:
    """Chance of each option for every agent of the next noise-free round, shape (state, option), and that nothing is heard, (state,).

    Given that something is heard the next counts are multinomial; else the round is a no-op.
    """
    quality = quality_at(model.quality, model.interaction, counts / model.n_agents)
    return adoption(counts, quality, model.noise, model.rewards)


def _is_noisy(model: Swarm) -> bool:
    return bool(model.noise.variance(model.quality).any())


def _some_heard(model: AsynchronousVoter) -> int | None:
    """How many others are heard where the law of a sample of them is enumerable."""
    if not isinstance(model.hearing, HearSome) or _is_noisy(model):
        return None
    size = model.hearing.n_heard
    return size if n_count_vectors(size, model.n_options) <= 5_000 else None


def _some_rates(counts: NDArray[np.int64], quality: Array, size: int) -> Array:
    """Rates where the focal agent hears `size` distinct others: hypergeometric samples, summed over all of them."""
    n_states, n_options = counts.shape
    n_agents = counts.sum(axis=1)
    samples = count_vectors(size, n_options)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, int(n_agents.max()) + 1)))])
    rates = np.zeros((n_states, n_options, n_options))
    for focal in range(n_options):
        others = counts.copy()
        others[:, focal] -= 1
        possible = others[:, focal] >= 0
        for sample in samples:
            fits = possible & (others >= sample).all(axis=1)
            if not fits.any():
                continue
            rest = others[fits]
            log_law = (log_factorial[rest] - log_factorial[sample] - log_factorial[rest - sample]).sum(axis=1)
            total = n_agents[fits] - 1
            log_law -= log_factorial[total] - log_factorial[size] - log_factorial[total - size]
            heard = sample * quality[fits]
            reward = heard.sum(axis=1, keepdims=True)
            adopt = heard / np.where(reward > 0, reward, 1.0)
            rates[fits, focal] += np.exp(log_law)[:, None] * adopt * (counts[fits, focal] / n_agents[fits])[:, None]
    return rates
