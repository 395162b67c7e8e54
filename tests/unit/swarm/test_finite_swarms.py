"""Exact laws of finite swarms: literal values, closed forms, and independent counts of the same thing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim.models import (
    AsynchronousVoter,
    BatchMean,
    BernoulliNoise,
    BetaNoise,
    ClippedNormal,
    CrossInhibition,
    CrossLearner,
    HearGroup,
    HearSome,
    ImitationOfSuccess,
    MaynardCrossLearner,
    MovingAverage,
    NoiseFree,
    SynchronousVoter,
    UniformNoise,
)
from madsim.theory import (
    absorption,
    broadcast_factor,
    diffusion_fixation,
    heard_drift_factor,
    largest_lattice_swarm,
    learner_fixation,
    linear_noise,
    moran_fixation,
    neutral_consensus_time,
    share_law,
    shared_draw_drift,
    swarm_summary,
    voter_drift,
)
from madsim.theory._swarm_adoption import _gauss_beta

Q = (0.3, 0.55, 0.4, 0.7)
EQUAL = np.full(4, 0.25)


@pytest.mark.parametrize(
    ("n_agents", "times", "best"),
    [
        (40, [20, 100, 200, 400, 600], [0.304905, 0.508942, 0.687713, 0.858679, 0.925105]),
        (20, [10, 50, 100, 200, 300], [0.304163, 0.493648, 0.646965, 0.780737, 0.826936]),
    ],
)
def test_best_share_of_four_options(n_agents, times, best):
    law = share_law(AsynchronousVoter(quality=Q, n_agents=n_agents), times)
    assert law.mean[:, 3] == pytest.approx(best, abs=5e-7)
    np.testing.assert_allclose(law.mean.sum(axis=1), 1, atol=1e-12)


def test_first_event_of_200_agents():
    # one event from equal shares by hand: E = x + (w - x) / N, and the move of one agent
    n, q = 200, np.array(Q)
    w = EQUAL * q / (EQUAL @ q)
    mean = EQUAL + (w - EQUAL) / n
    assert mean[3] == pytest.approx(0.250545, abs=5e-7)
    spread = (w[3] * 0.75 + 0.25 * (1 - w[3]) - (w[3] - 0.25) ** 2) / n**2
    assert np.sqrt(spread) == pytest.approx(0.003231, abs=5e-7)


@pytest.mark.slow
def test_best_share_of_200_agents():
    law = share_law(AsynchronousVoter(quality=Q, n_agents=200), [1, 100, 500, 1000, 2000, 3000])
    assert law.mean[:, 3] == pytest.approx([0.250545, 0.305568, 0.521634, 0.718586, 0.903213, 0.965773], abs=5e-7)
    assert law.sd[:, 3] == pytest.approx([0.003231, 0.034590, 0.081044, 0.093218, 0.068080, 0.041012], abs=5e-7)
    assert law.absorbed[-1].sum() == pytest.approx(0.2608, abs=5e-5)


def test_three_options_of_twelve_agents():
    end = absorption(AsynchronousVoter(quality=(0.3, 0.55, 0.7), n_agents=12))
    assert end.probability == pytest.approx([0.00280, 0.21963, 0.77757], abs=5e-6)
    assert end.mean_time == pytest.approx(83.185, abs=5e-4)


@pytest.mark.parametrize(
    ("n_agents", "moran", "fisher", "learner"),
    [(10, 0.2304, 0.0811, 0.08841), (20, 0.0823, 0.0076, 0.01031), (40, 0.0080, 0.0001, 0.00013)],
)
def test_error_from_one_half(n_agents, moran, fisher, learner):
    quality = (0.7, 0.55)
    for kind in (AsynchronousVoter, ImitationOfSuccess):
        assert absorption(kind(quality=quality, n_agents=n_agents)).probability[1] == pytest.approx(moran, abs=5e-5)
    assert moran_fixation(n_agents, n_agents // 2, 0.55 / 0.7) == pytest.approx(moran, abs=5e-5)
    assert absorption(SynchronousVoter(quality=quality, n_agents=n_agents)).probability[1] == pytest.approx(
        fisher, abs=5e-5
    )
    model = MaynardCrossLearner(quality=(0.55, 0.7), rate=1 / n_agents)
    assert learner_fixation(model) == pytest.approx(learner, abs=5e-6)


def test_imitation_is_about_half_as_slow_again():
    quality = (0.7, 0.55)
    for n_agents in (10, 40):
        fast = absorption(AsynchronousVoter(quality=quality, n_agents=n_agents)).mean_time
        assert 1.4 < absorption(ImitationOfSuccess(quality=quality, n_agents=n_agents)).mean_time / fast < 1.5


def test_second_best_wins_now_and_then():
    model = AsynchronousVoter(quality=Q, n_agents=20)
    law = share_law(model, [300])
    assert law.absorbed[0, 1] == pytest.approx(0.114, abs=5e-4)
    assert absorption(model).probability[1] == pytest.approx(0.13422, abs=5e-6)


@given(n=st.integers(1, 60), ratio=st.floats(0.2, 5.0), data=st.data())
def test_moran_formula_solves_the_birth_and_death_chain(n, ratio, data):
    i = data.draw(st.integers(0, n))
    exact = moran_fixation(n, i, ratio)
    terms = [ratio ** (-k) for k in range(n)]
    assert exact == pytest.approx(sum(terms[:i]) / sum(terms), rel=1e-9)


def test_moran_formula_at_its_limits():
    assert moran_fixation(10, 3, 1.0) == pytest.approx(0.3)
    assert moran_fixation(10, 3, 1 + 1e-14) == pytest.approx(0.3)
    assert moran_fixation(10**6, 10**6 - 1, 0.1) == pytest.approx(0.1)
    assert moran_fixation(10**6, 1, 10.0) == pytest.approx(0.9)
    assert moran_fixation(10**6, 1, 0.5) == 0.0


def test_diffusion_is_near():
    s = (0.55 - 0.7) / 0.625
    assert moran_fixation(50, 25, 0.55 / 0.7) == pytest.approx(0.002402, abs=5e-7)
    assert diffusion_fixation(0.5, 50, s) == pytest.approx(0.002473, abs=5e-7)
    fisher = absorption(SynchronousVoter(quality=(0.62, 0.6), n_agents=40)).probability[0]
    assert diffusion_fixation(0.5, 40, 2 * 0.02 / 0.61) == pytest.approx(fisher, abs=2e-3)
    learner = learner_fixation(MaynardCrossLearner(quality=(0.62, 0.6), rate=1 / 40))
    assert diffusion_fixation(0.5, 40, 2 * 0.02 / 0.61) == pytest.approx(learner, abs=2e-3)


@pytest.mark.parametrize(("n_options", "n_agents"), [(2, 60), (3, 30), (4, 20)])
def test_neutral_consensus_time_is_near_the_exact_one(n_options, n_agents):
    quality = np.full(n_options, 0.5)
    exact = absorption(AsynchronousVoter(quality=quality, n_agents=n_agents)).mean_time / n_agents
    limit = neutral_consensus_time(n_agents, n_options)
    assert limit == pytest.approx(n_agents * (n_options - 1) * np.log(n_options / (n_options - 1)))
    assert exact == pytest.approx(limit, rel=1.5 / n_agents)
    assert neutral_consensus_time(n_agents, n_options, synchronous=True) == 2 * limit
    assert neutral_consensus_time(5, 1) == 0


def test_neutral_fisher_takes_twice_as_long():
    exact = absorption(SynchronousVoter(quality=(0.5, 0.5), n_agents=60)).mean_time
    assert exact == pytest.approx(neutral_consensus_time(60, 2, synchronous=True), rel=0.03)


@settings(max_examples=25, deadline=None)
@given(
    noise=st.sampled_from(
        [NoiseFree(), BernoulliNoise(), ClippedNormal(sd=0.4), UniformNoise(half_width=0.2), BetaNoise(mass=2.0)]
    ),
    rewards=st.sampled_from(["agent", "option"]),
    counts=st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(lambda c: sum(c) > 1),
)
def test_drift_sums_to_nothing_and_unheld_options_do_not_move(noise, rewards, counts):
    n = sum(counts)
    drift = voter_drift(np.array(counts) / n, (0.3, 0.5, 0.7), noise, rewards=rewards, n_agents=n)
    assert drift.sum() == pytest.approx(0, abs=1e-12)
    assert (drift[np.array(counts) == 0] == 0).all()


@pytest.mark.parametrize("rewards", ["agent", "option"])
def test_bernoulli_adoption_by_counting_every_outcome(rewards):
    counts, q = (2, 1, 3), np.array([0.3, 0.55, 0.7])
    holders = [0, 0, 1, 2, 2, 2] if rewards == "agent" else [0, 1, 2]
    expected, silent = np.zeros(3), 0.0
    for outcome in product((0, 1), repeat=len(holders)):
        chance = np.prod([q[b] if hit else 1 - q[b] for b, hit in zip(holders, outcome, strict=True)])
        heard = np.zeros(3)
        for b, hit in zip(holders, outcome, strict=True):
            heard[b] += hit * (1 if rewards == "agent" else counts[b])
        if heard.sum() == 0:
            silent += chance
        else:
            expected += chance * heard / heard.sum()
    x = np.array(counts) / 6
    drift = voter_drift(x, q, BernoulliNoise(), rewards=rewards, n_agents=6)
    np.testing.assert_allclose(drift, expected - (1 - silent) * x, atol=1e-10)


def test_uniform_pair_against_its_closed_integral():
    # two agents, rewards uniform on [0.3, 0.7] and [0.5, 0.9]: E[r1 / (r1 + r2)] by a fine product rule
    nodes, weights = np.polynomial.legendre.leggauss(60)
    a, b = 0.5 + 0.2 * nodes, 0.7 + 0.2 * nodes
    exact = float(weights @ (a[:, None] / (a[:, None] + b[None, :])) @ weights) / 4
    drift = voter_drift([0.5, 0.5], (0.5, 0.7), UniformNoise(half_width=0.2), rewards="agent", n_agents=2)
    assert drift[0] == pytest.approx(exact - 0.5, abs=1e-12)


def test_shared_draws_bias_the_drift_at_any_size():
    x_late = np.array([0.0, 0.08, 0.005, 0.915])
    for sd, early, late in ((0.05, 0.27, -1.33), (0.15, 1.9, -14)):
        noise = ClippedNormal(sd=sd)
        for x, percent in ((EQUAL, early), (x_late, late)):
            clean = voter_drift(x, Q, NoiseFree(), rewards="agent", n_agents=200)[3]
            shared = voter_drift(x, Q, noise, rewards="option", n_agents=200)[3]
            alone = voter_drift(x, Q, noise, rewards="agent", n_agents=200)[3]
            more = voter_drift(x, Q, noise, rewards="option", n_agents=2000)[3]
            assert 100 * (shared / clean - 1) == pytest.approx(percent, rel=0.15)
            assert more == pytest.approx(shared, rel=1e-9)
            assert abs(alone / clean - 1) < 0.007
            assert shared_draw_drift(x, Q, noise)[3] == pytest.approx(shared, rel=5e-4 if sd == 0.05 else 0.04)


def test_shared_bernoulli_draws_turn_the_drift_around():
    def drift(best, rewards):
        rest = np.array([0.0, 1 - best, 0.0])
        return voter_drift([*rest, best], Q, BernoulliNoise(), rewards=rewards, n_agents=100)[3]

    assert drift(0.4, "option") > 0
    assert drift(0.7, "option") < 0
    assert drift(0.7, "agent") > 0


def test_hearing_a_few():
    middle = np.linspace(0.4, 0.7, 10)
    equal = np.full(10, 0.1)
    for heard, about, exact in ((2, 0.508, 0.5030), (5, 0.806, 0.8037), (10, 0.903, 0.9024)):
        factor = heard_drift_factor(equal, middle, heard)
        assert factor == pytest.approx(exact, abs=5e-5)
        assert factor == pytest.approx(about, abs=6e-3)
        assert factor == pytest.approx(1 - 1 / heard, abs=5e-3)
    assert heard_drift_factor(EQUAL, Q, 1) == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="no drift"):
        heard_drift_factor([0.5, 0.5], [0.4, 0.4], 3)


def test_speaking_up_or_not():
    v = float(EQUAL @ np.array(Q))
    assert broadcast_factor(v, 1) == pytest.approx(v)
    assert broadcast_factor(v, 500) == pytest.approx(1)
    # a swarm in which 3 independent holders speak up or not, from the law of what is heard
    x, q, m = np.array([0.2, 0.3, 0.5]), np.array([0.3, 0.5, 0.8]), 3
    adopt = np.zeros(3)
    for heard in product(range(3), repeat=m):
        for spoken in product((0, 1), repeat=m):
            chance = np.prod([x[b] * (q[b] if s else 1 - q[b]) for b, s in zip(heard, spoken, strict=True)])
            if any(spoken):
                for b, s in zip(heard, spoken, strict=True):
                    adopt[b] += chance * s / sum(spoken)
            else:
                adopt += chance * x
    v = float(x @ q)
    np.testing.assert_allclose(adopt - x, broadcast_factor(v, m) * x * (q - v) / v, atol=1e-12)


def test_hearing_one_is_neutral_and_hearing_all_others_is_exact():
    few = share_law(AsynchronousVoter(quality=Q, n_agents=12, hearing=HearSome(n_heard=1)), [50])
    np.testing.assert_allclose(few.mean[0], EQUAL, atol=1e-12)
    # hearing all others but not oneself, one event by hand: a holder of b hears one holder of b less
    n, counts, q = 12, np.array([3, 3, 3, 3]), np.array(Q)
    expected = np.zeros(4)
    for own in range(4):
        others = counts - np.eye(4, dtype=int)[own]
        expected += counts[own] / n * (others * q / (others @ q) - np.eye(4)[own])
    most = share_law(AsynchronousVoter(quality=Q, n_agents=n, hearing=HearSome(n_heard=11)), [1])
    np.testing.assert_allclose(most.mean[0], EQUAL + expected / n, atol=1e-14)


def test_swarm_and_learner_drift_alike_but_scatter_differently():
    # variance of the best share, 200 agents asynchronous against rate 1/200
    times = np.array([0.005, 2.5, 5, 10, 15])
    swarm = linear_noise(AsynchronousVoter(quality=Q, n_agents=200), times)
    learner = linear_noise(MaynardCrossLearner(quality=Q, rate=1 / 200), times)
    np.testing.assert_allclose(swarm.mean, learner.mean, atol=1e-8)
    ratio = (swarm.covariance / learner.covariance)[:, 3, 3]
    assert ratio == pytest.approx([1.33, 1.59, 1.82, 2.22, 2.53], abs=0.005)
    # simulated paths of 200 give these, within their error and the 1 / N that the limit drops
    assert ratio[:4] == pytest.approx([1.32, 1.58, 1.85, 2.23], abs=0.05)


def test_linear_noise_is_the_limit_of_the_exact_law():
    off = []
    for n_agents in (20, 40, 80):
        exact = share_law(ImitationOfSuccess(quality=(0.6, 0.5), n_agents=n_agents), [4 * n_agents])
        near = linear_noise(ImitationOfSuccess(quality=(0.6, 0.5), n_agents=n_agents), [4.0])
        off.append(abs(near.sd[0, 0] / exact.sd[0, 0] - 1))
        inhibited = linear_noise(
            CrossInhibition(quality=(0.6, 0.5), n_agents=n_agents, initial=(n_agents // 4,) * 2), [2.0]
        )
        assert inhibited.mean[0].sum() == pytest.approx(1)
        np.testing.assert_allclose(inhibited.covariance[0].sum(axis=0), 0, atol=1e-8)
    assert off[2] < off[1] < off[0]
    assert off[2] < 0.02


def test_inhibition_law_against_linear_noise():
    model = CrossInhibition(quality=(0.7, 0.5), n_agents=60, initial=(15, 15))
    exact = share_law(model, [120])
    near = linear_noise(model, [2.0])
    np.testing.assert_allclose(exact.mean[0], near.mean[0], atol=0.01)
    np.testing.assert_allclose(exact.sd[0], near.sd[0], rtol=0.1)


def test_nothing_heard_changes_nothing():
    model = AsynchronousVoter(quality=(0.0, 0.0), n_agents=6)
    assert share_law(model, [50]).mean[0].tolist() == [0.5, 0.5]
    assert share_law(SynchronousVoter(quality=(0.0, 0.0), n_agents=6), [5]).mean[0] == pytest.approx([0.5, 0.5])
    with pytest.raises(ValueError, match="may never settle"):
        absorption(model)


def test_already_settled():
    end = absorption(AsynchronousVoter(quality=Q, n_agents=6, initial=(0, 6, 0, 0)))
    assert (end.probability.tolist(), end.mean_time) == ([0, 1, 0, 0], 0.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: share_law(AsynchronousVoter(quality=Q, n_agents=1000), [1]), "at most 226 agents"),
        (lambda: absorption(AsynchronousVoter(quality=Q, n_agents=200)), "at most 69 agents"),
        (lambda: share_law(SynchronousVoter(quality=Q, n_agents=200), [1]), "at most 26 agents"),
        (lambda: share_law(SynchronousVoter(quality=Q, n_agents=10, noise=BernoulliNoise()), [1]), "Markov chain"),
        (lambda: share_law(SynchronousVoter(quality=Q, n_agents=10, hearing=HearGroup(size=5)), [1]), "Markov chain"),
        (lambda: share_law(SynchronousVoter(quality=Q, n_agents=10, start="random"), [1]), "Markov chain"),
        (lambda: share_law(AsynchronousVoter(quality=Q, n_agents=10), [-1]), "whole numbers"),
        (lambda: share_law(AsynchronousVoter(quality=Q, n_agents=10), [0.5]), "whole numbers"),
        (lambda: learner_fixation(CrossLearner(quality=Q, rate=0.1)), "two options"),
        (lambda: learner_fixation(CrossLearner(quality=(0.5, 0.6), rate=0.1, noise=BernoulliNoise())), "NoiseFree"),
        (
            lambda: learner_fixation(
                MaynardCrossLearner(quality=(0.5, 0.6), rate=0.1, baseline=MovingAverage(rate=0.1))
            ),
            "memory",
        ),
        (lambda: linear_noise(SynchronousVoter(quality=Q, n_agents=10), [1]), "one agent at a time"),
        (lambda: linear_noise(AsynchronousVoter(quality=Q, n_agents=10, rewards="option"), [1]), "drawn by agent"),
        (lambda: linear_noise(MaynardCrossLearner(quality=Q, rate=0.1, baseline=BatchMean()), [1]), "oracle"),
        (lambda: voter_drift([0.3, 0.7], (0.5, 0.6), NoiseFree(), rewards="agent", n_agents=11), "whole numbers of 11"),
        (lambda: moran_fixation(10, 5, 0.0), "above 0"),
        (lambda: moran_fixation(10, 11, 1.0), "between 0 and 10"),
        (lambda: diffusion_fixation(1.5, 10, 0.1), r"\[0, 1\]"),
        (lambda: broadcast_factor(1.5, 3), r"\[0, 1\]"),
        (lambda: swarm_summary(quality=Q, n_agents=10, kind="chat"), "async, sync, pairwise"),
        (lambda: swarm_summary(quality=Q, n_agents=10, times=[-1]), "whole numbers from 0 to"),
    ],
)
def test_what_cannot_be_computed_says_so(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_largest_lattice():
    assert largest_lattice_swarm(AsynchronousVoter(quality=Q, n_agents=10)) == 226
    assert largest_lattice_swarm(AsynchronousVoter(quality=(0.5, 0.6), n_agents=10), solve=True) == 59_999


def test_summary_has_the_promised_keys():
    summary = swarm_summary(quality=Q, n_agents=20, times=[0, 100])
    assert summary["mean_share"][1][3] == pytest.approx(0.646965, abs=5e-7)
    assert summary["ode"][1][3] == pytest.approx(0.7256, abs=5e-5)
    assert summary["fixation"][1] == pytest.approx(0.13422, abs=5e-6)
    assert summary["absorption_time"] == pytest.approx(200.329, abs=5e-4)
    assert summary["notes"] == []
    large = swarm_summary(quality=Q, n_agents=200)
    assert large["mean_share"] is None
    assert large["fixation"] is None
    assert len(large["notes"]) == 2
    assert large["ode"][3][3] == pytest.approx(0.7256, abs=5e-5)
    rounds = swarm_summary(quality=(0.5, 0.7), n_agents=20, kind="sync", times=[0, 3])
    assert rounds["unit"] == "round"
    assert rounds["linear_noise_sd"] is None
    silent = swarm_summary(quality=(0.0, 0.0), n_agents=4, kind="pairwise", times=[1])
    assert silent["ode"] is None
    assert silent["mean_share"] == [[0.5, 0.5]]


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.7), (0.01, 0.02), (1, 1), (2, 3), (300, 700), (1e5, 2e5)])
def test_beta_rule_has_the_moments_of_the_law(a, b):
    nodes, weights = _gauss_beta(a, b)
    assert ((nodes >= 0) & (nodes <= 1)).all()
    moment = 1.0
    for power in range(9):
        assert weights @ nodes**power == pytest.approx(moment, rel=1e-8)
        moment *= (a + power) / (a + b + power)


def test_beta_of_mass_two_around_one_half_is_uniform():
    x = [0.25, 0.75]
    drifts = [
        voter_drift(x, (0.5, 0.5), noise, rewards="option", n_agents=4)
        for noise in (BetaNoise(mass=2.0), UniformNoise(half_width=0.5))
    ]
    np.testing.assert_allclose(drifts[0], drifts[1], atol=1e-9)
    # the integral over the unit square of r1 / (r1 + 3 r2), by hand
    by_hand = (0.5 * np.log(4) - 0.5 * (0.5 - 3 + 9 * np.log(4 / 3)) + 0.25) / 3
    assert drifts[1][0] + 0.25 == pytest.approx(by_hand, abs=5e-6)


def test_a_law_that_cannot_be_integrated_says_so():
    with pytest.raises(ValueError, match="could not be integrated"):
        voter_drift([0.25] * 4, Q, BetaNoise(mass=1e-3), rewards="option", n_agents=8)
