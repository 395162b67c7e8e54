"""``madsim debate``: debates of language models, their record and their outcome."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, Any

from madsim.cli._debate_options import (
    ask_person,
    budget_of,
    budget_options,
    debaters_of,
    helper_of,
    panel_options,
    prices_of,
    protocol_of,
)
from madsim.cli._output import Progress, add_command, add_group, emit, table
from madsim.cli._runs import new_file, notes_lines, scores, scores_table

if TYPE_CHECKING:
    from madsim.llm import Event
    from madsim.transcripts import Run

_EXIT_OF_STATUS = (("budget", 3), ("paused", 4), ("failed", 1))


def add(commands: Any) -> None:
    """Add the group to the command line."""
    group = add_group(commands, "debate", help="let language models debate, and keep a record")
    run = add_command(
        group, "run", _run, help="run debates on every question", parents=[panel_options(), budget_options()]
    )
    run.add_argument("--record", metavar="RUN", required=True, help="new file for the record")
    run.add_argument("--concurrency", type=int, default=8, metavar="N", help="most calls at once (default 8)")
    run.add_argument("--pause", action="store_true", help="keep debates open that reach the last round undecided")
    resume = add_command(group, "resume", _resume, help="make the missing calls of a run", parents=[budget_options()])
    resume.add_argument("run", metavar="RUN", help="its record")
    resume.add_argument("--concurrency", type=int, metavar="N", help="most calls at once (default: as recorded)")
    resume.add_argument("--retry-failed", action="store_true", help="ask again in debates that got no answer at all")
    for name, handler, what in (
        ("accept", _accept, "take the answers of paused debates as they are"),
        ("terminate", _terminate, "end paused debates; their partial answers stay in the record"),
        ("grant", _grant, "let paused debates go on for more rounds, at the next resume"),
    ):
        parser = add_command(group, name, handler, help=what)
        parser.add_argument("run", metavar="RUN", help="its record")
        if name == "grant":
            parser.add_argument("--rounds", type=int, required=True, metavar="N", help="how many more rounds")
            parser.add_argument(
                "--comment", metavar="TEXT", help="words for every debater, in the first of these rounds only"
            )


def _run(arguments: argparse.Namespace) -> int:
    from madsim.llm import Prompts, run_debates
    from madsim.tasks import read_samples

    target = new_file(arguments.record)
    samples = read_samples(arguments.task)
    protocol = protocol_of(arguments)
    debaters = debaters_of(arguments)
    progress = Progress("debates")
    run = run_debates(
        protocol,
        debaters,
        samples,
        record=target,
        judge=helper_of("judge", arguments, protocol),
        summariser=helper_of("summariser", arguments, protocol),
        prompts=Prompts(names="anonymous" if arguments.anonymous else "named"),
        budget=budget_of(arguments),
        prices=prices_of(arguments),
        person=ask_person if arguments.human else None,
        pause=arguments.pause,
        control=arguments.control,
        epochs=arguments.epochs,
        concurrency=arguments.concurrency,
        rng=arguments.rng,
        on_event=_watch(progress),
    )
    progress.close()
    return _report(arguments, run, str(target))


def _resume(arguments: argparse.Namespace) -> int:
    from madsim.llm import resume

    progress = Progress("debates")
    run = resume(
        arguments.run,
        budget=budget_of(arguments),
        prices=prices_of(arguments),
        concurrency=arguments.concurrency,
        retry_failed=arguments.retry_failed,
        on_event=_watch(progress),
    )
    progress.close()
    return _report(arguments, run, arguments.run)


def _accept(arguments: argparse.Namespace) -> int:
    from madsim.llm import accept

    return _tell(arguments, "accepted", accept(arguments.run))


def _terminate(arguments: argparse.Namespace) -> int:
    from madsim.llm import terminate

    return _tell(arguments, "terminated", terminate(arguments.run))


def _grant(arguments: argparse.Namespace) -> int:
    from madsim.llm import grant

    return _tell(arguments, "granted", grant(arguments.run, rounds=arguments.rounds, comment=arguments.comment))


def _tell(arguments: argparse.Namespace, what: str, debates: int) -> int:
    payload = {"record": arguments.run, what: debates}
    emit(arguments, payload, lambda: f"{what}: {debates} paused debates of {arguments.run}")
    return 0


def _watch(progress: Progress) -> Any:
    """Counts debates as they end."""
    counts = {"done": 0, "all": 0}

    def watch(event: Event) -> None:
        if event.kind == "run_opened":
            counts["all"] = int(event.data.get("debates", 0))
        elif event.kind == "debate_ended":
            counts["done"] += 1
            progress(counts["done"], counts["all"])

    return watch


def _report(arguments: argparse.Namespace, run: Run, record: str) -> int:
    payload = outcome_summary(run, record)
    emit(arguments, payload, lambda: _text(payload))
    statuses = payload["statuses"]
    return next((code for status, code in _EXIT_OF_STATUS if statuses.get(status)), 0)


def outcome_summary(run: Run, record: str) -> dict[str, Any]:
    """Every outcome, scores by round and what it took."""
    from madsim.transcripts import votes_of

    outcomes = [one.outcome for one in run.transcripts if one.outcome is not None]
    usage: Counter[str] = Counter()
    for outcome in outcomes:
        usage.update({name: count for name, count in (outcome.get("usage") or {}).items() if isinstance(count, int)})
    payload: dict[str, Any] = {
        "record": record,
        "statuses": dict(Counter(str(outcome.get("status")) for outcome in outcomes)),
        "right": sum(outcome.get("correct") is True for outcome in outcomes),
        "debates": len(run.transcripts),
        "outcomes": [{name: value for name, value in outcome.items() if name != "type"} for outcome in outcomes],
        "usage": dict(usage),
        "calls": sum(int(outcome.get("calls") or 0) for outcome in outcomes),
        "cost": sum(float(outcome.get("cost") or 0.0) for outcome in outcomes),
        "notes": run.notes,
        "control": run.control,
    }
    if any(one.replies for one in run.transcripts):
        return {**payload, **scores(votes_of(run))}
    return {**payload, "accuracy_by_round": None, "vote_by_round": None, "unparsed_by_round": []}


def _text(payload: dict[str, Any]) -> str:
    facts = [
        ["debates", payload["debates"]],
        *([f"  {status}", count] for status, count in payload["statuses"].items()),
        ["right", payload["right"]],
        ["calls", payload["calls"]],
        *([f"tokens, {name}", count] for name, count in payload["usage"].items() if count),
    ]
    if payload["cost"]:
        facts.append(["cost", f"{payload['cost']:.4f}"])
    lines = [table(["run", ""], facts)]
    if payload["unparsed_by_round"]:
        lines += ["", scores_table(payload)]
    return "\n".join([*lines, "", *notes_lines(payload["notes"]), f"record: {payload['record']}"])
