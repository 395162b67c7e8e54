"""Which method runs, what it says of itself, and that every method has the model's law."""

import copy
import warnings

import numpy as np
import pytest

from madsim import graphs, theory
from madsim.models import (
    AsynchronousVoter,
    BernoulliNoise,
    BetaNoise,
    ClippedNormal,
    CrossInhibition,
    DebateModel,
    HearSome,
    ImitationOfSuccess,
    NoiseFree,
    SynchronousVoter,
    Temperature,
    UniformNoise,
    congestion,
)
from madsim.protocols import Majority, Protocol, Visibility
from madsim.simulate import (
    Method,
    SharedDrawsWarning,
    extend,
    load_result,
    reproduce,
    simulate_debate,
    simulate_swarm,
)
from madsim.simulate._swarm_plan import plan_swarm

Q = (0.3, 0.55, 0.4, 0.7)
MANY = DebateModel.homogeneous(n_agents=1100, belief=[0.45, 0.35, 0.2], mass=900.0)
LARGE = AsynchronousVoter(quality=Q, n_agents=100_000)
UNIT = 100_000


def test_a_method_is_a_line_that_knows_its_parts(tmp_path):
    method = Method(name="lanes", reason="why", error="exact but for uniforms of 24 bits")
    assert method == "lanes: why; exact but for uniforms of 24 bits"
    again = copy.copy(method)  # goes through the same door as sending it to another process
    assert (again, again.to_dict()) == (method, method.to_dict())
    assert not method.is_approximate
    result = simulate_swarm(LARGE, n_trials=2, times=[60 * UNIT], rng=1)
    loaded = load_result(result.save(tmp_path / "r.npz"))
    assert loaded.method.to_dict() == result.method.to_dict()
    assert loaded.method.is_approximate


@pytest.mark.parametrize(
    ("model", "options", "name", "reason"),
    [
        (MANY, {}, "counts", "all alike"),
        (MANY, {"keep": "votes"}, "lanes, shared counts", "one weight"),
        (MANY, {"method": "lanes"}, "lanes, shared counts", "asked for"),
        (MANY, {"method": "general"}, "one by one", "asked for"),
        (
            DebateModel.homogeneous(
                n_agents=1100, self_weight=(1.0,) * 1100, protocol=Protocol(rounds=1, reduction=Majority(ties="first"))
            ),
            {},
            "lanes, shared counts",
            "one weight",
        ),
        (DebateModel.homogeneous(n_agents=1023), {}, "lanes, shared counts", "one weight"),
        (DebateModel.homogeneous(n_agents=5), {"method": "counts"}, "counts", "asked for"),
        (DebateModel.homogeneous(n_agents=2000, self_weight=0.0), {}, "lanes, any graph", "differ"),
        (DebateModel.homogeneous(response=Temperature(temperature=0.5)), {}, "one by one", "response"),
    ],
    ids=str,
)
def test_choice_for_debates(model, options, name, reason):
    result = simulate_debate(model, n_trials=1, n_rounds=1, rng=0, **options)
    assert result.method.name == name
    assert reason in result.method.reason
    assert result.method.error.startswith("exact")


@pytest.mark.parametrize(
    ("model", "last", "name"),
    [
        (AsynchronousVoter(quality=Q, n_agents=50), 10, "lanes"),
        (AsynchronousVoter(quality=Q, n_agents=50, noise=ClippedNormal(sd=0.05)), 10, "lanes, rewards integrated out"),
        (AsynchronousVoter(quality=Q, n_agents=50, noise=BetaNoise(mass=3.0)), 10, "trial by trial"),
        (AsynchronousVoter(quality=Q, n_agents=50, hearing=HearSome(n_heard=3)), 10, "agent by agent"),
        (LARGE, UNIT, "trial by trial"),
        (LARGE, 60 * UNIT, "leaps"),
        (ImitationOfSuccess(quality=Q, n_agents=50_000), 60 * UNIT, "lanes, rewards integrated out"),
        (ImitationOfSuccess(quality=Q, n_agents=50_000, interaction=congestion([0.1] * 4)), 60 * UNIT, "leaps"),
        (CrossInhibition(quality=Q, n_agents=UNIT), 60 * UNIT, "leaps"),
        (SynchronousVoter(quality=Q, n_agents=63), 3, "agent by agent"),
        (SynchronousVoter(quality=Q, n_agents=64), 3, "counts"),
        (SynchronousVoter(quality=Q, n_agents=64, n_votes=3), 3, "agent by agent"),
    ],
    ids=str,
)
def test_choice_for_swarms(model, last, name):
    result = simulate_swarm(model, n_trials=1, times=[last], rng=0)
    assert result.method.name == name
    assert result.method.is_approximate == (name == "leaps")


def test_leaps_are_not_taken_where_nearly_every_event_is_recorded():
    for gap, name in ((10, "trial by trial"), (1000, "leaps")):
        assert plan_swarm(LARGE, np.arange(0, 60 * UNIT, gap), "auto").method.name == name


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda: simulate_debate(MANY, n_trials=1, method="fast"), "must be one of auto, lanes, counts, general"),
        (lambda: simulate_debate(MANY, n_trials=1, method="counts", keep="votes"), "no single agents"),
        (
            lambda: simulate_debate(
                DebateModel.homogeneous(protocol=Protocol(visibility=Visibility(graph=graphs.ring(5)))),
                n_trials=1,
                method="counts",
            ),
            "start alike",
        ),
        (
            lambda: simulate_debate(DebateModel.homogeneous(conformity=2.0), n_trials=1, method="lanes"),
            "conformity; use method='general'",
        ),
        (lambda: simulate_swarm(LARGE, n_trials=1, n_steps=1, method="fast"), "integrated, drawn, counts, leaps"),
        (
            lambda: simulate_swarm(AsynchronousVoter(quality=Q, n_agents=500), n_trials=1, n_steps=1, method="leaps"),
            "at least 10000 agents",
        ),
        (lambda: simulate_swarm(LARGE, n_trials=1, n_steps=1, method="counts"), "does not exist for asynchronous"),
        (
            lambda: simulate_swarm(
                SynchronousVoter(quality=Q, n_agents=9, n_votes=3), n_trials=1, n_steps=1, method="counts"
            ),
            "does not exist for this synchronous swarm",
        ),
    ],
)
def test_methods_that_do_not_exist_are_refused(run, message):
    with pytest.raises(ValueError, match=message):
        run()


@pytest.mark.parametrize("n_agents", [5, 40])
def test_debates_on_counts_have_the_exact_law(n_agents):
    model = DebateModel.homogeneous(n_agents=n_agents, belief=0.6, mass=4.0)
    n_trials = 40_000
    result = simulate_debate(model, n_trials=n_trials, n_rounds=3, rng=3, method="counts")
    exact = theory.debate_moments(model, 3)
    error = np.maximum(exact.sd, 1e-12) / np.sqrt(n_trials)
    assert (np.abs(result.belief_mean - exact.mean) < 5 * error + 1e-9).all()
    np.testing.assert_allclose(result.belief_sd[1:], exact.sd[1:], rtol=0.03)
    votes = (result.vote_accuracy, theory.vote_by_round(model, 3))
    for found, expected in (votes, (result.disagreement, theory.disagreement(model, 3))):
        for estimate, value in zip(found, expected, strict=True):
            assert abs(estimate.value - value) < 5 * estimate.standard_error
    wrong = theory.vote_by_round(DebateModel.homogeneous(n_agents=n_agents, belief=0.62, mass=4.0), 3)
    assert abs(result.vote_accuracy[0].value - wrong[0]) > 5 * result.vote_accuracy[0].standard_error


def test_counts_and_lanes_agree_in_law():
    counts = simulate_debate(MANY, n_trials=4_000, n_rounds=2, rng=5)
    lanes = simulate_debate(MANY, n_trials=4_000, n_rounds=2, rng=5, method="lanes")
    assert (counts.method.name, lanes.method.name) == ("counts", "lanes, shared counts")
    for name in ("share", "vote_accuracy", "disagreement"):
        for a, b in zip(getattr(counts, name), getattr(lanes, name), strict=True):
            assert abs(a.value - b.value) < 5 * np.hypot(a.standard_error, b.standard_error) + 1e-12
    np.testing.assert_allclose(counts.belief_sd[1:, 0], lanes.belief_sd[1:, 0], rtol=0.08)


@pytest.mark.parametrize(
    "noise",
    [NoiseFree(), ClippedNormal(sd=0.05), ClippedNormal(sd=0.4), UniformNoise(half_width=0.2), BernoulliNoise()],
)
@pytest.mark.parametrize("rewards", ["agent", "option"])
def test_rounds_on_counts_agree_with_rounds_agent_by_agent(noise, rewards):
    model = SynchronousVoter(quality=Q, n_agents=24, noise=noise, rewards=rewards, start="random")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SharedDrawsWarning)
        counts, agents = (
            simulate_swarm(model, n_trials=6_000, times=[0, 1, 4], rng=seed, method=method)
            for seed, method in ((1, "counts"), (2, "general"))
        )
    error = np.hypot(counts.share_error, agents.share_error) + 1e-9
    assert (np.abs(counts.share_mean - agents.share_mean) < 5 * error).all()
    np.testing.assert_allclose(counts.share_sd, agents.share_sd, rtol=0.08, atol=0.004)
    ended = np.abs(counts.totals.absorbed - agents.totals.absorbed) / 6_000
    assert (ended < 0.03).all()


LEAPERS = [
    AsynchronousVoter(quality=Q, n_agents=10_000),
    AsynchronousVoter(quality=Q, n_agents=10_000, noise=BernoulliNoise()),
    ImitationOfSuccess(quality=Q, n_agents=10_000, noise=BetaNoise(mass=2.0)),
    CrossInhibition(quality=Q, n_agents=10_000),
]


@pytest.mark.parametrize("model", LEAPERS, ids=lambda model: f"{type(model).__name__}, {type(model.noise).__name__}")
def test_leaps_have_the_law_of_single_events(model):
    # spreads within 8 %: 5 standard errors of a ratio of two standard deviations over 2000 and 1024 trials are 14 %; means at 5
    times = [10_000, 30_000, 60_000]
    leaps = simulate_swarm(model, n_trials=2_000, times=times, rng=1, method="leaps")
    events = simulate_swarm(model, n_trials=1_024, times=times, rng=2)
    assert leaps.method.is_approximate
    assert events.method.name.startswith("lanes")
    error = np.hypot(leaps.share_error, events.share_error)
    assert (np.abs(leaps.share_mean - events.share_mean) < 5 * error + 1e-4).all()
    np.testing.assert_allclose(leaps.share_sd, events.share_sd, rtol=0.14)


def test_leaps_and_counts_extend_and_repeat_bit_for_bit():
    model = AsynchronousVoter(quality=Q, n_agents=20_000)
    short = simulate_swarm(model, n_trials=3, times=[20_000], rng=4, method="leaps")
    long = simulate_swarm(model, n_trials=8, times=[20_000], rng=4, method="leaps", threads=2)
    assert extend(short, 5).totals == long.totals
    assert reproduce(long.provenance).totals == long.totals
    few = simulate_debate(MANY, n_trials=3, n_rounds=2, rng=4)
    assert extend(few, 6).totals == simulate_debate(MANY, n_trials=9, n_rounds=2, rng=4, threads=2).totals
    assert reproduce(few.provenance).totals == few.totals
