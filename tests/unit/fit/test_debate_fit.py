"""The likelihood against its definition; recovery; graphs, memory, stopping; what is refused."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from madsim import graphs
from madsim.fit import draw_debate, fit_debate
from madsim.fit._cells import cells_of
from madsim.fit._likelihood import BetaLikelihood, FreeLikelihood
from madsim.fit._mixture import best_weights
from madsim.models import CorrectionLock, Temperature
from madsim.protocols import Convergence, Protocol, Visibility
from madsim.simulate import draw_beliefs, simulate_questions
from tests.unit.verify._votes import drawn, votes_of_answers


def questions(n, *, seed=1, n_rounds=3, accuracy=0.72, kappa=3.6, **options):
    beliefs = draw_beliefs(n, accuracy=accuracy, kappa=kappa, rng=seed)
    return simulate_questions(beliefs, n_rounds=n_rounds, rng=seed + 1000, **options).votes


def slow_likelihood(votes, mass, conformity, correction, difficulties, weights, influence, *, last=False):
    """Question by question, agent by agent, from the definition."""
    total = 0.0
    for question in np.unique(votes.cluster):
        by_difficulty = np.array(weights, float)
        for k, theta in enumerate(difficulties):
            for sample in np.flatnonzero(votes.cluster == question):
                right = votes.answers[sample] == 0
                asked = votes.state[sample] != 3
                for t in range(right.shape[0]):
                    for agent in range(right.shape[1]):
                        if not asked[t, agent]:
                            continue
                        heard = range(max(0, t - 1), t) if last else range(t)
                        good = sum(influence[agent] @ (right[s] & asked[s]) for s in heard)
                        every = sum(influence[agent] @ asked[s] for s in heard)
                        p = (mass * theta + good) / (mass + every)
                        logit = math.log(p / (1 - p))
                        if t:
                            logit = conformity * logit + correction
                        chance = 1 / (1 + math.exp(-logit))
                        by_difficulty[k] *= chance if right[t, agent] else 1 - chance
        total += math.log(by_difficulty.sum())
    return total


def cases():
    plain = drawn(5, seed=1, n_agents=3)
    twice = votes_of_answers(drawn(6, seed=2, n_agents=3).answers, cluster=[0, 1, 0, 2, 2, 2])
    stopped = np.array(drawn(6, seed=3, n_agents=3).answers)
    stopped[:2, 1:] = -2
    return {
        "complete": (plain, {}, np.ones((3, 3))),
        "repeats": (twice, {}, np.ones((3, 3))),
        "stopped": (votes_of_answers(stopped), {}, np.ones((3, 3))),
        "line": (plain, {"graph": graphs.line(3)}, np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])),
        "self": (plain, {"self_weight": 2.5}, np.ones((3, 3)) + 1.5 * np.eye(3)),
        "last": (plain, {"memory": "last"}, np.ones((3, 3))),
    }


@pytest.mark.parametrize("name", cases())
def test_likelihood_equals_its_definition(name):
    votes, options, influence = cases()[name]
    objective = BetaLikelihood(cells_of(votes, **options))
    vector = np.array([math.log(1.7), math.log(1.3), -0.2, 0.4, math.log(5.0)])
    difficulties, weights = objective.law(vector)
    slow = slow_likelihood(votes, 1.7, 1.3, -0.2, difficulties, weights, influence, last=name == "last")
    value, gradient = objective.value_and_gradient(vector)
    assert value == pytest.approx(slow, rel=1e-10)
    step = 1e-5
    for i, one in enumerate(np.eye(5)):
        numeric = (
            objective.value_and_gradient(vector + step * one)[0] - objective.value_and_gradient(vector - step * one)[0]
        ) / (2 * step)
        assert gradient[i] == pytest.approx(numeric, rel=1e-5, abs=1e-6)


def test_law_of_difficulty_is_the_beta_law():
    objective = BetaLikelihood(cells_of(drawn(5)))
    difficulties, weights = objective.law(np.array([0, 0, 0, math.log(0.72 / 0.28), math.log(3.6)]))
    mean = weights @ difficulties
    assert weights.sum() == pytest.approx(1)
    assert mean == pytest.approx(0.72, abs=1e-9)
    assert weights @ (difficulties - mean) ** 2 == pytest.approx(0.72 * 0.28 / 4.6, abs=1e-9)


def test_free_weights_are_the_best():
    rng = np.random.default_rng(5)
    table, repeats = rng.normal(size=(12, 6)), rng.integers(1, 5, 12).astype(float)
    weights = best_weights(table, repeats, np.full(6, 1 / 6))
    likelihoods = np.exp(table)
    slope = (repeats / (likelihoods @ weights)) @ likelihoods / repeats.sum()
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    assert slope.max() == pytest.approx(1, abs=1e-6)  # no grid point would add anything


def test_free_profile_has_the_right_slope():
    objective = FreeLikelihood(cells_of(questions(60)))
    vector = np.array([math.log(2.0), 0.1, -0.1])
    gradient = objective.value_and_gradient(vector)[1]
    step = 1e-4
    for i, one in enumerate(np.eye(3)):
        up, down = (objective.value_and_gradient(vector + sign * step * one)[0] for sign in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / (2 * step), rel=1e-2, abs=2e-2)


def test_plain_model_is_recovered():
    found = fit_debate(questions(3000))
    assert found.converged
    for name, truth in (("mass", 2.0), ("conformity", 1.0), ("correction", 0.0), ("accuracy", 0.72), ("kappa", 3.6)):
        low, high = getattr(found, name).interval
        spread = (high - low) / 4
        assert low - spread < truth < high + spread, name
    assert found.lr_test.pvalue > 1e-3
    assert found.mass.standard_error < 0.2
    json.dumps(found.to_dict(), allow_nan=False)
    assert "conformity" in str(found)


def test_correction_is_found_and_the_plain_model_refuted():
    votes = questions(400, mass=2.0, intervention=CorrectionLock(probability=0.3))
    found = fit_debate(votes, profile=False)
    assert found.correction.interval.low > 0
    assert found.lr_test.pvalue < 1e-3
    assert found.lr_tests[1].claim == "correction is 0"


def test_conformity_is_found():
    votes = questions(400, accuracy=0.5, response=Temperature(temperature=1 / 1.5, from_round=1))
    found = fit_debate(votes, profile=False)
    assert found.conformity.interval.low > 1
    assert found.conformity.value == pytest.approx(1.5, abs=0.3)


def test_free_mixing_agrees_where_beta_is_true():
    votes = questions(300)
    beta, free = fit_debate(votes, profile=False), fit_debate(votes, mixing="free", profile=False)
    assert free.conformity.value == pytest.approx(beta.conformity.value, abs=0.25)
    assert free.accuracy.value == pytest.approx(beta.accuracy.value, abs=0.02)
    assert free.log_likelihood > beta.log_likelihood - 3
    assert free.accuracy.interval is None


def test_early_stops_need_no_model_of_stopping():
    stopped = questions(1500, protocol=Protocol(rounds=3, convergence=Convergence()))
    assert (stopped.state == 3).any()
    found = fit_debate(stopped, profile=False)
    assert abs(math.log(found.mass.value / 2)) < 3 * found.mass.standard_error
    assert abs(found.correction.value) < 3 * found.correction.standard_error


def test_a_likelihood_without_a_top_is_told():
    rng = np.random.default_rng(0)
    chance = np.repeat(rng.beta(2.6, 1.0, 200), 3)[:, None, None]
    deaf = votes_of_answers((rng.random((600, 3, 3)) > chance).astype(int), cluster=np.repeat(np.arange(200), 3))
    found = fit_debate(deaf)  # agents that never listen: an infinite mass
    assert found.mass.interval.high == math.inf
    assert found.mass.interval.low > 5
    json.dumps(found.to_dict(), allow_nan=False)


def test_recorded_graph_is_used():
    votes = drawn(30, n_agents=3)
    line = replace(votes, protocol=Protocol(rounds=2, visibility=Visibility(graph=graphs.line(3))).to_dict())
    assert not fit_debate(line, profile=False).graph_complete
    assert fit_debate(votes, profile=False).graph_complete


def test_a_run_whose_agents_did_not_answer_at_once_is_fitted_with_a_warning():
    plain = questions(60, n_rounds=1)
    pool = replace(plain, protocol={**(plain.protocol or {}), "schedule": {"type": "Pool"}})
    found = fit_debate(pool, profile=False)
    assert found.warnings == draw_debate(pool, 50, rng=1).warnings
    assert found.warnings[0].startswith("agents did not answer at once (Pool)")
    assert f"warning: {found.warnings[0]}" in str(found)
    assert found.to_dict()["warnings"] == list(found.warnings)
    for known in (plain, replace(plain, protocol=None), replace(plain, protocol={"schedule": "Pool"})):
        assert fit_debate(known, profile=False).warnings == ()


def test_draws_surround_the_truth():
    found = draw_debate(questions(300), 200, rng=1)
    assert found.effective > 50
    for values, truth in ((found.mass, 2.0), (found.conformity, 1.0), (found.accuracy, 0.72), (found.kappa, 3.6)):
        low, high = np.quantile(values, [0.001, 0.999])
        assert low < truth < high
    again = draw_debate(questions(300), 200, rng=1)
    assert np.array_equal(again.mass, found.mass)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mixing": "gamma"}, "mixing"),
        ({"memory": "all"}, "memory"),
        ({"self_weight": -1}, "self_weight"),
        ({"level": 1.0}, "level"),
        ({"graph": graphs.ring(4)}, "4 agents"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        fit_debate(drawn(), **options)


def test_bad_runs():
    with pytest.raises(ValueError, match="round 0 alone"):
        fit_debate(drawn(n_rounds=0))
    with pytest.raises(ValueError, match="target"):
        fit_debate(votes_of_answers([[[1, 2], [1, 1]]], has_target=[False]))


def test_values_at_several_places_are_the_values():
    from madsim.fit._posterior import _WithPrior

    rng = np.random.default_rng(0)
    for kind in (BetaLikelihood, _WithPrior):
        objective = kind(cells_of(cases()["repeats"][0]))
        places = rng.normal(0, 1, (4, 5))
        each = [objective.value_and_gradient(one)[0] for one in places]
        assert objective.values(places) == pytest.approx(each, rel=1e-12)
