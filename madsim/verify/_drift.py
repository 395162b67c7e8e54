"""Drift: does the share of right answers move on average?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from madsim._core.rng import RNG, resolve_seed
from madsim.verify._panel import Panel
from madsim.verify._result import Check, t_interval, t_test

_FLIPS = 9_999
_KEY = 0x666C6970
_ROUNDING = 1e-6
_LARGEST_LATTICE = 1 << 20


def drift_test(panel: Panel, *, level: float) -> Check:
    """The mean change in the share of right answers from round 0 to the last round, against Student's t by question.

    Per question, never per agent: the answers of one debate are not independent.
    """
    estimate, statistic, pvalue = t_test(panel.change(), panel.cluster)
    return Check(
        name="drift",
        role="drift",
        claim="the share of right answers does not move on average",
        given="nothing (mean over questions)",
        assumptions="questions are independent",
        statistic=statistic,
        pvalue=pvalue,
        effect=estimate.value,
        interval=t_interval(estimate, 1 - level),
        n=estimate.n,
    )


def sign_flip_test(panel: Panel, *, n_flips: int = _FLIPS, rng: RNG = 0) -> Check:
    """The same mean against its distribution when every question's change has its sign drawn anew.

    Needs changes that are symmetric about zero under the null instead of many questions; conservative where few questions move. The
    distribution is exact where all changes are whole multiples of a common part (panels of like size); else it is drawn `n_flips` times.
    """
    change = panel.change()
    known = ~np.isnan(change)
    _, index = np.unique(panel.cluster[known], return_inverse=True)
    totals = np.asarray(np.bincount(index, weights=change[known]), dtype=np.float64)
    if len(totals) < 2:
        raise ValueError("a test by question needs at least two questions, got one")
    both = (panel.asked[:, 0] & panel.asked[:, -1]).sum(axis=1)[known]
    parts = min(math.lcm(*np.unique(both).tolist()), 2 * _LARGEST_LATTICE)  # a larger one leaves the lattice, or int64
    sizes = np.abs(totals) * parts
    whole = np.round(sizes).astype(np.int64)
    if np.abs(sizes - whole).max() < _ROUNDING and whole.sum() < _LARGEST_LATTICE:
        pvalue = _exact_pvalue(whole, abs(round(float(totals.sum()) * parts)))
    else:
        drawn = np.abs(_flipped_sums(totals, n_flips, resolve_seed(rng).generator(_KEY)))
        pvalue = (1 + int((drawn >= abs(float(totals.sum())) - 1e-9).sum())) / (1 + n_flips)
    mean = float(totals.sum() / known.sum())
    return Check(
        name="drift-sign-flip",
        role="robustness",
        claim="a question's change is as likely to be up as down",
        given="the size of each question's change",
        assumptions="questions are independent, changes symmetric about zero",
        statistic=float(totals.sum()),
        pvalue=pvalue,
        effect=mean,
        interval=None,
        n=len(totals),
    )


def _exact_pvalue(sizes: NDArray[np.int64], found: int) -> float:
    """Chance that whole numbers with random signs add up to at least `found`, either way.

    The sum of those with a plus has the generating function prod ((1 + z^size) / 2); its values on the unit circle give the law.
    """
    sizes, counts = np.unique(sizes[sizes > 0], return_counts=True)
    total = int(sizes @ counts)
    n = 1 << total.bit_length()
    turns = np.exp(-2j * np.pi * np.arange(n // 2 + 1) / n)
    values = np.ones(n // 2 + 1, dtype=np.complex128)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        values *= ((1 + turns**size) / 2) ** count
    law = np.maximum(np.fft.irfft(values, n=n)[: total + 1] if n > 1 else np.ones(1), 0.0)
    beyond = np.abs(2 * np.arange(total + 1) - total) >= found
    return float(min(1.0, max(law[beyond].sum(), 2.0 ** (1 - int(counts.sum())))))


def _flipped_sums(totals: NDArray[np.float64], n_flips: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Sums with random signs: of m equal sizes a binomial number is positive, so each distinct size takes one draw a flip."""
    sizes, counts = np.unique(np.abs(totals).round(12), return_counts=True)
    sums = np.zeros(n_flips)
    for size, count in zip(sizes, counts, strict=True):
        if size > 0:
            sums += size * (2.0 * generator.binomial(count, 0.5, n_flips) - count)
    return sums
