"""``madsim debate``: debates of language models, their record and their outcome."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from madsim.cli._debate_options import (
    budget_of,
    budget_options,
    panel_options,
    prices_of,
    shard,
)
from madsim.cli._output import Progress, add_command, add_group, emit, table
from madsim.cli._person import Person
from madsim.cli._runs import count_debates, estimate_dict, new_file, notes_lines, printable, scores, scores_table
from madsim.cli._structure_option import arrangement_of, structure_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from madsim.llm import Prompts
    from madsim.transcripts import Run

_EXIT_OF_STATUS = (("budget", 3), ("paused", 4), ("failed", 1))


def add(commands: Any) -> None:
    """Add the group to the command line."""
    group = add_group(commands, "debate", help="let language models debate, and keep a record")
    plan = add_command(
        group,
        "plan",
        _plan,
        help="what a run would take in calls, tokens and money; sends nothing",
        parents=[panel_options(), budget_options()],
    )
    plan.add_argument(
        "--expected-tokens", type=int, default=200, metavar="N", help="expected length of a reply (default 200)"
    )
    run = add_command(
        group, "run", _run, help="run debates on every question", parents=[panel_options(), budget_options()]
    )
    structure_option(plan)
    structure_option(run)
    run.add_argument("--record", metavar="RUN", required=True, help="new file for the record")
    run.add_argument("--concurrency", type=int, default=8, metavar="N", help="most calls at once (default 8)")
    run.add_argument(
        "--shard",
        type=shard,
        metavar="I/N",
        help="play every N-th question from the I-th on, for one of N machines (needs --rng, the same on all); put the records together "
        "with `transcripts merge`",
    )
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


def _plan(arguments: argparse.Namespace) -> int:
    from madsim.tasks import read_samples

    samples = read_samples(arguments.task)
    found = arrangement_of(arguments).plan(
        samples,
        prices=prices_of(arguments),
        reply_tokens=arguments.expected_tokens,
        epochs=arguments.epochs,
        prompts=_prompts(arguments),
    )
    payload = {
        "debates": found.debates,
        "calls": found.calls,
        "tokens": found.input_tokens + found.output_tokens,
        "input_tokens": found.input_tokens,
        "output_tokens": found.output_tokens,
        "cost": found.cost,
        "most": None if found.most is None else found.most.to_dict(),
        "most_cost_known": found.most_cost_known,
    }
    rows = [
        ["debates", found.debates, None],
        ["calls", found.calls, None if found.most is None else found.most.calls],
        ["tokens", payload["tokens"], None if found.most is None else found.most.tokens],
        ["  read", found.input_tokens, None],
        ["  written", found.output_tokens, None],
        ["cost", found.cost, found.most.cost if found.most is not None and found.most_cost_known else None],
    ]
    emit(arguments, payload, lambda: table(["plan", "expected", "at most"], rows))
    return 0


def _prompts(arguments: argparse.Namespace) -> Prompts:
    from madsim.llm import Prompts

    return Prompts(names="anonymous" if arguments.anonymous else "named")


def _run(arguments: argparse.Namespace) -> int:
    from madsim.tasks import read_samples

    if arguments.shard is not None and arguments.rng is None:
        raise ValueError("--shard needs --rng: shards belong to one run only where they have the same seed")
    target = new_file(arguments.record)
    samples = read_samples(arguments.task)
    arrangement = arrangement_of(arguments)
    progress = Progress("debates")
    run = arrangement.run(
        samples,
        record=target,
        prompts=_prompts(arguments),
        budget=budget_of(arguments),
        prices=prices_of(arguments),
        person=Person() if arguments.human else None,
        pause=arguments.pause,
        control=arguments.control,
        epochs=arguments.epochs,
        shard=arguments.shard,
        concurrency=arguments.concurrency,
        rng=arguments.rng,
        on_event=None if arguments.human else count_debates(progress),  # no counts over what a person types
    )
    progress.close()
    return _report(arguments, run, str(target))


def _resume(arguments: argparse.Namespace) -> int:
    from madsim.llm import resume
    from madsim.transcripts import read_record

    progress = Progress("debates")
    header = read_record(arguments.run).header
    seated = any(one.get("human", "never") != "never" for one in header.get("debaters") or ())
    run = resume(
        arguments.run,
        person=Person() if seated else None,
        budget=budget_of(arguments),
        prices=prices_of(arguments),
        concurrency=arguments.concurrency,
        retry_failed=arguments.retry_failed,
        on_event=None if seated else count_debates(progress),
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


def _report(arguments: argparse.Namespace, run: Run, record: str) -> int:
    payload = outcome_summary(run, record)
    payload["failure_example"] = _first_failure(record) if _failures(payload["outcomes"]) else None
    emit(arguments, payload, lambda: _text(payload))
    statuses = payload["statuses"]
    return next((code for status, code in _EXIT_OF_STATUS if statuses.get(status)), 0)


def outcome_summary(run: Run, record: str) -> dict[str, Any]:
    """Every outcome, scores by round and what it took."""
    from madsim.transcripts import votes_of

    outcomes = [one.outcome for one in run.transcripts if one.outcome is not None]
    usage: Counter[str] = Counter()
    for outcome in outcomes:
        used = outcome.get("usage")
        if isinstance(used, dict):
            usage.update({name: count for name, count in used.items() if isinstance(count, int)})
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
    if not any(one.replies for one in run.transcripts):
        return {
            **payload,
            "accuracy_by_round": None,
            "vote_by_round": None,
            "unparsed_by_round": [],
            "diagnostics": None,
        }
    votes = votes_of(run)
    debated = bool(votes.has_target.any()) and votes.n_rounds > 0
    return {**payload, **scores(votes), "diagnostics": _diagnostics(run) if debated else None}


def _diagnostics(run: Run) -> dict[str, Any]:
    """Who moved, how alike the errors are, what talking cost."""
    from madsim.llm import diagnose

    found = diagnose(run)
    voters = found.echo_chamber.effective_voters
    return {
        "flips": found.flips.to_dict(),
        "collapsed": found.collapsed,
        "corrected": found.corrected,
        "error_correlation": found.echo_chamber.correlation,
        "effective_voters": None if voters is None or math.isinf(voters) else voters,
        "majority_adopted": found.adoption.adopted,
        "majority_adopted_by_linear_law": found.adoption.linear,
        "context_growth": found.growth,
        "context_by_round": found.context.measured,
        "context_expected": found.context.expected,
        "helper_tokens": found.helper_tokens,
        "coordination": found.coordination,
        "judge_agrees_with_vote": None if found.judge_agrees is None else estimate_dict(found.judge_agrees),
    }


def _text(payload: dict[str, Any]) -> str:
    facts = [
        ["debates", payload["debates"]],
        *([f"  {status}", count] for status, count in payload["statuses"].items()),
        *([["  why the first failed", why]] if (why := _first_reason(payload["outcomes"])) else []),
        *(
            [f"failed turns, {reason.replace('_', ' ')}", count]
            for reason, count in _failures(payload["outcomes"]).most_common()
        ),
        *([["  the first of them", payload["failure_example"]]] if payload["failure_example"] else []),
        ["right", payload["right"]],
        ["calls", payload["calls"]],
        *([f"tokens, {name}", count] for name, count in payload["usage"].items() if count),
    ]
    if payload["cost"]:
        facts.append(["cost", f"{payload['cost']:.4f}"])
    lines = [table(["run", ""], facts)]
    if payload["unparsed_by_round"]:
        lines += ["", scores_table(payload)]
    if payload["diagnostics"] is not None:
        lines += ["", table(["diagnostics", ""], _diagnostic_rows(payload["diagnostics"]))]
    return "\n".join([*lines, "", *notes_lines(payload["notes"]), f"record: {payload['record']}"])


def _failures(outcomes: Sequence[dict[str, Any]]) -> Counter[str]:
    """How often a debater gave no reply, by reason; the record holds what the endpoint said."""
    return Counter(str(reason) for outcome in outcomes for _, _, reason in outcome.get("failed") or ())


def _first_reason(outcomes: Sequence[dict[str, Any]]) -> str | None:
    """What ended the first debate that failed as a whole, where its outcome says so."""
    reasons = (str(one["reason"]) for one in outcomes if one.get("status") == "failed" and one.get("reason"))
    first = next(reasons, None)
    return None if first is None else printable(first)


def _first_failure(record: str) -> str | None:
    """What an endpoint said when a call failed for the first time."""
    from madsim.transcripts import read_record

    details = (str(call["detail"]) for call in read_record(record).calls if call.get("failed") and call.get("detail"))
    first = next(details, None)
    return None if first is None else printable(first)


def _diagnostic_rows(found: dict[str, Any]) -> list[list[Any]]:
    flips = found["flips"]
    rows: list[list[Any]] = [
        ["answers right to wrong", flips["right_to_wrong"]],
        ["answers wrong to right", flips["wrong_to_right"]],
        ["votes right to wrong", found["collapsed"]],
        ["votes wrong to right", found["corrected"]],
        ["correlation of errors in round 0", found["error_correlation"]],
        ["as many independent voters", found["effective_voters"]],
        ["majorities heard and adopted", found["majority_adopted"]],
        *([f"tokens of {role.replace('_', ' ')} calls", tokens] for role, tokens in found["helper_tokens"].items()),
        ["tokens spent after round 0 and on helpers", found["coordination"]],
        ["input of the last round over round 0", found["context_growth"]],
    ]
    judge = found["judge_agrees_with_vote"]
    return [row for row in rows if row[1] is not None] + (
        [] if judge is None else [["judge agrees with vote", judge["value"]]]
    )
