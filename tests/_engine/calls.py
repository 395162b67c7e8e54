"""Scripted cases about single calls: budget, prices, retries, the wire, the cache."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from madsim import llm
from madsim.llm import _call
from madsim.llm._cache import cache_key
from madsim.llm._call import Place
from madsim.protocols import Protocol
from tests._engine.people import Case, Recorder, outcome_of, protocol_of, sample_of
from tests._servers.chat import ChatServer, Reply, completion


def budget(given: Case, expected: Case) -> Case:
    n = given["n"]
    differ = given.get("replies") == "disagree"
    people = Recorder(n, lambda r: f"Final answer: {r.context.agent if differ else 1}", model_name="m")
    spent: list[float] = []
    prices = llm.Prices(table={"m": llm.Price(per_call=given["cost_per_call"])})
    budget = llm.Budget(max_cost=given["max_cost"])
    sample = sample_of({"type": "number"})
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        run = llm.run_debates(
            protocol_of({**given, "convergence": False}),
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
    return {**outcome_of(run), "spent_max": max(sum(spent), run.transcripts[0].outcome["cost"])}


def price_unknown(given: Case, expected: Case) -> Case:
    people = Recorder(1, lambda r: "x", model_name=given["model"], max_tokens=5)
    prices = llm.Prices.of_table(given["price_table"])
    try:
        llm.run_debates(
            Protocol(), people.panel, [sample_of({})], budget=llm.Budget(max_cost=given["max_cost"]), prices=prices
        )
    except ValueError:
        return {"raises": "at construction" if not people.prompts else "after a call"}
    return {"raises": "never"}


def price_table(given: Case, expected: Case) -> Case:
    price = llm.Prices.of_table(given["price_table"]).of(given["model"])
    read, written = given["tokens"]
    return {"cost": None if price is None else price.cost(llm.Usage(input=read, output=written))}


def price(given: Case, expected: Case) -> Case:
    return {"cost": llm.Price(**given["price"]).cost(llm.Usage(**given["usage"]))}


def responses(given: Case, expected: Case) -> Case:
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
        Protocol(rounds=0), people, [sample_of({"type": "number"})], retry=llm.Retry(first_wait=0.01), **more
    )


def response(given: Case, expected: Case) -> Case:
    one = given["response"]
    with ChatServer(
        lambda body, number: completion(one.get("content"), finish=one.get("finish_reason", "stop"))
    ) as server:
        run = _one_call(server)
    reply = run.transcripts[0].replies[0]
    return {"answer": reply.answer, "reason": reply.reason, "failed": reply.failed}


def cached_runs(given: Case, expected: Case) -> Case:
    count = {"calls": 0}

    def reply(request: llm.Request) -> str:
        count["calls"] += 1
        return f"Final answer: {count['calls']}"

    people = Recorder(given["n"], reply, temperature=given["temperature"])
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given["runs"]):
            with llm.ReplyCache(Path(folder) / "cache.jsonl") as cache:
                run = llm.run_debates(Protocol(rounds=0), people.panel, [sample_of({"type": "number"})], cache=cache)
                entries = len(cache)
            answers.append([one.answer for one in run.transcripts[0].replies])
    return {
        "distinct_entries": entries,
        "run2_equals_run1": all(one == answers[0] for one in answers),
        "calls": count["calls"],
        "distinct_answers": len(set(answers[0])),
    }


def varied(given: Case, expected: Case) -> Case:
    sample = sample_of({})
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


def default_temperature(given: Case, expected: Case) -> Case:
    settings = llm.Settings() if given["temperature"] == "omitted" else llm.Settings(temperature=given["temperature"])
    return {"treated_as": "deterministic" if settings.deterministic else "not deterministic"}


def not_cached(given: Case, expected: Case) -> Case:
    reasons = given["finish_reason"]
    reasons = [reasons] if isinstance(reasons, str) else reasons
    people = Recorder(
        len(reasons), lambda r: llm.Completion(text="Final answer: 1", finish_reason=reasons[r.context.agent])
    )
    cache = llm.ReplyCache()
    llm.run_debates(Protocol(rounds=0), people.panel, [sample_of({"type": "number"})], cache=cache)
    return {"stored": len(cache)}
