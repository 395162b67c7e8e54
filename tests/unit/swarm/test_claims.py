"""The claims about swarms hold, and each fails on a simulator or a theory that is broken in its way."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from madsim import theory
from madsim.models import (
    AsynchronousVoter,
    ClippedNormal,
    CrossLearner,
    ImitationOfSuccess,
    MaynardCrossLearner,
    NoiseFree,
    OracleBaseline,
    SynchronousVoter,
)
from madsim.simulate import simulate_debate, simulate_learner, simulate_swarm
from madsim.verify.claims import System
from madsim.verify.claims._swarm import SWARMS


def changed(simulate, change):
    """A simulator that quietly simulates another model."""
    return lambda model, **options: simulate(change(model), **options)


def other(model, kind=None, **values):
    """The same description with some parts replaced, of another kind where one is given."""
    kind = kind or type(model)
    names = {field.name for field in dataclasses.fields(kind)}
    kept = {f.name: getattr(model, f.name) for f in dataclasses.fields(model) if f.name in names}
    return kind(**{**kept, **values})


def noise_free(model):
    return other(model, noise=NoiseFree())


def taylor(model):
    return other(model, ImitationOfSuccess) if isinstance(model, AsynchronousVoter) else model


def own_draws(model):
    return other(model, rewards="agent") if isinstance(model, AsynchronousVoter) else model


def shared_draws(model):
    return other(model, rewards="option")


def asynchronous_rounds(model):
    return other(model, AsynchronousVoter) if isinstance(model, SynchronousVoter) else other(model, SynchronousVoter)


def half_rate(model):
    return other(model, rate=model.rate / 2)


def no_baseline(model):
    return other(model, CrossLearner) if isinstance(model, MaynardCrossLearner) else model


def oracle(model):
    return other(model, baseline=OracleBaseline())


def twice_rate(model):
    return other(model, rate=model.rate * 2)


class TaylorForMaynardSmith(SimpleNamespace):
    """The theory with one equation in place of the other."""

    maynard_smith_replicator = staticmethod(theory.taylor_replicator)
    taylor_replicator = staticmethod(theory.maynard_smith_replicator)


BROKEN = {
    "swarm-laws": {"simulate_swarm": changed(simulate_swarm, noise_free)},
    "swarm-of-200": {"simulate_swarm": changed(simulate_swarm, taylor)},
    "swarm-is-learner": {"simulate_learner": changed(simulate_learner, half_rate)},
    "learner-step": {"simulate_learner": changed(simulate_learner, half_rate)},
    "swarm-order": {"theory": TaylorForMaynardSmith()},
    "swarm-fixation": {"simulate_swarm": changed(simulate_swarm, asynchronous_rounds)},
    "swarm-scatter": {"simulate_learner": changed(simulate_learner, twice_rate)},
    "shared-draws": {"simulate_swarm": changed(simulate_swarm, own_draws)},
    "own-draws": {"simulate_swarm": changed(simulate_swarm, shared_draws)},
    "moving-average": {"simulate_learner": changed(simulate_learner, oracle)},
    "hive-published": {"simulate_learner": changed(simulate_learner, no_baseline)},
}

FAST = {"swarm-of-200", "swarm-is-learner", "learner-step", "swarm-order", "swarm-scatter"}


def slow_unless(names):
    return [pytest.param(c, id=c.name, marks=[] if c.name in names else [pytest.mark.slow]) for c in SWARMS]


@pytest.mark.parametrize("claim", slow_unless(FAST))
def test_claim_holds(claim):
    assert claim.run("quick").verdict == "holds"


@pytest.mark.filterwarnings("ignore::madsim.simulate.SharedDrawsWarning")
@pytest.mark.parametrize("claim", slow_unless(FAST | {"own-draws"}))
def test_claim_fails_on_its_broken_system(claim):
    parts = {"simulate": simulate_debate, "theory": theory, **BROKEN[claim.name]}
    assert claim.run("quick", system=System(**parts)).verdict == "fails"


def test_every_claim_has_a_broken_system():
    assert [claim.name for claim in SWARMS] == list(BROKEN)


def shares_in_floating_point(n_agents, quality, n_events, rng):
    """A popular broken simulator: shares move by 1/N, are clipped at 0 and divided by their sum."""
    x = np.full(len(quality), 1 / len(quality))
    path = [x]
    for _ in range(n_events):
        heard = x * quality
        step = np.zeros(len(x))
        step[rng.choice(len(x), p=heard / heard.sum())] += 1 / n_agents
        step[rng.choice(len(x), p=x)] -= 1 / n_agents
        x = np.clip(x + step, 0, None)
        x = x / x.sum()
        path.append(x)
    return np.array(path)


def leaves_the_lattice(path, n_agents):
    counts = path * n_agents
    return bool((np.abs(counts - np.rint(counts)) > 1e-6).any())


def test_floating_shares_leave_the_lattice_and_ours_do_not():
    quality = np.array([0.3, 0.55, 0.4, 0.7])
    broken = shares_in_floating_point(10, quality, 200, np.random.default_rng(0))
    assert leaves_the_lattice(broken, 10)
    model = AsynchronousVoter(quality=quality, n_agents=10, noise=ClippedNormal(sd=0.05))
    ours = simulate_swarm(model, n_trials=50, n_steps=200, rng=0, keep="paths")
    assert not leaves_the_lattice(ours.paths, 10)
