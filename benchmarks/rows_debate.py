"""Rows of the table about debates: 20 agents, 4 answers, 20 rounds after round 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.baselines_debate import (
    jax_best,
    jax_scan,
    numpy_dirichlet,
    numpy_marginal,
    numpy_marginal_ring,
    numpy_multinomial,
    plain_loop,
)
from benchmarks.measure import Candidate, Row, memory_row, threads_row, time_each
from madsim import graphs
from madsim.models import DebateModel
from madsim.protocols import Majority, Protocol, Visibility
from madsim.simulate import simulate_debate

AGENTS, ANSWERS, ROUNDS = 20, 4, 20


def model_of(graph: graphs.Graph | None = None, *, n_agents: int = AGENTS) -> DebateModel:
    """Agents that start alike, without an opinion."""
    protocol = Protocol(rounds=ROUNDS, visibility=Visibility(graph=graph), reduction=Majority(ties="random"))
    return DebateModel.homogeneous(n_agents=n_agents, belief=[1 / ANSWERS] * ANSWERS, mass=2.0, protocol=protocol)


def rows(quick: bool) -> list[Row]:
    """Measure all rows; `quick` takes fewer and shorter runs."""
    return [*_ratios(quick), *_ring(quick), _threads(quick), _memory()]


def _ratios(quick: bool) -> list[Row]:
    model = model_of()
    start = np.asarray(model.concentration)
    few, many = (2_000, 200_000) if quick else (4_000, 500_000)

    def numpy_run(baseline: Any) -> Any:
        return lambda n: baseline(np.random.default_rng(0), n, start, ROUNDS)

    times = time_each(
        [
            Candidate(name="kernel", run=lambda n: simulate_debate(model, n_trials=n, rng=0, threads=1), n_trials=many),
            Candidate(name="loop", run=numpy_run(plain_loop), n_trials=4),
            Candidate(name="dirichlet", run=numpy_run(numpy_dirichlet), n_trials=few),
            Candidate(name="marginal", run=numpy_run(numpy_marginal), n_trials=few),
            Candidate(name="multinomial", run=numpy_run(numpy_multinomial), n_trials=few),
            Candidate(name="jax", run=lambda n: jax_scan(AGENTS, ANSWERS, ROUNDS, n)(0), n_trials=few),
            Candidate(name="best jax", run=lambda n: jax_best(AGENTS, ANSWERS, ROUNDS, n)(0), n_trials=few),
        ],
        repeats=5 if quick else 11,
    )
    bounds = {
        "loop": ("plain NumPy loop from the definition", 12_000, 25_000),
        "dirichlet": ("vectorised NumPy drawing the Dirichlet", 200, 400),
        "marginal": ("vectorised NumPy, Dirichlet integrated out", 70, 150),
        "multinomial": ("NumPy multinomial (agents alike, its best case)", 10, 20),
        "jax": ("JAX scan, inverse CDF", 30, 60),
        "best jax": ("best-effort JAX", 5, 9),
    }
    update = times["kernel"] / (AGENTS * (ROUNDS + 1)) * 1e9
    return [
        Row(
            name=f"debate kernel / {what}",
            ratio=times[name] / times["kernel"],
            gate=gate,
            stretch=stretch,
            detail=f"{update:.2f} ns an agent-update against {times[name] / (AGENTS * (ROUNDS + 1)) * 1e9:.1f}",
        )
        for name, (what, gate, stretch) in bounds.items()
    ]


def _ring(quick: bool) -> list[Row]:
    model = model_of(graphs.ring(AGENTS))
    start = np.asarray(model.concentration)
    few, many = (2_000, 100_000) if quick else (4_000, 300_000)
    times = time_each(
        [
            Candidate(name="kernel", run=lambda n: simulate_debate(model, n_trials=n, rng=0, threads=1), n_trials=many),
            Candidate(
                name="numpy",
                run=lambda n: numpy_marginal_ring(np.random.default_rng(0), n, start, ROUNDS),
                n_trials=few,
            ),
        ],
        repeats=5 if quick else 11,
    )
    update = times["kernel"] / (AGENTS * (ROUNDS + 1)) * 1e9
    return [
        Row(
            name="debate on a sparse graph (ring with self) / NumPy integrated out",
            ratio=times["numpy"] / times["kernel"],
            gate=25,
            stretch=60,
            detail=f"{update:.2f} ns an agent-update",
        )
    ]


def _threads(quick: bool) -> Row:
    model = model_of()
    return threads_row(
        "2 threads / 1 (wall time; needs an idle machine)",
        lambda n, threads: simulate_debate(model, n_trials=n, rng=0, threads=threads),
        500_000 if quick else 2_000_000,
        repeats=5 if quick else 9,
    )


def _memory() -> Row:
    model = model_of(n_agents=5)
    return memory_row(
        "extra memory a trial (streaming statistics)",
        lambda n: simulate_debate(model, n_trials=n, rng=0, threads=1),
        1_000_000,
    )
