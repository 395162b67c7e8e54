"""What is timed to see how cost grows: one list, read by the benchmarks of pytest and by the page in the docs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from madsim import graphs
from madsim.models import (
    Argmax,
    AsynchronousVoter,
    BernoulliNoise,
    ClippedNormal,
    Conformist,
    CorrectionLock,
    CrossInhibition,
    CrossLearner,
    DebateModel,
    Follower,
    Forgetting,
    HearSome,
    ImitationOfSuccess,
    LastRound,
    MaynardCrossLearner,
    Sticky,
    Summary,
    SynchronousVoter,
    Temperature,
    TopP,
)
from madsim.protocols import OneByOne, Protocol, Visibility
from madsim.simulate import SharedDrawsWarning, simulate_debate, simulate_learner, simulate_swarm


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something to time.

    Attributes
    ----------
    group : what is varied
    x : its value, a number or a name
    run : does the work once
    amount : how much work that is
    unit : of what
    """

    group: str
    x: float | str
    run: Callable[[], Any]
    amount: float
    unit: str

    @property
    def label(self) -> str:
        """Group and value in one."""
        return f"{self.group}: {self.x}"


def cases() -> Iterator[Case]:
    """All of them, group by group; each takes some tenths of a second."""
    yield from _debates()
    yield from _debate_kinds()
    yield from _swarms()
    yield from _learners()


def _debate(group: str, x: float | str, model: DebateModel, rounds: int, n_trials: int, **options: Any) -> Case:
    run = partial(simulate_debate, model, n_trials=n_trials, n_rounds=rounds, rng=0, **{"threads": 1, **options})
    return Case(group=group, x=x, run=run, amount=n_trials * model.n_agents * (rounds + 1), unit="agent-update")


def _panel(n_agents: int = 20, n_answers: int = 4, **options: Any) -> DebateModel:
    return DebateModel.homogeneous(n_agents=n_agents, belief=[1 / n_answers] * n_answers, **options)


def _debates() -> Iterator[Case]:
    work = 20_000_000
    for n in (1, 5, 20, 100, 400, 1000):
        yield _debate("agents of a debate", n, _panel(n), 20, work // (n * 21))
    for n in (1024, 10_000, 100_000, 1_000_000):
        yield _debate("agents all alike, on counts", n, _panel(n), 20, 2_000)
    for k in (2, 4, 8, 16, 64):
        yield _debate("answers", k, _panel(n_answers=k), 20, work // (20 * 21 * max(1, k // 4)))
    for rounds in (0, 1, 5, 20, 100):
        yield _debate("rounds", rounds, _panel(), rounds, work // (20 * (rounds + 1)))
    for n_trials in (100, 1_000, 10_000, 100_000):
        yield _debate("trials", n_trials, _panel(), 20, n_trials)
    for threads in range(1, min(16, os.cpu_count() or 1) + 1):
        yield _debate("threads", threads, _panel(), 20, 4 * work // (20 * 21), threads=threads)
    for degree in (2, 6, 12, 18):
        graph = graphs.random_regular(20, degree, rng=0)
        model = _panel(protocol=Protocol(visibility=Visibility(graph=graph)))
        yield _debate("neighbours on a graph", degree, model, 20, work // (20 * 21 * degree))


def _debate_kinds() -> Iterator[Case]:
    ring = Protocol(visibility=Visibility(graph=graphs.ring(20)))
    kinds: dict[str, dict[str, Any]] = {
        "plain, lanes": {},
        "ring, lanes": {"protocol": ring},
        "unlike weights, lanes": {"self_weight": 0.5},
        "temperature": {"response": Temperature(temperature=0.7)},
        "nucleus": {"response": TopP(mass=0.9)},
        "likeliest": {"response": Argmax()},
        "forgetting": {"memory": Forgetting(keep=0.5)},
        "last round": {"memory": LastRound()},
        "conformity": {"conformity": 1.5},
        "one by one": {"protocol": Protocol(schedule=OneByOne())},
        "summary": {"summary": Summary()},
        "sticky": {"intervention": Sticky(probability=0.3)},
        "lock": {"intervention": CorrectionLock(probability=0.5)},
        "conformist": {"intervention": Conformist()},
        "follower": {"intervention": Follower(probability=0.3)},
    }
    for name, options in kinds.items():
        yield _debate("kinds of debates", name, _panel(**options), 20, 20_000 if "lanes" in name else 500)
    yield _debate("kinds of debates", "plain, one by one", _panel(), 20, 500, method="general")
    yield _debate("kinds of debates", "plain, in JAX", _panel(), 20, 4_000, backend="jax")


def _swarm(group: str, x: float | str, model: Any, steps: int, n_trials: int, **options: Any) -> Case:
    times = [0, steps]
    rounds = isinstance(model, SynchronousVoter)

    def run() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SharedDrawsWarning)  # shared draws are timed, not believed
            return simulate_swarm(model, n_trials=n_trials, times=times, rng=0, threads=1, **options)

    amount = n_trials * steps * (model.n_agents if rounds else 1)
    return Case(group=group, x=x, run=run, amount=amount, unit="agent-update" if rounds else "event")


def _swarms() -> Iterator[Case]:
    q = (0.30, 0.55, 0.40, 0.70)
    for n in (10, 200, 10_000, 60_000):
        yield _swarm("agents of a swarm", n, AsynchronousVoter(quality=q, n_agents=n), 2_000, 5_000)
    for n in (10_000, 100_000, 1_000_000):
        model = AsynchronousVoter(quality=q, n_agents=n)
        yield _swarm("agents of a swarm that leaps", n, model, 20 * n, 10, method="leaps")
    for k in (2, 4, 5, 8, 16):
        quality = [0.3 + 0.4 * option / k for option in range(k)]
        yield _swarm("options", k, AsynchronousVoter(quality=quality, n_agents=200), 2_000, 2_000)
    small = {"quality": q, "n_agents": 200}
    kinds = {
        "voter": AsynchronousVoter(**small),
        "voter, normal rewards": AsynchronousVoter(**small, noise=ClippedNormal(sd=0.05)),
        "voter, shared rewards": AsynchronousVoter(**small, noise=ClippedNormal(sd=0.2), rewards="option"),
        "imitation of success": ImitationOfSuccess(**small),
        "cross-inhibition": CrossInhibition(**small),
    }
    for name, model in kinds.items():
        yield _swarm("kinds of swarms", name, model, 2_000, 5_000)
    slow = {
        "voter, Bernoulli rewards, walk": AsynchronousVoter(**small, noise=BernoulliNoise()),
        "voter, five heard, agent by agent": AsynchronousVoter(**small, hearing=HearSome(n_heard=5)),
    }
    for name, model in slow.items():
        yield _swarm("kinds of swarms", name, model, 1_000, 50)
    for method in ("counts", "general"):
        yield _swarm("kinds of swarms", f"synchronous, {method}", SynchronousVoter(**small), 10, 500, method=method)


def _learners() -> Iterator[Case]:
    q = (0.30, 0.55, 0.40, 0.70)
    kinds: dict[str, Any] = {
        "Maynard-Cross": MaynardCrossLearner(quality=q, rate=0.005),
        "Maynard-Cross, normal rewards": MaynardCrossLearner(quality=q, rate=0.005, noise=ClippedNormal(sd=0.05)),
        "Maynard-Cross, Bernoulli rewards": MaynardCrossLearner(quality=q, rate=0.005, noise=BernoulliNoise()),
        "Cross, five options": CrossLearner(quality=(*q, 0.5), rate=0.005),
    }
    for name, model in kinds.items():
        run = partial(simulate_learner, model, n_trials=2_000, times=[0, 1_000], rng=0, threads=1)
        yield Case(group="kinds of learners", x=name, run=run, amount=2_000_000, unit="step")
    batch = CrossLearner(quality=q, rate=0.1, batch=50)
    run = partial(simulate_learner, batch, n_trials=20, times=[0, 200], rng=0, threads=1)
    yield Case(group="kinds of learners", x="Cross, batch of 50", run=run, amount=20 * 200 * 50, unit="step")
