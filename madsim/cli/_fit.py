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
    parser.add_argument("--level", type=float, default=0.95, metavar="X", help="level of the intervals (default .95)")


def _fit(arguments: argparse.Namespace) -> int:
    from madsim.fit import fit_debate

    fitted = fit_debate(
        load_votes(arguments.run), mixing=arguments.mixing, self_weight=arguments.self_weight, level=arguments.level
    )
    emit(arguments, fitted.to_dict(), lambda: str(fitted))
    return 0
