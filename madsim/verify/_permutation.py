"""Common belief: once the past is known, agents that are alike and hear everybody are interchangeable."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from madsim.verify._panel import Panel
from madsim.verify._result import Check

_RESOLUTION = 1e-12  # of a convolution by fast Fourier transforms: smaller p-values are not told apart


def common_belief_test(panel: Panel) -> Check:
    """Exact permutation test: does an agent's answer follow its own last answer more (or less) than its peers' answers do?

    The statistic is the sum over question-rounds and agents of (own answer right - mean right) times next answer right. Permuting the
    next answers inside a question-round leaves the number of agents that are right twice hypergeometric, so the law of the sum is a
    convolution and needs no draws.

    Raises
    ------
    ValueError
        If in no question-round some agents are right and some wrong, both before and after.
    """
    known = panel.has_target
    right, asked = panel.right[known], panel.asked[known]
    both = asked[:, :-1] & asked[:, 1:]
    before, after = right[:, :-1] & both, right[:, 1:] & both
    size, first, second = (part.sum(axis=2).ravel() for part in (both, before, after))
    twice = (before & after).sum(axis=2).ravel()
    mixed = (first > 0) & (first < size) & (second > 0) & (second < size)
    if not mixed.any():
        raise ValueError("no question-round has both right and wrong answers before and after; nothing can be permuted")
    tables, counts = np.unique(np.stack([size, first, second])[:, mixed], axis=1, return_counts=True)
    expected = float((counts * tables[1] * tables[2] / tables[0]).sum())
    low, law = _law_of_sum(tables.T, counts)
    found = float(twice[mixed].sum())
    distance = np.abs(low + np.arange(len(law)) - expected)
    pvalue = min(1.0, float(law[distance >= abs(found - expected) - 1e-6].sum()))
    deviation = math.sqrt(max(float(law @ distance**2), 0.0))
    spread = first * (size - first) / np.maximum(size, 1)
    return Check(
        name="common-belief",
        role="model",
        claim="given the past, no agent is nearer to its own last answer than its peers are",
        given="all answers of the last round and how many agents are right in the next",
        assumptions="agents are alike and hear everybody, themselves included; they answer at once",
        statistic=(found - expected) / deviation if deviation > 0 else 0.0,
        pvalue=max(pvalue, _RESOLUTION),
        effect=(found - expected) / float(spread[mixed].sum()),
        interval=None,
        n=int(mixed.sum()),
    )


def _law_of_sum(tables: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[int, NDArray[np.float64]]:
    """Lowest value and probabilities of a sum of independent hypergeometric counts, `counts[i]` of them with table i."""
    from scipy.special import gammaln

    low = np.maximum(0, tables[:, 1] + tables[:, 2] - tables[:, 0])
    high = np.minimum(tables[:, 1], tables[:, 2])
    width = int((counts * (high - low)).sum()) + 1
    length = 1 << max(1, (width - 1).bit_length())
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)

    def log_choose(n: NDArray[np.int64] | int, k: NDArray[np.int64]) -> NDArray[np.float64]:
        return gammaln(np.asarray(n) + 1.0) - gammaln(k + 1.0) - gammaln(np.asarray(n) - k + 1.0)

    for (n, a, b), count, least, most in zip(
        tables.tolist(), counts.tolist(), low.tolist(), high.tolist(), strict=True
    ):
        k = np.arange(least, most + 1)
        law = np.zeros(length)
        law[: len(k)] = np.exp(log_choose(a, k) + log_choose(n - a, b - k) - log_choose(n, np.array(b)))
        spectrum *= np.fft.rfft(law / law.sum()) ** count
    law = np.maximum(np.fft.irfft(spectrum, length)[:width], 0.0)
    return int((counts * low).sum()), law / law.sum()
