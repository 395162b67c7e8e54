"""Closed forms: disagreement, floor, limit, bracket, unequal agents, spread, reviewers, similar answers."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from madsim.models import DebateModel
from madsim.theory import (
    bracket_width,
    debate_moments,
    disagreement,
    disagreement_floor,
    disagreement_law,
    heterogeneous_drift,
    limit_variance,
    panel_by_round,
    plurality,
    residual_error,
    sd_of_change,
    similarity_drift,
    similarity_means,
)


def test_disagreement_law_holds_for_any_number_of_answers():
    for belief in ([0.7, 0.3], [0.5, 0.2, 0.2, 0.1]):
        left = disagreement(DebateModel.homogeneous(n_agents=5, belief=belief, mass=2.0), 4)
        np.testing.assert_allclose(left / left[0], disagreement_law(5, 2.0, 4), atol=1e-13)
        assert left[0] == pytest.approx(1 - sum(p * p for p in belief), abs=1e-15)


def test_floor_values():
    assert disagreement_floor(3, 1) == pytest.approx(0.667, abs=5e-4)
    assert disagreement_floor(3) == pytest.approx(0.535, abs=5e-4)
    assert [round(disagreement_floor(5, t), 3) for t in (1, 2, 3)] == [0.8, 0.76, 0.743]
    assert disagreement_floor(5) == pytest.approx(0.702, abs=5e-4)
    assert disagreement_floor(10) == pytest.approx(0.843, abs=5e-4)
    assert disagreement_floor(5, 20_000) == pytest.approx(disagreement_floor(5), abs=1e-5)
    for mass in (0.01, 1.0, 50.0):
        assert disagreement_law(5, mass, 30)[-1] > disagreement_floor(5, 30)


def test_limit_variance():
    assert limit_variance(1, 3.0, 0.4) == pytest.approx(0.4 * 0.6 / 4, abs=1e-14)  # Beta(1.2, 1.8)
    for n, mass in ((2, 1.0), (5, 2.0), (12, 0.5)):
        rounds = 60_000  # the tail of the product is below 1 / (N T)
        assert limit_variance(n, mass, 0.3) == pytest.approx(
            0.21 * (1 - disagreement_law(n, mass, rounds)[-1]), abs=4e-6
        )


@pytest.mark.parametrize(("n", "is_beta"), [(1, True), (2, False)])
def test_the_limit_is_a_beta_for_one_agent_only(n, is_beta):
    """After many rounds from a flat prior: the fourth moment against that of the Beta with the same mean and variance."""
    law, rounds = np.array([1.0]), 150
    for t in range(rounds):
        p = (1 + np.arange(n * t + 1)) / (2 + n * t)
        grown = np.zeros(n * t + n + 1)
        for k in range(n + 1):
            grown[k : k + n * t + 1] += law * math.comb(n, k) * p**k * (1 - p) ** (n - k)
        law = grown
    p = (1 + np.arange(n * rounds + 1)) / (2 + n * rounds)
    variance = law @ (p - 0.5) ** 2
    assert variance == pytest.approx(limit_variance(n, 2.0, 0.5), abs=1.2e-3)
    mass = 0.25 / variance - 1
    fourth_of_beta = 3 / 16 / ((mass + 1) * (mass + 3))
    assert (abs(law @ (p - 0.5) ** 4 - fourth_of_beta) < 1.2e-4) == is_beta


def test_bracket():
    assert [round(bracket_width(n), 3) for n in (3, 5, 7)] == [0.096, 0.147, 0.180]
    assert bracket_width(1) == bracket_width(2) == 0
    assert bracket_width(6) == bracket_width(5)
    for n in (3, 5, 8):
        grid = np.linspace(0.5, 1, 401)
        assert max(plurality([p, 1 - p], n) - p for p in grid) == pytest.approx(bracket_width(n), abs=1e-5)


def test_unequal_agents():
    assert heterogeneous_drift([0.8, 0.6, 0.4], [20, 5, 1]) == pytest.approx(0.0413, abs=5e-5)
    assert heterogeneous_drift([0.8, 0.6, 0.4], [1, 5, 20]) == pytest.approx(-0.0413, abs=5e-5)
    belief, mass = np.array([0.8, 0.6, 0.4, 0.9]), np.array([2.0, 7.0, 1.0, 0.3])
    model = DebateModel(
        concentration=np.column_stack([belief * mass, (1 - belief) * mass]), self_weight=0.7, peer_weight=0.7
    )
    moved = debate_moments(model, 1).pooled_mean
    assert heterogeneous_drift(belief, mass, weight=0.7) == pytest.approx(moved[1] - moved[0], abs=1e-14)
    with pytest.raises(ValueError, match="one probability an agent"):
        heterogeneous_drift([0.5, 1.5], [1, 1])


def test_questions_needed_from_the_spread():
    mean_variance = 2.6 / (3.6 * 4.6)  # E p (1 - p) under Beta(2.6, 1), accuracy .72
    variance = sd_of_change(5, 2.0, 3, mean_variance) ** 2
    z = NormalDist().inv_cdf(0.95)
    assert [math.ceil((z + z) ** 2 * variance / delta**2) for delta in (0.02, 0.03, 0.05)] == [990, 440, 159]


def test_spread_of_the_change_is_that_of_the_chain():
    """Var(ybar_T - ybar_0) from the joint law of first and last counts, two answers."""
    n, mass, belief, rounds = 4, 3.0, 0.6, 3
    total = 0.0
    prior = mass * belief
    first_law = [math.comb(n, k) * belief**k * (1 - belief) ** (n - k) for k in range(n + 1)]
    for first, chance in enumerate(first_law):
        urn = {first: 1.0}
        for t in range(1, rounds):
            grown: dict[int, float] = {}
            for right, weight in urn.items():
                p = (prior + right) / (mass + t * n)
                for k in range(n + 1):
                    grown[right + k] = grown.get(right + k, 0) + weight * math.comb(n, k) * p**k * (1 - p) ** (n - k)
            urn = grown
        for right, weight in urn.items():
            p = (prior + right) / (mass + rounds * n)
            total += chance * weight * (p * (1 - p) / n + (p - first / n) ** 2)  # mean change is 0
    assert sd_of_change(n, mass, rounds, belief * (1 - belief)) ** 2 == pytest.approx(total, abs=1e-13)
    with pytest.raises(ValueError, match=r"\[0, 1/4\]"):
        sd_of_change(5, 2.0, 3, 0.3)


def test_reviewers():
    assert residual_error(1.0, [0.7, 0.7]) == pytest.approx(0.09, abs=1e-15)
    assert residual_error(0.2, [0.7, 0.5, 0.1]) == pytest.approx(0.2 * 0.3 * 0.5 * 0.9, abs=1e-15)
    assert residual_error(0.2, [0.7, 0.7], correlation=1.0) == pytest.approx(0.06, abs=1e-15)
    rho, miss = 0.3, 0.3  # beta-binomial: E q^k for q ~ Beta(miss s, (1 - miss) s), s = 1 / rho - 1
    s = 1 / rho - 1
    moment = math.prod((miss * s + j) / (s + j) for j in range(4))
    assert residual_error(1.0, [0.7] * 4, correlation=rho) == pytest.approx(moment, abs=1e-15)
    for bad in ({"error": 1.2, "detection": [0.5]}, {"error": 0.1, "detection": [1.5]}):
        with pytest.raises(ValueError, match=r"\[0, 1\]|probabilities"):
            residual_error(**bad)
    with pytest.raises(ValueError, match="same probability"):
        residual_error(0.1, [0.5, 0.6], correlation=0.2)


def test_similar_answers():
    leak = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    means = similarity_means([0.6, 0.3, 0.1], leak, 5.0, 5.0, 5)
    assert means[[0, 1, 5], 0] == pytest.approx([0.60, 0.56, 0.502], abs=5e-4)
    model = DebateModel.homogeneous(n_agents=5, belief=[0.6, 0.3, 0.1], mass=5.0, similarity=leak)
    np.testing.assert_allclose(panel_by_round(model, 2).belief, means[:3], atol=1e-13)
    uniform = [1 / 3] * 3
    np.testing.assert_allclose(similarity_drift(uniform, leak, 5.0, 5.0), 0, atol=1e-15)  # p S = p: a martingale
    with pytest.raises(ValueError, match="square"):
        similarity_drift([0.5, 0.5], leak, 1.0, 1.0)
