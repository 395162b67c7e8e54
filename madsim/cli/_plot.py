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
    from madsim.verify import CheckReport, EProcess

_KINDS = {
    "scores": "accuracy of an agent and of the vote by round (default)",
    "beliefs": "beliefs of a simulation by round, with the exact values",
    "disagreement": "how often two agents differ, with its floor",
    "flips": "right to wrong, wrong to right, kept",
    "unparsed": "replies without a readable answer",
    "accuracy": "accuracy of an agent; several runs together",
    "vote": "accuracy of the vote; several runs together",
    "drift": "change in the share of right answers against the tolerance; several runs together",
    "bets": "capital of bets against no drift, question by question; several runs together",
    "profile": "which values of --parameter the run leaves open, for two laws of difficulty",
    "forecast": "accuracy of votes and debates (--option) over their cost, with the run as a pilot",
    "calibration": "foretold chances of the last vote against what came, on questions set apart",
}
_SEVERAL = ("accuracy", "vote", "unparsed", "drift", "bets")
_STUDIES = ("profile", "forecast", "calibration")
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
    parser.add_argument(
        "--parameter",
        choices=("mass", "conformity", "correction"),
        help="of --kind profile (default conformity)",
    )
    parser.add_argument(
        "--option",
        action="append",
        metavar="OPTION",
        help="of --kind forecast, such as vote:25 or debate:5x2; give several (default: one answer, the run's vote and debate, and the "
        "vote that costs as much)",
    )
    parser.add_argument("--out", metavar="FIG", required=True, help="new .png, .svg or .pdf file")


def _plot(arguments: argparse.Namespace) -> int:
    from madsim.plot import new_figure, save_figure

    target = new_file(arguments.out)
    if target.suffix.lower() not in _SUFFIXES:
        raise ValueError(f"--out {arguments.out}: a figure is written as one of {', '.join(_SUFFIXES)}")
    for name, kind in (("parameter", "profile"), ("option", "forecast")):
        if getattr(arguments, name) and arguments.kind != kind:
            raise ValueError(f"--{name} belongs to --kind {kind}; --kind {arguments.kind} does not use it")
    figure, axes = new_figure()
    if arguments.kind == "beliefs":
        _draw_beliefs(axes, _only(arguments))
    elif arguments.kind in _STUDIES:
        _draw_study(axes, load_votes(_only(arguments)), arguments)
    elif arguments.kind in _SEVERAL:
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
    from madsim.plot import draw_bets, draw_comparison, draw_drift, draw_unparsed

    if kind == "unparsed":
        draw_unparsed(axes, runs)
    elif kind in ("drift", "bets"):
        from madsim.verify import check

        reports = {name: check(votes, anytime=kind == "bets") for name, votes in runs.items()}
        if kind == "drift":
            draw_drift(axes, reports)
        else:
            draw_bets(axes, {name: _bets(name, one) for name, one in reports.items()})
    else:
        draw_comparison(axes, runs, measure="vote" if kind == "vote" else "accuracy")


def _bets(name: str, report: CheckReport) -> EProcess:
    if report.anytime is None:
        raise ValueError(f"{name}: no sample has a target, so nothing can be bet on drift")
    return report.anytime


def _draw_study(axes: Axes, votes: Votes, arguments: argparse.Namespace) -> None:
    from madsim.plot import draw_calibration, draw_forecast, draw_profile

    if arguments.kind == "profile":
        from madsim.fit import profile_debate

        parameter = arguments.parameter or "conformity"
        draw_profile(
            axes,
            {
                f"{mixing} law of difficulty": profile_debate(votes, parameter, mixing=mixing)
                for mixing in ("beta", "free")
            },
        )
    elif arguments.kind == "forecast":
        from madsim.planning import forecast

        draw_forecast(axes, forecast(votes, arguments.option or _usual_options(votes)))
    else:
        from madsim.planning import calibration

        points = calibration(votes)
        label = f"{sum(one.n_debates for one in points)} debates by right answers in round 0"
        draw_calibration(axes, {label: [(one.said, one.happened) for one in points]})


def _usual_options(votes: Votes) -> list[str]:
    """One answer, the vote of the panel, and its debate beside the vote that costs as much."""
    from madsim.planning import Prices, equal_cost_vote, parse_option

    found = ["vote:1", f"vote:{votes.n_agents}"]
    if votes.n_rounds:
        debate = f"debate:{votes.n_agents}x{votes.n_rounds}"
        found += [f"vote:{equal_cost_vote(parse_option(debate), Prices())}", debate]
    return list(dict.fromkeys(found))


def _draw_one(axes: Axes, votes: Votes, kind: str) -> None:
    from madsim.plot import draw_disagreement, draw_flips, draw_scores

    {"scores": draw_scores, "disagreement": draw_disagreement, "flips": draw_flips}[kind](axes, votes)
