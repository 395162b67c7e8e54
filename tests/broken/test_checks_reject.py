"""Every check rejects the simulator that breaks it, as often as it should; none calls a broken one flat or a true one broken too often."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from madsim.models import Stubborn
from madsim.protocols import Convergence, Protocol
from madsim.simulate import draw_beliefs, simulate_questions
from madsim.verify import check
from tests.broken.question_systems import ALTERNATIVES, NULLS, simulated

RUNS = 60
# system, test, questions, power measured with 2000 runs
POWER = [
    ("correction lock .1", "drift", 300, 0.54),
    ("oracle lock", "drift", 30, 1.0),
    ("oracle lock", "drift-sign-flip", 30, 1.0),
    ("follower .3, symmetric", "held-out-moment", 300, 0.78),
    ("follower .3, symmetric", "held-out-plurality", 300, 0.75),
    ("follower .3, symmetric", "disagreement-floor", 300, 1.0),
    ("sharpen 1.5, symmetric", "held-out-moment", 100, 0.84),
    ("sharpen 1.5, symmetric", "lag-moment", 100, 0.37),
    ("sticky .8", "common-belief", 50, 1.0),
    ("ring, mass 2", "common-belief", 200, 0.98),
]


def runs(name, n_questions, count=RUNS, *, seed=11):
    """Reports of `count` runs; what is recorded of the protocol is forgotten, so that no test knows better."""
    debates = simulated(name, n_questions, repetitions=count, seed=seed)
    votes = replace(debates.votes, protocol=None)
    for number in range(count):
        part = slice(number * n_questions, (number + 1) * n_questions)
        yield check(
            replace(
                votes,
                answers=votes.answers[part],
                state=votes.state[part],
                samples=votes.samples[part],
                cluster=votes.cluster[part],
                has_target=votes.has_target[part],
            ),
            held_out=debates.held_out[part],
            anytime=False,
        )


@pytest.fixture(scope="module")
def reports():
    wanted = dict.fromkeys((name, n) for name, _, n, _ in POWER)
    return {key: list(runs(*key)) for key in wanted}


@pytest.mark.parametrize(("name", "test", "n_questions", "power"), POWER)
def test_power(reports, name, test, n_questions, power):
    """Within what chance allows around the power measured with many runs (both ends missed with probability 1e-4)."""
    found = sum(one.test(test).pvalue < 0.05 for one in reports[name, n_questions])
    low, high = binom.ppf(1e-4, RUNS, power - 0.05), binom.ppf(1 - 1e-4, RUNS, min(1.0, power + 0.05))
    assert low <= found <= high


def test_what_only_cancels_on_average_is_still_found(reports):
    found = reports["follower .3, symmetric", 300]
    assert sum(one.test("drift").pvalue < 0.05 for one in found) <= binom.ppf(1 - 1e-4, RUNS, 0.05)
    hidden = [one for one in found if one.verdict == "drift"]
    assert len(hidden) > RUNS / 3
    going = [" ".join(one.reasons) for one in hidden]
    assert sum("go with the majority" in text for text in going) > 0.9 * len(going)


def test_oracle_is_never_called_flat(reports):
    assert {one.verdict for one in reports["oracle lock", 30]} == {"drift"}


def test_bets_find_the_oracle():
    debates = simulated("oracle lock", 60, seed=3)
    found = check(debates.votes, anytime=True)
    assert found.verdict == "drift"
    assert found.anytime.rejected_at < 60


def test_silent_replies_are_not_drift():
    """A true martingale whose later replies lose their format: the naive drift is -.08, the verdict is unreadable."""
    votes = simulated("plain, mass 5", 300, seed=5).votes
    lost = (np.random.default_rng(1).random(votes.answers.shape) < 0.12) & (np.arange(4) > 0)[:, None]
    broken = replace(votes, answers=np.where(lost, -1, votes.answers), state=lost.astype(np.int8))
    report = check(broken)
    assert report.verdict == "unreadable"
    assert report.drift.value < -0.05
    assert "drift" in report.refuted
    assert abs(report.complete_cases.value) < 3 * report.complete_cases.standard_error


def test_early_stops_are_recognised_and_look_like_drift():
    beliefs = draw_beliefs(2000, accuracy=0.66, kappa=1e6, rng=1)
    protocol = Protocol(rounds=3, convergence=Convergence())
    votes = simulate_questions(beliefs, mass=2.0, n_agents=3, protocol=protocol, rng=2).votes
    report = check(replace(votes, early_stopping=None))
    assert report.early_stopping is True
    assert report.verdict == "unreadable"
    assert report.drift.value > 0.03  # carried shares rise although beliefs are a martingale


def test_stubborn_agents_are_vacuous():
    beliefs = draw_beliefs(200, accuracy=0.9995, kappa=1e6, rng=1)
    votes = simulate_questions(beliefs, stubborn=Stubborn(agents=tuple(range(5))), n_rounds=2, rng=2).votes
    assert check(votes).verdict == "vacuous"


@pytest.mark.parametrize("name", NULLS)
def test_true_models_are_seldom_refuted(name):
    """At most 5 % of the runs of a true model are called drift (Holm over the tests), up to chance of 1e-4."""
    verdicts = [one.verdict for one in runs(name, 100, 150, seed=77)]
    assert verdicts.count("drift") <= binom.ppf(1 - 1e-4, 150, 0.05)
    assert "unreadable" not in verdicts


def test_every_alternative_has_a_check():
    assert {name for name, *_ in POWER} >= set(ALTERNATIVES)
