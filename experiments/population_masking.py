"""A flat dataset mean does not establish a martingale: easy questions rise, hard ones fall, the mean of all stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _out import BLUE, GREY, RED, new_figure, publish, run, settings_of

from madsim import theory
from madsim.models import DebateModel, Temperature

AGENTS = 5
MASS = 5.0
TEMPERATURE = 0.5
QUESTIONS = 200
ROUNDS = 6
EASY = 0.6


def main(out: Path) -> None:
    """Exact shares of right answers on a grid of questions, p ~ U(0, 1)."""
    beliefs = (np.arange(QUESTIONS) + 0.5) / QUESTIONS
    response = Temperature(temperature=TEMPERATURE)
    share = np.array(
        [
            theory.panel_by_round(
                DebateModel.homogeneous(n_agents=AGENTS, belief=belief, mass=MASS, response=response), ROUNDS
            ).share[:, 0]
            for belief in beliefs
        ]
    )
    easy, hard = beliefs > EASY, beliefs < 1 - EASY
    series = {
        "all questions": share.mean(axis=0),
        f"p > {EASY:g}": share[easy].mean(axis=0),
        f"p < {1 - EASY:g}": share[hard].mean(axis=0),
    }
    figure, (left, right) = new_figure(2)
    for (name, values), colour in zip(series.items(), ("black", BLUE, RED), strict=True):
        left.plot(values, "o-", color=colour, markersize=3, label=name)
    left.set(ylim=(0, 1), xlabel="round", ylabel="share of right answers")
    left.set_title("The mean of all questions is flat", loc="left", fontsize=10)
    left.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(0.0, 0.3))
    right.plot(beliefs, share[:, -1] - share[:, 0], color=BLUE)
    right.axhline(0, color=GREY, linewidth=0.7)
    right.set(xlabel="belief p of the question", ylabel=f"change of the share in {ROUNDS} rounds")
    right.set_title("Question by question it is not", loc="left", fontsize=10)
    publish(out, "population_masking", figure, series, settings_of(globals()))


if __name__ == "__main__":
    run(main)
