"""``madsim transcripts``: what agents really said, imported, shown and worked on without one call."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from madsim.cli._explain import explanation, explanation_text
from madsim.cli._output import add_command, add_group, emit, note, table
from madsim.cli._runs import (
    RUN_HELP,
    load_run,
    new_file,
    notes_lines,
    printable,
    scores,
    scores_table,
    seekable,
)

if TYPE_CHECKING:
    from madsim.transcripts import Reply, Run, Transcript

_FORMATS = ("auto", "record", "debate-or-vote", "du", "dylan", "table", "answers", "sycophancy")
_TYPES = ("number", "math", "choice", "multichoice", "boolean", "text", "quantity")


def add(commands: Any) -> None:
    """Add the group to the command line."""
    group = add_group(commands, "transcripts", help="import, show, re-read and export real debates")
    _add_import(group)
    show = add_command(group, "show", _show, help="show a run, or one of its debates word by word")
    show.add_argument("run", metavar="RUN", help=RUN_HELP)
    show.add_argument("--sample", metavar="ID", help="show the debate on this sample")
    extract = add_command(group, "extract", _extract, help="read every answer out of its text again")
    extract.add_argument("run", metavar="RUN", help=RUN_HELP)
    extract.add_argument("--out", metavar="RUN", help="write the run with the new answers to this new record")
    extract.add_argument(
        "--explain",
        action="store_true",
        help="show reasons by round, the twenty oddest replies, and what changes in accuracy and vote",
    )
    revote = add_command(group, "revote", _revote, help="vote again on the recorded answers")
    revote.add_argument("run", metavar="RUN", help=RUN_HELP)
    revote.add_argument(
        "--ties",
        choices=("split", "first", "fail"),
        default="split",
        help="split: a tie of m answers counts 1/m (default); first: the agent first in declared order decides; fail: no answer",
    )
    again = add_command(group, "rejudge", _rejudge, help="read the recorded words of judges again")
    again.add_argument("run", metavar="RUN", help="a record ('-': standard input)")
    cut = add_command(group, "cut", _cut, help="drop the rounds after one")
    cut.add_argument("run", metavar="RUN", help=RUN_HELP)
    cut.add_argument("--rounds", type=int, required=True, metavar="N", help="last round to keep (0: round 0 only)")
    cut.add_argument("--out", metavar="RUN", help="write the shorter run to this new record")
    merge = add_command(group, "merge", _merge, help="put the records of shards of one run together again")
    merge.add_argument("runs", metavar="RUN", nargs="+", help="records of the same protocol and debaters")
    merge.add_argument("--out", metavar="RUN", required=True, help="new record to write")
    export = add_command(group, "export", _export, help="write a run as a flat table")
    export.add_argument("run", metavar="RUN", help=RUN_HELP)
    export.add_argument("--format", choices=("table", "record"), default="table", help="layout (default table)")
    export.add_argument(
        "--out", metavar="FILE", default="-", help="new .csv, .jsonl or .parquet file (default: CSV on standard output)"
    )
    export.add_argument("--no-text", action="store_true", help="answers only, without replies and questions")


def _add_import(group: Any) -> None:
    parser = add_command(group, "import", _import, help="turn a file of debates into a run record")
    parser.add_argument("file", metavar="FILE", help="the file or folder ('-': standard input)")
    parser.add_argument("--format", choices=_FORMATS, default="auto", help="its layout (default: look at it)")
    parser.add_argument("--out", metavar="RUN", required=True, help="new record to write")
    parser.add_argument("--answer-type", choices=_TYPES, help="type of the answers, where the targets do not tell")
    parser.add_argument("--gold", metavar="CSV", help="dylan: table of the right answers")
    parser.add_argument("--agents", type=int, metavar="N", help="dylan: take the debates of this panel size only")
    parser.add_argument(
        "--first-round", type=int, metavar="N", help="table: number of the independent round (default 0)"
    )


def _import(arguments: argparse.Namespace) -> int:
    from dataclasses import replace

    from madsim.transcripts import import_run, write_run

    target = new_file(arguments.out)
    with seekable(arguments.file) as file:
        run = import_run(
            file,
            arguments.format,
            answer_type=arguments.answer_type,
            gold=arguments.gold,
            agents=arguments.agents,
            first_round=arguments.first_round,
        )
    if arguments.file == "-":
        run = replace(run, source={**run.source, "file": "standard input"})
    payload = {**_summary(run), "record": str(target)}
    write_run(run, target)
    emit(arguments, payload, lambda: "\n".join([_summary_text(payload), f"written: {target}"]))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    run = load_run(arguments.run)
    if arguments.sample is None:
        payload = _summary(run)
        emit(arguments, payload, lambda: _summary_text(payload))
        return 0
    found = [one for one in run.transcripts if one.sample.id == arguments.sample]
    if not found:
        known = list(dict.fromkeys(one.sample.id for one in run.transcripts))
        some = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
        raise ValueError(f"{arguments.run} has no sample {arguments.sample!r}; it has {some}")
    payload = {"debates": [_debate(run, one) for one in found]}
    emit(arguments, payload, lambda: "\n\n".join(_debate_text(run, one) for one in found))
    return 0


def _summary(run: Run) -> dict[str, Any]:
    from madsim.transcripts import votes_of

    payload: dict[str, Any] = {
        "source": run.source,
        "agents": list(run.agents),
        "samples": len({one.sample.id for one in run.transcripts}),
        "debates": len(run.transcripts),
        "replies": sum(len(one.replies) for one in run.transcripts),
        "control": run.control,
        "notes": run.notes,
    }
    if not payload["replies"]:
        return {**payload, "rounds": None, "early_stopping": run.early_stopping}
    votes = votes_of(run)
    return {**payload, "rounds": votes.n_rounds, "early_stopping": votes.early_stopping, **scores(votes)}


def _summary_text(payload: dict[str, Any]) -> str:
    early = {True: "yes", False: "no", None: "unknown"}[payload["early_stopping"]]
    facts = [
        ["layout", payload["source"].get("format", payload["source"].get("kind", "record"))],
        ["agents", f"{len(payload['agents'])} ({', '.join(payload['agents'][:8])})"],
        ["questions", payload["samples"]],
        ["debates", payload["debates"]],
        ["rounds after round 0", payload["rounds"]],
        ["replies", payload["replies"]],
        ["debates stop early", early],
    ]
    lines = [table(["run", ""], facts)]
    if payload["rounds"] is not None:
        lines += ["", scores_table(payload)]
    notes = notes_lines(payload["notes"])
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _debate(run: Run, transcript: Transcript) -> dict[str, Any]:
    return {
        **transcript.sample.to_dict(),
        "epoch": transcript.epoch,
        "outcome": transcript.outcome,
        "replies": [
            {
                "round": reply.round,
                "agent": run.agents[reply.agent],
                "text": reply.text,
                "answer": reply.answer,
                "reason": reply.reason,
                "span": reply.span,
                "failed": reply.failed,
            }
            for reply in transcript.replies
        ],
    }


def _debate_text(run: Run, transcript: Transcript) -> str:
    sample = transcript.sample
    lines = [f"sample {sample.id}" + (f", epoch {transcript.epoch}" if transcript.epoch else "")]
    lines += [printable(sample.question)] if sample.question else []
    lines += [f"  {letter}) {printable(text)}" for letter, text in (sample.choices or {}).items()]
    lines.append(f"right answer: {printable(sample.target or 'unknown')}")
    for reply in transcript.replies:
        lines += ["", _reply_head(run, reply)]
        lines += [f"  | {line}" for line in printable(reply.text).splitlines()] if reply.text else []
    if transcript.outcome is not None:
        outcome = transcript.outcome
        answer = printable(str(outcome.get("answer")))
        lines += ["", f"outcome: {answer} ({outcome.get('status')}, by {outcome.get('method')})"]
    return "\n".join(lines)


def _reply_head(run: Run, reply: Reply) -> str:
    if reply.failed:
        said = "no reply"
    elif reply.answer is None:
        said = "no answer"
    else:
        said = f"answers {printable(reply.answer)}"
    because = f" ({reply.reason})" if reply.reason else ""
    return f"round {reply.round}, {printable(run.agents[reply.agent])}: {said}{because}"


def _extract(arguments: argparse.Namespace) -> int:
    from collections import Counter

    from madsim.transcripts import reextract, votes_of, write_run

    target = None if arguments.out is None else new_file(arguments.out)
    run = load_run(arguments.run, messages=target is not None)
    new = reextract(run)
    pairs = [
        (old, now)
        for before, after in zip(run.transcripts, new.transcripts, strict=True)
        for old, now in zip(before.replies, after.replies, strict=True)
        if old.text is not None and not old.failed
    ]
    if not pairs:
        raise ValueError(f"{arguments.run} holds no texts of replies, so nothing can be read again")
    payload = {
        "texts": len(pairs),
        "changed": sum(old.answer != now.answer for old, now in pairs),
        "lost": sum(old.answer is not None and now.answer is None for old, now in pairs),
        "found": sum(old.answer is None and now.answer is not None for old, now in pairs),
        "reasons": dict(Counter(now.reason or "none" for _, now in pairs).most_common()),
        "record": None if target is None else str(target),
        **scores(votes_of(new)),
    }
    if arguments.explain:
        payload["explanation"] = explanation(run, new)
    if target is not None:
        write_run(new, target)
    counts = [[name, payload[name]] for name in ("texts", "changed", "lost", "found")]
    reasons = [[name, count] for name, count in payload["reasons"].items()]

    def readable() -> str:
        if arguments.explain:
            return "\n\n".join([table(["texts", ""], counts), explanation_text(payload["explanation"])])
        return "\n\n".join([table(["texts", ""], counts), table(["reason", "replies"], reasons), scores_table(payload)])

    emit(arguments, payload, readable)
    return 0


def _revote(arguments: argparse.Namespace) -> int:
    from madsim.transcripts import carry_forward, plurality_credit, votes_of

    run = load_run(arguments.run)
    votes = votes_of(run)
    credit = plurality_credit(carry_forward(votes).answers[:, -1, :], arguments.ties)
    samples = [
        {
            "sample": one.sample.id,
            "epoch": one.epoch,
            "right": float(share) if known else None,
            "recorded": None if one.outcome is None else one.outcome.get("answer"),
        }
        for one, share, known in zip(run.transcripts, credit, votes.has_target, strict=True)
    ]
    payload = {"ties": arguments.ties, **scores(votes, ties=arguments.ties), "samples": samples}
    emit(arguments, payload, lambda: scores_table(payload))
    return 0


def _rejudge(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from madsim.transcripts import read_record, rejudge

    found = rejudge(read_record(arguments.run))
    payload = {
        "judged": len(found),
        "changed": sum(one.answer is not None and one.answer != one.recorded for one in found),
        "undecided": sum(one.answer is None for one in found),
        "right": sum(one.correct is True for one in found),
        "samples": [asdict(one) for one in found],
    }
    counts = [[name, payload[name]] for name in ("judged", "changed", "undecided", "right")]
    rows = [
        [printable(one.sample), printable(one.recorded or "-"), printable(one.answer or "-"), one.reason]
        for one in found
    ]
    shown = [table(["judge", ""], counts), table(["sample", "recorded", "read now", "reason"], rows)]
    emit(arguments, payload, lambda: "\n\n".join(shown))
    return 0


def _cut(arguments: argparse.Namespace) -> int:
    from madsim.transcripts import cut_rounds, write_run

    target = None if arguments.out is None else new_file(arguments.out)
    whole = load_run(arguments.run, messages=target is not None)
    run = cut_rounds(whole, arguments.rounds)
    if run.transcripts == whole.transcripts:
        note(f"no debate of {arguments.run} went on after round {arguments.rounds}: nothing was cut")
    payload = {**_summary(run), "record": None if target is None else str(target)}
    if target is not None:
        write_run(run, target)
    written = [] if target is None else [f"written: {target}"]
    emit(arguments, payload, lambda: "\n".join([_summary_text(payload), *written]))
    return 0


def _merge(arguments: argparse.Namespace) -> int:
    from madsim.transcripts import merge_records, run_of

    target = new_file(arguments.out)
    record = merge_records(arguments.runs, target)
    shard = record.header.get("shard") or {"of": 0, "parts": []}
    missing = shard["of"] - len(shard["parts"])
    if missing:
        absent = (str(k) for k in range(1, shard["of"] + 1) if k not in shard["parts"])
        names = ", ".join(islice(absent, 20)) + (", ..." if missing > 20 else "")
        note(f"shards of {shard['of']} that are still missing: {names}")
    payload = {
        **_summary(run_of(record)),
        "records": len(arguments.runs),
        "missing_shards": missing,
        "record": str(target),
    }
    emit(arguments, payload, lambda: "\n".join([_summary_text(payload), f"written: {target}"]))
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from madsim.transcripts import export_table, write_run

    to_stdout = arguments.out == "-"
    if to_stdout and (arguments.json or arguments.format == "record"):
        raise ValueError("name a file with --out: standard output holds the CSV table only")
    if not to_stdout:
        new_file(arguments.out)
    run = load_run(arguments.run, messages=arguments.format == "record")
    if arguments.format == "record":
        write_run(run, arguments.out)
    else:
        export_table(run, arguments.out, text=not arguments.no_text)
    replies = sum(len(one.replies) for one in run.transcripts)
    if to_stdout:
        note(f"{replies} rows")
        return 0
    payload = {"file": arguments.out, "format": arguments.format, "rows": replies}
    emit(arguments, payload, lambda: f"{replies} rows written: {arguments.out}")
    return 0
