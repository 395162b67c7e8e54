"""Lower bounds: literal values, never above the truth, absent where they do not apply."""

from __future__ import annotations

import math

import numpy as np
import pytest

from madsim.theory import plurality, vote_bounds, voters_needed


def test_published_values():
    bounds = vote_bounds([0.5, 0.2, 0.2, 0.1], 100)
    assert bounds.l2 == pytest.approx(0.820, abs=5e-4)
    assert bounds.l2_simple == pytest.approx(0.716, abs=5e-4)
    assert bounds.theorem1 == pytest.approx(0.221, abs=5e-4)
    assert vote_bounds([0.8, 0.1, 0.05, 0.05], 5).chernoff == pytest.approx(0.769, abs=5e-4)
    assert vote_bounds([0.4, 0.3, 0.2, 0.1], 500).theorem1 == pytest.approx(0.014, abs=5e-4)


@pytest.mark.parametrize(("n_answers", "margin"), [(2, 0.632), (4, 0.894)])
def test_theorem_1_needs_a_wide_margin(n_answers, margin):
    """N > K / D^2: at five voters D must exceed sqrt(K / 5)."""
    assert math.sqrt(n_answers / 5) == pytest.approx(margin, abs=5e-4)
    for shift, applies in ((-1e-3, False), (1e-3, True)):
        gap = math.sqrt(n_answers / 5) + shift
        rest = (1 - gap) / n_answers
        p = [gap + rest, *([rest] * (n_answers - 1))]
        assert (vote_bounds(p, 5).theorem1 is not None) == applies
    assert vote_bounds([0.996, 0.001, 0.001, 0.001, 0.001], 5).theorem1 is None  # K = 5: never
    assert vote_bounds([0.4, 0.3, 0.2, 0.1], 400).theorem1 is None
    assert vote_bounds([0.4, 0.3, 0.2, 0.1], 401).theorem1 is not None


def test_never_above_the_truth():
    """Whatever a tie does: the truth is that of ties that fail."""
    rng = np.random.default_rng(20)
    said = dict.fromkeys(("chernoff", "hoeffding", "l2", "l2_simple", "theorem1", "theorem1a"), 0)
    for _ in range(1500):
        p = np.sort(rng.dirichlet(rng.uniform(0.2, 2, rng.integers(2, 7))))[::-1]
        n = int(rng.integers(1, 80))
        truth, bounds = plurality(p, n, ties="fail"), vote_bounds(p, n)
        for name in said:
            value = getattr(bounds, name)
            if value is not None:
                assert value <= truth + 1e-12, (name, p, n)
                said[name] += value > 0
        if bounds.theorem1 is not None:
            assert bounds.theorem1 <= bounds.l2_simple <= bounds.l2
    assert min(said.values()) > 50  # each of them was put to the test


def test_a_bound_with_a_wrong_constant_is_caught():
    """The check above can fail: twice the Chernoff exponent is above the truth somewhere."""
    rng = np.random.default_rng(20)
    wrong = 0
    for _ in range(300):
        p = np.sort(rng.dirichlet(np.ones(3)))[::-1]
        n = int(rng.integers(2, 40))
        rate = (1 - (math.sqrt(p[0]) - np.sqrt(p[1:])) ** 2) ** (2 * n)
        wrong += 1 - rate.sum() > plurality(p, n, ties="fail")
    assert wrong > 30


def test_voters_needed():
    p = [0.5, 0.3, 0.2]
    found = {name: voters_needed(p, 0.95, by=name) for name in ("exact", "chernoff", "hoeffding", "l2", "theorem1")}
    assert found == {"exact": 54, "chernoff": 117, "hoeffding": 151, "l2": 318, "theorem1": 560}
    assert plurality(p, 53) < 0.95 <= plurality(p, 54)


def test_where_nothing_can_be_said():
    bounds = vote_bounds([0.4, 0.4, 0.2], 11)
    assert {getattr(bounds, name) for name in type(bounds).__slots__} == {None}
    assert vote_bounds([0.4, 0.35, 0.25], 3).chernoff == 0.0
    with pytest.raises(ValueError, match="more voters do not help"):
        voters_needed([0.4, 0.6], 0.9)
    with pytest.raises(ValueError, match="margin is too small"):
        voters_needed([0.501, 0.499], 0.95)
    with pytest.raises(ValueError, match="between 0 and 1"):
        voters_needed([0.6, 0.4], 1.0)
    with pytest.raises(ValueError, match="at least two answers"):
        vote_bounds([1.0], 3)


def test_theorem_1a_says_nothing_at_one_half():
    """Rounding in the sum of the four must not lift .5 above itself."""
    assert vote_bounds([0.5, 0.2, 0.2, 0.1], 5).theorem1a is None
    assert vote_bounds([0.501, 0.2, 0.2, 0.099], 5).theorem1a > 0
