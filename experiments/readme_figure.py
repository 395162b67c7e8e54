"""Beliefs stay where they were on every graph, and the vote of five loses accuracy: the picture of the README.

Run ``python experiments/readme_figure.py OUT`` (a few seconds); writes OUT/readme.png and OUT/readme.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from madsim import graphs, plot, simulate, theory
from madsim._core.canonical import to_jsonable
from madsim.models import DebateModel
from madsim.protocols import Majority, Protocol, Visibility

AGENTS = 5
BELIEF = 0.7
MASS = 2.0
ROUNDS = 5
TRIALS = 200_000
SEED = 1
GRAPHS = {"complete": None, "ring": graphs.ring(AGENTS), "star": graphs.star(AGENTS)}
COLOURS = {"complete": ("#0072B2", "o"), "ring": ("#D55E00", "s"), "star": ("#009E73", "^")}


def main(out: Path) -> None:
    """Simulate each graph, draw both panels, write the numbers beside them."""
    out.mkdir(parents=True, exist_ok=True)
    figure = Figure(figsize=(9.6, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    numbers = {}
    for shift, (name, graph) in zip((-0.06, 0.0, 0.06), GRAPHS.items(), strict=True):
        protocol = Protocol(rounds=ROUNDS, visibility=Visibility(graph=graph), reduction=Majority(ties="random"))
        model = DebateModel.homogeneous(n_agents=AGENTS, belief=BELIEF, mass=MASS, protocol=protocol)
        result = simulate.simulate_debate(model, n_trials=TRIALS, rng=SEED)
        exact_vote = theory.vote_by_round(model)
        colour, marker = COLOURS[name]
        if graph is None:
            plot.draw_beliefs(left, result, exact=theory.debate_moments(model))
        plot.draw_estimates(
            right, result.vote_accuracy, label=f"{name}, simulated", colour=colour, marker=marker, shift=shift
        )
        plot.draw_exact(right, exact_vote, label=f"{name}, exact", colour=colour)
        numbers[name] = {"vote_exact": exact_vote, "provenance": result.provenance.to_dict()}
    left.set_title("The belief of every agent is a martingale", loc="left", fontsize=11)
    left.set_xlabel("round")
    right.set_title("The vote of five spends its independence", loc="left", fontsize=11)
    right.set_xlabel("round")
    right.set_ylabel("vote accuracy")
    right.legend(fontsize=8, frameon=False)
    right.spines[["top", "right"]].set_visible(False)
    plot.save_figure(figure, out / "readme.png", dpi=130)
    (out / "readme.json").write_text(json.dumps(to_jsonable(numbers), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
