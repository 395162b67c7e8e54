"""Size of the tests on true models, coverage of equivalence and of bets that are peeked at."""

import numpy as np
import pytest
from scipy.stats import binom

from madsim.fit import fit_dirichlet_multinomial
from madsim.theory import sd_of_change
from madsim.verify import e_process, equivalence
from madsim.verify._drift import drift_test
from madsim.verify._held_out import share_right
from madsim.verify._moments import held_out_moment_test, lag_moment_test
from madsim.verify._panel import Panel, panel_of
from madsim.verify._permutation import common_belief_test
from madsim.verify._result import t_interval
from tests.broken.question_systems import NULLS, simulated

RUNS, QUESTIONS = 600, 100
MISSED = 1e-4  # chance that a true size lies outside what is asserted


def panels(whole, count=RUNS, size=QUESTIONS):
    for number in range(count):
        part = slice(number * size, (number + 1) * size)
        yield (
            part,
            Panel(
                answers=whole.answers[part],
                cluster=whole.cluster[part],
                has_target=whole.has_target[part],
                kept=whole.kept[part],
                n_short=0,
            ),
        )


@pytest.mark.parametrize("name", NULLS)
def test_sizes(name):
    debates = simulated(name, QUESTIONS, repetitions=RUNS, seed=21)
    held = share_right(debates.held_out)
    rejected: dict[str, int] = {}
    for part, panel in panels(panel_of(debates.votes, carry=False)):
        tests = [
            drift_test(panel, level=0.05),
            lag_moment_test(panel, null="belief", level=0.05),
            held_out_moment_test(panel, held[part], level=0.05),
        ]
        if not name.startswith("ring"):
            tests.append(common_belief_test(panel))
        for one in tests:
            rejected[one.name] = rejected.get(one.name, 0) + (one.pvalue < 0.05)
    low, high = binom.ppf(MISSED, RUNS, 0.03), binom.ppf(1 - MISSED, RUNS, 0.06)
    assert all(low <= count <= high for count in rejected.values()), rejected


def test_naive_regression_would_reject_a_true_model():
    """Why the change is never regressed on the share that it starts from."""
    debates = simulated("plain, mass 5", QUESTIONS, repetitions=50, seed=4)
    share = panel_of(debates.votes, carry=False).share().reshape(50, QUESTIONS, -1)
    rejections = 0
    for run in share:
        x, change = run[:, :-1].ravel() - 0.5, np.diff(run, axis=1).ravel()
        slope = x @ change / (x @ x)
        error = np.sqrt(((change - slope * x) ** 2 * x**2).sum()) / (x @ x)
        rejections += abs(slope / error) > 1.96
    assert rejections > 40


def test_closed_form_sd_of_the_change():
    debates = simulated("plain, mass 5", 60_000, seed=8)
    found = panel_of(debates.votes, carry=False).change().std()
    spread = debates.beliefs[:, 0] * (1 - debates.beliefs[:, 0])
    assert found == pytest.approx(sd_of_change(5, 5.0, 3, float(spread.mean())), rel=0.01)


def test_peeking_at_bets_is_no_cheating():
    debates = simulated("plain, mass 5", QUESTIONS, repetitions=150, seed=31)
    changes = panel_of(debates.votes, carry=False).change().reshape(150, QUESTIONS)
    bets = [e_process(one) for one in changes]
    alarms = sum(one.rejected_at is not None for one in bets)
    assert alarms <= binom.ppf(1 - MISSED, 150, 0.05)
    covered = sum(bool(((one.low <= 0) & (one.high >= 0)).all()) for one in bets)
    assert covered >= 150 - binom.ppf(1 - MISSED, 150, 0.05)
    n = np.arange(1, QUESTIONS + 1)
    means = np.cumsum(changes, axis=1) / n
    spread = np.sqrt(np.maximum(np.cumsum(changes**2, axis=1) / n - means**2, 1e-9) / n)
    naive = (np.abs(means / spread)[:, 9:] > 1.984).any(axis=1).mean()
    assert naive > 0.15  # a t-test looked at after every question


def test_equivalence_at_the_edge_of_the_tolerance():
    """A drift of exactly delta is called small in at most 5 % of the runs."""
    rng = np.random.default_rng(6)
    from madsim._core.estimate import Estimate

    values = rng.choice([-0.4, -0.2, 0.0, 0.2, 0.4], size=(2000, 300)) + 0.03
    sums = values.sum(axis=1), (values**2).sum(axis=1)
    found = [Estimate.of_mean(total, square, 300) for total, square in zip(*sums, strict=True)]
    holds = sum(equivalence(one, delta=0.03, level=0.05).holds for one in found)
    assert binom.ppf(MISSED, 2000, 0.03) <= holds <= binom.ppf(1 - MISSED, 2000, 0.05)
    inside = sum(interval.low < 0.03 < interval.high for one in found if (interval := t_interval(one, 0.95)))
    assert binom.ppf(MISSED, 2000, 0.95) <= inside <= binom.ppf(1 - MISSED, 2000, 0.95)


def test_kappa_intervals_cover():
    rng = np.random.default_rng(9)
    covered = 0
    for _ in range(200):
        right = rng.binomial(5, rng.beta(2.6, 1.0, 100))
        low, high = fit_dirichlet_multinomial(np.stack([right, 5 - right], axis=1)).kappa_interval
        covered += low < 3.6 < high
    assert covered >= binom.ppf(MISSED, 200, 0.95)
