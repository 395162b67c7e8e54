"""Conformists freeze the first vote while the share right rises to it, followers drift towards it, an oracle repairs nearly all."""

from __future__ import annotations

from pathlib import Path

from _out import BLUE, GREEN, GREY, RED, new_figure, publish, run, settings_of

from madsim import simulate, theory
from madsim._core.rng import resolve_seed
from madsim.models import Conformist, DebateModel, Follower, Oracle
from madsim.protocols import Majority, Protocol

AGENTS = 5
MASS = 5.0
BELIEFS = (0.7, 0.4)
FOLLOW = 0.3
ROUNDS = 8
TRIALS = 50_000
SEED = 1


def main(out: Path) -> None:
    """Draw the vote by round under each rule, for an easy and a hard question."""
    rules = {
        "none": (None, GREY),
        "conformist": (Conformist(), BLUE),
        f"follower {FOLLOW:g}": (Follower(probability=FOLLOW), GREEN),
        "oracle": (Oracle(), RED),
    }
    figure, panels = new_figure(2)
    numbers: dict[str, object] = {}
    protocol = Protocol(rounds=ROUNDS, reduction=Majority(ties="random"))
    for axes, belief in zip(panels, BELIEFS, strict=True):
        for name, (rule, colour) in rules.items():
            model = DebateModel.homogeneous(
                n_agents=AGENTS, belief=belief, mass=MASS, protocol=protocol, intervention=rule
            )
            exact, result = theory.panel_by_round(model), simulate.simulate_debate(model, n_trials=TRIALS, rng=SEED)
            axes.plot(exact.vote, color=colour, linewidth=1.5, label=name)
            axes.plot(exact.share[:, 0], color=colour, linestyle=":", linewidth=1.2)
            axes.plot([one.value for one in result.vote_accuracy], "o", color=colour, markersize=3)
            numbers[f"belief {belief:g}, {name}"] = {"vote": exact.vote, "share": exact.share[:, 0]}
        axes.set(ylim=(0.25, 1.02), xlabel="round", ylabel="right")
        axes.set_title(
            f"p = {belief:g}: vote (line exact, dots simulated),\nshare of right answers (dotted)",
            loc="left",
            fontsize=10,
        )
    panels[0].legend(fontsize=8, frameon=False, loc="lower right")
    publish(out, "interventions", figure, numbers, settings_of(globals()), seed=resolve_seed(SEED).hex)


if __name__ == "__main__":
    run(main)
