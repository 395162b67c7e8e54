"""Beliefs on five graphs: the mean of every agent stays, the spread depends on the graph. Simulated beside exact."""

from __future__ import annotations

from pathlib import Path

from _out import BLUE, GREEN, ORANGE, PURPLE, RED, new_figure, publish, run, settings_of

from madsim import graphs, simulate, theory
from madsim._core.rng import resolve_seed
from madsim.models import DebateModel
from madsim.protocols import Protocol, Visibility

AGENTS = 5
BELIEF = 0.6
MASS = 2.0
ROUNDS = 8
TRIALS = 200_000
SEED = 1


def main(out: Path) -> None:
    """Simulate every graph and draw mean and sd of a central and an outer agent."""
    shapes = {
        "complete": (graphs.complete(AGENTS), BLUE),
        "ring": (graphs.ring(AGENTS), RED),
        "line": (graphs.line(AGENTS), GREEN),
        "star": (graphs.star(AGENTS), PURPLE),
        "nobody": (graphs.empty(AGENTS), ORANGE),
    }
    figure, (left, right) = new_figure(2)
    numbers, rounds = {}, range(ROUNDS + 1)
    for name, (graph, colour) in shapes.items():
        model = DebateModel.homogeneous(
            n_agents=AGENTS,
            belief=BELIEF,
            mass=MASS,
            protocol=Protocol(rounds=ROUNDS, visibility=Visibility(graph=graph)),
        )
        result, exact = simulate.simulate_debate(model, n_trials=TRIALS, rng=SEED), theory.debate_moments(model)
        left.plot(rounds, exact.mean[:, 0], color=colour, linewidth=1)
        left.plot(rounds, result.belief_mean[:, 0], "o", color=colour, markersize=3)
        right.plot(rounds, exact.pooled_sd, color=colour, linewidth=1.3, label=f"{name}, mean over agents")
        right.plot(rounds, exact.sd[:, 0], color=colour, linestyle=":", linewidth=1.3)
        right.plot(rounds, result.belief_sd[:, 0], "o", color=colour, markersize=3)
        numbers[name] = {
            "mean": exact.mean,
            "sd": exact.sd,
            "pooled_sd": exact.pooled_sd,
            "simulated_mean": result.belief_mean,
        }
    left.set(ylim=(BELIEF - 0.02, BELIEF + 0.02), xlabel="round", ylabel="mean belief of agent 0")
    left.set_title("The mean never moves", loc="left", fontsize=10)
    right.set(ylim=(0, None), xlabel="round", ylabel="sd of the belief")
    right.set_title("Lines exact (dotted: agent 0), dots simulated", loc="left", fontsize=10)
    right.legend(fontsize=7, frameon=False)
    publish(out, "belief_trajectories", figure, numbers, settings_of(globals()), seed=resolve_seed(SEED).hex)


if __name__ == "__main__":
    run(main)
