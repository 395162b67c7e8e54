"""``madsim check``: did debate move the share of right answers, or did it not, or can nobody tell."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from madsim.cli._output import add_command, emit, note, rng_option
from madsim.cli._runs import VOTES_HELP, load_run, load_votes, load_votes_or_run

if TYPE_CHECKING:
    from madsim.transcripts import Votes


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands, "check", _check, help="check a run against a martingale, with a verdict", parents=[rng_option()]
    )
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="+",
        help=f"{VOTES_HELP}; several runs on the same questions are checked as one, question by question",
    )
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
    parser.add_argument(
        "--control",
        metavar="RUN",
        help="a run of agents asked again without peers, on samples of the same names: also what the debate moves beyond it",
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
    from madsim.verify import check, check_against_control, check_replicator

    for option in ("held_out", "control"):
        named = getattr(arguments, option)
        if named is not None and named in arguments.run:
            what = "whose answers no debater saw" if option == "held_out" else "without peers"
            raise ValueError(f"--{option.replace('_', '-')} {named}: this is the run itself; name one {what}")
    twice = sorted({name for name in arguments.run if arguments.run.count(name) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)} is named more than once; a run counts once")
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
    if arguments.control is not None:
        beyond = check_against_control(
            votes, load_votes(arguments.control), delta=arguments.delta, level=arguments.level
        )
        payload["control"], shown = beyond.to_dict(), f"{shown}\n\nagainst the control: {beyond}"
    if arguments.replicator:
        imitation = check_replicator(votes, level=arguments.level)
        payload["replicator"], shown = imitation.to_dict(), f"{shown}\n\n{imitation}"
    emit(arguments, payload, lambda: shown)
    return 1 if report.verdict == "drift" else 0


def _loaded(arguments: argparse.Namespace) -> tuple[Votes, Any]:
    """The votes, and the held-out answers or None: matched question by question where both are runs with questions."""
    from madsim.transcripts import Run, votes_of
    from madsim.verify import match_held_out, pool_runs

    if len(arguments.run) > 1:
        runs = [load_run(path) for path in arguments.run]
        if arguments.held_out is not None:
            raise ValueError(f"--held-out belongs to one run, got {len(runs)}; check them one by one")
        pooled = pool_runs(runs)
        if len(set(pooled.cluster.tolist())) == sum(len(set(votes_of(one).cluster.tolist())) for one in runs):
            note(
                "no question is in two of the runs (samples are matched by their questions' texts): all count as independent"
            )
        return pooled, None
    (path,) = arguments.run
    if arguments.held_out is None:
        return load_votes(path), None
    run, held_out = (load_votes_or_run(one) for one in (path, arguments.held_out))
    if isinstance(run, Run) and isinstance(held_out, Run):
        matched = match_held_out(run, held_out)
        return matched.votes, matched.answers
    votes, others = (votes_of(one) if isinstance(one, Run) else one for one in (run, held_out))
    return votes, others
