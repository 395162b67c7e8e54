"""How wrong answers split: all alike they win a vote, all different they never do.

Given that r answers of a question are wrong, their counts follow a symmetric Dirichlet-multinomial law over the other options, or its
limit for open-ended answers, Ewens' law; `tau` is the sum of the concentration: small values make wrong answers agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim.planning._series import power, unit_nodes
from madsim.transcripts import State, Votes

TAUS = np.geomspace(0.05, 200.0, 18)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrongSplit:
    """What a run tells about how wrong answers split.

    Attributes
    ----------
    n_others : number of wrong options; None for open-ended answers
    tau : float64 (value,); values of the concentration
    weights : float64 (value,); their posterior probabilities
    """

    n_others: int | None
    tau: NDArray[np.float64]
    weights: NDArray[np.float64]


def vote_value(n: int, *, tau: float, n_others: int | None) -> NDArray[np.float64]:
    """Expected credit of the target in a vote of n answers by how many of them are right: float64 (n + 1,); fair ties.

    Parameters
    ----------
    n : number of answers
    tau : concentration of the wrong answers' split, above 0
    n_others : number of wrong options, None for open-ended answers

    Examples
    --------
    >>> vote_value(4, tau=1.0, n_others=1).tolist()
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    n = as_count(n, name="n", minimum=1)
    if not (math.isfinite(tau) and tau > 0):
        raise ValueError(f"tau must be finite and above 0, got {tau!r}")
    return readonly(vote_values(n, np.array([tau]), n_others)[0])


def vote_values(n: int, taus: NDArray[np.float64], n_others: int | None) -> NDArray[np.float64]:
    """`vote_value` for several concentrations: (concentration, n + 1)."""
    return _vote_values(n, tuple(np.asarray(taus, dtype=np.float64).tolist()), n_others)


@lru_cache(maxsize=512)
def _vote_values(n: int, taus: tuple[float, ...], n_others: int | None) -> NDArray[np.float64]:
    value = np.zeros((len(taus), n + 1))
    tau = np.array(taus)
    for m in range(1, n + 1):
        r = n - m
        if r < m:  # more than half are right
            value[:, m] = 1.0
            continue
        ties = r // m if n_others is None else min(n_others, r // m)
        nodes, weights = unit_nodes(ties // 2 + 1)
        inside = _cut_open(r, m, nodes, tau) if n_others is None else _cut_closed(r, m, nodes, tau, n_others)
        scale = [math.lgamma(r + 1) + math.lgamma(one) - math.lgamma(one + r) for one in taus]
        value[:, m] = np.minimum(1.0, np.exp(scale) * (inside @ weights))
    return readonly(value)


def _cut_closed(
    r: int, m: int, nodes: NDArray[np.float64], taus: NDArray[np.float64], n_others: int
) -> NDArray[np.float64]:
    """Weight of splits of r wrong answers over the options with at most m each, where each that has m counts u: (concentration, node)."""
    found = np.zeros((len(taus), len(nodes)))
    j = np.arange(1, m + 1)
    for i, tau in enumerate(taus.tolist()):
        rising = np.concatenate([[1.0], np.cumprod((tau / n_others + j - 1) / j)])
        for k, worth in enumerate(nodes.tolist()):
            factor = rising.copy()
            factor[m] *= worth
            product = power(factor, n_others, r)
            found[i, k] = product[r] if r < len(product) else 0.0
    return found


def _cut_open(r: int, m: int, nodes: NDArray[np.float64], taus: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for open-ended answers: the exponential of tau times the sum of z^j / j, by its recurrence of positive terms."""
    series = np.zeros((r + 1, len(taus), len(nodes)))
    series[0] = 1.0
    for k in range(1, r + 1):
        low = max(0, k - m)
        inner = series[max(0, k - m + 1) : k].sum(axis=0)
        if low == k - m:
            inner = inner + nodes * series[low]
        series[k] = taus[:, None] * inner / k
    return series[r]


def wrong_split(votes: Votes, *, round: int = 0, n_answers: int | None = None) -> WrongSplit:
    """Posterior of the split's concentration from the wrong answers of a round (flat on a logarithmic grid beforehand).

    A reply without an answer is a wrong answer that no other gives. Without two wrong answers on any question the prior is what comes
    out.

    Parameters
    ----------
    n_answers : number of options, by default what the run records; None there means open-ended answers
    """
    options = votes.n_answers if n_answers is None else n_answers
    n_others = None if options is None else max(1, options - 1)
    if n_others == 1:
        return WrongSplit(n_others=1, tau=np.ones(1), weights=np.ones(1))
    logs = np.zeros(len(TAUS))
    for sample in np.flatnonzero(votes.has_target).tolist():
        asked = votes.state[sample, round] != State.NOT_ASKED
        answers = votes.answers[sample, round][asked]
        counts = np.bincount(answers[answers > 0])
        sizes = np.concatenate([counts[counts > 0], np.ones(int((answers < 0).sum()), dtype=np.int64)])
        if sizes.sum() > 1:
            logs += _log_chance(tuple(sorted(sizes.tolist())), n_others)
    weights = np.exp(logs - logs.max())
    return WrongSplit(n_others=n_others, tau=readonly(TAUS), weights=readonly(weights / weights.sum()))


@lru_cache(maxsize=4096)
def _log_chance(sizes: tuple[int, ...], n_others: int | None) -> NDArray[np.float64]:
    """Log-probability of wrong answers in groups of these sizes, for each concentration, up to a constant."""
    from scipy.special import gammaln

    r = sum(sizes)
    ends = gammaln(TAUS) - gammaln(TAUS + r)
    if n_others is None:
        return ends + len(sizes) * np.log(TAUS)
    each = TAUS / n_others
    return ends + sum(gammaln(size + each) - gammaln(each) for size in sizes)
