"""Runs drawn from the fit: like the run where the model is true, unlike it where it is not."""

import pytest

from madsim.fit import fit_debate, predictive_checks
from madsim.models import Sticky
from madsim.simulate import draw_beliefs, simulate_questions
from tests.unit.verify._votes import drawn


def questions(**options):
    return simulate_questions(draw_beliefs(300, accuracy=0.72, kappa=3.6, rng=1), n_rounds=2, rng=2, **options).votes


def test_a_true_model_gives_such_runs():
    votes = questions()
    found = predictive_checks(votes, fit_debate(votes, profile=False))
    assert {one.name for one in found} >= {
        "share right in round 0",
        "disagreement in round 2",
        "unanimous in the last round",
    }
    assert min(one.pvalue for one in found) > 0.01
    assert "the fit gives" in str(found[0])
    for one in found:
        assert one.interval.low <= one.expected <= one.interval.high


def test_agents_that_repeat_themselves_are_seen():
    votes = questions(intervention=Sticky(probability=0.8))
    found = {one.name: one for one in predictive_checks(votes, fit_debate(votes, profile=False))}
    one = found["same as the own last answer"]
    assert one.pvalue < 0.02
    assert one.observed > one.interval.high


def test_same_seed_same_numbers_and_sizes_must_fit():
    votes = drawn(20)
    fit = fit_debate(votes, profile=False)
    assert predictive_checks(votes, fit, n_draws=20, rng=1) == predictive_checks(votes, fit, n_draws=20, rng=1)
    with pytest.raises(ValueError, match="rounds"):
        predictive_checks(drawn(20, n_rounds=1), fit)
