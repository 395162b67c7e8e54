"""Four properties called "the martingale", on the complete graph and on the ring: the ring breaks two of them, and averages hide it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _out import BLUE, RED, new_figure, publish, run, settings_of

from madsim import graphs, theory
from madsim.models import DebateModel
from madsim.protocols import Protocol, Visibility

AGENTS = 5
BELIEF = 0.6
MASS = 2.0
ROUNDS = 8


def main(out: Path) -> None:
    """Exact values of each property's violation by round, complete graph against ring."""
    figure, axes = new_figure(4, width=3.4, height=3.4)
    numbers: dict[str, object] = {}
    for name, graph, colour in (("complete", graphs.complete(AGENTS), BLUE), ("ring", graphs.ring(AGENTS), RED)):
        model = DebateModel.homogeneous(
            n_agents=AGENTS,
            belief=BELIEF,
            mass=MASS,
            protocol=Protocol(rounds=ROUNDS, visibility=Visibility(graph=graph)),
        )
        drifts = [theory.conditional_drift(model, round) for round in range(ROUNDS)]
        values = (
            theory.debate_moments(model).mean[:, 0] - BELIEF,
            [float(np.sqrt((drift.rms**2).mean())) for drift in drifts],
            theory.own_history_slopes(model, ROUNDS + 1)[:, 0],
            [drift.mean_rms for drift in drifts],
        )
        starts = (0, 0, 1, 0)
        for one, series, start in zip(axes, values, starts, strict=True):
            one.plot(
                range(start, start + len(series)), series, "o-", color=colour, markersize=3, linewidth=1.2, label=name
            )
        found = theory.martingale_properties(model)
        numbers[name] = {
            prop: {"holds": getattr(found, prop).holds, "reason": getattr(found, prop).reason, "violation": series}
            for prop, series in zip(("unconditional", "per_agent", "own_history", "collective"), values, strict=True)
        }
    titles = (
        ("(a) mean", "mean belief minus prior", (-0.03, 0.03)),
        ("(b) given everybody's past", "rms drift of a belief", (-0.03, 0.03)),
        ("(c) given the own past", "slope of the next change", (-0.1, 0.05)),
        ("(d) mean over agents", "rms drift of the mean", (-0.03, 0.03)),
    )
    for one, (title, label, limits) in zip(axes, titles, strict=True):
        one.axhline(0, color="0.6", linewidth=0.7)
        one.set(xlabel="round", ylabel=label, ylim=limits)
        one.set_title(title, loc="left", fontsize=10)
    axes[0].legend(fontsize=8, frameon=False)
    publish(out, "four_properties", figure, numbers, settings_of(globals()))


if __name__ == "__main__":
    run(main)
