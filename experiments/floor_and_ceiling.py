"""What the plain model allows against published averages: debate between one agent and the vote, and the floor of disagreement.

Averages over seven tasks from Choi, Zhu and Li (2025), arXiv 2508.17536, tables 1 and 2; falls at the first exchange from its table 6.
"""

from __future__ import annotations

from pathlib import Path

from _out import BLUE, GREY, RED, new_figure, publish, run, settings_of

from madsim import theory

AGENTS = 5
PUBLISHED = (("Qwen2.5-7B", 0.7205, 0.7691, 0.7377), ("Llama3.1-8B", 0.6203, 0.7242, 0.6990))
FIRST_EXCHANGE = (("Qwen, arithmetic", 0.814, 0.540), ("Qwen, GSM8K", 0.871, 0.774))
MASSES = (0.2, 1.0, 2.0, 5.0, 20.0)
ROUNDS = 8


def main(out: Path) -> None:
    """Published averages inside the bracket, published falls beyond it, and disagreement above its floor."""
    figure, (left, middle, right) = new_figure(3, width=4.0)
    width = theory.bracket_width(AGENTS)
    for place, (_, single, vote, debate) in enumerate(PUBLISHED):
        left.plot([place, place], [single, vote], color=GREY, linewidth=8, alpha=0.35, solid_capstyle="butt")
        left.plot(place, debate, "o", color=RED)
        left.annotate(f"{debate:.3f}", (place, debate), xytext=(9, -3), textcoords="offset points", fontsize=8)
    left.set(xticks=range(len(PUBLISHED)), xticklabels=[row[0] for row in PUBLISHED], xlim=(-0.6, 1.6), ylim=(0.6, 0.8))
    left.set_ylabel("accuracy, mean of seven tasks")
    left.set_title("Best debate (dot) lies between\none agent and the vote (bar)", loc="left", fontsize=10)
    for place, (_, before, after) in enumerate(FIRST_EXCHANGE):
        middle.annotate(
            "", (place, after), (place, before), arrowprops={"arrowstyle": "->", "color": RED, "linewidth": 1.5}
        )
        middle.plot([place - 0.25, place + 0.25], [before - width] * 2, color=BLUE, linewidth=2)
    middle.set(
        xticks=range(len(FIRST_EXCHANGE)),
        xticklabels=[row[0] for row in FIRST_EXCHANGE],
        xlim=(-0.6, 1.6),
        ylim=(0.5, 0.9),
    )
    middle.set_title(
        f"Fall at the first exchange (arrow),\nat most {width:.3f} in the model (line)", loc="left", fontsize=10
    )
    numbers: dict[str, object] = {"bracket width": width}
    for mass in MASSES:
        law = theory.disagreement_law(AGENTS, mass, ROUNDS)
        right.plot(law, color=BLUE, alpha=0.35 + 0.12 * MASSES.index(mass), linewidth=1.3, label=f"A = {mass:g}")
        numbers[f"disagreement left, mass {mass:g}"] = law
    floor = [theory.disagreement_floor(AGENTS, round) for round in range(ROUNDS + 1)]
    right.plot(floor, color=RED, linewidth=1.8, label="floor")
    right.axhline(theory.disagreement_floor(AGENTS), color=RED, linestyle=":", linewidth=1)
    right.set(ylim=(0.65, 1.1), yticks=(0.7, 0.8, 0.9, 1), xlabel="round", ylabel="share of disagreement left")
    right.set_title(f"Disagreement cannot fall below\nthe floor ({AGENTS} agents)", loc="left", fontsize=10)
    right.legend(fontsize=7, frameon=False, loc="upper right", ncols=2)
    numbers["floor"] = floor
    inside = {name: single <= debate <= vote for name, single, vote, debate in PUBLISHED}
    beyond = {name: before - after > width for name, before, after in FIRST_EXCHANGE}
    numbers |= {"best debate inside the bracket": inside, "first fall beyond the bracket": beyond}
    publish(out, "floor_and_ceiling", figure, numbers, settings_of(globals()))


if __name__ == "__main__":
    run(main)
