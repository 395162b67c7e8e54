"""Dirichlet-multinomial fits: against a direct search, limits, coverage."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import dirichlet_multinomial

from madsim.fit import fit_difficulty, fit_dirichlet_multinomial
from madsim.simulate import draw_beliefs, simulate_questions


def test_maximum_equals_a_direct_search():
    rng = np.random.default_rng(1)
    p = rng.dirichlet([2.0, 1.0, 0.5], size=120)
    counts = np.array([rng.multinomial(6, row) for row in p])
    found = fit_dirichlet_multinomial(counts)

    def negative(logs):
        return -dirichlet_multinomial.logpmf(counts, np.exp(logs), 6).sum()

    direct = minimize(
        negative, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000}
    )
    assert found.mean * found.kappa == pytest.approx(np.exp(direct.x), rel=1e-3)
    assert found.converged
    low, high = found.kappa_interval
    assert low < found.kappa < high


def test_profile_interval_ends_where_the_likelihood_has_fallen():
    rng = np.random.default_rng(2)
    right = rng.binomial(5, rng.beta(2.6, 1.0, 150))
    counts = np.stack([right, 5 - right], axis=1)
    found = fit_dirichlet_multinomial(counts)

    def profile(kappa):
        return max(
            dirichlet_multinomial.logpmf(counts, [m * kappa, (1 - m) * kappa], 5).sum()
            for m in np.linspace(0.6, 0.85, 501)
        )

    top = profile(found.kappa)
    for end in found.kappa_interval:
        assert top - profile(end) == pytest.approx(1.9207, abs=0.02)


def test_alike_questions_have_an_infinite_kappa():
    found = fit_dirichlet_multinomial([[3, 2], [2, 3], [3, 2], [2, 3]] * 20)
    assert found.kappa == math.inf
    assert found.kappa_interval.high == math.inf
    assert found.kappa_interval.low > 5
    assert found.correlation == 0
    assert found.to_dict()["kappa"] is None


def test_answers_never_given_have_mean_zero():
    found = fit_dirichlet_multinomial([[5, 0, 0], [0, 0, 5], [4, 0, 1]])
    assert found.mean[1] == 0
    assert found.mean.sum() == pytest.approx(1)


def test_difficulty_of_a_run():
    beliefs = draw_beliefs(3000, accuracy=0.72, kappa=4, rng=1)
    found = fit_difficulty(simulate_questions(beliefs, n_rounds=1, repeats=2, rng=2).votes)
    assert found.n_questions == 3000
    assert found.kappa_interval.low < 4 < found.kappa_interval.high
    assert found.mean[0] == pytest.approx(0.72, abs=0.02)


@pytest.mark.parametrize("bad", [[[1.5, 2]], [[-1, 2]], [[0, 0]], [1, 2]])
def test_bad_counts(bad):
    with pytest.raises(ValueError):
        fit_dirichlet_multinomial(bad)
