"""``madsim fit``: how heavy beliefs are, whether majorities count for more, whether debate corrects."""

from __future__ import annotations

import argparse
from typing import Any

from madsim.cli._output import add_command, emit
from madsim.cli._runs import VOTES_HELP, load_votes


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(commands, "fit", _fit, help="fit the debate model to a run")
    parser.add_argument("run", metavar="RUN", help=VOTES_HELP)
    parser.add_argument(
        "--mixing",
        choices=("beta", "free"),
        default="beta",
        help="law of the questions' difficulty: a beta law (default), or any law on a grid",
    )
    parser.add_argument(
        "--self-weight", type=float, default=1.0, metavar="W", help="weight of the own answer (default 1)"
    )
    parser.add_argument(
        "--memory",
        choices=("cumulative", "last"),
        default="cumulative",
        help="whether all answers heard so far count (default), or those of the last round",
    )
    parser.add_argument(
        "--predictive", action="store_true", help="also ask whether the fitted model gives runs like this one"
    )
    parser.add_argument("--level", type=float, default=0.95, metavar="X", help="level of the intervals (default .95)")


def _fit(arguments: argparse.Namespace) -> int:
    from madsim.fit import fit_debate, predictive_checks

    votes = load_votes(arguments.run)
    fitted = fit_debate(
        votes,
        mixing=arguments.mixing,
        self_weight=arguments.self_weight,
        memory=arguments.memory,
        level=arguments.level,
    )
    payload, lines = fitted.to_dict(), [str(fitted)]
    if arguments.predictive:
        checks = predictive_checks(votes, fitted)
        payload["predictive"] = [one.to_dict() for one in checks]
        lines += ["", "numbers of the run beside those of runs drawn from the fit:", *map(str, checks)]
    emit(arguments, payload, lambda: "\n".join(lines))
    return 0
