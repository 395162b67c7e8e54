"""Rows of the table about swarms and learners: the set-up of `baselines_swarm`, statistics at every event."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from benchmarks.baselines_swarm import jax_best_swarm, jax_swarm, numpy_swarm, plain_learner, plain_swarm
from benchmarks.measure import Candidate, Row, memory_row, threads_row, time_each
from madsim.models import AsynchronousVoter, ClippedNormal, MaynardCrossLearner
from madsim.simulate import SharedDrawsWarning, simulate_learner, simulate_swarm

QUALITY, SD, AGENTS, EVENTS = (0.30, 0.55, 0.40, 0.70), 0.05, 200, 3000

SWARM = AsynchronousVoter(quality=QUALITY, n_agents=AGENTS, noise=ClippedNormal(sd=SD), rewards="option")
LEARNER = MaynardCrossLearner(quality=QUALITY, rate=1 / AGENTS, noise=ClippedNormal(sd=SD))


def rows(quick: bool) -> list[Row]:
    """Measure all rows; `quick` takes fewer and shorter runs."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", SharedDrawsWarning
        )  # the set-up shares its draws; the bias is not what is timed
        return [*_ratios(quick), _threads(quick), _memory()]


def _ratios(quick: bool) -> list[Row]:
    few, many = (500, 6_400) if quick else (1_000, 25_600)
    q = np.array(QUALITY)

    def swarm(method: Any) -> Any:
        return lambda n: simulate_swarm(SWARM, n_trials=n, n_steps=EVENTS, rng=0, threads=1, method=method)

    times = time_each(
        [
            Candidate(name="integrated", run=swarm("integrated"), n_trials=many),
            Candidate(name="drawn", run=swarm("drawn"), n_trials=many),
            Candidate(
                name="learner",
                run=lambda n: simulate_learner(LEARNER, n_trials=n, n_steps=EVENTS, rng=0, threads=1),
                n_trials=many,
            ),
            Candidate(
                name="loop",
                run=lambda n: plain_swarm(np.random.default_rng(0), n, q, SD, AGENTS, EVENTS),
                n_trials=2,
            ),
            Candidate(
                name="learner loop",
                run=lambda n: plain_learner(np.random.default_rng(0), n, q, SD, 1 / AGENTS, EVENTS),
                n_trials=2,
            ),
            Candidate(
                name="numpy",
                run=lambda n: numpy_swarm(np.random.default_rng(0), n, q, SD, AGENTS, EVENTS),
                n_trials=few,
            ),
            Candidate(name="jax", run=lambda n: jax_swarm(n, QUALITY, SD, AGENTS, EVENTS)(0), n_trials=few),
            Candidate(
                name="best jax", run=lambda n: jax_best_swarm(n, QUALITY, SD, AGENTS, EVENTS)(0), n_trials=2 * few
            ),
        ],
        repeats=3 if quick else 7,
    )
    compared = [
        ("swarm, rewards integrated out, statistics at every event / plain loop", "integrated", "loop", 8_000, 16_000),
        ("swarm, rewards drawn / plain loop", "drawn", "loop", 2_500, 5_000),
        ("Maynard-Cross learner, float64 / plain loop", "learner", "learner loop", 2_400, 4_800),
        ("swarm / NumPy over trials", "integrated", "numpy", 50, 110),
        ("swarm / JAX scan", "integrated", "jax", 30, 60),
        ("swarm / best-effort JAX", "integrated", "best jax", 4, 9),
    ]
    return [
        Row(
            name=name,
            ratio=times[slow] / times[fast],
            gate=gate,
            stretch=stretch,
            detail=f"{times[fast] / EVENTS * 1e9:.2f} ns an event against {times[slow] / EVENTS * 1e9:,.1f}",
        )
        for name, fast, slow, gate, stretch in compared
    ]


def _threads(quick: bool) -> Row:
    return threads_row(
        "swarm, 2 threads / 1 (wall time; needs an idle machine)",
        lambda n, threads: simulate_swarm(SWARM, n_trials=n, n_steps=EVENTS, rng=0, threads=threads),
        12_800 if quick else 51_200,
        repeats=3 if quick else 7,
    )


def _memory() -> Row:
    return memory_row(
        "swarm, extra memory a trial (streaming statistics, how each trial ended)",
        lambda n: simulate_swarm(SWARM, n_trials=n, n_steps=10, rng=0, threads=1),
        200_000,
    )
