"""The imitation model: against its definition, on simulated voters, at the edges of its ranges."""

import math

import numpy as np
import pytest

from madsim.fit import fit_imitation
from madsim.fit._imitation import _call, _compiled, steps_of
from madsim.verify import check_replicator
from tests.unit.verify._votes import votes_of_answers


def voters(n_questions, *, n_agents=5, n_rounds=3, g=1.0, s=0.0, h=0.7, e=0.0, n_answers=2, seed=0):
    """Agents that keep, copy or innovate as the model says."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(2.8, 1.2, n_questions)[:, None]
    answers = np.empty((n_questions, n_rounds + 1, n_agents), int)
    shape = (n_questions, n_agents)
    answers[:, 0] = np.where(rng.random(shape) < chance, 0, rng.integers(1, n_answers, shape))
    for t in range(n_rounds):
        counts = np.stack([(answers[:, t] == k).sum(axis=1) for k in range(n_answers)], axis=1).astype(float)
        pull = np.where(counts > 0, np.maximum(counts, 1) ** g, 0)
        pull[:, 0] *= math.exp(s)
        steps = np.cumsum(pull / pull.sum(axis=1, keepdims=True), axis=1)
        copied = (rng.random((*shape, 1)) > steps[:, None, :-1]).sum(axis=2)
        moved = np.where(rng.random(shape) < h, copied, answers[:, t])
        answers[:, t + 1] = np.where(rng.random(shape) < e, rng.integers(0, n_answers, shape), moved)
    return votes_of_answers(answers, n_answers=n_answers)


def test_likelihood_of_each_step_equals_its_definition():
    votes = votes_of_answers([[[0, 1, 1, 2], [1, 0, -1, 3]]], n_answers=4)
    steps = steps_of(votes)
    rows = np.column_stack(
        [steps.same, steps.own_known, steps.chosen, steps.right, steps.n_right, steps.options, steps.wrong]
    )
    h, g, s, e = 0.6, 1.4, 0.3, 0.05
    vector = np.array([math.log(h / (1 - h)), g, s, math.log(e / (1 - e))])
    pull = {0: math.exp(s), 1: 2**g, 2: 1.0}
    total = sum(pull.values())

    def chance(own, chosen):
        imitated = (1 - h) * (own == chosen) + h * pull.get(chosen, 0.0) / total
        return math.log((1 - e) * imitated + e / 4)

    assert np.asarray(_call(_compiled()[0], vector, rows)) == pytest.approx([chance(0, 1), chance(1, 0), chance(2, 3)])


@pytest.mark.parametrize(
    ("system", "verdict"),
    [
        ({}, "neutral voter"),
        ({"s": 0.6}, "selection"),
        ({"g": 2.0}, "conformity"),
        ({"g": 0.3}, "anti-conformity"),
        ({"n_answers": 4, "e": 0.03, "g": 2.0}, "conformity"),
    ],
)
def test_verdicts(system, verdict):
    assert check_replicator(voters(200, seed=4, **system)).verdict == verdict


def test_parameters_are_recovered():
    found = fit_imitation(voters(2000, g=1.3, s=0.4, h=0.6, e=0.04, n_answers=4, seed=1))
    assert found.converged
    truth = (0.6, 1.3, 0.4, 0.04)
    for value, error, true in zip(
        (found.imitation, found.exponent, found.selection, found.innovation), found.errors, truth, strict=True
    ):
        assert abs(value - true) < 3.5 * error


def test_no_innovation_is_no_obstacle():
    found = fit_imitation(voters(100))
    assert found.converged
    assert found.innovation < 1e-5
    assert found.errors[3] == 0
    assert found.errors[1] > 0


def test_two_agents_cannot_tell_exponents():
    report = check_replicator(voters(100, n_agents=2))
    assert report.verdict == "unknown"
    assert "apart" in report.reason


def test_bad_runs():
    with pytest.raises(ValueError, match="target"):
        fit_imitation(votes_of_answers([[[1, 2], [1, 1]]], has_target=[False]))
    with pytest.raises(ValueError, match="no step"):
        fit_imitation(votes_of_answers([[[0, 1], [-1, -1]]]))
