"""The vote by round for beliefs above and below one half: it moves from the majority's value towards the single agent's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _out import BLUE, GREY, RED, new_figure, publish, run, settings_of

from madsim import theory
from madsim.models import DebateModel

AGENTS = 5
MASSES = (0.5, 2.0, 10.0)
BELIEFS = (0.3, 0.7)
ROUNDS = 20


def main(out: Path) -> None:
    """Exact votes by round, and how far they can move at most."""
    figure, (left, right) = new_figure(2)
    numbers: dict[str, object] = {}
    for belief, colour in zip(BELIEFS, (RED, BLUE), strict=True):
        left.axhline(belief, color=colour, linestyle=":", linewidth=1)
        for mass, style in zip(MASSES, ("-", "--", "-."), strict=True):
            vote = theory.vote_by_round(DebateModel.homogeneous(n_agents=AGENTS, belief=belief, mass=mass), ROUNDS)
            left.plot(vote, color=colour, linestyle=style, linewidth=1.4, label=f"p = {belief:g}, A = {mass:g}")
            numbers[f"belief {belief:g}, mass {mass:g}"] = vote
    left.set(ylim=(0, 1), xticks=range(0, ROUNDS + 1, 5), xlabel="round", ylabel="P(the vote is right)")
    left.set_title("Exact vote (dotted: one agent alone)", loc="left", fontsize=10)
    left.legend(fontsize=7, frameon=False, ncols=2, loc="center")
    grid = np.linspace(0.005, 0.995, 199)
    for n, colour in ((3, GREY), (5, BLUE), (7, RED)):
        gap = np.array([theory.plurality([p, 1 - p], n) - p for p in grid])
        right.plot(grid, gap, color=colour, linewidth=1.4, label=f"N = {n}, at most {theory.bracket_width(n):.3f}")
        numbers[f"bracket width, {n} agents"] = theory.bracket_width(n)
    right.axhline(0, color="0.5", linewidth=0.7)
    right.set(xlabel="belief p", ylabel="majority of round 0 minus one agent")
    right.set_title("All that debate can take from the vote, or give it", loc="left", fontsize=10)
    right.legend(fontsize=7, frameon=False)
    publish(out, "vote_by_round", figure, numbers, settings_of(globals()))


if __name__ == "__main__":
    run(main)
