"""``madsim report``: one page about one or several runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from madsim.cli._output import add_command, emit
from madsim.cli._runs import VOTES_HELP, load_run, load_votes, new_file

if TYPE_CHECKING:
    from madsim.transcripts import Run, Votes


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(commands, "report", _report, help="write one self-contained HTML page about runs")
    parser.add_argument("runs", metavar="RUN", nargs="+", help=VOTES_HELP)
    parser.add_argument("--out", metavar="FILE.html", required=True, help="new file for the page")
    parser.add_argument(
        "--null", choices=("belief", "share"), default="belief", help="of the check, as `madsim check` takes it"
    )
    parser.add_argument("--delta", type=float, default=0.03, metavar="X", help="of the check (default .03)")
    parser.add_argument("--level", type=float, default=0.05, metavar="X", help="of the check (default .05)")
    parser.add_argument("--anytime", action="store_true", help="of the check")
    parser.add_argument(
        "--price-in", type=float, default=0.15, metavar="X", help="per million tokens read (default .15)"
    )
    parser.add_argument("--price-out", type=float, default=0.6, metavar="X", help="per million written (default .6)")
    parser.add_argument("--title", default="Debate report", metavar="TEXT", help="title of the page")


def _report(arguments: argparse.Namespace) -> int:
    from madsim.planning import Prices
    from madsim.report import write_report

    target = new_file(arguments.out)
    names = [Path(file).stem for file in arguments.runs]
    runs: dict[str, Run | Votes] = {}
    for name, file in zip(names, arguments.runs, strict=True):
        unique = name if names.count(name) == 1 else file
        if unique in runs:
            raise ValueError(f"{file} is named twice")
        runs[unique] = load_votes(file) if Path(file).suffix.lower() == ".npz" else load_run(file)
    write_report(
        runs,
        target,
        title=arguments.title,
        null=arguments.null,
        delta=arguments.delta,
        level=arguments.level,
        anytime=arguments.anytime,
        prices=Prices(price_in=arguments.price_in, price_out=arguments.price_out),
    )
    payload = {"report": str(target), "runs": list(runs)}
    emit(arguments, payload, lambda: f"report: {target}")
    return 0
