"""Scripted cases of the debate engine: each describes an input and what must come of it.

:func:`run_engine_case` runs one through the real engine (and, where the wire matters, through the real client against a loopback
server) and says whether everything expected came out, and if not, what did.
"""

import asyncio
import json
import os
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from madsim import llm
from madsim.answers import equivalent
from madsim.llm import _call
from madsim.llm._cache import cache_key
from madsim.llm._call import Place
from madsim.llm._prompts import transcript
from madsim.protocols import Convergence, GroupChat, Judge, OneByOne, Protocol, Simultaneous
from madsim.tasks import Sample
from madsim.transcripts import RunWriter
from tests._servers.chat import ChatServer, Reply, completion

Case = dict[str, Any]
SCHEDULES = {"simultaneous": Simultaneous(), "sequential": OneByOne(), "chat": GroupChat()}


def run_engine_case(case: Case) -> tuple[bool, str]:
    """Whether the engine does what the case expects, and what it did where it does not."""
    given, expected = case["input"], case["expected"]
    for key, handler in HANDLERS:
        if all(part in given for part in key.split()):
            try:
                found = handler(given, expected)
            except Exception as error:  # reported as the case's failure
                return False, f"{type(error).__name__}: {error}"
            return _compare(expected, found)
    return False, f"no handler for an input with {', '.join(sorted(given))}"


def _compare(expected: Case, found: Case) -> tuple[bool, str]:
    wrong = []
    for name, value in expected.items():
        if name not in found:
            wrong.append(f"{name}: nothing found, expected {value!r}")
        elif name.endswith("_max"):
            if not found[name] <= value * (1 + 1e-9):
                wrong.append(f"{name}: {found[name]!r} above {value!r}")
        elif name.endswith("_at_least"):
            if not found[name] >= value:
                wrong.append(f"{name}: {found[name]!r} below {value!r}")
        elif isinstance(value, float) and not isinstance(found[name], bool):
            if abs(found[name] - value) > 1e-9 * max(1.0, abs(value)):
                wrong.append(f"{name}: {found[name]!r}, expected {value!r}")
        elif found[name] != value:
            wrong.append(f"{name}: {found[name]!r}, expected {value!r}")
    return not wrong, "; ".join(wrong)


class Recorder:
    """Debaters d0, d1, ... whose replies are given, and every prompt that they were sent, as (name, round, text)."""

    def __init__(self, n: int, reply: Callable[[llm.Request], Any], **settings: Any) -> None:
        self.prompts: list[tuple[str, int, str]] = []
        self._lock = threading.Lock()
        self._reply = reply
        model = llm.ScriptedModel(replies=self._answer, name=settings.pop("model_name", "scripted"))
        self.panel = [llm.Debater(name=f"d{i}", model=model, **settings) for i in range(n)]

    def _answer(self, request: llm.Request) -> Any:
        context = request.context
        text = "\n".join(f"{message['role']}: {message['content']}" for message in request.messages)
        with self._lock:
            self.prompts.append((f"d{context.agent}", context.round, text))
        return self._reply(request)

    def of(self, name: str, round: int) -> str:
        return next(text for who, when, text in self.prompts if (who, when) == (name, round))


def _sample(given: Case) -> Sample:
    kind = given.get("type") or "text"
    return Sample(
        id="q", question="The question.", target=given.get("gold"), choices=given.get("choices"), answer_type=kind
    )


def _protocol(given: Case, **more: Any) -> Protocol:
    quorum, similarity = given.get("quorum"), given.get("threshold", 0.85)
    stop = None if given.get("convergence") is False else Convergence(quorum=quorum, similarity=similarity)
    reduction = {"reduction": Judge(each_round=bool(given.get("judge_each_round")))} if "judge" in given else {}
    schedule = SCHEDULES[given.get("schedule", given.get("protocol", "simultaneous"))]
    missing = given.get("on_missing", "drop")
    return Protocol(
        rounds=given.get("rounds", 1), convergence=stop, schedule=schedule, on_missing=missing, **{**reduction, **more}
    )


def _outcome_of(run: Any) -> Case:
    """All that a case may expect of one debate."""
    outcome = run.transcripts[0].outcome
    found = dict(outcome)
    found["failed"] = [list(one) for one in outcome["failed"]]
    found["answer_present"] = outcome["answer"] is not None
    found["debater_calls"] = sum(not reply.failed for reply in run.transcripts[0].replies)
    found["debater_rounds"] = len({reply.round for reply in run.transcripts[0].replies})
    return found


def _script(given: Case, expected: Case) -> Case:
    rows = given["script"]
    kinds = {"type": "number"} if all(_number(one) for row in rows for one in row) else {}
    people = Recorder(len(rows), lambda request: rows[request.context.agent][request.context.turn])
    judge = None
    if "judge" in given:
        judge = llm.Debater(name="judge", model=llm.ScriptedModel(replies=given["judge"]))
    run = llm.run_debates(_protocol(given), people.panel, [_sample({**kinds, **given})], judge=judge, rng=0)
    return _outcome_of(run)


def _number(reply: str) -> bool:
    return reply.startswith("!") or reply.rpartition("Final answer: ")[2].replace(".", "").isdigit()


def _budget(given: Case, expected: Case) -> Case:
    n = given["n"]
    differ = given.get("replies") == "disagree"
    people = Recorder(n, lambda r: f"Final answer: {r.context.agent if differ else 1}", model_name="m")
    spent: list[float] = []
    prices = llm.Prices(table={"m": llm.Price(per_call=given["cost_per_call"])})
    budget = llm.Budget(max_cost=given["max_cost"])
    sample = _sample({"type": "number"})
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        run = llm.run_debates(
            _protocol({**given, "convergence": False}),
            people.panel,
            [sample],
            budget=budget,
            prices=prices,
            record=record,
        )
        spent.append(
            sum(
                json.loads(line).get("cost") or 0
                for line in record.read_text().splitlines()
                if '"type": "call"' in line
            )
        )
    return {**_outcome_of(run), "spent_max": max(sum(spent), run.transcripts[0].outcome["cost"])}


def _price_unknown(given: Case, expected: Case) -> Case:
    people = Recorder(1, lambda r: "x", model_name=given["model"], max_tokens=5)
    prices = llm.Prices.of_table(given["price_table"])
    try:
        llm.run_debates(
            Protocol(), people.panel, [_sample({})], budget=llm.Budget(max_cost=given["max_cost"]), prices=prices
        )
    except ValueError:
        return {"raises": "at construction" if not people.prompts else "after a call"}
    return {"raises": "never"}


def _price_table(given: Case, expected: Case) -> Case:
    price = llm.Prices.of_table(given["price_table"]).of(given["model"])
    read, written = given["tokens"]
    return {"cost": None if price is None else price.cost(llm.Usage(input=read, output=written))}


def _price(given: Case, expected: Case) -> Case:
    return {"cost": llm.Price(**given["price"]).cost(llm.Usage(**given["usage"]))}


def _responses(given: Case, expected: Case) -> Case:
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    def reply(body: dict, number: int) -> Any:
        one = given["responses"][number]
        if one["status"] == 200:
            return completion("Final answer: 1")
        after = one.get("retry_after")
        if isinstance(after, str) and after.startswith("HTTP-date"):
            ahead = float(next(word for word in after.split() if word.replace(".", "").isdigit()))
            after = format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)
        return Reply(
            b'{"error": {"message": "no"}}',
            status=one["status"],
            headers={} if after is None else {"Retry-After": str(after)},
        )

    with ChatServer(reply) as server, patch.object(_call, "_pause", pause):
        run = _one_call(server)
    outcome = run.transcripts[0].outcome
    return {**outcome, "attempts": server.count, "waited_at_least": sum(waits), "waits": waits}


def _one_call(server: ChatServer, **more: Any) -> Any:
    model = llm.OpenAIModel(name="m", base_url=server.base_url)
    people = [llm.Debater(name="d0", model=model)]
    return llm.run_debates(
        Protocol(rounds=0), people, [_sample({"type": "number"})], retry=llm.Retry(first_wait=0.01), **more
    )


def _response(given: Case, expected: Case) -> Case:
    one = given["response"]
    with ChatServer(
        lambda body, number: completion(one.get("content"), finish=one.get("finish_reason", "stop"))
    ) as server:
        run = _one_call(server)
    reply = run.transcripts[0].replies[0]
    return {"answer": reply.answer, "reason": reply.reason, "failed": reply.failed}


def _marked(n: int, **settings: Any) -> Recorder:
    return Recorder(n, lambda r: f"d{r.context.agent}r{r.context.round}\nFinal answer: {r.context.agent}", **settings)


def _markers(given: Case, expected: Case) -> Case:
    people = _marked(given["n"])
    llm.run_debates(_protocol({**given, "convergence": False}), people.panel, [_sample({"type": "number"})])
    found: Case = {}
    for name, marks in expected.items():  # round1_prompt_of_d2_contains
        where, _, what = name.partition("_prompt_of_")
        who, _, how = what.partition("_")
        text = people.of(who, int(where.removeprefix("round")))
        found[name] = [mark for mark in marks if (mark in text) == (how == "contains")]
    return found


def _runs(given: Case, expected: Case) -> Case:
    turn = {"run": 0}
    people = Recorder(2, lambda r: f"run{turn['run']} d{r.context.agent}\nFinal answer: {r.context.agent}")
    for turn["run"] in range(1, given["runs"] + 1):
        people.prompts.clear()
        llm.run_debates(Protocol(rounds=1), people.panel, [_sample({"type": "number"})])
    first = " ".join(text for _, round, text in people.prompts if round == 0)
    return {name: [mark for mark in marks if mark not in first] for name, marks in expected.items()}


def _steer(given: Case, expected: Case) -> Case:
    people = _marked(given["n"])
    note = llm.Steer(**given["steer"])
    protocol = _protocol({**given, "convergence": False})
    llm.run_debates(protocol, people.panel, [_sample({"type": "number"})], steer=[note])
    return {"prompts_with_note": sorted([who, round] for who, round, text in people.prompts if note.text in text)}


def _grant(given: Case, expected: Case) -> Case:
    people = _marked(given.get("n", 2))
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        first = llm.run_debates(
            _protocol(given), people.panel, [_sample({"type": "number"})], pause=given["pause_on_max"], record=record
        )
        assert first.transcripts[0].outcome["status"] == "paused", first.transcripts[0].outcome
        llm.grant(record, rounds=given["grant"], comment=given.get("comment"))
        run = llm.resume(record, people.panel)
    twice = len(people.prompts) - len({(who, round) for who, round, _ in people.prompts})
    return {**_outcome_of(run), "asked_twice": twice}


def _first_speaker(given: Case, expected: Case) -> Case:
    people = _marked(3)
    llm.run_debates(_protocol({**given, "rounds": 1}), people.panel, [_sample({"type": "number"})])
    text = people.of(f"d{given['speaker']}", given["round"])
    signs = {"peer section": "other debaters", "empty quote": "\n> \n"}
    return {"prompt_lacks": [name for name in expected["prompt_lacks"] if signs[name] not in text]}


def _latency(given: Case, expected: Case) -> Case:
    waits = given["latency"]
    done: list[int] = []

    async def reply(request: llm.Request) -> str:
        for _ in range(int(waits[request.context.agent] * 100)):  # turns of the event loop stand for seconds
            await asyncio.sleep(0)
        done.append(request.context.agent)
        return "Final answer: 1"

    model = llm.CallableModel(function=reply, takes="request")
    panel = [llm.Debater(name=f"d{i}", model=model) for i in range(given["n"])]
    run = llm.run_debates(Protocol(rounds=0), panel, [_sample({"type": "number"})])
    assert done == sorted(range(given["n"]), key=lambda place: waits[place]), done
    return {"transcript_order": [run.agents[reply.agent] for reply in run.transcripts[0].replies]}


def _crash(given: Case, expected: Case) -> Case:
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
            llm.run_debates(protocol, people.panel, [_sample({"type": "number"})], judge=judge, record=record)
        except Crash:
            crashing["on"] = False
        llm.resume(record, people.panel, judge=judge)
    return {"calls_after_resume": {name: count.get(name, 0) for name in expected["calls_after_resume"]}}


def _resumed_usage(given: Case, expected: Case) -> Case:
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
            llm.run_debates(Protocol(rounds=1), people.panel, [_sample({"type": "number"})], record=record)
        except Crash:
            crashing["on"] = False
        totals = llm.resume_record(record, people.panel)
        outcome = llm.resume(record, people.panel).transcripts[0].outcome
    assert outcome["usage"]["input"] == totals.usage.input
    return {"total": totals.usage.total}


def _torn(given: Case, expected: Case) -> Case:
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


def _exists(given: Case, expected: Case) -> Case:
    people = _marked(1)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        record.write_text("precious")
        try:
            llm.run_debates(Protocol(rounds=0), people.panel, [_sample({})], record=record)
        except FileExistsError:
            return {"deleted": record.read_text() != "precious" or bool(people.prompts)}
    return {"deleted": "no error"}


def _items(given: Case, expected: Case) -> Case:
    broken = {f"q{i}" for i in given["failed"]}
    people = Recorder(2, lambda r: "!500" if r.context.sample.id in broken else "Final answer: 1")
    samples = [Sample(id=f"q{i}", question="?", target="1", answer_type="number") for i in range(given["items"])]
    run = llm.run_debates(Protocol(rounds=1), people.panel, samples)
    outcomes = {one.sample.id: one.outcome for one in run.transcripts}
    assert all(outcomes[name]["status"] == "failed" and outcomes[name]["correct"] is False for name in broken)
    return {"scored": len(outcomes), "failed": sum(one["status"] == "failed" for one in outcomes.values())}


def _gold(given: Case, expected: Case) -> Case:
    replies = given["replies"]
    people = Recorder(len(replies), lambda r: replies[r.context.agent])
    run = llm.run_debates(_protocol({"rounds": 0}), people.panel, [_sample({"type": "number", **given})])
    return _outcome_of(run)


def _cached_runs(given: Case, expected: Case) -> Case:
    count = {"calls": 0}

    def reply(request: llm.Request) -> str:
        count["calls"] += 1
        return f"Final answer: {count['calls']}"

    people = Recorder(given["n"], reply, temperature=given["temperature"])
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given["runs"]):
            with llm.ReplyCache(Path(folder) / "cache.jsonl") as cache:
                run = llm.run_debates(Protocol(rounds=0), people.panel, [_sample({"type": "number"})], cache=cache)
                entries = len(cache)
            answers.append([one.answer for one in run.transcripts[0].replies])
    return {
        "distinct_entries": entries,
        "run2_equals_run1": all(one == answers[0] for one in answers),
        "calls": count["calls"],
        "distinct_answers": len(set(answers[0])),
    }


def _varied(given: Case, expected: Case) -> Case:
    sample = _sample({})
    model = llm.OpenAIModel(name="m", base_url="http://127.0.0.1:1/v1")
    messages = ({"role": "system", "content": "s"}, {"role": "user", "content": "q"})
    settings = llm.Settings(temperature=1.0, top_p=0.5, max_tokens=5, seed=1, stop=("x",))
    request = llm.Request(messages=messages, settings=settings, context=llm.Context(sample=sample))
    place = Place("q", 0, 0, 0, "debater")
    base = cache_key(model, request, place, 0)
    changes: dict[str, Callable[[], str]] = {
        name: (
            lambda name=name, value=value: cache_key(
                model, replace(request, settings=replace(settings, **{name: value})), place, 0
            )
        )
        for name, value in {
            "temperature": 0.5,
            "seed": 2,
            "max_tokens": 6,
            "top_p": 0.6,
            "stop": ("y",),
            "logprobs": 3,
            "extra": {"k": 1},
        }.items()
    }
    changes |= {
        "model": lambda: cache_key(replace(model, name="n"), request, place, 0),
        "base_url": lambda: cache_key(replace(model, base_url="http://127.0.0.1:2/v1"), request, place, 0),
        "system": lambda: cache_key(
            model, replace(request, messages=({"role": "system", "content": "t"}, messages[1])), place, 0
        ),
        "messages": lambda: cache_key(model, replace(request, messages=messages[:1]), place, 0),
        "tools": lambda: cache_key(model, replace(request, tools=({"type": "function"},)), place, 0),
        "sample_index": lambda: cache_key(model, request, place, 1),
    }
    assert base == cache_key(model, replace(request), place, 0)
    other = replace(request, settings=replace(settings, extra={"other": 1}))
    found = [changes.get(name, lambda: cache_key(model, other, place, 0))() for name in given["vary"]]
    return {"hits": found.count(base)}


def _default_temperature(given: Case, expected: Case) -> Case:
    settings = llm.Settings() if given["temperature"] == "omitted" else llm.Settings(temperature=given["temperature"])
    return {"treated_as": "deterministic" if settings.deterministic else "not deterministic"}


def _not_cached(given: Case, expected: Case) -> Case:
    reasons = given["finish_reason"]
    reasons = [reasons] if isinstance(reasons, str) else reasons
    people = Recorder(
        len(reasons), lambda r: llm.Completion(text="Final answer: 1", finish_reason=reasons[r.context.agent])
    )
    cache = llm.ReplyCache()
    llm.run_debates(Protocol(rounds=0), people.panel, [_sample({"type": "number"})], cache=cache)
    return {"stored": len(cache)}


def _cancel(given: Case, expected: Case) -> Case:
    async def main() -> str:
        begun = asyncio.Event()

        async def reply(messages: list) -> str:
            begun.set()
            await asyncio.Event().wait()
            return "never"

        model = llm.CallableModel(function=reply)
        panel = [llm.Debater(name=f"d{i}", model=model) for i in range(2)]
        task = asyncio.create_task(llm.run_debates_async(Protocol(), panel, [_sample({})]))
        await begun.wait()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            left = [other for other in asyncio.all_tasks() if other is not asyncio.current_task()]
            return "CancelledError" if not left else f"{len(left)} tasks left running"
        return "nothing"

    return {"raises": asyncio.run(main())}


def _forged(given: Case, expected: Case) -> Case:
    people = Recorder(2, lambda r: given["reply"] if r.context.agent == 0 else "Final answer: B")
    sample = _sample({"type": "choice", "choices": {"A": "a", "B": "b"}})
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


def _judge_reply(given: Case, expected: Case) -> Case:
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
            [_sample({"type": "number"})],
            judge=judge,
            on_event=lambda event: verdicts.append(event.data["answer"]) if event.kind == "verdict" else None,
        )
    assert run.transcripts[0].outcome["method"] == "majority_fallback"
    return {"executed": executed["yes"], "verdict": verdicts[0]}


def _event(given: Case, expected: Case) -> Case:
    padding = "word " * (given["reply_chars"] // 5)
    people = Recorder(1, lambda r: f"{padding}\nFinal answer: {given['final']}")
    events: list[llm.Event] = []
    sample = _sample({"type": "choice", "choices": {"A": "a", "B": "b", "C": "c", "D": "d"}})
    llm.run_debates(Protocol(rounds=0), people.panel, [sample], on_event=events.append)
    reply = next(event for event in events if event.kind == "reply")
    assert len(reply.data["text"]) < given["reply_chars"]
    return {"event_answer": reply.data["answer"]}


def _worker_thread(given: Case, expected: Case) -> Case:
    found: list[bool] = []
    thread = threading.Thread(
        target=lambda: found.append(equivalent(given["a"], given["b"], given.get("type", "math")))
    )
    thread.start()
    thread.join()
    return {"equal": found[0]}


HANDLERS: tuple[tuple[str, Callable[[Case, Case], Case]], ...] = (
    ("script", _script),
    ("cost_per_call", _budget),
    ("price_table max_cost", _price_unknown),
    ("price_table tokens", _price_table),
    ("price usage", _price),
    ("responses", _responses),
    ("response", _response),
    ("steer", _steer),
    ("grant", _grant),
    ("runs same_engine", _runs),
    ("runs cache", _cached_runs),
    ("markers", _markers),
    ("speaker", _first_speaker),
    ("latency", _latency),
    ("crash", _crash),
    ("usage_before_crash", _resumed_usage),
    ("log append", _torn),
    ("output_exists", _exists),
    ("items failed", _items),
    ("gold replies", _gold),
    ("vary", _varied),
    ("temperature", _default_temperature),
    ("finish_reason", _not_cached),
    ("cancel", _cancel),
    ("reply", _forged),
    ("judge_reply", _judge_reply),
    ("reply_chars", _event),
    ("call_from", _worker_thread),
)
