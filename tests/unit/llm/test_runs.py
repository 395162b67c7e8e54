"""Whole runs: the door, cancelling, timeouts, and what is refused before anything is sent."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from madsim import llm
from madsim.llm._store import MemoryStore
from madsim.models import DebateModel
from madsim.protocols import Convergence, Protocol
from madsim.transcripts import read_record, read_run
from tests.unit.llm._help import final, number, outcome, panel_of, plain, scripted

ROOT = Path(__file__).resolve().parents[3]


def test_the_door_is_open_inside_a_running_loop():
    async def notebook():
        return llm.run_debates(Protocol(rounds=1), scripted([final(1)] * 2, [final(2)] * 2), [number()])

    before = threading.active_count()
    assert outcome(asyncio.run(notebook()))["calls"] == 4
    assert threading.active_count() == before


def test_asynchronous_and_synchronous_runs_are_the_same():
    model = DebateModel.homogeneous(n_agents=3, belief=0.5, mass=2.0)
    panel = panel_of(llm.SimulatedModel(model, rng=2), 3)
    samples = [number(f"q{i}") for i in range(5)]
    assert plain(asyncio.run(llm.run_debates_async(Protocol(), panel, samples, rng=1))) == plain(
        llm.run_debates(Protocol(), panel, samples, rng=1)
    )


def test_a_record_and_the_memory_hold_the_same(record):
    model = DebateModel.homogeneous(n_agents=3, belief=0.5, mass=2.0)
    panel = panel_of(llm.SimulatedModel(model, rng=2, unparsed=0.2), 3)
    samples = [number(f"q{i}") for i in range(5)]
    on_file = llm.run_debates(Protocol(), panel, samples, rng=1, record=record)
    in_memory = llm.run_debates(Protocol(), panel, samples, rng=1)
    assert plain(on_file) == plain(in_memory) == plain(read_run(record))
    assert on_file.transcripts[3].replies[4].span == in_memory.transcripts[3].replies[4].span
    assert on_file.provenance["seed"] == in_memory.provenance["seed"]


@pytest.mark.parametrize("inside", [False, True])
def test_an_interrupt_keeps_the_record_and_leaves_nothing_running(record, inside):
    """Ctrl-C in a process of its own, in the plain door and in the door of a notebook."""
    script = f"""
import asyncio, os, signal, threading
from madsim import llm
from madsim.protocols import Protocol
from tests.unit.llm._help import number, panel_of
calls = []
async def reply(messages):
    calls.append(1)
    if len(calls) > 2:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start() if len(calls) == 3 else None
        await asyncio.Event().wait()
    return "Final answer: 4"
panel = panel_of(llm.CallableModel(function=reply), 1)
def go():
    llm.run_debates(Protocol(rounds=4), panel, [number()], record={str(record)!r})
async def notebook():
    go()
try:
    {"asyncio.run(notebook())" if inside else "go()"}
except KeyboardInterrupt:
    print("interrupted", threading.active_count())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("interrupted 1"), done.stderr
    found = read_record(record)
    assert len(found.calls) == 2
    assert [event["event"] for event in found.events][-1] == "interrupted"
    run = llm.resume(record, models=llm.ScriptedModel(replies=[final(4)] * 5))
    assert outcome(run)["status"] == "max_rounds"
    assert len(run.transcripts[0].replies) == 5


def test_plain_functions_run_beside_each_other():
    barrier = threading.Barrier(40, timeout=10)  # all forty calls must be under way at once

    def reply(messages):
        barrier.wait()
        return final(4)

    before = threading.active_count()
    panel = panel_of(llm.CallableModel(function=reply), 4)
    run = llm.run_debates(Protocol(rounds=0), panel, [number(f"q{i}") for i in range(10)], concurrency=40)
    assert {one.outcome["votes"] for one in run.transcripts} == {4}
    assert threading.active_count() == before


@pytest.mark.parametrize("value", [3, ["x"], b"bytes"])
def test_what_a_function_returns_must_be_text(value):
    run = llm.run_debates(Protocol(rounds=0), panel_of(llm.CallableModel(function=lambda m: value), 1), [number()])
    assert outcome(run)["failed"] == [["d0", 0, "TypeError"]]


def test_an_exception_of_a_model_is_its_debater_s_failure_and_a_bug_of_ours_is_not():
    def broken(messages):
        raise RuntimeError("no luck with key sk-planted-0123456789")

    panel = [*scripted([final(4)]), llm.Debater(name="broken", model=llm.CallableModel(function=broken))]
    run = llm.run_debates(Protocol(rounds=0), panel, [number()])
    assert outcome(run)["failed"] == [["broken", 0, "RuntimeError"]]
    with pytest.raises(llm.MisuseError, match="the script has 1 replies"):
        llm.run_debates(Protocol(rounds=1), scripted([final(4)]), [number()])


def test_who_is_late_sits_the_round_out():
    async def reply(request):
        if request.context.agent == 1 and request.context.round == 0:
            await asyncio.Event().wait()
        return final(request.context.agent)

    panel = panel_of(llm.CallableModel(function=reply, takes="request"), 3)
    for run in (
        llm.run_debates(Protocol(rounds=1), panel, [number()], round_timeout=0.1),
        llm.run_debates(
            Protocol(rounds=1), panel_of(panel[0].model, 3, timeout=0.05), [number()], retry=llm.Retry(attempts=1)
        ),
    ):
        assert outcome(run)["failed"] == [["d1", 0, "timeout"]]
        assert run.transcripts[0].replies[4].answer == "1"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"samples": []}, ValueError, "samples is empty"),
        ({"samples": [number(), number()]}, ValueError, "occurs twice"),
        ({"samples": ["text"]}, TypeError, "Sample objects"),
        ({"debaters": []}, TypeError, "at least one Debater"),
        ({"debaters": scripted(["x"]) * 2}, ValueError, "different names"),
        ({"epochs": 0}, ValueError, "epochs"),
        ({"concurrency": 0}, ValueError, "concurrency"),
        ({"concurrency": True}, ValueError, "concurrency"),
        ({"rng": "seed"}, TypeError, "rng"),
        ({"round_timeout": 0}, ValueError, "round_timeout"),
        ({"protocol": "debate"}, TypeError, "protocol must be"),
        ({"protocol": Protocol(convergence=Convergence(quorum=3))}, ValueError, "quorum is 3"),
    ],
)
def test_wrong_runs_are_refused(tmp_path, change, error, message):
    given = {"protocol": Protocol(), "debaters": scripted(["x"]), "samples": [number()], **change}
    with pytest.raises(error, match=message):
        llm.run_debates(
            given.pop("protocol"), given.pop("debaters"), given.pop("samples"), record=tmp_path / "run.jsonl", **given
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": -1},
        {"top_p": 0},
        {"max_tokens": 0},
        {"max_tokens": True},
        {"seed": -1},
        {"seed": "random"},
        {"timeout": 0},
        {"logprobs": -1},
        {"name": " "},
        {"name": "two\nlines"},
        {"human": "sometimes"},
    ],
)
def test_wrong_debaters_are_refused(settings):
    with pytest.raises(ValueError):
        llm.Debater(**{"name": "d", "model": llm.ScriptedModel(replies=[]), **settings})


def test_a_model_must_be_one():
    with pytest.raises(TypeError, match="to_dict"):
        llm.Debater(name="d", model="gpt")  # pyright: ignore[reportArgumentType]


def test_memory_does_not_keep_starts_of_calls():
    store = MemoryStore({"agents": ["a"]})
    store.event({"event": "call_started"})
    store.event({"event": "retry"})
    assert [entry["type"] for entry in store.entries] == ["run", "event"]


def test_signals_are_left_as_they_were():
    before = signal.getsignal(signal.SIGINT)
    llm.run_debates(Protocol(rounds=0), scripted([final(1)]), [number()])
    assert signal.getsignal(signal.SIGINT) is before
    assert os.getpid() > 0
