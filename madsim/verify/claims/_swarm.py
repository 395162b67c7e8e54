"""Claims about swarms, Cross-type learners and replicators."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from madsim.models import (
    AsynchronousVoter,
    BatchMean,
    BernoulliNoise,
    BetaNoise,
    ClippedNormal,
    CrossInhibition,
    CrossLearner,
    HearSome,
    ImitationOfSuccess,
    MaynardCrossLearner,
    MovingAverage,
    NoiseFree,
    Swarm,
    SynchronousVoter,
    UniformNoise,
)
from madsim.verify.claims._claim import Claim, Comparison, Lab

if TYPE_CHECKING:
    from madsim.simulate import SharesResult

HIVE = "Soma, Bouteiller, Hamann, Beltrame, arXiv 2410.17517"
HERE = "derived in the documentation, theory of swarms"
Q = np.array([0.30, 0.55, 0.40, 0.70])
PAIR = np.array([0.7, 0.55])
EQUAL = np.full(4, 0.25)


def _quietly(lab: Lab, model: Swarm, **options: Any) -> SharesResult:
    """A swarm whose shared draws are the point."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return lab.swarm(model, **options)


def _against_law(lab: Lab, model: Swarm, times: list[int], label: str, **options: Any) -> Iterator[Comparison]:
    result = _quietly(lab, model, times=times, **options)
    law = lab.theory.share_law(model, times)
    for at, time in enumerate(times):
        for kind, name in enumerate(result.types):
            yield Comparison(
                label=f"{label}: {name} at {time}",
                found=float(result.share_mean[at, kind]),
                expected=float(law.mean[at, kind]),
                standard_error=float(law.sd[at, kind]) / math.sqrt(result.n_trials),
            )


def _laws(lab: Lab) -> Iterator[Comparison]:
    sizes = {"quick": 50_000, "full": 400_000}
    swarm = {"quality": Q, "n_agents": 12}
    times = [1, 10, 60]
    yield from _against_law(lab, AsynchronousVoter(**swarm), times, "asynchronous", **sizes)
    yield from _against_law(lab, SynchronousVoter(**swarm), [1, 4], "synchronous", **sizes)
    yield from _against_law(lab, ImitationOfSuccess(**swarm, noise=BernoulliNoise()), times, "imitation", **sizes)
    yield from _against_law(lab, CrossInhibition(**swarm, noise=BetaNoise(mass=3.0)), times, "inhibition", **sizes)
    for noise in (ClippedNormal(sd=0.4), BernoulliNoise(), UniformNoise(half_width=0.2)):
        label = f"asynchronous, {type(noise).__name__}"
        yield from _against_law(lab, AsynchronousVoter(**swarm, noise=noise), times, label, **sizes)
    heard = AsynchronousVoter(**swarm, hearing=HearSome(n_heard=2))
    yield from _against_law(lab, heard, times, "two heard", **sizes)


def _two_hundred(lab: Lab) -> Iterator[Comparison]:
    times = [1, 100, 500, 1000, 2000, 3000]
    best = [0.250545, 0.305568, 0.521634, 0.718586, 0.903213, 0.965773]
    spread = [0.003231, 0.034590, 0.081044, 0.093218, 0.068080, 0.041012]
    result = lab.swarm(AsynchronousVoter(quality=Q, n_agents=200), times=times, quick=20_000, full=200_000)
    root = math.sqrt(result.n_trials)
    for at, time in enumerate(times):
        found = float(result.share_mean[at, 3])
        error = spread[at] / root
        yield Comparison(label=f"best share at {time}", found=found, expected=best[at], standard_error=error)
    ended = sum(estimate.value for estimate in result.absorbed[-1])
    error = math.sqrt(0.2608 * 0.7392) / root
    yield Comparison(label="absorbed at 3000", found=ended, expected=0.2608, standard_error=error, tolerance=0.02)


def _identity(lab: Lab) -> Iterator[Comparison]:
    for n_agents in (12, 200, 1000):
        for noise in (ClippedNormal(sd=0.05), BernoulliNoise()):
            swarm = SynchronousVoter(quality=Q, n_agents=n_agents, noise=noise, start="random")
            shares = np.full(4, n_agents // 4) / n_agents
            learner = MaynardCrossLearner(
                quality=Q, rate=1.0, batch=n_agents, baseline=BatchMean(), noise=noise, initial=shares
            )
            seed = lab.seed
            n_trials = lab.size(3, 30)
            simulate_swarm, simulate_learner = lab.simulators()
            options: dict[str, Any] = {"n_trials": n_trials, "n_steps": 20, "rng": seed, "keep": "paths"}
            swarm_result = simulate_swarm(swarm, **options, method="general")  # agent by agent, as the learner draws
            learner_result = simulate_learner(learner, **options)
            assert swarm_result.paths is not None
            differ = float((np.rint(swarm_result.paths * n_agents) != learner_result.samples).mean())
            label = f"{n_agents} agents, {type(noise).__name__}: part of the path that differs"
            yield Comparison(label=label, found=differ, expected=0.0, tolerance=1e-12)


def _step(lab: Lab) -> Iterator[Comparison]:
    rate, v = 0.05, float(EQUAL @ Q)
    fields = {"Taylor": EQUAL * (Q - v), "Maynard Smith": EQUAL * (Q - v) / v}
    for noise in (NoiseFree(), BernoulliNoise()):
        models = {
            "Taylor": CrossLearner(quality=Q, rate=rate, noise=noise),
            "Maynard Smith": MaynardCrossLearner(quality=Q, rate=rate, noise=noise),
        }
        for name, model in models.items():
            result = lab.learner(model, times=[1], quick=200_000, full=2_000_000)
            for option in range(4):
                yield Comparison(
                    label=f"{name}, {type(noise).__name__}: option {option}",
                    found=float(result.share_mean[0, option] - 0.25) / rate,
                    expected=float(fields[name][option]),
                    standard_error=float(result.share_error[0, option]) / rate,
                )


def _order(lab: Lab) -> Iterator[Comparison]:
    sizes = (400, 1600, 6400)
    right = float(lab.theory.maynard_smith_replicator(EQUAL, Q, [5.0])[0, 3])
    wrong = float(lab.theory.taylor_replicator(EQUAL, Q, [5.0])[0, 3])
    errors: dict[float, list[float]] = {right: [], wrong: []}
    for n in sizes:
        model = AsynchronousVoter(quality=Q, n_agents=n)
        result = lab.swarm(model, times=[5 * n], quick=4000, full=40_000)
        for limit, found in errors.items():
            bias = float(result.share_mean[0, 3]) - limit
            found.append(math.sqrt(float(result.share_sd[0, 3]) ** 2 + bias**2))
    slopes = {limit: float(np.polyfit(np.log(sizes), np.log(found), 1)[0]) for limit, found in errors.items()}
    error = 1 / math.sqrt(2 * lab.size(4000, 40_000)) / math.log(4)
    yield Comparison(
        label="order towards Maynard Smith", found=slopes[right], expected=-0.5, standard_error=error, tolerance=0.08
    )
    yield Comparison(label="order towards Taylor", found=slopes[wrong], expected=-0.25, relation="at least")
    yield Comparison(label="error left to Taylor", found=errors[wrong][-1], expected=0.11, relation="at least")


def _fixation(lab: Lab) -> Iterator[Comparison]:
    theory = lab.theory
    for n in (10, 20):
        exact = {
            "asynchronous": theory.moran_fixation(n, n // 2, 0.55 / 0.7),
            "imitation": theory.moran_fixation(n, n // 2, 0.55 / 0.7),
            "synchronous": float(theory.absorption(SynchronousVoter(quality=PAIR, n_agents=n)).probability[1]),
            "learner": theory.learner_fixation(MaynardCrossLearner(quality=PAIR[::-1], rate=1 / n)),
        }
        swarms = {"asynchronous": AsynchronousVoter, "imitation": ImitationOfSuccess, "synchronous": SynchronousVoter}
        for name, expected in exact.items():
            if name == "learner":
                model = MaynardCrossLearner(quality=PAIR, rate=1 / n)
                result = lab.learner(model, times=[60 * n], quick=20_000, full=500_000)
                found = float(result.share_mean[-1, 1])
            else:
                steps = 60 * n if name == "synchronous" else 60 * n * n
                result = lab.swarm(swarms[name](quality=PAIR, n_agents=n), times=[steps], quick=20_000, full=500_000)
                found = float(result.totals.absorbed[-1, 1]) / result.n_trials
            error = math.sqrt(expected * (1 - expected) / result.n_trials)
            label = f"{name}, {n} agents: the worse option takes over"
            yield Comparison(label=label, found=found, expected=expected, standard_error=error, tolerance=0.015)


def _scatter(lab: Lab) -> Iterator[Comparison]:
    times, size = [1, 500, 1000], {"quick": 20_000, "full": 200_000}
    swarm = lab.swarm(AsynchronousVoter(quality=Q, n_agents=200), times=times, **size)
    learner = lab.learner(MaynardCrossLearner(quality=Q, rate=1 / 200), times=times, **size)
    ratio = (swarm.share_sd / learner.share_sd)[:, 3] ** 2
    for at, expected in enumerate((1.32, 1.58, 1.85)):
        yield Comparison(
            label=f"variance of the best share, asynchronous over learner, at {times[at]}",
            found=float(ratio[at]),
            expected=expected,
            standard_error=expected * 2 / math.sqrt(swarm.n_trials),
            tolerance=0.15,
        )


def _shared(lab: Lab) -> Iterator[Comparison]:
    swarm = {"quality": Q, "n_agents": 12, "rewards": "option"}
    for noise in (ClippedNormal(sd=0.15), BernoulliNoise()):
        model = AsynchronousVoter(**swarm, noise=noise)
        yield from _against_law(lab, model, [10, 60], type(noise).__name__, quick=100_000, full=400_000)
    late = np.array([0.0, 0.08, 0.005, 0.915])
    for sd, x, percent in ((0.05, EQUAL, 0.27), (0.05, late, -1.5), (0.15, late, -14.0)):
        noise = ClippedNormal(sd=sd)
        drift = [
            lab.theory.voter_drift(x, Q, kind, rewards="option", n_agents=n)[3]
            for kind, n in ((noise, 200), (noise, 2000), (NoiseFree(), 200))
        ]
        label = f"sd {sd}, best share {x[3]}"
        yield Comparison(
            label=f"{label}: drift of 2000 agents over 200",
            found=float(drift[1] / drift[0]),
            expected=1.0,
            tolerance=1e-6,
        )
        found = 100 * float(drift[0] / drift[2] - 1)
        yield Comparison(
            label=f"{label}: bias in percent", found=found, expected=percent, tolerance=0.15 * abs(percent)
        )
    model = AsynchronousVoter(quality=Q, n_agents=200, rewards="option", noise=BernoulliNoise())
    result = _quietly(lab, model, times=[3000, 12_000], quick=200, full=2000)
    for at, time in enumerate((3000, 12_000)):
        yield Comparison(
            label=f"shared Bernoulli draws, best share at {time}",
            found=float(result.share_mean[at, 3]),
            expected=0.56,
            standard_error=float(result.share_error[at, 3]),
            tolerance=0.06,
        )


def _own(lab: Lab) -> Iterator[Comparison]:
    model = AsynchronousVoter(quality=Q, n_agents=200, noise=BernoulliNoise())
    result = lab.swarm(model, times=[3000], quick=60, full=600)
    yield Comparison(
        label="own Bernoulli draws, best share at 3000",
        found=float(result.share_mean[0, 3]),
        expected=0.967,
        standard_error=0.041 / math.sqrt(result.n_trials),
        tolerance=0.03,
    )


def _average(lab: Lab) -> Iterator[Comparison]:
    v = float(EQUAL @ Q)
    field = EQUAL * (Q - v) / v
    for rate, weakest, strongest in ((0.1, -6.0, -13.0), (0.01, -0.4, -1.6)):
        model = MaynardCrossLearner(
            quality=Q, rate=1e-6, baseline=MovingAverage(rate=rate), noise=ClippedNormal(sd=0.05)
        )
        result = lab.learner(model, times=[3000], quick=50_000, full=400_000)
        drift = (result.share_mean[0] - EQUAL) / 3e-3
        found = 100 * (float(drift @ Q) / float(field @ Q) - 1)
        error = 100 * float(result.share_error[0] @ Q) / 3e-3 / float(field @ Q)
        label = f"moving average of rate {rate}: change of the drift in percent"
        yield Comparison(label=label, found=found, expected=weakest, standard_error=error, relation="at most")
        yield Comparison(label=label, found=found, expected=strongest, standard_error=error, relation="at least")


def _published(lab: Lab) -> Iterator[Comparison]:
    middle, noise = np.linspace(0.4, 0.7, 10), UniformNoise(half_width=0.1)
    for n, published, quick in ((10, 33.7, 4000), (50, 77.8, 3000), (100, 94.7, 1000), (500, 100.0, 40)):
        model = SynchronousVoter(quality=middle, n_agents=n, noise=noise)
        result = lab.swarm(model, times=[6 * n + 60], quick=quick, full=10 * quick)
        share = result.share[-1][-1]
        yield Comparison(
            label=f"swarm of {n}, best arm, percent",
            found=100 * share.value,
            expected=published,
            standard_error=100 * math.hypot(share.standard_error or 0.0, 0.0075),
            tolerance=6.0,
        )
    for name, ends, published in (("Low", (0.1, 0.4), 49.8), ("High", (0.6, 0.9), 28.9)):
        model = SynchronousVoter(quality=np.linspace(*ends, 10), n_agents=10, noise=noise)
        share = lab.swarm(model, times=[120], quick=4000, full=40_000).share[-1][-1]
        yield Comparison(
            label=f"swarm of 10, {name}, best arm, percent",
            found=100 * share.value,
            expected=published,
            standard_error=100 * math.hypot(share.standard_error or 0.0, 0.0075),
            tolerance=6.0,
        )
    for rate, published, steps in ((0.05, 46.1, 4000), (0.001, 99.9, 150_000)):
        model = MaynardCrossLearner(quality=middle, rate=rate, noise=noise)
        result = lab.learner(
            model, times=[steps], quick=4000 if rate > 0.01 else 50, full=20_000 if rate > 0.01 else 500
        )
        share = result.share[-1][-1]
        yield Comparison(
            label=f"learner of rate {rate}, best arm, percent",
            found=100 * share.value,
            expected=published,
            standard_error=100 * math.hypot(share.standard_error or 0.0, 0.0075),
            tolerance=7.0,
        )


SWARMS = (
    Claim(
        name="swarm-laws",
        statement="Simulated swarms of every rule have the mean shares of the exact law.",
        assumptions="everybody heard, or a few without noise",
        source=HERE,
        truth="iteration over every count vector",
        tolerance=0.012,
        measure=_laws,
    ),
    Claim(
        name="swarm-of-200",
        statement="The best of four options grows as .2505, .3056, .5216, .7186, .9032, .9658 at events 1 to 3000.",
        assumptions="asynchronous weighted voter, 200 agents, no noise",
        source=HERE,
        truth="iteration over 1,373,701 count vectors",
        tolerance=0.005,
        measure=_two_hundred,
    ),
    Claim(
        name="swarm-is-learner",
        statement="A synchronous swarm of N is the parallel Maynard-Cross learner with batch N, path by path, bit for bit.",
        assumptions="everybody heard, itself included; batch-mean baseline, rate 1; the same stream",
        source=f"{HIVE}, Proposition 2 in its exact form",
        truth="both paths",
        tolerance=1e-12,
        measure=_identity,
    ),
    Claim(
        name="learner-step",
        statement="One step moves x by rate x (q - v) (Cross) or rate x (q - v) / v (Maynard-Cross) in expectation.",
        assumptions="oracle baseline",
        source=f"{HIVE}; a textbook's formula lacks the rate",
        truth="the fields of the replicators",
        tolerance=0.01,
        measure=_step,
    ),
    Claim(
        name="swarm-order",
        statement="Asynchronous swarms converge to Maynard Smith with order 1/2 in N, and not to Taylor.",
        assumptions="no noise, time 5",
        source=HERE,
        truth="closed forms of both replicators",
        tolerance=0.08,
        measure=_order,
    ),
    Claim(
        name="swarm-fixation",
        statement="The worse of two options takes over with the Moran, Wright-Fisher or learner's probability.",
        assumptions="two options, no noise, equal start",
        source=HERE,
        truth="closed form, sparse solve, collocation",
        tolerance=0.015,
        measure=_fixation,
    ),
    Claim(
        name="swarm-scatter",
        statement="An asynchronous swarm of N scatters more than a learner of rate 1/N: variance ratio 1.32, 1.58, 1.85.",
        assumptions="N = 200, four options, events 1, 500, 1000",
        source=HERE,
        truth="published simulation; linear noise gives 1.33, 1.59, 1.82",
        tolerance=0.15,
        measure=_scatter,
    ),
    Claim(
        name="shared-draws",
        statement="One reward draw an option, shared by its holders, biases the drift at any size; Bernoulli draws get stuck at .56.",
        assumptions="asynchronous weighted voter",
        source=HERE,
        truth="exact law and drift with the draws integrated out",
        tolerance=0.01,
        measure=_shared,
    ),
    Claim(
        name="own-draws",
        statement="Agents that judge for themselves reach .967 at event 3000 even with Bernoulli rewards.",
        assumptions="asynchronous weighted voter, 200 agents",
        source=HERE,
        truth="published simulation",
        tolerance=0.03,
        measure=_own,
    ),
    Claim(
        name="moving-average",
        statement="A moving-average baseline of rate b shrinks the drift by about b.",
        assumptions="Maynard-Cross learner, slow",
        source=HERE,
        truth="the field of Maynard Smith",
        tolerance=2.5,
        measure=_average,
    ),
    Claim(
        name="hive-published",
        statement="Ten arms from .4 to .7: share on the best arm at the end, by number of agents and by learning rate.",
        assumptions="rewards uniform within .1 of quality",
        source=HIVE,
        truth="published simulation, about one point either way",
        tolerance=6.0,
        measure=_published,
    ),
)
