"""``madsim theory``: exact values, nothing drawn."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from madsim.cli._model_options import debate_model, debate_options
from madsim.cli._output import add_command, add_group, emit, table
from madsim.cli._swarm import add_theory

if TYPE_CHECKING:
    from madsim.models import DebateModel


def add(commands: Any) -> None:
    """Add the group to the command line."""
    group = add_group(commands, "theory", help="exact values of debates and votes")
    add_command(
        group, "debate", _debate, help="exact beliefs and votes of a debate by round", parents=[debate_options()]
    )
    add_theory(group)
    vote = add_command(group, "vote", _vote, help="exact probability that a plurality vote is right, and bounds on it")
    vote.add_argument(
        "--belief",
        type=float,
        nargs="+",
        required=True,
        metavar="P",
        help="probability of every answer, the target's first; a single one leaves the rest to one other answer",
    )
    vote.add_argument("--agents", type=int, required=True, metavar="N", help="number of voters")
    vote.add_argument(
        "--ties", choices=("random", "fail", "first"), default="random", help="what a tied vote gives (default random)"
    )


def _debate(arguments: argparse.Namespace) -> int:
    model = debate_model(arguments)
    payload = debate_summary(model)
    emit(arguments, payload, lambda: _debate_table(model, payload))
    return 0


def debate_summary(model: DebateModel) -> dict[str, Any]:
    """Everything exact about a debate, in the keys of the command's JSON; None where no exact method reaches."""
    import numpy as np

    from madsim import theory

    moments = theory.debate_moments(model)
    properties = theory.martingale_properties(model)
    try:
        vote, why_not = theory.vote_by_round(model).tolist(), None
    except ValueError as error:
        vote, why_not = None, str(error)
    # An agent picked at random: its mean, and its sd by the law of total variance.
    spread = np.sqrt((moments.sd**2).mean(axis=1) + moments.mean.var(axis=1))
    names = ("unconditional", "per_agent", "own_history", "collective")
    payload: dict[str, Any] = {
        "mean_belief": moments.mean.mean(axis=1).tolist(),
        "sd_belief": spread.tolist(),
        "mean_belief_by_agent": moments.mean.tolist(),
        "sd_belief_by_agent": moments.sd.tolist(),
        "pooled_sd": moments.pooled_sd.tolist(),
        "vote_accuracy": vote,
        "vote_accuracy_note": why_not,
        "disagreement": theory.disagreement(model).tolist() if model.n_agents > 1 else None,
        "martingale": {
            **{name: getattr(properties, name).holds for name in names},
            "reason": {name: getattr(properties, name).reason for name in names},
            "weights": None if properties.weights is None else properties.weights.tolist(),
        },
    }
    if model.protocol.rounds >= 2:
        drift = theory.conditional_drift(model)
        slopes = theory.own_history_slopes(model)[0]
        payload["conditional_drift"] = {
            "step": [drift.round, drift.round + 1],
            "largest": drift.largest.tolist(),
            "rms": drift.rms.tolist(),
            "step_rms": drift.step_rms.tolist(),
            "mean_largest": drift.mean_largest,
            "mean_rms": drift.mean_rms,
            "urn_largest": drift.urn_largest,
            "urn_rms": drift.urn_rms,
        }
        payload["own_history_slope"] = [None if np.isnan(slope) else float(slope) for slope in slopes]
    return payload


def _debate_table(model: DebateModel, payload: dict[str, Any]) -> str:
    rounds = range(model.protocol.rounds + 1)
    columns = ["mean_belief", "sd_belief", "vote_accuracy", "disagreement"]
    rows = [[t, *(None if payload[column] is None else payload[column][t] for column in columns)] for t in rounds]
    words = {True: "holds", False: "fails", None: "undecided"}
    martingale = payload["martingale"]
    properties = [[name, words[martingale[name]], reason] for name, reason in martingale["reason"].items()]
    lines = [repr(model), "", table(["round", "mean belief", "sd", "vote accuracy", "disagreement"], rows)]
    if payload["vote_accuracy_note"]:
        lines += ["", payload["vote_accuracy_note"]]
    return "\n".join([*lines, "", table(["martingale", "", "because"], properties)])


def _vote(arguments: argparse.Namespace) -> int:
    from madsim import theory

    belief = arguments.belief if len(arguments.belief) > 1 else [arguments.belief[0], 1 - arguments.belief[0]]
    try:
        bounds = theory.vote_bounds(belief, arguments.agents)
    except ValueError as error:
        raise ValueError(f"--belief {' '.join(map(str, arguments.belief))}: {error}") from None
    payload = {
        "exact": theory.plurality(belief, arguments.agents, ties=arguments.ties),
        "bounds": {name: getattr(bounds, name) for name in type(bounds).__slots__},
        "ties": arguments.ties,
    }
    rows = [
        ["exact", payload["exact"]],
        *([name.replace("_", " "), value] for name, value in payload["bounds"].items()),
    ]
    emit(arguments, payload, lambda: table(["P(the vote is right)", ""], rows))
    return 0
