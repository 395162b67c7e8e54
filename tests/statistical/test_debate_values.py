"""Known values of debates and their variants, five agents of mass five unless said, five rounds, everybody hears everybody.

Values marked exact are closed forms or dynamic programming; the others came from independent simulations and carry +-.002. A value passes
within 4.5 standard errors plus that; some 40 comparisons, so a right simulator fails one with probability below 3e-4.
"""

import numpy as np
import pytest

from madsim.models import (
    Argmax,
    Conformist,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Oracle,
    Rereading,
    Temperature,
)
from madsim.protocols import Convergence, Majority, OneByOne, Protocol
from madsim.simulate import draw_beliefs, simulate_debate, simulate_questions

N_TRIALS = 40_000
EXACT, SIMULATED = 0.0, 0.002


def run(belief, *, mass=5.0, rounds=5, n_agents=5, schedule=None, convergence=None, n_answers=None, **options):
    protocol = Protocol(rounds=rounds, reduction=Majority(ties="random"), convergence=convergence)
    if schedule is not None:
        protocol = Protocol(rounds=rounds, reduction=Majority(ties="random"), schedule=schedule)
    model = DebateModel.homogeneous(
        n_agents=n_agents, belief=belief, mass=mass, n_answers=n_answers, protocol=protocol, **options
    )
    return simulate_debate(model, n_trials=N_TRIALS, rng=7)


def close(estimate, value, slack):
    return abs(estimate.value - value) < 4.5 * (estimate.standard_error or 0) + slack + 1e-12


@pytest.mark.parametrize(
    ("belief", "mass", "values"),
    [
        (0.7, 2.0, {0: 0.8369, 1: 0.7923, 2: 0.7819, 3: 0.7774, 4: 0.7748, 5: 0.7731}),
        (0.3, 2.0, {0: 0.1631, 2: 0.2181, 5: 0.2269}),
        (0.8, 2.0, {0: 0.9421, 2: 0.8901, 5: 0.8810}),
        (0.7, 10.0, {0: 0.8369, 1: 0.8258, 2: 0.8201, 3: 0.8166, 5: 0.8126}),
        ([0.5, 0.2, 0.2, 0.1], 2.0, {0: 0.666, 2: 0.593}),
    ],
)
def test_vote_by_round(belief, mass, values):
    # Exact; the last line is known to three digits only, and starts from .665.
    vote = run(belief, mass=mass).vote_accuracy
    for step, value in values.items():
        assert close(vote[step], value, 0.001 if isinstance(belief, list) else 5e-5), (step, vote[step])


@pytest.mark.parametrize(
    ("options", "share", "vote"),
    [
        ({"belief": 0.7}, 0.700, 0.794),
        ({"belief": 0.7, "intervention": Conformist()}, 0.838, 0.8369),
        ({"belief": 0.7, "intervention": Follower()}, 0.764, 0.833),
        ({"belief": 0.7, "intervention": Oracle()}, 0.998, 1.000),
        ({"belief": 0.4}, 0.400, 0.344),
        ({"belief": 0.4, "intervention": Conformist()}, 0.318, 0.3174),
        ({"belief": 0.4, "intervention": Follower()}, 0.361, 0.318),
        ({"belief": 0.4, "intervention": Oracle()}, 0.947, 0.976),
        ({"belief": [0.5, 0.2, 0.2, 0.1], "intervention": Conformist()}, None, 0.685),
    ],
)
def test_interventions(options, share, vote):
    result = run(**options)
    assert share is None or close(result.share[5], share, SIMULATED)
    assert close(result.vote_accuracy[5], vote, SIMULATED)


def test_a_conformist_panel_never_changes_its_vote_on_two_answers():
    result = run(0.7, intervention=Conformist())
    assert len({estimate.value for estimate in result.vote_accuracy}) == 1


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"belief": 0.6, "response": Temperature(temperature=0.7)}, 0.659),
        ({"belief": 0.4, "response": Temperature(temperature=0.7)}, 0.341),
        ({"belief": 0.6, "answer_weights": (1.5, 1.0)}, 0.722),
        ({"belief": 0.6, "answer_weights": (1.0, 1.5)}, 0.464),
        ({"belief": [0.6, 0.3, 0.1], "similarity": np.full((3, 3), 0.1) + 0.7 * np.eye(3)}, 0.502),
    ],
)
def test_what_breaks_flatness(options, value):
    result = run(**options)
    assert close(result.belief[5][0], value, SIMULATED)


def test_argmax_is_certain():
    # Everybody is right for ever: (3 + 25) / 30.
    result = run(0.6, response=Argmax())
    assert result.belief_mean[5] == pytest.approx(28 / 30)
    assert result.share[5].value == 1.0


def test_one_step_of_a_leaking_similarity():
    # E p_1 - p_0 = 5 (.52 - .6) / 10.
    result = run([0.6, 0.3, 0.1], rounds=1, similarity=np.full((3, 3), 0.1) + 0.7 * np.eye(3))
    assert close(result.belief[1][0], 0.56, EXACT)


@pytest.mark.parametrize(
    "options",
    [
        {"self_weight": 0.0},
        {"self_weight": 3.0},
        {"memory": Forgetting(keep=0.5)},
        {"memory": Forgetting(keep=0.5, prior_fades=False)},
        {"memory": LastRound()},
        {"memory": Rereading()},
        {"schedule": OneByOne()},
        {"schedule": OneByOne(order="random")},
    ],
)
def test_what_leaves_beliefs_flat(options):
    result = run(0.6, **options)
    for step in range(6):
        for agent in range(5):
            assert close(result.belief[step][agent], 0.6, 1e-9)


@pytest.mark.parametrize(
    ("mass", "agree", "n_answers", "values"),
    [
        (2.0, False, 2, (0.660, 0.699, 0.734)),
        (5.0, False, 2, (0.660, 0.719, 0.765)),
        (2.0, True, 4, (0.660, None, 0.726)),
        (5.0, True, 4, (0.660, None, 0.759)),
    ],
)
def test_shares_drift_where_debates_stop_at_unanimity(mass, agree, n_answers, values):
    result = run(
        0.66, mass=mass, rounds=2, n_agents=3, n_answers=n_answers, convergence=Convergence(), wrong_answers_agree=agree
    )
    for estimate, value in zip(result.share, values, strict=True):
        assert value is None or close(estimate, value, SIMULATED)
    assert all(close(result.belief[2][agent], 0.66, 1e-9) for agent in range(3))
    flat = run(0.66, mass=mass, rounds=2, n_agents=3, n_answers=n_answers)
    assert close(flat.share[2], 0.66, EXACT)


def test_a_flat_dataset_can_hide_sharpening():
    # Beliefs uniform over questions, temperature one half: the mean stays, the questions above .6 rise from .908 to .972.
    grid = (np.arange(2_000) + 0.5) / 2_000
    simulated = simulate_questions(
        np.column_stack([grid, 1 - grid]), mass=5, n_rounds=5, repeats=10, rng=3, response=Temperature(temperature=0.5)
    )
    right = simulated.votes.right.mean(axis=2).reshape(10, 2_000, 6).mean(axis=0)
    assert right[:, 5].mean() == pytest.approx(0.5, abs=0.008)
    easy = right[grid > 0.6]
    assert easy[:, 0].mean() == pytest.approx(0.908, abs=0.006)
    assert easy[:, 5].mean() == pytest.approx(0.972, abs=0.006)


def test_questions_have_the_population_that_was_asked_for():
    beliefs = draw_beliefs(20_000, accuracy=0.72, kappa=3.6, n_answers=3, rng=5)
    assert beliefs.shape == (20_000, 3)
    assert beliefs.sum(axis=1) == pytest.approx(np.ones(20_000))
    assert beliefs[:, 1] == pytest.approx(beliefs[:, 2])
    assert beliefs[:, 0].mean() == pytest.approx(0.72, abs=4 * 0.0015)
    assert beliefs[:, 0].var() == pytest.approx(0.72 * 0.28 / 4.6, rel=0.05)  # Beta(2.592, 1.008)
    simulated = simulate_questions(beliefs, n_agents=3, n_rounds=1, held_out=4, rng=6)
    assert simulated.held_out.shape == (20_000, 4)
    assert (simulated.held_out == 0).mean() == pytest.approx(beliefs[:, 0].mean(), abs=4 * 0.0016)
    assert np.corrcoef((simulated.held_out == 0).mean(axis=1), beliefs[:, 0])[0, 1] > 0.7
    assert simulated.votes.right.mean(axis=(0, 2)) == pytest.approx([0.72, 0.72], abs=0.012)
