"""``madsim benchmark``: votes and debates on the same questions, what they cost, and paired differences."""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from madsim.cli._debate_options import budget_of, budget_options, endpoint_options, prices_of
from madsim.cli._output import Progress, add_command, emit, note, rng_option, table
from madsim.cli._runs import count_debates
from madsim.cli._structure_option import arrange

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from madsim.llm import Arrangement, Budget, Plan
    from madsim.tasks import Sample
    from madsim.transcripts import Record, Run

_OPTION = re.compile(
    r"(?:vote:(?P<votes>[1-9]\d{0,4})|(?P<name>[a-z-]+):(?P<agents>[1-9]\d{0,3})x(?P<rounds>[1-9]\d{0,2}))"
)
_UNSAFE = re.compile(r"[^A-Za-z0-9.+-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A way to answer: a plain vote, a debate, or another structure."""

    name: str
    structure: str
    agents: int
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One option on one task with one model: the run and the credit of its last vote by question."""

    task: str
    model: str
    option: Option
    run: Run
    credit: np.ndarray
    cluster: np.ndarray


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "benchmark",
        _benchmark,
        help="run votes and debates on the same questions and compare them",
        parents=[endpoint_options(), budget_options(), rng_option()],
    )
    parser.add_argument("tasks", metavar="TASK", nargs="+", help="question sets: JSON lines, CSV or Parquet")
    parser.add_argument(
        "--option",
        type=option,
        action="append",
        required=True,
        metavar="OPTION",
        help="vote:N, debate:NxT for N agents and T rounds after round 0, or another structure: in-turn, pair, chat, moderated, "
        "sequential, phases, pool or nested:NxT; give several",
    )
    parser.add_argument("--record", metavar="DIR", help="folder of the records; runs that are in it are resumed")
    parser.add_argument("--plan", action="store_true", help="say what it would take and send nothing")
    parser.add_argument("--convergence", action="store_true", help="debates stop at agreement")
    parser.add_argument("--concurrency", type=int, default=8, metavar="N", help="most calls at once (default 8)")
    parser.add_argument(
        "--expected-tokens",
        type=int,
        default=200,
        metavar="N",
        help="expected length of a reply, for --plan (default 200)",
    )


def option(text: str) -> Option:
    """``vote:5``, ``debate:5x2``, ``pool:4x2``, ..."""
    found = _OPTION.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"expected vote:N or NAME:NxT, such as vote:25, debate:5x2 or pool:4x2; got {text!r}"
        )
    if found["votes"] is not None:
        return Option(name=text, structure="vote", agents=int(found["votes"]), rounds=0)
    return Option(name=text, structure=_scored(found["name"]), agents=int(found["agents"]), rounds=int(found["rounds"]))


def _scored(name: str) -> str:
    """The name of a structure that answers questions."""
    from madsim.llm import STRUCTURES

    known = [one.name for one in STRUCTURES.values() if one.answers and one.name != "vote"]
    if name not in known:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}, nor vote:N")
    return name


def _benchmark(arguments: argparse.Namespace) -> int:
    from madsim.tasks import read_samples

    if not arguments.model:
        raise ValueError("name at least one --model (for a rehearsal without an endpoint: --model simulated)")
    names = [one.name for one in arguments.option]
    if len(set(names)) != len(names):
        raise ValueError(f"an --option stands twice in {', '.join(names)}")
    stems = [Path(task).stem for task in arguments.tasks]
    if len(set(stems)) != len(stems):
        raise ValueError(f"two tasks have the same name: {', '.join(arguments.tasks)}")
    tasks = {stem: read_samples(task) for stem, task in zip(stems, arguments.tasks, strict=True)}
    if arguments.plan:
        return _plan(arguments, tasks)
    if arguments.record is None:
        raise ValueError("name the folder of the records with --record DIR (or add --plan, which sends nothing)")
    rows, stopped = _run_all(arguments, tasks)
    payload = {"rows": _described(rows), "stopped_by_budget": stopped}
    emit(arguments, payload, lambda: _text(payload))
    return 3 if stopped else 0


def _arranged(arguments: argparse.Namespace, model: str, chosen: Option, *, seeded: bool) -> Arrangement:
    sized = argparse.Namespace(**{**vars(arguments), "agents": chosen.agents, "rounds": chosen.rounds})
    return arrange(chosen.structure, model, sized, convergence=arguments.convergence, seeded=seeded)


def _plan(arguments: argparse.Namespace, tasks: dict[str, tuple[Sample, ...]]) -> int:
    found: list[tuple[str, str, str, Plan]] = []
    for task, samples in tasks.items():
        for model in arguments.model:
            for chosen in arguments.option:
                arrangement = _arranged(arguments, model, chosen, seeded=arguments.rng is not None)
                made = arrangement.plan(samples, prices=prices_of(arguments), reply_tokens=arguments.expected_tokens)
                found.append((task, model, chosen.name, made))
    rows = [
        {
            "task": task,
            "model": model,
            "option": name,
            "calls": made.calls,
            "tokens": made.input_tokens + made.output_tokens,
            "cost": made.cost,
        }
        for task, model, name, made in found
    ]
    costs = [row["cost"] for row in rows]
    total = {
        "calls": sum(row["calls"] for row in rows),
        "tokens": sum(row["tokens"] for row in rows),
        "cost": None if None in costs else sum(costs),
    }
    payload = {"plan": rows, "total": total}
    cells = [[row[name] for name in ("task", "model", "option", "calls", "tokens", "cost")] for row in rows]
    cells.append(["all", "", "", total["calls"], total["tokens"], total["cost"]])
    emit(arguments, payload, lambda: table(["task", "model", "option", "calls", "tokens", "cost"], cells))
    return 0


def _run_all(arguments: argparse.Namespace, tasks: dict[str, tuple[Sample, ...]]) -> tuple[list[Row], bool]:
    folder = Path(arguments.record)
    folder.mkdir(parents=True, exist_ok=True)
    caps = budget_of(arguments)
    rows: list[Row] = []
    for task, samples in tasks.items():
        for model in arguments.model:
            for chosen in arguments.option:
                note(f"{task}, {model}, {chosen.name}")
                record = folder / f"{_UNSAFE.sub('-', f'{task}_{model}_{chosen.name}')}.jsonl"
                left = None if caps is None else _left(caps, rows)
                row = _run(arguments, task, samples, model, chosen, record, left)
                rows.append(row)
                if any(
                    one.outcome is not None and one.outcome.get("status") == "budget" for one in row.run.transcripts
                ):
                    return rows, True
    return rows, False


def _run(
    arguments: argparse.Namespace,
    task: str,
    samples: Sequence[Sample],
    model: str,
    chosen: Option,
    record: Path,
    budget: Budget | None,
) -> Row:
    import numpy as np

    from madsim.llm import Budget, resume
    from madsim.protocols import Majority
    from madsim.transcripts import carry_forward, plurality_credit, votes_of

    before = _begun(record, task, samples)
    seeded = arguments.rng is not None if before is None else _was_seeded(before)
    arrangement = _arranged(arguments, model, chosen, seeded=seeded)
    if before is not None and before.header.get("protocol") != arrangement.protocol.to_dict():
        raise ValueError(f"{record} was run with another protocol (--convergence?); name another --record folder")
    progress = Progress(chosen.name)
    common: dict[str, Any] = {
        "budget": budget or Budget(),  # no caps: those of an earlier, stopped run do not bind this one
        "prices": prices_of(arguments),
        "concurrency": arguments.concurrency,
        "on_event": count_debates(progress),
    }
    if before is not None:
        run = resume(record, arrangement.debaters, **arrangement.helpers, **common)
    else:
        run = arrangement.run(samples, record=record, rng=arguments.rng, **common)
    progress.close()
    if not any(one.replies for one in run.transcripts):  # the budget was at its end before the first reply
        questions = np.arange(len(run.transcripts))
        return Row(
            task=task, model=model, option=chosen, run=run, credit=np.full(len(questions), math.nan), cluster=questions
        )
    votes = votes_of(run)
    if isinstance(arrangement.protocol.reduction, Majority):
        credit = plurality_credit(carry_forward(votes).answers[:, -1, :])
    else:  # somebody or something else decides: what it decided counts
        credit = np.array([float((one.outcome or {}).get("correct") is True) for one in run.transcripts])
    cut = [one.outcome is None or one.outcome.get("status") == "budget" for one in run.transcripts]
    credit[cut] = math.nan  # a debate that the budget cut is no answer, right or wrong
    return Row(task=task, model=model, option=chosen, run=run, credit=credit, cluster=votes.cluster)


def _begun(path: Path, task: str, samples: Sequence[Sample]) -> Record | None:
    """The record of a run that began before, on the same questions: nothing may be asked about others."""
    from madsim.transcripts import read_record

    if not path.exists():
        return None
    record = read_record(path)
    if dict(record.samples) != {sample.id: sample for sample in samples}:
        raise ValueError(f"{path} holds other questions than {task}; name another --record folder")
    return record


def _was_seeded(record: Record) -> bool:
    """Whether the run sent seeds: one that goes on must go on as it began, with or without --rng."""
    debater = (record.header.get("debaters") or ({},))[0]
    while inner := (debater.get("model") or {}).get(
        "debaters"
    ):  # the settings of a seat that is a debate are its debaters'
        debater = inner[0]
    return (debater.get("settings") or {}).get("seed") == "derived"


def _left(caps: Budget, rows: list[Row]) -> Budget:
    """What is left of the caps for the next run."""
    spent = [_spent(row.run) for row in rows]

    def less(cap: Any, name: str) -> Any:
        return None if cap is None else max(0, cap - sum(one[name] for one in spent))

    return replace(
        caps,
        max_calls=less(caps.max_calls, "calls"),
        max_tokens=less(caps.max_tokens, "tokens"),
        max_cost=less(caps.max_cost, "cost"),
    )


def _spent(run: Run) -> dict[str, Any]:
    outcomes = [one.outcome for one in run.transcripts if one.outcome is not None]
    usages = [one.get("usage") or {} for one in outcomes]
    return {
        "calls": sum(int(one.get("calls") or 0) for one in outcomes),
        "tokens": sum(int(one.get("input") or 0) + int(one.get("output") or 0) for one in usages),
        "cost": sum(float(one.get("cost") or 0.0) for one in outcomes),
    }


def _described(rows: list[Row]) -> list[dict[str, Any]]:
    plain = []
    for row in rows:
        spent = _spent(row.run)
        rivals = [one for one in rows if (one.task, one.model) == (row.task, row.model) and one is not row]
        nearest = min(rivals, key=lambda one: abs(_spent(one.run)["tokens"] - spent["tokens"]), default=None)
        plain.append(
            {
                "task": row.task,
                "model": row.model,
                "option": row.option.name,
                "accuracy": _mean(row.credit, row),
                **spent,
                "calls_per_question": spent["calls"] / len(row.credit),
                "tokens_per_question": spent["tokens"] / len(row.credit),
                "differences": [_difference(row, rival) for rival in rivals],
                "nearest_in_tokens": None if nearest is None else nearest.option.name,
            }
        )
    return plain


def _difference(row: Row, rival: Row) -> dict[str, Any]:
    """Accuracy of one option minus that of another, question by question."""
    tokens = _spent(rival.run)["tokens"]
    return {
        "against": rival.option.name,
        **_mean(row.credit - rival.credit, row),
        "cost_ratio": _spent(row.run)["tokens"] / tokens if tokens else None,
    }


def _mean(values: np.ndarray, row: Row) -> dict[str, Any]:
    """The mean over finished questions with its error; nothing where none was finished."""
    from madsim.cli._runs import estimate_dict
    from madsim.transcripts import clustered_mean

    if not (values == values).any():
        return {"value": None, "standard_error": None, "n": 0, "interval": None}
    return estimate_dict(clustered_mean(values, row.cluster))


def _text(payload: dict[str, Any]) -> str:
    headers = [
        "task",
        "model",
        "option",
        "accuracy",
        "+-",
        "calls/q",
        "tokens/q",
        "cost",
        "against",
        "difference",
        "95 %",
    ]
    cells = []
    for row in payload["rows"]:
        found = {one["against"]: one for one in row["differences"]}
        rival = found.get(row["nearest_in_tokens"])
        interval = None if rival is None else rival["interval"]
        cells.append(
            [
                row["task"],
                row["model"],
                row["option"],
                row["accuracy"]["value"],
                row["accuracy"]["standard_error"],
                f"{row['calls_per_question']:.1f}",
                f"{row['tokens_per_question']:.0f}",
                row["cost"],
                row["nearest_in_tokens"],
                None if rival is None or rival["value"] is None else f"{rival['value']:+.4f}",
                "-" if interval is None else f"[{interval[0]:+.3f}, {interval[1]:+.3f}]",
            ]
        )
    lines = [
        table(headers, cells),
        "",
        "'against' is the option nearest in tokens; differences are paired by question.",
    ]
    return "\n".join([*lines, *(["stopped by the budget"] if payload["stopped_by_budget"] else [])])
