"""Scripted cases about records: crashes, torn lines, files that exist, failed items."""

import json
import tempfile
from pathlib import Path

from madsim import llm
from madsim.protocols import Judge, Protocol
from madsim.tasks import Sample
from madsim.transcripts import RunWriter
from tests._engine.people import Case, Recorder, marked, outcome_of, protocol_of, sample_of


def crash(given: Case, expected: Case) -> Case:
    """A crash (an error that is nobody's failure, so that nothing is written) at a chosen call, then a resume."""
    crashing, count = {"on": True}, {}

    class Crash(BaseException):
        pass

    def reply(request: llm.Request) -> str:
        who = "judge" if request.context.role == "judge" else f"d{request.context.agent}"
        if crashing["on"] and given["crash"].startswith(who):
            raise Crash
        if not crashing["on"]:
            count[who] = count.get(who, 0) + 1
        return "Final answer: 0" if who == "judge" else f"Final answer: {request.context.agent}"

    people = Recorder(given["n"], reply)
    judge = llm.Debater(name="judge", model=people.panel[0].model)
    protocol = Protocol(rounds=given["rounds"], reduction=Judge())
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        try:
            llm.run_debates(protocol, people.panel, [sample_of({"type": "number"})], judge=judge, record=record)
        except Crash:
            crashing["on"] = False
        llm.resume(record, people.panel, judge=judge)
    return {"calls_after_resume": {name: count.get(name, 0) for name in expected["calls_after_resume"]}}


def resumed_usage(given: Case, expected: Case) -> Case:
    crashing = {"on": True}

    class Crash(BaseException):
        pass

    def reply(request: llm.Request) -> llm.Completion:
        if request.context.round == 1 and crashing["on"]:
            raise Crash
        tokens = given["usage_before_crash"] if request.context.round == 0 else given["usage_after"]
        return llm.Completion(text="Final answer: 1", usage=llm.Usage(input=tokens))

    people = Recorder(1, reply)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        try:
            llm.run_debates(Protocol(rounds=1), people.panel, [sample_of({"type": "number"})], record=record)
        except Crash:
            crashing["on"] = False
        totals = llm.resume_record(record, people.panel)
        outcome = llm.resume(record, people.panel).transcripts[0].outcome
    assert outcome["usage"]["input"] == totals.usage.input
    return {"total": totals.usage.total}


def torn(given: Case, expected: Case) -> Case:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        RunWriter.create(record, {"agents": ["d0"]}).close()
        with record.open("a", encoding="utf-8") as file:
            file.write(given["log"])
        writer, found = RunWriter.resume(record)
        with writer:
            writer.write(given["append"])
        lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        return {"records": lines[1:], "torn": found.notes["torn_lines"]}


def exists(given: Case, expected: Case) -> Case:
    people = marked(1)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        record.write_text("precious")
        try:
            llm.run_debates(Protocol(rounds=0), people.panel, [sample_of({})], record=record)
        except FileExistsError:
            return {"deleted": record.read_text() != "precious" or bool(people.prompts)}
    return {"deleted": "no error"}


def items(given: Case, expected: Case) -> Case:
    broken = {f"q{i}" for i in given["failed"]}
    people = Recorder(2, lambda r: "!500" if r.context.sample.id in broken else "Final answer: 1")
    samples = [Sample(id=f"q{i}", question="?", target="1", answer_type="number") for i in range(given["items"])]
    run = llm.run_debates(Protocol(rounds=1), people.panel, samples)
    outcomes = {one.sample.id: one.outcome for one in run.transcripts}
    assert all(outcomes[name]["status"] == "failed" and outcomes[name]["correct"] is False for name in broken)
    return {"scored": len(outcomes), "failed": sum(one["status"] == "failed" for one in outcomes.values())}


def gold(given: Case, expected: Case) -> Case:
    replies = given["replies"]
    people = Recorder(len(replies), lambda r: replies[r.context.agent])
    run = llm.run_debates(protocol_of({"rounds": 0}), people.panel, [sample_of({"type": "number", **given})])
    return outcome_of(run)
