"""Lower bounds on the vote against its exact value: the published bound is nearly empty at real panel sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _out import BLUE, GREEN, ORANGE, PURPLE, RED, new_figure, publish, run, settings_of

from madsim import theory

EASY = (0.5, 0.2, 0.2, 0.1)
HARD = (0.4, 0.3, 0.2, 0.1)
LARGEST = 2000
TARGET = 0.95


def main(out: Path) -> None:
    """Curves over the number of voters for two questions, and the voters each bound asks for."""
    figure, panels = new_figure(2)
    names = {"chernoff": BLUE, "hoeffding": GREEN, "l2": ORANGE, "theorem1": RED}
    sizes = np.unique(np.geomspace(1, LARGEST, 60).astype(int))
    numbers: dict[str, object] = {"voters": sizes}
    for axes, p in zip(panels, (EASY, HARD), strict=True):
        exact = [theory.plurality(p, int(n)) for n in sizes]
        axes.plot(sizes, exact, color="black", linewidth=1.8, label=f"exact ({theory.voters_needed(p, TARGET)})")
        curves: dict[str, object] = {"exact": exact}
        for name, colour in names.items():
            values = [getattr(theory.vote_bounds(p, int(n)), name) or 0.0 for n in sizes]
            needed = theory.voters_needed(p, TARGET, by=name)
            axes.plot(sizes, values, color=colour, linewidth=1.3, label=f"{name} ({needed})")
            curves[name] = {"values": values, f"voters for {TARGET:g}": needed}
        axes.axhline(TARGET, color=PURPLE, linestyle=":", linewidth=0.9)
        axes.set(
            xscale="log",
            ylim=(-0.02, 1.45),
            yticks=(0, 0.2, 0.4, 0.6, 0.8, 1),
            xlabel="voters",
            ylabel="P(the vote is right)",
        )
        axes.set_title(f"p = {p} (voters for 95 %)", loc="left", fontsize=10)
        axes.legend(fontsize=7, frameon=False, loc="upper left")
        numbers[str(p)] = curves
    publish(out, "bounds_against_exact", figure, numbers, settings_of(globals()))


if __name__ == "__main__":
    run(main)
