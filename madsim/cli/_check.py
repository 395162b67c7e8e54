"""``madsim check``: did debate move the share of right answers, or did it not, or can nobody tell."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from madsim.cli._output import add_command, emit, rng_option
from madsim.cli._runs import VOTES_HELP, load_votes, load_votes_or_run

if TYPE_CHECKING:
    from madsim.transcripts import Votes


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands, "check", _check, help="check a run against a martingale, with a verdict", parents=[rng_option()]
    )
    parser.add_argument("run", metavar="RUN", help=VOTES_HELP)
    parser.add_argument(
        "--null",
        choices=("belief", "share"),
        default="belief",
        help="what is a martingale if debate changes nothing: latent beliefs (default) or shares of answers",
    )
    parser.add_argument(
        "--delta", type=float, default=0.03, metavar="X", help="largest drift that counts as none (default .03)"
    )
    parser.add_argument("--anytime", action="store_true", help="decide by bets that allow looking after every question")
    parser.add_argument(
        "--held-out", metavar="RUN", help="a run of round-0 answers that no debater saw, on samples of the same names"
    )
    stopping = parser.add_mutually_exclusive_group()
    stopping.add_argument(
        "--stopped-early",
        action="store_true",
        default=None,
        dest="early_stopping",
        help="debates could stop before the last round (default: as recorded, else as the answers show)",
    )
    stopping.add_argument(
        "--ran-to-the-end", action="store_false", default=None, dest="early_stopping", help="debates could not stop"
    )
    parser.add_argument(
        "--replicator",
        action="store_true",
        help="also ask which imitation the answers look like (everybody hears everybody): neutral, selection, or conformity",
    )
    parser.add_argument("--level", type=float, default=0.05, metavar="X", help="level of every test (default .05)")


def _check(arguments: argparse.Namespace) -> int:
    from madsim.verify import check, check_replicator

    if arguments.held_out is not None and arguments.held_out == arguments.run:
        raise ValueError(
            f"--held-out {arguments.held_out}: this is the run itself; name one whose answers no debater saw"
        )
    votes, held_out = _loaded(arguments)
    report = check(
        votes,
        null=arguments.null,
        delta=arguments.delta,
        level=arguments.level,
        early_stopping=arguments.early_stopping,
        held_out=held_out,
        anytime=arguments.anytime,
        rng=0 if arguments.rng is None else arguments.rng,
    )
    payload, shown = report.to_dict(), str(report)
    if arguments.replicator:
        imitation = check_replicator(votes, level=arguments.level)
        payload["replicator"], shown = imitation.to_dict(), f"{shown}\n\n{imitation}"
    emit(arguments, payload, lambda: shown)
    return 1 if report.verdict == "drift" else 0


def _loaded(arguments: argparse.Namespace) -> tuple[Votes, Any]:
    """The votes, and the held-out answers where there are any: matched question by question where both are runs with questions."""
    if arguments.held_out is None:
        return load_votes(arguments.run), None
    run, held_out = (load_votes_or_run(path) for path in (arguments.run, arguments.held_out))
    from madsim.transcripts import Run, votes_of
    from madsim.verify import match_held_out

    if isinstance(run, Run) and isinstance(held_out, Run):
        matched = match_held_out(run, held_out)
        return matched.votes, matched.answers
    return (votes_of(run) if isinstance(run, Run) else run), (
        votes_of(held_out) if isinstance(held_out, Run) else held_out
    )
