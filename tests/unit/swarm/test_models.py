"""Descriptions of swarms and learners: what they refuse, and that their plain form comes back."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim import graphs
from madsim.models import (
    AsynchronousVoter,
    BatchMean,
    BernoulliNoise,
    BetaNoise,
    ClippedNormal,
    CrossInhibition,
    CrossLearner,
    Everybody,
    HearGraph,
    HearGroup,
    HearSome,
    ImitationOfSuccess,
    MaynardCrossLearner,
    MovingAverage,
    NoiseFree,
    SynchronousVoter,
    UniformNoise,
    congestion,
    population_from_dict,
    quality_at,
)
from madsim.theory import taylor_field

Q = (0.3, 0.55, 0.4, 0.7)
NOISES = [NoiseFree(), ClippedNormal(sd=0.05), UniformNoise(half_width=0.1), BernoulliNoise(), BetaNoise(mass=4.0)]
EXAMPLES = [
    ImitationOfSuccess(quality=Q, n_agents=10),
    AsynchronousVoter(quality=Q, n_agents=10, rewards="option", noise=BernoulliNoise(), initial=(1, 2, 3, 4)),
    AsynchronousVoter(
        quality=Q, n_agents=10, hearing=HearSome(n_heard=3), interaction=congestion([0.1, 0.2, 0.3, 0.4])
    ),
    SynchronousVoter(quality=Q, n_agents=10, hearing=HearGroup(size=5), n_votes=3),
    SynchronousVoter(
        quality=Q, n_agents=10, hearing=HearGraph(graph=graphs.ring(10), self_weight=1.0), accept="better"
    ),
    SynchronousVoter(quality=Q, n_agents=10, start="random", noise=ClippedNormal(sd=0.05)),
    CrossInhibition(quality=Q, n_agents=10, initial=(1, 0, 0, 2)),
    CrossLearner(quality=Q, rate=0.1, batch=5, noise=UniformNoise(half_width=0.1)),
    MaynardCrossLearner(quality=Q, rate=0.01, baseline=MovingAverage(rate=0.1, start=0.5)),
    MaynardCrossLearner(quality=Q, rate=1.0, batch=10, baseline=BatchMean(), initial=(0.1, 0.2, 0.3, 0.4)),
]


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda m: type(m).__name__)
def test_plain_form_comes_back(model):
    plain = json.loads(json.dumps(model.to_dict()))
    again = population_from_dict(plain)
    assert type(again) is type(model)
    assert again == model
    assert hash(again) == hash(model)
    assert again != EXAMPLES[EXAMPLES.index(model) - 1]


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({"type": "Swarm"}, "AsynchronousVoter"),
        ([1], "expected a swarm or learner"),
        ({"type": "CrossLearner", "quality": [0.5], "rate": 0.1, "speed": 1}, "no field speed"),
        ({"type": "CrossLearner"}, "cannot be read"),
        ({"type": "CrossLearner", "quality": [0.5], "rate": 0.1, "noise": {"type": "Loud"}}, "the noise"),
    ],
)
def test_plain_form_of_something_else_is_refused(plain, message):
    with pytest.raises(ValueError, match=message):
        population_from_dict(plain)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ImitationOfSuccess(quality=(0.5, 1.2), n_agents=5), r"\[0, 1\]"),
        (lambda: ImitationOfSuccess(quality=(0.5, float("nan")), n_agents=5), "finite"),
        (lambda: ImitationOfSuccess(quality=(), n_agents=5), "one number an option"),
        (lambda: ImitationOfSuccess(quality=Q, n_agents=1), "at least 2|between 2"),
        (lambda: ImitationOfSuccess(quality=Q, n_agents=10, initial=(1, 1, 1, 1)), "sum to 4, but there are 10"),
        (lambda: ImitationOfSuccess(quality=Q, n_agents=10, initial=(11, -1, 0, 0)), "at least 0"),
        (lambda: CrossInhibition(quality=Q, n_agents=10, initial=(11, 0, 0, 0)), "at most 10"),
        (lambda: AsynchronousVoter(quality=Q, n_agents=10, rewards="shared"), "'agent' or 'option'"),
        (lambda: AsynchronousVoter(quality=Q, n_agents=10, hearing=HearSome(n_heard=10)), "at most the 9 others"),
        (lambda: AsynchronousVoter(quality=Q, n_agents=10, hearing=HearGroup(size=5)), "SynchronousVoter"),
        (lambda: SynchronousVoter(quality=Q, n_agents=10, hearing=HearGroup(size=3)), "do not divide 10"),
        (
            lambda: SynchronousVoter(quality=Q, n_agents=10, hearing=HearGraph(graph=graphs.ring(9))),
            "9 agents, the swarm 10",
        ),
        (lambda: SynchronousVoter(quality=Q, n_agents=10, n_votes=3, accept="reward"), "no single holder"),
        (lambda: SynchronousVoter(quality=Q, n_agents=10, start="somehow"), "'fixed' or 'random'"),
        (lambda: SynchronousVoter(quality=Q, n_agents=10, accept="maybe"), "'always', 'reward' or 'better'"),
        (lambda: AsynchronousVoter(quality=Q, n_agents=10, noise=UniformNoise(half_width=0.31)), "at most 0.3"),
        (lambda: AsynchronousVoter(quality=(0.0, 0.5), n_agents=10, noise=BetaNoise(mass=2)), "strictly between"),
        (lambda: AsynchronousVoter(quality=Q, n_agents=10, interaction=np.eye(3)), r"shape \(4, 4\)"),
        (lambda: AsynchronousVoter(quality=Q, n_agents=10, interaction=-np.eye(4)), "must stay in"),
        (lambda: ClippedNormal(sd=0.0), "above 0"),
        (lambda: MovingAverage(rate=0.0), r"\(0, 1\]"),
        (lambda: MaynardCrossLearner(quality=Q, rate=0.0), "above 0"),
        (lambda: MaynardCrossLearner(quality=Q, rate=0.1, initial=(0.5, 0.5)), "4 probabilities"),
        (lambda: MaynardCrossLearner(quality=Q, rate=0.1, initial=(0.5, 0.5, 0.5, 0.5)), "sum to 1"),
        (lambda: HearGraph(graph=graphs.ring(4), self_weight=-1.0), "at least 0"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_wrong_types_are_refused():
    for make in (
        lambda: ImitationOfSuccess(quality=Q, n_agents=10, initial=(2.5, 2.5, 2.5, 2.5)),
        lambda: ImitationOfSuccess(quality=Q, n_agents=10.0),
        lambda: ImitationOfSuccess(quality="high", n_agents=10),
        lambda: ImitationOfSuccess(quality=Q, n_agents=10, noise="normal"),
        lambda: AsynchronousVoter(quality=Q, n_agents=10, hearing="all"),
        lambda: MaynardCrossLearner(quality=Q, rate=0.1, baseline="oracle"),
        lambda: HearGraph(graph=np.eye(3)),
    ):
        with pytest.raises(TypeError):
            make()


def test_initial_counts_are_as_equal_as_whole_agents_allow():
    assert ImitationOfSuccess(quality=Q, n_agents=10).counts.tolist() == [3, 3, 2, 2]
    assert CrossInhibition(quality=Q, n_agents=11).counts.tolist() == [3, 2, 2, 2]
    assert AsynchronousVoter(quality=Q, n_agents=10).hearing == Everybody()


def test_arrays_are_copied_and_read_only():
    quality = np.array(Q)
    model = AsynchronousVoter(quality=quality, n_agents=10)
    quality[0] = 0.9
    assert model.quality[0] == 0.3
    with pytest.raises(ValueError, match="read-only"):
        model.quality[0] = 0.1


def test_rate_above_the_guard_is_refused_with_the_largest():
    # rewards reach 1, the smallest baseline is 0.3
    noisy = {"quality": Q, "noise": ClippedNormal(sd=0.05)}
    with pytest.raises(ValueError, match=r"largest safe rate here is 0\.3\."):
        MaynardCrossLearner(rate=0.31, **noisy)
    assert MaynardCrossLearner(rate=0.3, **noisy).rate == 0.3
    assert MaynardCrossLearner(rate=0.31, clip=True, **noisy).rate == 0.31
    assert MaynardCrossLearner(quality=Q, rate=0.1).largest_rate == pytest.approx(0.3 / 0.7)
    assert MaynardCrossLearner(quality=Q, rate=0.1, baseline=BatchMean()).largest_rate == 1
    assert MaynardCrossLearner(
        quality=Q, rate=0.1, baseline=MovingAverage(rate=0.1, start=0.14)
    ).largest_rate == pytest.approx(0.2)
    assert CrossLearner(quality=Q, rate=0.1, noise=UniformNoise(half_width=0.1)).largest_rate == pytest.approx(1 / 0.8)
    with pytest.raises(ValueError, match="largest safe rate here is 0"):
        MaynardCrossLearner(quality=(0.0, 0.5), rate=1e-9)


def test_clipping_moves_the_mean():
    assert ClippedNormal(sd=0.05).mean(0.98) == pytest.approx(0.968478, abs=5e-7)


@given(st.floats(0.02, 0.98), st.floats(0.01, 2.0))
def test_moments_of_noise_agree_with_draws_on_a_grid(q, sd):
    # mean and variance against a fine quantile grid of each law
    grid = (np.arange(20_000) + 0.5) / 20_000
    from scipy.special import ndtri

    clipped = np.clip(q + sd * ndtri(grid), 0, 1)
    noise = ClippedNormal(sd=sd)
    assert noise.mean(q) == pytest.approx(clipped.mean(), abs=2e-4)
    assert noise.variance(q) == pytest.approx(clipped.var(), abs=4e-4)
    half = min(q, 1 - q)
    uniform = q + half * (2 * grid - 1)
    assert UniformNoise(half_width=half).variance(q) == pytest.approx(uniform.var(), abs=1e-6)
    assert BernoulliNoise().variance(q) == pytest.approx(q - q * q)


def test_beta_variance():
    from scipy.stats import beta

    assert BetaNoise(mass=3.0).variance(0.2) == pytest.approx(beta(0.6, 2.4).var())


def test_congestion_takes_from_the_option_itself():
    model = AsynchronousVoter(quality=(0.5, 0.6), n_agents=10, interaction=congestion([0.2, 0.4]))
    np.testing.assert_allclose(quality_at(model.quality, model.interaction, [0.25, 0.75]), [0.45, 0.3])
    assert taylor_field([0.5, 0.5], [0.5, 0.5]).tolist() == [0, 0]
