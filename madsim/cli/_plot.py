"""``madsim plot``: one figure of a run or of a simulation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from madsim.cli._output import add_command, emit
from madsim.cli._runs import VOTES_HELP, load_votes, new_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from madsim.transcripts import Votes

_KINDS = {
    "scores": "accuracy of an agent and of the vote by round (default)",
    "beliefs": "beliefs of a simulation by round, with the exact values",
    "disagreement": "how often two agents differ, with its floor",
    "flips": "right to wrong, wrong to right, kept",
    "unparsed": "replies without a readable answer",
    "accuracy": "accuracy of an agent; several runs together",
    "vote": "accuracy of the vote; several runs together",
}
_SUFFIXES = (".png", ".svg", ".pdf")


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(commands, "plot", _plot, help="draw a run or a simulation")
    parser.add_argument("files", metavar="FILE", nargs="+", help=VOTES_HELP)
    parser.add_argument(
        "--kind",
        choices=tuple(_KINDS),
        default="scores",
        help="; ".join(f"{name}: {what}" for name, what in _KINDS.items()),
    )
    parser.add_argument("--out", metavar="FIG", required=True, help="new .png, .svg or .pdf file")


def _plot(arguments: argparse.Namespace) -> int:
    from madsim.plot import new_figure, save_figure

    target = new_file(arguments.out)
    if target.suffix.lower() not in _SUFFIXES:
        raise ValueError(f"--out {arguments.out}: a figure is written as one of {', '.join(_SUFFIXES)}")
    figure, axes = new_figure()
    if arguments.kind == "beliefs":
        _draw_beliefs(axes, _only(arguments))
    elif arguments.kind in ("accuracy", "vote", "unparsed"):
        _draw_several(axes, _named(arguments.files), arguments.kind)
    else:
        _draw_one(axes, load_votes(_only(arguments)), arguments.kind)
    save_figure(figure, target)
    payload = {"figure": str(target), "kind": arguments.kind, "files": arguments.files}
    emit(arguments, payload, lambda: f"{arguments.kind}: {target}")
    return 0


def _only(arguments: argparse.Namespace) -> str:
    if len(arguments.files) != 1:
        raise ValueError(f"--kind {arguments.kind} draws one file, got {len(arguments.files)}")
    return arguments.files[0]


def _named(files: list[str]) -> dict[str, Votes]:
    names = [Path(file).stem for file in files]
    return {name if names.count(name) == 1 else file: load_votes(file) for name, file in zip(names, files, strict=True)}


def _draw_beliefs(axes: Axes, file: str) -> None:
    from madsim.plot import draw_beliefs
    from madsim.simulate import DebateResult, load_result
    from madsim.theory import debate_moments

    if Path(file).suffix.lower() != ".npz":
        raise ValueError(f"{file}: only simulations have beliefs, and they are saved as .npz files")
    result = load_result(file)
    if not isinstance(result, DebateResult):
        raise ValueError(f"{file} is a simulation of shares, not of debates: it has no beliefs")
    try:
        exact = debate_moments(result.model, result.n_rounds)
    except ValueError:  # no exact moments for this model: the simulated ones stand alone
        exact = None
    draw_beliefs(axes, result, exact=exact)


def _draw_several(axes: Axes, runs: dict[str, Votes], kind: str) -> None:
    from madsim.plot import draw_comparison, draw_unparsed

    if kind == "unparsed":
        draw_unparsed(axes, runs)
    else:
        draw_comparison(axes, runs, measure="vote" if kind == "vote" else "accuracy")


def _draw_one(axes: Axes, votes: Votes, kind: str) -> None:
    from madsim.plot import draw_disagreement, draw_flips, draw_scores

    {"scores": draw_scores, "disagreement": draw_disagreement, "flips": draw_flips}[kind](axes, votes)
