"""The JAX backend has the law of the models: exact laws where theory has them, else the law of the kernels.

Comparisons of means at 5 standard errors; with some 500 of them a false alarm has a chance of 3e-4. Seeds are fixed.
"""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from madsim.graphs import empty, ring
from madsim.models import (
    Argmax,
    AsynchronousVoter,
    BatchMean,
    BernoulliNoise,
    BetaNoise,
    ClippedNormal,
    Conformist,
    CorrectionLock,
    CrossInhibition,
    CrossLearner,
    DebateModel,
    Forgetting,
    HearSome,
    ImitationOfSuccess,
    LastRound,
    MaynardCrossLearner,
    MovingAverage,
    OracleBaseline,
    Rereading,
    Sticky,
    Stubborn,
    Summary,
    SynchronousVoter,
    Temperature,
    TopP,
    UniformNoise,
    congestion,
)
from madsim.protocols import Convergence, Majority, OneByOne, Protocol, Visibility
from madsim.simulate import (
    SharedDrawsWarning,
    extend,
    load_result,
    reproduce,
    simulate_debate,
    simulate_learner,
    simulate_swarm,
)
from madsim.simulate._jax_swarm import multinomial
from madsim.theory import share_law
from tests.statistical.test_debate_law import exact_law, model_of, pvalue

Q = (0.3, 0.55, 0.4, 0.7)
TIMES = [0, 1, 5, 20, 60]
ALONE = Protocol(rounds=40, visibility=Visibility(graph=empty(3)))
SMALL = {"quality": Q, "n_agents": 12}


def test_two_rounds_have_the_exact_law_and_a_slightly_wrong_model_is_rejected():
    result = simulate_debate(model_of(), n_trials=200_000, rng=17, keep="votes", backend="jax")
    assert pvalue(exact_law(model_of()), result) > 0.001
    assert pvalue(exact_law(model_of(self_weight=0.8)), result) < 1e-6


VARIANTS = {
    "sharper, forgetting, conforming, a deaf agent": {
        "response": Temperature(temperature=0.7, from_round=1),
        "memory": Forgetting(keep=0.6),
        "conformity": 1.4,
        "stubborn": Stubborn(agents=(1,)),
    },
    "nucleus, last round, sticky": {
        "response": TopP(mass=0.8),
        "memory": LastRound(),
        "intervention": Sticky(probability=0.3, updates=False),
    },
    "likeliest, rereading, locked": {
        "response": Argmax(),
        "memory": Rereading(),
        "intervention": CorrectionLock(probability=0.5, lasting=True),
        "stubborn": Stubborn(agents=(3,), repeats=True),
    },
    "weights, likeness, ring, order": {
        "answer_weights": (1.5, 1.0, 0.5),
        "similarity": np.array([[0.8, 0.1, 0.1], [0.0, 1.0, 0.0], [0.2, 0.0, 0.8]]),
        "peer_weight": (1.0, 2.0, 0.5, 1.0),
        "self_weight": 0.5,
        "response": Argmax(ties="first", from_round=2),
        "protocol": Protocol(rounds=3, visibility=Visibility(graph=ring(4)), reduction=Majority(ties="first")),
    },
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_agree_with_the_kernels(name):
    start = np.array([[1.2, 0.6, 0.5], [0.5, 2.0, 0.5], [1.0, 1.0, 1.5], [2.0, 1.0, 0.4]])
    model = DebateModel(**{"concentration": start, "protocol": Protocol(rounds=3), **VARIANTS[name]})
    jax = simulate_debate(model, n_trials=16_384, rng=1, backend="jax")
    numba = simulate_debate(model, n_trials=16_384, rng=2, method="general")
    assert jax.method.name.startswith("jax on ")
    for part in ("share", "vote_accuracy", "disagreement"):
        for a, b in zip(getattr(jax, part), getattr(numba, part), strict=True):
            assert abs(a.value - b.value) < 5 * np.hypot(a.standard_error, b.standard_error) + 1e-9, part
    error = np.hypot(jax.belief_sd, numba.belief_sd) / 128
    assert (np.abs(jax.belief_mean - numba.belief_mean) < 5 * error + 1e-6).all()
    np.testing.assert_allclose(jax.belief_sd, numba.belief_sd, rtol=0.06, atol=1e-4)
    right = np.abs(jax.totals.right - numba.totals.right) / 16_384
    assert (right < 5 * np.sqrt(0.5 / 16_384)).all()


@pytest.mark.parametrize(
    "model",
    [
        AsynchronousVoter(**SMALL, interaction=congestion([0.2, 0.3, 0.1, 0.6])),
        AsynchronousVoter(**SMALL, noise=BernoulliNoise()),
        AsynchronousVoter(**SMALL, noise=ClippedNormal(sd=0.05)),
        AsynchronousVoter(**SMALL, rewards="option", noise=UniformNoise(half_width=0.2)),
        ImitationOfSuccess(**SMALL, noise=ClippedNormal(sd=0.4)),
        CrossInhibition(**SMALL),
        SynchronousVoter(**SMALL),
    ],
    ids=lambda model: f"{type(model).__name__}, {type(model.noise).__name__}",
)
def test_swarms_have_the_exact_law(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SharedDrawsWarning)
        result = simulate_swarm(model, n_trials=8_000, times=TIMES, rng=11, backend="jax")
    exact = share_law(model, TIMES)
    assert (np.abs(result.share_mean - exact.mean) <= 5 * np.maximum(exact.sd / np.sqrt(8_000), 2.5e-5)).all()
    assert (np.abs(result.share_sd - exact.sd) <= np.maximum(0.05 * exact.sd, 0.006)).all()
    found, error = result.totals.absorbed / 8_000, np.sqrt(exact.absorbed * (1 - exact.absorbed) / 8_000)
    assert (np.abs(found - exact.absorbed) <= 5 * error + 5 / 8_000).all()
    assert ((result.winner >= 0) == (result.absorbed_at >= 0)).all()
    wrong = share_law(type(model)(quality=Q, n_agents=13), TIMES)
    assert (np.abs(result.share_mean - wrong.mean) > 5 * np.maximum(wrong.sd / np.sqrt(8_000), 2.5e-5)).any()


def test_an_option_that_nobody_holds_does_not_come_back():
    """Sums in single precision, subtracted one after the other, would hand a few of 60,000 agents to it, and it is the best."""
    model = SynchronousVoter(quality=[0.37, 0.731, 0.9], n_agents=60_000, initial=[30_000, 30_000, 0])
    assert simulate_swarm(model, n_trials=500, times=[1, 5], rng=1, backend="jax").share_mean[:, 2].tolist() == [0, 0]
    for weights in ([0.3, 0.0, 0.7, 0.0], [0.0, 0.0, 0.0, 2.0], [5.0, 0.0, 0.0, 0.0]):
        found = np.array(multinomial(jax.random.key(3), 60_000, jnp.asarray(weights, jnp.float32)))
        assert found.sum() == 60_000
        assert (found >= 0).all()
        assert not found[np.array(weights) == 0].any()


@pytest.mark.parametrize(
    "model",
    [
        MaynardCrossLearner(quality=Q, rate=0.03, noise=ClippedNormal(sd=0.05)),
        MaynardCrossLearner(
            quality=Q, rate=0.03, batch=4, baseline=MovingAverage(rate=0.1), noise=UniformNoise(half_width=0.1)
        ),
        MaynardCrossLearner(quality=Q, rate=0.5, batch=20, baseline=BatchMean(), noise=ClippedNormal(sd=0.1)),
        CrossLearner(
            quality=Q, rate=0.2, batch=3, noise=BernoulliNoise(), interaction=congestion([0.2, 0.3, 0.1, 0.6])
        ),
    ],
    ids=lambda model: f"{type(model).__name__}, batch {model.batch}",
)
def test_learners_agree_with_the_kernels(model):
    jax = simulate_learner(model, n_trials=8_000, times=TIMES, rng=1, backend="jax")
    numba = simulate_learner(model, n_trials=8_000, times=TIMES, rng=2)
    error = np.hypot(jax.share_error, numba.share_error)
    assert (np.abs(jax.share_mean - numba.share_mean) < 5 * error + 1e-9).all()
    np.testing.assert_allclose(jax.share_sd, numba.share_sd, rtol=0.08, atol=2e-3)
    assert jax.clipped == 0


@pytest.mark.parametrize(
    "noise", [ClippedNormal(sd=0.4), UniformNoise(half_width=0.2), BernoulliNoise(), BetaNoise(mass=2.0)]
)
def test_rewards_have_the_mean_and_variance_of_their_noise(noise):
    import jax

    from madsim.simulate._jax_rewards import draw_rewards

    quality = np.repeat(np.float32([0.3, 0.7]), 4_000).reshape(2, -1)
    drawn = np.asarray(draw_rewards(noise, jax.random.key(3), quality), float)
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    mean, variance = noise.mean([0.3, 0.7]), noise.variance([0.3, 0.7])
    assert (np.abs(drawn.mean(axis=1) - mean) < 5 * np.sqrt(variance / 4_000)).all()
    np.testing.assert_allclose(drawn.var(axis=1), variance, rtol=0.1)


def test_steps_beyond_the_simplex_are_counted_and_shortened():
    model = CrossLearner(quality=(0.9, 0.8), rate=1.2, clip=True)
    result = simulate_learner(model, n_trials=10, n_steps=3, rng=1, backend="jax", keep="paths")
    assert result.clipped > 0
    assert result.paths.min() >= 0
    np.testing.assert_allclose(result.paths.sum(axis=2), 1)


def test_jax_results_extend_repeat_and_come_back(tmp_path):
    model = DebateModel.homogeneous(n_agents=3, belief=0.6, protocol=Protocol(rounds=1))
    short = simulate_debate(model, n_trials=40, rng=3, keep="votes", backend="jax")
    long = simulate_debate(model, n_trials=100, rng=3, keep="votes", backend="jax", threads=4)
    longer = extend(short, 60)
    assert longer.totals == long.totals
    assert np.array_equal(longer.votes.answers, long.votes.answers)
    assert np.array_equal(long.totals.right[0], (long.votes.answers[:, 0] == 0).sum(axis=0))
    loaded = load_result(long.save(tmp_path / "debate.npz"))
    assert loaded.totals == reproduce(loaded.provenance).totals
    assert "jax" in loaded.provenance.versions
    swarm = AsynchronousVoter(quality=Q, n_agents=12)
    first = simulate_swarm(swarm, n_trials=30, times=[1, 9], rng=3, keep="paths", backend="jax")
    whole = simulate_swarm(swarm, n_trials=70, times=[1, 9], rng=3, keep="paths", backend="jax")
    more = extend(first, 40)
    assert more.totals == whole.totals
    assert np.array_equal(more.paths, whole.paths)
    assert np.array_equal(more.absorbed_at, whole.absorbed_at)
    assert (whole.totals.sums == np.rint(whole.paths * 12).sum(axis=0)).all()
    kept = load_result(whole.save(tmp_path / "swarm.npz"))
    assert kept.totals == reproduce(kept.provenance).totals
    other = simulate_swarm(swarm, n_trials=70, times=[1, 9], rng=4, keep="paths", backend="jax")
    assert not np.array_equal(other.paths, whole.paths)


PANEL = {"n_agents": 3, "belief": 0.6}


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda: simulate_debate(DebateModel.homogeneous(), n_trials=1, backend="cuda"), "must be one of numba, jax"),
        (lambda: simulate_debate(DebateModel.homogeneous(), n_trials=1, backend="jax", method="lanes"), "leave it out"),
        *(
            (lambda options=options: simulate_debate(DebateModel.homogeneous(**PANEL, **options), n_trials=1, backend="jax"), message)
            for options, message in (
                ({"protocol": Protocol(schedule=OneByOne())}, "one by one; use backend='numba'"),
                ({"protocol": Protocol(convergence=Convergence())}, "stop early"),
                ({"summary": Summary()}, "hear a summary"),
                ({"intervention": Conformist()}, "the intervention Conformist"),
                ({"mass": 1e-44}, "concentrations from 4e-45 to .* in single precision"),
                ({"mass": 1e40}, "concentrations from 4e.39 to 1e.40 in single precision"),
                (
                    {"memory": Forgetting(keep=0.1), "protocol": ALONE, "self_weight": 0.0},
                    "concentrations from 8e-41 to .* in single precision",
                ),
            )
        ),
        (
            lambda: simulate_swarm(
                AsynchronousVoter(**SMALL, hearing=HearSome(n_heard=2)), n_trials=1, n_steps=1, backend="jax"
            ),
            "not everybody is heard",
        ),
        (
            lambda: simulate_swarm(AsynchronousVoter(**SMALL, noise=BetaNoise(mass=2.0)), n_trials=1, n_steps=1, backend="jax"),
            "rewards by agent with BetaNoise",
        ),
        (
            lambda: simulate_swarm(AsynchronousVoter(quality=Q, n_agents=70_000), n_trials=1, n_steps=1, backend="jax"),
            "more than 65000 agents",
        ),
        (
            lambda: simulate_swarm(SynchronousVoter(**SMALL, n_votes=3), n_trials=1, n_steps=1, backend="jax"),
            "rounds of several votes",
        ),
        (
            lambda: simulate_learner(
                MaynardCrossLearner(
                    quality=(0.5, 0.6), rate=0.01, baseline=OracleBaseline(), noise=ClippedNormal(sd=0.1),
                    interaction=congestion([0.1, 0.1]),
                ),
                n_trials=1, n_steps=1, backend="jax",
            ),
            "oracle baselines",
        ),
    ],
)  # fmt: skip
def test_what_jax_does_not_run_is_refused(run, message):
    with pytest.raises(ValueError, match=message):
        run()
