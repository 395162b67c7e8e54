"""Rows of the table about other packages, those that are installed: time of one event beside a meeting in madsim's lanes."""

from __future__ import annotations

from benchmarks.baselines_peers import AGENTS, installed
from benchmarks.measure import Candidate, Row, time_each
from madsim.models import ImitationOfSuccess
from madsim.simulate import simulate_swarm

EVENTS = {"cnvm": 400_000, "egttools": 200_000, "mesa": 4_000, "ndlib": 200, "nashpy": 3}
BOUNDS = {
    "cnvm": (10, 20),
    "egttools": (25, 50),
    "mesa": (1_500, 3_000),
    "ndlib": (10_000, 25_000),
    "nashpy": (1e6, 3e6),
}
SWARM = ImitationOfSuccess(quality=(0.30, 0.55, 0.40, 0.70), n_agents=AGENTS)


def rows(quick: bool) -> list[Row]:
    """One row a package that is installed; none where none is."""
    peers = installed()
    if not peers:
        return []
    steps = 2_000

    def meetings(n: int) -> None:
        simulate_swarm(SWARM, n_trials=n // steps, times=[steps], rng=0, threads=1)

    candidates = [Candidate(name="madsim", run=meetings, n_trials=5_120 * steps)]
    candidates += [Candidate(name=name, run=run, n_trials=EVENTS[name]) for name, run in peers.items()]
    times = time_each(candidates, repeats=3 if quick else 5)
    return [
        Row(
            name=f"swarm that meets in pairs / {name}, its closest model",
            ratio=times[name] / times["madsim"],
            gate=BOUNDS[name][0],
            stretch=BOUNDS[name][1],
            detail=f"{times['madsim'] * 1e9:.2f} ns an event against {times[name] * 1e9:,.0f}",
        )
        for name in peers
    ]
