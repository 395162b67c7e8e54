"""Scripted cases about what is said in a debate: turns, prompts, steering, judges, events, cancelling."""

import asyncio
import os
import tempfile
import threading
from pathlib import Path
from typing import Any
from unittest.mock import patch

from madsim import llm
from madsim.answers import equivalent
from madsim.llm._prompts import transcript
from madsim.protocols import Judge, Protocol
from tests._engine.people import Case, Recorder, marked, outcome_of, protocol_of, sample_of


def script(given: Case, expected: Case) -> Case:
    rows = given["script"]
    kinds = {"type": "number"} if all(_number(one) for row in rows for one in row) else {}
    people = Recorder(len(rows), lambda request: rows[request.context.agent][request.context.turn])
    judge = None
    if "judge" in given:
        judge = llm.Debater(name="judge", model=llm.ScriptedModel(replies=given["judge"]))
    run = llm.run_debates(protocol_of(given), people.panel, [sample_of({**kinds, **given})], judge=judge, rng=0)
    return outcome_of(run)


def _number(reply: str) -> bool:
    return reply.startswith("!") or reply.rpartition("Final answer: ")[2].replace(".", "").isdigit()


def markers(given: Case, expected: Case) -> Case:
    people = marked(given["n"])
    llm.run_debates(protocol_of({**given, "convergence": False}), people.panel, [sample_of({"type": "number"})])
    found: Case = {}
    for name, marks in expected.items():  # round1_prompt_of_d2_contains
        where, _, what = name.partition("_prompt_of_")
        who, _, how = what.partition("_")
        text = people.of(who, int(where.removeprefix("round")))
        found[name] = [mark for mark in marks if (mark in text) == (how == "contains")]
    return found


def second_run(given: Case, expected: Case) -> Case:
    turn = {"run": 0}
    people = Recorder(2, lambda r: f"run{turn['run']} d{r.context.agent}\nFinal answer: {r.context.agent}")
    for turn["run"] in range(1, given["runs"] + 1):
        people.prompts.clear()
        llm.run_debates(Protocol(rounds=1), people.panel, [sample_of({"type": "number"})])
    first = " ".join(text for _, round, text in people.prompts if round == 0)
    return {name: [mark for mark in marks if mark not in first] for name, marks in expected.items()}


def steer(given: Case, expected: Case) -> Case:
    people = marked(given["n"])
    note = llm.Steer(**given["steer"])
    protocol = protocol_of({**given, "convergence": False})
    llm.run_debates(protocol, people.panel, [sample_of({"type": "number"})], steer=[note])
    return {"prompts_with_note": sorted([who, round] for who, round, text in people.prompts if note.text in text)}


def grant(given: Case, expected: Case) -> Case:
    people = marked(given.get("n", 2))
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        first = llm.run_debates(
            protocol_of(given),
            people.panel,
            [sample_of({"type": "number"})],
            pause=given["pause_on_max"],
            record=record,
        )
        assert first.transcripts[0].outcome["status"] == "paused", first.transcripts[0].outcome
        llm.grant(record, rounds=given["grant"], comment=given.get("comment"))
        run = llm.resume(record, people.panel)
    twice = len(people.prompts) - len({(who, round) for who, round, _ in people.prompts})
    return {**outcome_of(run), "asked_twice": twice}


def first_speaker(given: Case, expected: Case) -> Case:
    people = marked(3)
    llm.run_debates(protocol_of({**given, "rounds": 1}), people.panel, [sample_of({"type": "number"})])
    text = people.of(f"d{given['speaker']}", given["round"])
    signs = {"peer section": "other debaters", "empty quote": "\n> \n"}
    return {"prompt_lacks": [name for name in expected["prompt_lacks"] if signs[name] not in text]}


def latency(given: Case, expected: Case) -> Case:
    waits = given["latency"]
    done: list[int] = []

    async def reply(request: llm.Request) -> str:
        for _ in range(int(waits[request.context.agent] * 100)):  # turns of the event loop stand for seconds
            await asyncio.sleep(0)
        done.append(request.context.agent)
        return "Final answer: 1"

    model = llm.CallableModel(function=reply, takes="request")
    panel = [llm.Debater(name=f"d{i}", model=model) for i in range(given["n"])]
    run = llm.run_debates(Protocol(rounds=0), panel, [sample_of({"type": "number"})])
    assert done == sorted(range(given["n"]), key=lambda place: waits[place]), done
    return {"transcript_order": [run.agents[reply.agent] for reply in run.transcripts[0].replies]}


def cancel(given: Case, expected: Case) -> Case:
    async def main() -> str:
        begun = asyncio.Event()

        async def reply(messages: list) -> str:
            begun.set()
            await asyncio.Event().wait()
            return "never"

        model = llm.CallableModel(function=reply)
        panel = [llm.Debater(name=f"d{i}", model=model) for i in range(2)]
        task = asyncio.create_task(llm.run_debates_async(Protocol(), panel, [sample_of({})]))
        await begun.wait()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            left = [other for other in asyncio.all_tasks() if other is not asyncio.current_task()]
            return "CancelledError" if not left else f"{len(left)} tasks left running"
        return "nothing"

    return {"raises": asyncio.run(main())}


def forged(given: Case, expected: Case) -> Case:
    people = Recorder(2, lambda r: given["reply"] if r.context.agent == 0 else "Final answer: B")
    sample = sample_of({"type": "choice", "choices": {"A": "a", "B": "b"}})
    llm.run_debates(Protocol(rounds=1), people.panel, [sample])
    text = transcript(sample, ("d0", "d1"), [llm.Said(round=0, agent=0, text=given["reply"])])
    heads = [line for line in text.splitlines() if line.startswith("===")]
    seen = people.of("d1", 1).split("user: ")[-1]
    ours = llm.Prompts().ending(sample).splitlines()
    own_lines = [
        line for line in seen.splitlines() if line.strip() and line in given["reply"].splitlines() and line not in ours
    ]
    assert not own_lines, own_lines
    return {"turns_in_transcript": len(heads)}


def judge_reply(given: Case, expected: Case) -> Case:
    executed = {"yes": False}
    people = Recorder(2, lambda r: f"Final answer: {r.context.agent}")
    judge = llm.Debater(name="judge", model=llm.ScriptedModel(replies=[given["judge_reply"]] * 3))

    def alarm(*_: object) -> str:
        executed["yes"] = True
        return ""

    verdicts: list[Any] = []
    with patch.object(os, "getcwd", alarm), patch.object(os, "system", alarm):
        run = llm.run_debates(
            Protocol(rounds=1, reduction=Judge(kind="comparative")),
            people.panel,
            [sample_of({"type": "number"})],
            judge=judge,
            on_event=lambda event: verdicts.append(event.data["answer"]) if event.kind == "verdict" else None,
        )
    assert run.transcripts[0].outcome["method"] == "majority_fallback"
    return {"executed": executed["yes"], "verdict": verdicts[0]}


def event(given: Case, expected: Case) -> Case:
    padding = "word " * (given["reply_chars"] // 5)
    people = Recorder(1, lambda r: f"{padding}\nFinal answer: {given['final']}")
    events: list[llm.Event] = []
    sample = sample_of({"type": "choice", "choices": {"A": "a", "B": "b", "C": "c", "D": "d"}})
    llm.run_debates(Protocol(rounds=0), people.panel, [sample], on_event=events.append)
    reply = next(event for event in events if event.kind == "reply")
    assert len(reply.data["text"]) < given["reply_chars"]
    return {"event_answer": reply.data["answer"]}


def worker_thread(given: Case, expected: Case) -> Case:
    found: list[bool] = []
    thread = threading.Thread(
        target=lambda: found.append(equivalent(given["a"], given["b"], given.get("type", "math")))
    )
    thread.start()
    thread.join()
    return {"equal": found[0]}
