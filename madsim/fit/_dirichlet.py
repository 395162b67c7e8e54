"""How much questions differ: the Dirichlet-multinomial law of round-0 answers, by maximum likelihood.

Source: Minka 2000, "Estimating a Dirichlet distribution" (Newton steps with a diagonal plus rank-one Hessian, fixed point).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import readonly
from madsim._core.estimate import Interval
from madsim.transcripts import Votes

_LARGEST = 1e5  # a larger total cannot be told from infinity
_HALF_DROP = {
    0.9: 1.3527717,
    0.95: 1.9207294,
    0.99: 3.3174483,
}  # half of chi-square quantiles with one degree of freedom


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DifficultyFit:
    """The law of questions' answer probabilities: ``p ~ Dirichlet(mean * kappa)``.

    Attributes
    ----------
    mean : float64 (answer,)
    kappa : sum of the concentration; infinite where questions are alike as far as the counts tell
    kappa_interval : by profile likelihood; either end may be 0 or infinite
    log_likelihood : of the counts in their order (no multinomial coefficients)
    n_questions : with at least one answer
    converged, message : of the search
    """

    mean: NDArray[np.float64]
    kappa: float
    kappa_interval: Interval
    log_likelihood: float
    n_questions: int
    converged: bool
    message: str

    @property
    def correlation(self) -> float:
        """Correlation of two answers to the same question that only the question's difficulty causes: 1 / (1 + kappa)."""
        return 1 / (1 + self.kappa)

    def _repr_html_(self) -> str:
        """What a notebook shows: the mean probabilities and the concentration."""
        from madsim._core.tables import shown

        low, high = self.kappa_interval
        rows = [
            {"parameter": f"mean of answer {k}", "value": float(value), "low": None, "high": None}
            for k, value in enumerate(self.mean)
        ]
        rows.append({"parameter": "kappa", "value": self.kappa, "low": low, "high": high})
        return shown(rows, caption=f"Difficulty of {self.n_questions} questions ({self.message})")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form; an infinite number is None."""
        return {
            "mean": self.mean.tolist(),
            "kappa": _plain(self.kappa),
            "kappa_interval": [_plain(end) for end in self.kappa_interval],
            "log_likelihood": self.log_likelihood,
            "n_questions": self.n_questions,
            "converged": self.converged,
            "message": self.message,
        }


def fit_difficulty(votes: Votes, *, level: float = 0.95) -> DifficultyFit:
    """How much questions differ in difficulty, from the round-0 answers alone: right (first) and not right.

    A reply without an answer is not right. Samples without a target are left out; samples of one question are put together.

    Raises
    ------
    ValueError
        If no sample has a target.

    Examples
    --------
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(2000, accuracy=0.72, kappa=4, rng=1)
    >>> found = fit_difficulty(simulate_questions(beliefs, n_rounds=0, rng=2).votes)
    >>> bool(found.kappa_interval.low < 4 < found.kappa_interval.high)
    True
    """
    known = votes.has_target
    if not known.any():
        raise ValueError("no sample has a target, so right and wrong cannot be told")
    first = votes.state[known, 0] != 3
    right = (votes.answers[known, 0] == 0) & first
    _, index = np.unique(votes.cluster[known], return_inverse=True)
    n_right = np.bincount(index, weights=right.sum(axis=1))
    n_all = np.bincount(index, weights=first.sum(axis=1))
    return fit_dirichlet_multinomial(np.stack([n_right, n_all - n_right], axis=1), level=level)


def fit_dirichlet_multinomial(counts: ArrayLike, *, level: float = 0.95) -> DifficultyFit:
    """Maximum likelihood of a Dirichlet-multinomial law, which may be the multinomial law (kappa infinite).

    Parameters
    ----------
    counts : (question, answer); integers of at least 0; rows without any count are left out, answers never given have mean 0
    level : of the profile interval of kappa: .9, .95 or .99

    Raises
    ------
    ValueError
        If counts are negative, fractional or all zero.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or (table < 0).any() or (table != np.round(table)).any():
        raise ValueError("counts must be integers of at least 0 with the axes (question, answer)")
    if level not in _HALF_DROP:
        raise ValueError(f"level must be .9, .95 or .99, got {level!r}")
    table = table[table.sum(axis=1) > 0]
    if not len(table):
        raise ValueError("there is no answer at all to count")
    seen = table.sum(axis=0) > 0
    total = table.sum(axis=0)[seen]
    share = total / total.sum()
    limit = float((total * np.log(share)).sum())
    rows, repeats = np.unique(table[:, seen], axis=0, return_counts=True)
    used = _Counts(rows=rows, repeats=repeats.astype(np.float64), sizes=rows.sum(axis=1), n_questions=len(table))
    best, value, converged, message = _maximise(used, share)
    if value <= limit + 1e-9 or best.sum() > _LARGEST:
        best, value, kappa = share, limit, math.inf
        converged, message = True, "questions are alike as far as the counts tell: kappa is infinite"
    else:
        kappa = float(best.sum())
    mean = np.zeros(table.shape[1])
    mean[seen] = best / best.sum()
    return DifficultyFit(
        mean=readonly(mean),
        kappa=kappa,
        kappa_interval=_profile(used, best, kappa, value, limit, _HALF_DROP[level]),
        log_likelihood=value,
        n_questions=len(table),
        converged=converged,
        message=message,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counts:
    """Distinct rows of counts, how often each comes, and their sums."""

    rows: NDArray[np.float64]
    repeats: NDArray[np.float64]
    sizes: NDArray[np.float64]
    n_questions: int


def _log_likelihood(alpha: NDArray[np.float64], counts: _Counts) -> float:
    from scipy.special import gammaln

    total = alpha.sum()
    ends = gammaln(total) - gammaln(counts.sizes + total)
    return float(counts.repeats @ (ends + (gammaln(counts.rows + alpha) - gammaln(alpha)).sum(axis=1)))


def _maximise(counts: _Counts, share: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, bool, str]:
    """Newton with step halving from two starts, a fixed-point step where Newton does not climb."""
    found = [_climb(share * start, counts) for start in (1.0, 20.0)]
    return max(found, key=lambda one: one[1])


def _climb(alpha: NDArray[np.float64], counts: _Counts) -> tuple[NDArray[np.float64], float, bool, str]:
    from scipy.special import digamma, polygamma

    value = _log_likelihood(alpha, counts)
    for _ in range(500):
        total = alpha.sum()
        common = counts.repeats @ (digamma(total) - digamma(counts.sizes + total))
        each = counts.repeats @ (digamma(counts.rows + alpha) - digamma(alpha))
        gradient = common + each
        if np.abs(gradient * alpha).max() < 1e-7 * counts.n_questions or total > 10 * _LARGEST:
            return alpha, value, True, "converged"
        diagonal = counts.repeats @ (polygamma(1, counts.rows + alpha) - polygamma(1, alpha))
        rank_one = counts.repeats @ (polygamma(1, total) - polygamma(1, counts.sizes + total))
        with np.errstate(divide="ignore", invalid="ignore"):
            shift = (gradient / diagonal).sum() / (1 / rank_one + (1 / diagonal).sum())
            step = -(gradient - shift) / diagonal
        moved = _halved(alpha, step, value, counts)
        if moved is None:  # Newton does not climb here
            fixed = np.maximum(alpha * each / -common, 1e-12)
            moved = fixed, _log_likelihood(fixed, counts)
            if moved[1] <= value + 1e-13 * abs(value):
                return alpha, value, True, "converged"
        alpha, value = moved
    return alpha, value, False, "500 steps were not enough"


def _halved(
    alpha: NDArray[np.float64], step: NDArray[np.float64], value: float, counts: _Counts
) -> tuple[NDArray[np.float64], float] | None:
    if not np.isfinite(step).all():
        return None
    for halving in range(30):
        trial = alpha + step / 2**halving
        if (trial > 0).all():
            reached = _log_likelihood(trial, counts)
            if reached > value + 1e-12 * abs(value):
                return trial, reached
    return None


def _profile(
    counts: _Counts, best: NDArray[np.float64], kappa: float, value: float, limit: float, drop: float
) -> Interval:
    """Ends at which the likelihood, maximised over the mean, has fallen by `drop`."""
    top = math.log(_LARGEST) if math.isinf(kappa) else math.log(kappa)

    def below(log_kappa: float) -> float:
        return _best_mean(counts, best / best.sum(), math.exp(log_kappa)) - (value - drop)

    low = _crossing(below, top, math.log(1e-4))
    high = None if limit >= value - drop else _crossing(below, top, math.log(_LARGEST) + 1)
    return Interval(0.0 if low is None else math.exp(low), math.inf if high is None else math.exp(high))


def _best_mean(counts: _Counts, mean: NDArray[np.float64], kappa: float) -> float:
    """The likelihood at `kappa`, maximised over the mean by fixed-point steps."""
    from scipy.special import digamma

    value = -math.inf
    for _ in range(200):
        alpha = mean * kappa
        reached = _log_likelihood(alpha, counts)
        if reached < value + 1e-8:
            break
        value = reached
        weight = np.maximum(alpha * (counts.repeats @ (digamma(counts.rows + alpha) - digamma(alpha))), 1e-12)
        mean = weight / weight.sum()
    return value


def _crossing(function: Any, inside: float, outside: float) -> float | None:
    """Where the function changes its sign between `inside` (above 0) and `outside`; None where it does not."""
    from scipy.optimize import brentq

    if function(outside) > 0:
        return None
    return float(brentq(function, inside, outside, xtol=1e-4))  # type: ignore[arg-type]


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
