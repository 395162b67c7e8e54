"""Foretold chances: against enumeration, kept where the model is true, broken where it is not."""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from madsim import graphs
from madsim.models import Oracle
from madsim.planning import calibration
from madsim.planning._difficulty import beta_weights
from madsim.planning._values import Draws, debate_law, last_given_first
from madsim.protocols import Convergence, Protocol, Visibility
from madsim.simulate import draw_beliefs, simulate_questions
from tests.unit.verify._votes import drawn, votes_of_answers

CHANCE = 0.6


def one_truth(conformity=1.4, correction=0.2, mass=2.0):
    one = np.ones(1)
    law = beta_weights(CHANCE * one, 1e6 * one)
    return Draws(
        difficulty=law, debated=law, mass=mass * one, conformity=conformity * one, correction=correction * one,
        tau_first=one, tau_last=one, n_others=1,
    )  # fmt: skip


def enumerated(draws, n, rounds):
    """Right first and last over every debate, agent by agent."""
    from madsim.planning._difficulty import LOGITS

    law = np.zeros((n + 1, n + 1))
    for weight, logit in zip(draws.debated[0], LOGITS, strict=True):
        if weight < 1e-12:
            continue
        theta = 1 / (1 + math.exp(-logit))
        for debate in itertools.product(range(n + 1), repeat=rounds + 1):
            chance, heard = weight, 0
            for t, right in enumerate(debate):
                p = theta
                if t:
                    belief = (draws.mass[0] * theta + heard) / (draws.mass[0] + t * n)
                    p = 1 / (1 + math.exp(-draws.conformity[0] * math.log(belief / (1 - belief)) - draws.correction[0]))
                chance *= math.comb(n, right) * p**right * (1 - p) ** (n - right)
                heard += right
            law[debate[0], debate[-1]] += chance
    return law


def test_last_given_first_equals_enumeration():
    draws = one_truth()
    found = last_given_first(draws, 3, 2)[0]
    assert found == pytest.approx(enumerated(draws, 3, 2), abs=1e-10)
    whole = debate_law(draws, 3, 2, None, generator=np.random.default_rng(0))[0]
    assert found.sum(axis=0) == pytest.approx(whole, abs=1e-12)


def test_the_true_model_keeps_its_word():
    beliefs = draw_beliefs(1500, accuracy=0.65, kappa=3, rng=1)
    points = calibration(simulate_questions(beliefs, n_rounds=2, rng=2).votes, n_folds=2, n_draws=30)
    assert [one.right for one in points] == [(k, k) for k in range(6)]
    assert sum(one.n_debates for one in points) == 1500
    for one in points:
        spread = math.sqrt(one.said * (1 - one.said) / one.n_debates)
        assert one.happened.value == pytest.approx(one.said, abs=4 * spread + 0.01)
    json.dumps([one.to_dict() for one in points], allow_nan=False)
    assert str(points[2]).startswith(
        f"2 right at first: foretold {points[2].said:.3f}, happened {points[2].happened.value:.4f}"
    )


def test_debaters_that_change_over_the_questions_do_not():
    """Folds are drawn anew: what the rest shows is not what these debates do."""
    plain = simulate_questions(draw_beliefs(300, accuracy=0.5, kappa=3, rng=3), n_rounds=2, rng=4).votes
    lost = np.array(plain.answers)
    few = (lost[:, 0] == 0).sum(axis=1) <= 1
    lost[few, -1] = 0  # every debate with few right answers in round 0 ends right
    points = calibration(replace(plain, answers=lost), n_folds=2, n_draws=30)
    assert points[0].happened.value == 1.0
    assert points[0].said < 0.9


def test_stopped_debates_and_repeats_count():
    protocol = Protocol(rounds=2, convergence=Convergence())
    beliefs = draw_beliefs(40, accuracy=0.7, kappa=3, rng=5)
    stopped = simulate_questions(beliefs, repeats=2, protocol=protocol, rng=6, intervention=Oracle()).votes
    points = calibration(stopped, n_folds=2, n_draws=20)
    assert sum(one.n_debates for one in points) == 80
    assert max(one.happened.n for one in points) <= 40


def test_many_agents_are_grouped():
    beliefs = draw_beliefs(60, accuracy=0.6, kappa=3, rng=7)
    points = calibration(simulate_questions(beliefs, n_agents=15, n_rounds=1, rng=8).votes, n_folds=2, n_draws=10)
    assert len(points) <= 11
    assert all(one.right[1] - one.right[0] <= 1 for one in points)


def test_bad_runs():
    with pytest.raises(ValueError, match="round 0 alone"):
        calibration(drawn(n_rounds=0))
    ring = replace(
        drawn(n_agents=4), protocol=Protocol(rounds=2, visibility=Visibility(graph=graphs.ring(4))).to_dict()
    )
    with pytest.raises(ValueError, match="not everybody does"):
        calibration(ring)
    with pytest.raises(ValueError, match="2 questions"):
        calibration(votes_of_answers([[[0, 1], [0, 0]], [[1, 1], [0, 0]]]))
    with pytest.raises(ValueError, match="n_folds"):
        calibration(drawn(), n_folds=1)
