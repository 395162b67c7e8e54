"""Bets, confidence sequences, equivalence: against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim._core.estimate import Estimate
from madsim.verify import asymptotic_sequence, check, detectable_drift, e_process, equivalence, questions_needed
from tests.unit.verify._votes import votes_of_answers


def slow_capital(changes, mean=0.0):
    """The capital of both players, one question after the other."""
    up = down = 1.0
    path = []
    for t, value in enumerate(changes):
        seen = np.array(changes[:t])
        means = [sum(changes[: i + 1]) / (i + 2) for i in range(t)]
        average = seen.sum() / (t + 1)
        variance = (0.25 + sum((x - m) ** 2 for x, m in zip(seen, means, strict=True))) / (t + 1)
        lean = average - mean
        bet = lean / (variance + lean**2)
        up *= 1 + min(max(bet, 0), 0.8 / (1 + mean)) * (value - mean)
        down *= 1 + max(min(bet, 0), -0.8 / (1 - mean)) * (value - mean)
        path.append((up + down) / 2)
    return path


@given(st.lists(st.sampled_from([-1.0, -0.4, -0.2, 0.0, 0.2, 0.6, 1.0]), min_size=1, max_size=25))
@settings(max_examples=30, deadline=None)
def test_capital_is_the_product_of_the_bets(changes):
    found = e_process(changes)
    assert found.path == pytest.approx(slow_capital(changes), rel=1e-9)
    for mean in (-0.5, 0.25):
        inside = max(slow_capital(changes, mean)) < 20
        assert found.low[-1] - 1e-9 <= mean <= found.high[-1] + 1e-9 if inside else True


def test_capital_is_fair_under_any_symmetric_null():
    """The mean of the capital over all sequences of fair signs is exactly 1."""
    total = 0.0
    for code in range(2**10):
        signs = [1.0 if code >> bit & 1 else -1.0 for bit in range(10)]
        total += e_process([0.6 * sign for sign in signs]).path[-1]
    assert total / 2**10 == pytest.approx(1.0, abs=1e-10)


def test_bets_find_a_drift_and_say_when():
    found = e_process([0.4] * 30)
    assert found.rejected_at is not None
    assert found.path[found.rejected_at - 1] >= 20 > found.path[found.rejected_at - 2]
    assert found.pvalue < 0.05
    assert found.interval.low > 0
    assert found.low[-1] >= found.low[0]


def test_sequence_never_widens():
    rng = np.random.default_rng(4)
    found = e_process(rng.choice([-0.4, 0.0, 0.2, 0.4], 400))
    assert (np.diff(found.low) >= 0).all()
    assert (np.diff(found.high) <= 0).all()
    assert found.low[-1] < 0.05 < found.high[-1]


@pytest.mark.parametrize("bad", [[], [[0.1]], [1.5], [math.nan]])
def test_bad_changes(bad):
    with pytest.raises(ValueError):
        e_process(bad)


def test_asymptotic_sequence():
    rng = np.random.default_rng(0)
    values = rng.choice([-0.4, 0.0, 0.4], 500)
    found = asymptotic_sequence(values)
    assert len(found) == 500 - 29
    assert found[-1].high - found[-1].low < e_process(values).interval.high - e_process(values).interval.low
    log2 = -2 * math.log(0.05)
    rho2 = (log2 + math.log(log2 + 1)) / 300
    scale = 500 * rho2 + 1
    half = values.std() * math.sqrt(2 * scale / (500**2 * rho2) * math.log(math.sqrt(scale) / 0.05))
    assert found[-1].high - values.mean() == pytest.approx(half)
    with pytest.raises(ValueError, match="30"):
        asymptotic_sequence(values[:29])


def test_anytime_check_decides_by_bets_alone():
    answers = np.zeros((60, 2, 3), int)
    answers[::3, 0] = 1
    report = check(votes_of_answers(answers), anytime=True)
    assert report.verdict == "drift"
    assert report.anytime.rejected_at is not None
    assert report.refuted == ()
    assert all(one.pvalue_holm is None for one in report.tests)
    assert report.equivalence.interval == report.anytime.interval


def test_anytime_bets_once_a_question():
    answers = np.zeros((60, 2, 3), int)
    answers[::3, 0] = 1
    twice = votes_of_answers(np.concatenate([answers, answers]), cluster=np.tile(np.arange(60), 2))
    found = check(twice, anytime=True).anytime
    assert found.path == pytest.approx(check(votes_of_answers(answers), anytime=True).anytime.path)


def test_equivalence_is_two_one_sided_tests():
    narrow = Estimate(value=0.01, standard_error=0.01, n=200)
    found = equivalence(narrow, delta=0.03, level=0.05)
    assert found.holds
    assert found.interval == pytest.approx((0.01 - 1.65255 * 0.01, 0.01 + 1.65255 * 0.01), abs=1e-5)
    assert found.pvalue == pytest.approx(0.02345, abs=1e-4)  # t = 2 on 199 df
    assert not equivalence(Estimate(value=0.02, standard_error=0.01, n=200), delta=0.03, level=0.05).holds
    assert not equivalence(Estimate(value=0.0, standard_error=None, n=1), delta=0.03, level=0.05).holds


def test_detectable_drift_and_questions_needed():
    assert detectable_drift(Estimate(value=0.0, standard_error=0.01, n=100_000)) == pytest.approx(0.02802, abs=1e-4)
    assert detectable_drift(Estimate(value=0.0, standard_error=None, n=1)) is None
    assert questions_needed(0.1, 0.1) == math.ceil(10.8222 * 0.1 / 0.01)
    for variance, delta in ((-1.0, 0.1), (0.1, 0.0), (math.inf, 0.1)):
        with pytest.raises(ValueError):
            questions_needed(variance, delta)
