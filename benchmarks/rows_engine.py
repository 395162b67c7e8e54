"""The debate engine beside a bare loop over the same client, against a server without latency; memory over many calls."""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Candidate, Row, time_each
from madsim import llm
from madsim.protocols import Protocol
from madsim.tasks import Sample

CONCURRENCY = 16
AGENTS = 5
ROUNDS = 2
CALLS = AGENTS * (ROUNDS + 1)
ROOT = Path(__file__).resolve().parents[1]
SERVER = """
import sys, time
from tests._servers.chat import ChatServer, completion
body = completion("I added the two numbers.\\nFinal answer: 4")
with ChatServer(lambda request, number: body, keep=False) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""


def rows(quick: bool) -> list[Row]:
    """Cost of a call, and growth of memory."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            return [_cost_of_a_call(address, Path(folder), quick), _memory(Path(folder), quick)]
        finally:
            server.communicate()


def _cost_of_a_call(address: str, folder: Path, quick: bool) -> Row:
    count = [0]

    def engine(n: int) -> None:
        count[0] += 1
        llm.record_debates(
            Protocol(rounds=ROUNDS),
            llm.identical(
                llm.OpenAIModel(name="m", base_url=address), AGENTS, system="You are careful.", max_tokens=50
            ),
            _samples(n // CALLS),
            record=folder / f"{count[0]}.jsonl",
            concurrency=CONCURRENCY,
        )

    engine(CALLS * 4)
    lines = (json.loads(line) for line in (folder / "1.jsonl").read_text().splitlines())
    prompts = [line["messages"] for line in lines if line["type"] == "call"]

    async def loop(n: int) -> None:
        import openai

        async with openai.AsyncOpenAI(api_key="none", base_url=address, max_retries=0) as client:
            numbers = iter(range(n))

            async def worker() -> None:
                for number in numbers:
                    messages = prompts[number % len(prompts)]
                    await client.chat.completions.create(model="m", messages=messages, max_tokens=50)

            await asyncio.gather(*(worker() for _ in range(CONCURRENCY)))

    n = CALLS * (20 if quick else 100)
    candidates = [
        Candidate(name="engine", run=engine, n_trials=n),
        Candidate(name="bare", run=lambda n: asyncio.run(loop(n)), n_trials=n),
    ]
    times = time_each(candidates, repeats=3 if quick else 5)
    return Row(
        name="engine, a call over HTTP / bare loop over the same client",
        ratio=times["engine"] / times["bare"],
        gate=1.5,
        stretch=1.3,
        better="lower",
        detail=f"{times['engine'] * 1e6:.0f} us / {times['bare'] * 1e6:.0f} us of CPU a call",
    )


def _memory(folder: Path, quick: bool) -> Row:
    """Peak memory that later calls add to that of the first ones; the replies go to the record and not into memory."""
    reply = llm.Completion(text="Final answer: 4", usage=llm.Usage(input=10, output=5))
    panel = llm.identical(llm.ScriptedModel(replies=lambda request: reply), AGENTS)

    def run(calls: int, name: str) -> float:
        llm.record_debates(
            Protocol(rounds=ROUNDS), panel, _samples(calls // CALLS), record=folder / name, concurrency=64
        )
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    few, many = (1_500, 15_000) if quick else (5_000, 50_000)
    first = run(few, "few.jsonl")
    grown = run(many, "many.jsonl") - first
    return Row(
        name=f"engine, memory added by {many} calls",
        ratio=grown,
        gate=20.0,
        stretch=8.0,
        better="lower",
        unit="MiB",
        detail=f"peak {first:.0f} MiB after {few} calls",
    )


def _samples(n: int) -> list[Sample]:
    return [
        Sample(id=f"q{i}", question="How much is two and two? " * 5, target="4", answer_type="number") for i in range(n)
    ]
