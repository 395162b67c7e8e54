"""The false drift of early stopping: shares rise when debates end at unanimity and answers are carried on, beliefs do not."""

from __future__ import annotations

from pathlib import Path

from _out import BLUE, GREEN, GREY, RED, new_figure, publish, run, settings_of

from madsim import simulate, theory
from madsim._core.rng import resolve_seed
from madsim.models import DebateModel
from madsim.protocols import Convergence, Protocol

AGENTS = 3
BELIEF = 0.66
MASSES = (2.0, 5.0)
ROUNDS = 6
TRIALS = 100_000
SEED = 1


def main(out: Path) -> None:
    """Draw shares with and without stopping, and the belief at the stopping time."""
    stop = Protocol(rounds=ROUNDS, convergence=Convergence())
    cases = {
        "no stopping": ({"protocol": Protocol(rounds=ROUNDS)}, GREY),
        "stop, two answers": ({"protocol": stop}, GREEN),
        "stop, four answers": ({"protocol": stop, "n_answers": 4}, BLUE),
        "stop, wrong answers never agree": ({"protocol": stop, "wrong_answers_agree": False}, RED),
    }
    figure, panels = new_figure(2)
    numbers: dict[str, object] = {}
    for axes, mass in zip(panels, MASSES, strict=True):
        for name, (options, colour) in cases.items():
            model = DebateModel.homogeneous(n_agents=AGENTS, belief=BELIEF, mass=mass, **options)
            exact, result = theory.panel_by_round(model), simulate.simulate_debate(model, n_trials=TRIALS, rng=SEED)
            axes.plot(exact.share[:, 0], color=colour, linewidth=1.5, label=name)
            axes.plot([one.value for one in result.share], "o", color=colour, markersize=3)
            axes.plot(exact.belief[:, 0], color=colour, linestyle=":", linewidth=1)
            numbers[f"mass {mass:g}, {name}"] = {"share": exact.share[:, 0], "belief": exact.belief[:, 0]}
        axes.set(ylim=(0.6, 0.9), xlabel="round", ylabel="share of right answers, carried on")
        axes.set_title(
            f"A = {mass:g}: line exact, dots simulated,\ndotted: belief at the stopping time", loc="left", fontsize=10
        )
    panels[0].legend(fontsize=8, frameon=False, loc="upper left")
    publish(out, "early_stopping", figure, numbers, settings_of(globals()), seed=resolve_seed(SEED).hex)


if __name__ == "__main__":
    run(main)
