"""Simulated swarms and learners: exact laws, the same bits on any threads, results that come back, warnings.

Means are compared with exact ones at 5 standard errors: with about 400 comparisons a false alarm has a chance of 2e-4.
"""

import json

import numpy as np
import pytest
from hypothesis import given, settings
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
)
from madsim.simulate import (
    SharedDrawsWarning,
    SharesResult,
    extend,
    load_result,
    reproduce,
    simulate_learner,
    simulate_swarm,
)
from madsim.theory import (
    linear_noise,
    maynard_smith_replicator,
    rest_point,
    share_law,
    taylor_replicator,
    unit_step_replicator,
)

Q = (0.3, 0.55, 0.4, 0.7)
TIMES = [0, 1, 5, 20, 60]
COST = congestion([0.2, 0.3, 0.1, 0.6])
SMALL = {"quality": Q, "n_agents": 12}


def agrees_with(result: SharesResult, exact) -> bool:
    """Means within 5 standard errors and spreads within 5 % or 0.006 of the exact law."""
    n = result.n_trials
    means = np.abs(result.share_mean - exact.mean) <= 5 * np.maximum(exact.sd / np.sqrt(n), 0.2 / n)
    spreads = np.abs(result.share_sd - exact.sd) <= np.maximum(0.05 * exact.sd, 0.006)
    found = result.totals.absorbed / n
    ends = np.abs(found - exact.absorbed) <= 5 * np.sqrt(exact.absorbed * (1 - exact.absorbed) / n) + 5 / n
    return bool(means.all() and spreads.all() and ends.all())


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (AsynchronousVoter(**SMALL), "auto"),
        (AsynchronousVoter(**SMALL), "general"),
        (AsynchronousVoter(**SMALL, noise=ClippedNormal(sd=0.05)), "integrated"),
        (AsynchronousVoter(**SMALL, noise=ClippedNormal(sd=0.05)), "drawn"),
        (AsynchronousVoter(**SMALL, noise=ClippedNormal(sd=0.4)), "auto"),
        (AsynchronousVoter(**SMALL, noise=BernoulliNoise()), "auto"),
        (AsynchronousVoter(**SMALL, noise=UniformNoise(half_width=0.2)), "auto"),
        (AsynchronousVoter(**SMALL, noise=BetaNoise(mass=3.0)), "auto"),
        (AsynchronousVoter(**SMALL, interaction=COST), "auto"),
        (AsynchronousVoter(**SMALL, interaction=COST, noise=BernoulliNoise()), "auto"),
        (AsynchronousVoter(**SMALL, hearing=HearSome(n_heard=2)), "auto"),
        (ImitationOfSuccess(**SMALL, noise=ClippedNormal(sd=0.4)), "auto"),
        (ImitationOfSuccess(**SMALL, noise=ClippedNormal(sd=0.4)), "general"),
        (ImitationOfSuccess(**SMALL, interaction=COST), "auto"),
        (CrossInhibition(**SMALL, noise=BetaNoise(mass=2.0)), "auto"),
        (CrossInhibition(**SMALL, noise=BetaNoise(mass=2.0)), "general"),
        (SynchronousVoter(**SMALL), "auto"),
        (SynchronousVoter(**SMALL), "counts"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_simulated_law_is_the_exact_one(model, method):
    result = simulate_swarm(model, n_trials=8000, times=TIMES, rng=11, method=method)
    assert agrees_with(result, share_law(model, TIMES)), result


@pytest.mark.parametrize(
    "noise", [ClippedNormal(sd=0.05), ClippedNormal(sd=0.4), BernoulliNoise(), BetaNoise(mass=3.0)]
)
@pytest.mark.parametrize("method", ["auto", "drawn"])
def test_shared_draws_have_their_own_law_and_are_warned_of(noise, method):
    model = AsynchronousVoter(**SMALL, rewards="option", noise=noise)
    with pytest.warns(SharedDrawsWarning, match="does not shrink with the number of agents"):
        result = simulate_swarm(model, n_trials=8000, times=TIMES, rng=12, method=method)
    assert agrees_with(result, share_law(model, TIMES)), result
    assert len(result.warnings) == 1
    assert "note: all holders" in str(result)


def test_a_wrong_simulator_is_rejected():
    # rewards by option in place of by agent, the unit-step map in place of events, one agent too few
    exact = share_law(AsynchronousVoter(**SMALL, noise=BernoulliNoise()), TIMES)
    shared = AsynchronousVoter(**SMALL, noise=BernoulliNoise(), rewards="option")
    with pytest.warns(SharedDrawsWarning):
        result = simulate_swarm(shared, n_trials=8000, times=TIMES, rng=1)
    assert not agrees_with(result, exact)
    for wrong in (
        ImitationOfSuccess(**SMALL, noise=BernoulliNoise()),
        AsynchronousVoter(quality=Q, n_agents=13, noise=BernoulliNoise()),
        AsynchronousVoter(**SMALL),
    ):
        assert not agrees_with(simulate_swarm(wrong, n_trials=8000, times=TIMES, rng=1), exact)


def test_the_chapters_swarm():
    # 200 agents, 3000 events; exact values to the digits given
    times = [1, 100, 500, 1000, 2000, 3000]
    best = [0.250545, 0.305568, 0.521634, 0.718586, 0.903213, 0.965773]
    spread = np.array([0.003231, 0.034590, 0.081044, 0.093218, 0.068080, 0.041012])
    result = simulate_swarm(AsynchronousVoter(quality=Q, n_agents=200), n_trials=20_000, times=times, rng=7)
    assert (np.abs(result.share_mean[:, 3] - best) < 5 * spread / np.sqrt(20_000)).all()
    np.testing.assert_allclose(result.share_sd[:, 3], spread, rtol=0.03)
    ended = sum(estimate.value for estimate in result.absorbed[-1])
    assert ended == pytest.approx(0.2608, abs=5 * np.sqrt(0.26 * 0.74 / 20_000))


def test_agents_that_judge_for_themselves_find_the_best_and_shared_draws_get_stuck():
    times = [3000, 12_000]
    own = AsynchronousVoter(quality=Q, n_agents=200, noise=BernoulliNoise())
    result = simulate_swarm(own, n_trials=60, times=[3000], rng=3)
    assert result.share_mean[-1, 3] == pytest.approx(0.967, abs=5 * 0.041 / np.sqrt(60))
    shared = AsynchronousVoter(quality=Q, n_agents=200, noise=BernoulliNoise(), rewards="option")
    with pytest.warns(SharedDrawsWarning):
        stuck = simulate_swarm(shared, n_trials=200, times=times, rng=3)
    assert np.abs(stuck.share_mean[:, 3] - 0.56).max() < 0.05
    assert stuck.totals.absorbed[-1].sum() < 20


@settings(max_examples=20, deadline=None)
@given(
    n_agents=st.integers(2, 40),
    quality=st.lists(st.floats(0, 1), min_size=1, max_size=7),
    noise=st.sampled_from([BernoulliNoise(), ClippedNormal(sd=0.3)]),
    kind=st.sampled_from([AsynchronousVoter, SynchronousVoter, ImitationOfSuccess, CrossInhibition]),
    seed=st.integers(0, 2**32),
)
def test_nothing_leaves_the_lattice(n_agents, quality, noise, kind, seed):
    model = kind(quality=quality, n_agents=n_agents, noise=noise)
    result = simulate_swarm(model, n_trials=5, n_steps=30, rng=seed, keep="paths")
    counts = result.paths * n_agents
    assert (counts >= 0).all()
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)
    np.testing.assert_allclose(result.paths.sum(axis=2), 1, atol=1e-12)
    if kind is not CrossInhibition:
        held = model.counts > 0
        assert (result.paths[:, :, ~held] == 0).all()


@settings(max_examples=20, deadline=None)
@given(
    quality=st.lists(st.floats(0.05, 1), min_size=1, max_size=6),
    part=st.floats(0.01, 1.0),
    noise=st.sampled_from([ClippedNormal(sd=0.3), BernoulliNoise()]),
    batch=st.integers(1, 4),
    maynard=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_nothing_leaves_the_simplex(quality, part, noise, batch, maynard, seed):
    kind = MaynardCrossLearner if maynard else CrossLearner
    largest = kind(quality=quality, rate=1e-9, noise=noise).largest_rate
    model = kind(quality=quality, rate=part * largest, noise=noise, batch=batch)
    result = simulate_learner(model, n_trials=5, n_steps=40, rng=seed, keep="paths")
    assert (result.paths >= 0).all()
    np.testing.assert_allclose(result.paths.sum(axis=2), 1, atol=1e-12)
    assert result.clipped == 0


@pytest.mark.parametrize("n_agents", [12, 200, 1000])
@pytest.mark.parametrize("noise", [ClippedNormal(sd=0.05), BernoulliNoise(), BetaNoise(mass=2.0)])
def test_synchronous_swarm_is_the_parallel_learner_bit_for_bit(n_agents, noise):
    swarm = simulate_swarm(
        SynchronousVoter(quality=Q, n_agents=n_agents, noise=noise, start="random"),
        n_trials=3,
        n_steps=20,
        rng=5,
        keep="paths",
        method="general",
    )
    learner = MaynardCrossLearner(quality=Q, rate=1, batch=n_agents, baseline=BatchMean(), noise=noise)
    drawn = simulate_learner(learner, n_trials=3, n_steps=20, rng=5, keep="paths")
    assert (np.rint(swarm.paths * n_agents) == drawn.samples).all()
    # rate below 1, an oracle, or another seed: another path
    for other, seed in (
        (MaynardCrossLearner(quality=Q, rate=0.5, batch=n_agents, baseline=BatchMean(), noise=noise), 5),
        (MaynardCrossLearner(quality=Q, rate=0.25, batch=n_agents, noise=noise), 5),
        (learner, 6),
    ):
        wrong = simulate_learner(other, n_trials=3, n_steps=20, rng=seed, keep="paths")
        assert (np.rint(swarm.paths * n_agents) != wrong.samples).any()


def test_learners_follow_their_mean_fields():
    rate, steps = 0.002, [0, 500, 2500]
    for model, field in (
        (MaynardCrossLearner(quality=Q, rate=rate, noise=ClippedNormal(sd=0.05)), maynard_smith_replicator),
        (CrossLearner(quality=Q, rate=rate, noise=BernoulliNoise()), taylor_replicator),
    ):
        result = simulate_learner(model, n_trials=4000, times=steps, rng=3)
        near = linear_noise(model, np.array(steps) * rate)
        np.testing.assert_allclose(near.mean, field(np.full(4, 0.25), Q, np.array(steps) * rate), atol=1e-8)
        assert np.abs(result.share_mean - near.mean).max() < 0.006
        np.testing.assert_allclose(result.share_sd[1:], near.sd[1:], rtol=0.08)
    batched = MaynardCrossLearner(quality=Q, rate=rate, batch=8, noise=ClippedNormal(sd=0.05))
    result = simulate_learner(batched, n_trials=500, times=steps, rng=3)
    np.testing.assert_allclose(
        result.share_sd[1:, 3], linear_noise(batched, np.array(steps) * rate).sd[1:, 3], rtol=0.15
    )


def test_one_step_moves_by_rate_times_the_field():
    # the field without the factor `rate` (a formula in print) is off by 20 standard errors and more
    x, q = np.full(4, 0.25), np.array(Q)
    rate, n = 0.05, 40_000
    result = simulate_learner(MaynardCrossLearner(quality=Q, rate=rate), n_trials=n, times=[1], rng=1)
    step = result.share_mean[0] - x
    v = x @ q
    field = x * (q - v) / v
    error = result.share_error[0]
    assert (np.abs(step - rate * field) < 5 * error).all()
    assert (np.abs(step - field) > 20 * error).any()


def test_moving_average_shrinks_the_drift():
    x, q = np.full(4, 0.25), np.array(Q)
    v = x @ q
    field = x * (q - v) / v
    for average, low, high in ((0.1, 0.08, 0.12), (0.01, 0.004, 0.016)):
        model = MaynardCrossLearner(
            quality=Q, rate=1e-6, baseline=MovingAverage(rate=average), noise=ClippedNormal(sd=0.05)
        )
        result = simulate_learner(model, n_trials=6400, times=[3000], rng=1)
        drift = (result.share_mean[0] - x) / 3e-3
        assert low < 1 - (drift @ q) / (field @ q) < high


def test_moving_average_below_the_guard_is_caught():
    # Bernoulli silence lets the average sink far below every quality
    model = MaynardCrossLearner(
        quality=(0.02, 0.04), rate=0.02, noise=BernoulliNoise(), baseline=MovingAverage(rate=0.01)
    )
    for method in ("auto", "general"):
        with pytest.raises(ValueError, match="steps would have left the simplex"):
            simulate_learner(model, n_trials=100, n_steps=1000, rng=1, method=method)
    clipping = MaynardCrossLearner(
        quality=(0.1, 0.2), rate=0.9, noise=BernoulliNoise(), baseline=MovingAverage(rate=0.01), clip=True
    )
    for method in ("auto", "general"):
        result = simulate_learner(clipping, n_trials=50, n_steps=50, rng=1, method=method)
        assert result.clipped > 0
        assert "shortened" in result.warnings[0]


def test_convergence_is_of_order_one_half_to_maynard_smith_and_not_to_taylor():
    sizes = np.array([50, 200, 800])
    limits = {f.__name__: f(np.full(4, 0.25), Q, [5.0])[0, 3] for f in (maynard_smith_replicator, taylor_replicator)}
    errors = {name: [] for name in limits}
    for n in sizes:
        result = simulate_swarm(AsynchronousVoter(quality=Q, n_agents=int(n)), n_trials=4000, times=[5 * int(n)], rng=2)
        for name, limit in limits.items():
            errors[name].append(np.sqrt(result.share_sd[0, 3] ** 2 + (result.share_mean[0, 3] - limit) ** 2))
    slope = {name: np.polyfit(np.log(sizes), np.log(error), 1)[0] for name, error in errors.items()}
    assert slope["maynard_smith_replicator"] == pytest.approx(-0.5, abs=0.06)
    assert slope["taylor_replicator"] > -0.25
    assert errors["taylor_replicator"][-1] > 0.11


def test_groups_graphs_votes_and_acceptance():
    n = 60
    base = {"quality": Q, "n_agents": n, "noise": UniformNoise(half_width=0.1)}
    variants = {
        "all": SynchronousVoter(**base),
        "group of all": SynchronousVoter(**base, hearing=HearGroup(size=n)),
        "graph of all": SynchronousVoter(**base, hearing=HearGraph(graph=graphs.complete(n), self_weight=1.0)),
        "alone": SynchronousVoter(**base, hearing=HearGroup(size=1)),
        "one other": SynchronousVoter(**base, hearing=HearSome(n_heard=1)),
        "pairs": SynchronousVoter(**base, hearing=HearGroup(size=2)),
        "majority": SynchronousVoter(**base, n_votes=15),
        "accept": SynchronousVoter(**base, accept="reward"),
        "better": SynchronousVoter(**base, accept="better"),
    }
    best = {
        name: simulate_swarm(model, n_trials=300, n_steps=3, rng=4).share[-1][3] for name, model in variants.items()
    }
    start = 0.25
    for same in ("group of all", "graph of all"):
        assert abs(best[same].value - best["all"].value) < 5 * np.hypot(
            best[same].standard_error, best["all"].standard_error
        )
    assert best["alone"].value == start
    assert abs(best["one other"].value - start) < 5 * best["one other"].standard_error
    expected = unit_step_replicator(np.full(4, 0.25), Q, 3)[-1, 3]
    assert best["all"].value == pytest.approx(expected, abs=0.02)
    assert start < best["pairs"].value < best["all"].value
    assert best["majority"].value > best["all"].value + 0.1
    assert best["better"].value > best["all"].value + 0.1
    assert best["accept"].value > start + 0.1


def test_an_isolated_agent_never_changes():
    graph = graphs.from_array(np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]]))
    for kind in (SynchronousVoter, AsynchronousVoter):
        model = kind(quality=(0.1, 0.9), n_agents=3, initial=(1, 2), hearing=HearGraph(graph=graph))
        result = simulate_swarm(model, n_trials=40, n_steps=40, rng=1, keep="paths")
        assert result.share_mean[-1].tolist() == [1, 0]


def test_congestion_settles_where_qualities_are_equal():
    q, cost = (0.6, 0.6), (0.2, 0.4)
    target = rest_point(q, cost)
    swarm = AsynchronousVoter(quality=q, n_agents=2000, interaction=congestion(cost))
    result = simulate_swarm(swarm, n_trials=20, times=[60_000], rng=2)
    assert result.share_mean[0] == pytest.approx(target, abs=0.02)
    learner = CrossLearner(quality=q, rate=0.002, interaction=congestion(cost), noise=UniformNoise(half_width=0.1))
    assert simulate_learner(learner, n_trials=40, times=[20_000], rng=2).share_mean[0] == pytest.approx(
        target, abs=0.03
    )
    oracle = MaynardCrossLearner(quality=q, rate=0.002, interaction=congestion(cost), noise=ClippedNormal(sd=0.05))
    assert simulate_learner(oracle, n_trials=40, times=[10_000], rng=2).share_mean[0] == pytest.approx(target, abs=0.03)


def test_large_swarms_integrate_any_noise_and_say_so():
    model = AsynchronousVoter(quality=Q, n_agents=4000, noise=BernoulliNoise())
    near = linear_noise(model, [1.0])
    result = simulate_swarm(model, n_trials=2000, times=[4000], rng=1)
    assert "approximate" in result.method
    assert np.abs(result.share_mean[0] - near.mean[0]).max() < 0.001
    np.testing.assert_allclose(result.share_sd[0], near.sd[0], rtol=0.1)
    huge = AsynchronousVoter(quality=Q, n_agents=1_000_000, noise=BernoulliNoise())
    result = simulate_swarm(huge, n_trials=2, times=[100_000], rng=1)
    np.testing.assert_allclose(result.share_mean[0], linear_noise(huge, [0.1]).mean[0], atol=0.001)


def test_options_of_quality_zero_and_one():
    for noise in (NoiseFree(), ClippedNormal(sd=0.1), BernoulliNoise()):
        model = AsynchronousVoter(quality=(0.0, 1.0), n_agents=10, noise=noise)
        assert simulate_swarm(model, n_trials=50, n_steps=200, rng=1).share_mean[-1, 1] > 0.9


def test_large_swarms_with_a_silent_option_are_drawn():
    # one agent holds the only option that is ever heard: two moments say nothing about its reward
    model = AsynchronousVoter(quality=(0.0, 0.5), n_agents=2000, initial=(1999, 1), noise=BernoulliNoise())
    result = simulate_swarm(model, n_trials=2000, times=[1], rng=1)
    assert result.method.name == "trial by trial"
    assert result.method.error.startswith("exact")
    assert result.share_mean[0, 1] * 2000 - 1 == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(2000))


MODELS = [
    AsynchronousVoter(quality=Q, n_agents=30),
    AsynchronousVoter(quality=Q, n_agents=30, noise=BernoulliNoise()),
    SynchronousVoter(quality=Q, n_agents=30, hearing=HearSome(n_heard=3)),
    CrossInhibition(quality=Q, n_agents=30),
    MaynardCrossLearner(quality=Q, rate=0.05, noise=ClippedNormal(sd=0.05)),
    CrossLearner(quality=Q, rate=0.5, batch=4),
]


def run(model, **options):
    simulate = simulate_learner if isinstance(model, (CrossLearner, MaynardCrossLearner)) else simulate_swarm
    return simulate(model, rng=9, **options)


def same(a: SharesResult, b: SharesResult) -> bool:
    parts = ("absorbed_at", "winner", "paths", "samples")
    return a.totals == b.totals and all(
        (getattr(a, part) is None and getattr(b, part) is None) or np.array_equal(getattr(a, part), getattr(b, part))
        for part in parts
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("keep", ["summary", "paths"])
def test_same_bits_however_it_is_run(model, keep, tmp_path):
    whole = run(model, n_trials=300, n_steps=25, keep=keep, threads=1)
    assert same(whole, run(model, n_trials=300, n_steps=25, keep=keep, threads=2))
    assert same(whole, extend(run(model, n_trials=130, n_steps=25, keep=keep), 170))
    assert not same(whole, run(model, n_trials=301, n_steps=25, keep=keep))
    path = whole.save(tmp_path / "result")
    back = load_result(path)
    assert isinstance(back, SharesResult)
    assert same(whole, back)
    assert back.model == model
    assert (back.method, back.warnings, back.to_dict()) == (whole.method, whole.warnings, whole.to_dict())
    again = reproduce(back.provenance)
    assert isinstance(again, SharesResult)
    assert same(whole, again)
    if keep == "paths":
        short = run(model, n_trials=130, n_steps=25, keep=keep)
        assert np.array_equal(short.paths, whole.paths[:130])
        np.testing.assert_allclose(whole.share_mean, whole.paths.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(whole.share_sd, whole.paths.std(axis=0), atol=1e-7)
        np.testing.assert_allclose(whole.share_error, whole.paths.std(axis=0, ddof=1) / np.sqrt(300), atol=1e-8)


def test_absorption_is_recorded():
    model = AsynchronousVoter(quality=(0.5, 0.6), n_agents=8)
    for method in ("auto", "general"):
        result = simulate_swarm(model, n_trials=3000, n_steps=400, rng=3, keep="paths", method=method)
        counts = np.rint(result.paths * 8)
        full = (counts == 8).any(axis=2)
        first = np.where(full.any(axis=1), full.argmax(axis=1), -1)
        assert np.array_equal(result.absorbed_at, first)
        assert np.array_equal(result.winner, np.where(first >= 0, counts[:, -1].argmax(axis=1), -1))
        time = result.absorption_time
        assert time is not None
        assert time.n == (first >= 0).sum()
        assert time.value == pytest.approx(first[first >= 0].mean())
    assert simulate_swarm(model, n_trials=5, n_steps=0, rng=1).absorption_time is None
    done = AsynchronousVoter(quality=(0.5, 0.6), n_agents=8, initial=(8, 0))
    assert simulate_swarm(done, n_trials=5, n_steps=3, rng=1).absorption_time.value == 0


def test_progress_and_text():
    seen = []
    result = simulate_swarm(
        MODELS[0], n_trials=500, n_steps=200, rng=1, threads=1, progress=lambda a, b: seen.append((a, b))
    )
    assert seen[-1] == (500, 500)
    assert "500 trials (lanes: rewards without noise; exact" in str(result)
    assert repr(result) == "<SharesResult: AsynchronousVoter, 500 trials, 201 times>"
    assert "uncommitted" in str(simulate_swarm(MODELS[3], n_trials=1, n_steps=1, rng=1))
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["provenance"]["seed"] == result.seed.hex
    assert len(plain["mean_share"]) == 201
    assert (
        json.loads(json.dumps(simulate_learner(MODELS[4], n_trials=1, n_steps=1).to_dict()))["standard_error"] is None
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: simulate_swarm(MODELS[0], n_trials=0, n_steps=1), ValueError, "n_trials must be"),
        (lambda: simulate_swarm(MODELS[0], n_trials=1), ValueError, "either n_steps or times"),
        (lambda: simulate_swarm(MODELS[0], n_trials=1, n_steps=1, times=[1]), ValueError, "either n_steps or times"),
        (lambda: simulate_swarm(MODELS[0], n_trials=1, times=[2, 1]), ValueError, "must ascend"),
        (lambda: simulate_swarm(MODELS[0], n_trials=1, times=[-1]), ValueError, "must ascend"),
        (lambda: simulate_swarm(MODELS[0], n_trials=1, times=[0.5]), TypeError, "whole numbers"),
        (lambda: simulate_swarm(MODELS[0], n_trials=1, n_steps=1, keep="all"), ValueError, "'summary' or 'paths'"),
        (
            lambda: simulate_swarm(MODELS[0], n_trials=10**6, n_steps=10**4, keep="paths"),
            ValueError,
            "too many to keep",
        ),
        (lambda: simulate_swarm(MODELS[0], n_trials=1, n_steps=1, method="fast"), ValueError, "integrated, drawn"),
        (lambda: simulate_swarm(MODELS[1], n_trials=1, n_steps=1, method="integrated"), ValueError, "method='auto'"),
        (lambda: simulate_swarm(MODELS[2], n_trials=1, n_steps=1, method="integrated"), ValueError, "synchronous"),
        (lambda: simulate_swarm(MODELS[4], n_trials=1, n_steps=1), TypeError, "needs a swarm"),
        (lambda: simulate_learner(MODELS[0], n_trials=1, n_steps=1), TypeError, "needs a CrossLearner"),
        (lambda: simulate_learner(MODELS[4], n_trials=1, n_steps=1, method="drawn"), ValueError, "'auto' or 'general'"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_files_that_do_not_fit_are_refused(tmp_path):
    result = run(MODELS[0], n_trials=10, n_steps=3)
    path = result.save(tmp_path / "good.npz")
    with np.load(path) as file:
        arrays = dict(file)

    def broken(**changes):
        np.savez(tmp_path / "bad.npz", **{k: v for k, v in {**arrays, **changes}.items() if v is not None})
        with pytest.raises(ValueError) as caught:
            load_result(tmp_path / "bad.npz")
        return str(caught.value)

    assert "'sums' must be int64 (4, 4), found nothing" in broken(sums=None)
    assert "'winner' must be int16 (10,), found int64" in broken(winner=np.zeros(10, np.int64))
    assert "description cannot be read" in broken(about=np.zeros(3, np.uint8))
    plain = json.loads(arrays["provenance"].tobytes())

    def with_parameters(**parameters):
        text = json.dumps({**plain, "parameters": {**plain["parameters"], **parameters}}).encode()
        return broken(provenance=np.frombuffer(text, np.uint8))

    assert "CrossLearner" in with_parameters(model={"type": "CrossLearner", "quality": [0.5] * 4, "rate": 0.1})
    assert "must ascend" in with_parameters(times=[3, 2, 1, 0])
    assert "cannot be read" in with_parameters(times="soon")
    assert "at least 1" in with_parameters(n_trials=-3)
