"""Sharper answers, unequal weights, conformity and majority summaries make the mean belief drift; what is linear in the votes does not."""

from __future__ import annotations

from pathlib import Path

from _out import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, new_figure, publish, run, settings_of

from madsim import theory
from madsim.models import Argmax, DebateModel, Forgetting, LastRound, Rereading, Summary, Temperature

AGENTS = 5
BELIEF = 0.6
MASS = 5.0
ROUNDS = 8


def main(out: Path) -> None:
    """Draw mean beliefs under every departure from the plain model."""
    breaks = {
        "temperature .7": ({"response": Temperature(temperature=0.7)}, BLUE),
        "argmax": ({"response": Argmax()}, RED),
        "right votes weigh 1.5": ({"answer_weights": (1.5, 1.0)}, GREEN),
        "wrong votes weigh 1.5": ({"answer_weights": (1.0, 1.5)}, PURPLE),
        "conformity 2": ({"conformity": 2.0}, ORANGE),
        "majority summary": ({"summary": Summary()}, "black"),
        "majority summary, noise .2": ({"summary": Summary(noise=0.2)}, GREY),
    }
    keeps = {
        "plain": {},
        "forgetting": {"memory": Forgetting(keep=0.5)},
        "last round only": {"memory": LastRound()},
        "shared transcript": {"memory": Rereading()},
    }
    figure, (left, right) = new_figure(2)
    numbers: dict[str, object] = {}
    for name, (options, colour) in breaks.items():
        belief = theory.panel_by_round(_model(options), ROUNDS).belief[:, 0]
        left.plot(belief, "o-", color=colour, markersize=3, linewidth=1.3, label=name)
        numbers[name] = belief
    for shift, (name, options) in enumerate(keeps.items()):
        values = theory.panel_by_round(_model(options), ROUNDS)
        right.plot(
            values.vote,
            "o-",
            markersize=3,
            linewidth=1.3,
            color=(BLUE, RED, GREEN, PURPLE)[shift],
            label=f"vote, {name}",
        )
        right.plot(values.belief[:, 0], color="0.3", linewidth=1, linestyle=":")
        numbers[name] = {"belief": values.belief[:, 0], "vote": values.vote}
    left.axhline(BELIEF, color="0.5", linewidth=0.7, linestyle=":")
    left.set(ylim=(0.4, 1.22), yticks=(0.4, 0.6, 0.8, 1), xlabel="round", ylabel="mean belief")
    left.set_title("These drift", loc="left", fontsize=10)
    left.legend(fontsize=7, frameon=False, ncols=2, loc="upper left")
    right.set(ylim=(0.55, 0.75), xlabel="round", ylabel="right")
    right.set_title("These do not (dotted: mean belief), yet the vote moves", loc="left", fontsize=10)
    right.legend(fontsize=7, frameon=False)
    publish(out, "breaking_flatness", figure, numbers, settings_of(globals()))


def _model(options: dict[str, object]) -> DebateModel:
    return DebateModel.homogeneous(n_agents=AGENTS, belief=BELIEF, mass=MASS, **options)


if __name__ == "__main__":
    run(main)
