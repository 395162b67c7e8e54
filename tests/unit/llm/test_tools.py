"""Tools and a run that ends while one is at work."""

import asyncio
import threading
import time

import pytest

from madsim import llm
from madsim.protocols import Protocol
from madsim.tasks import Sample
from madsim.transcripts import read_record

SAMPLE = Sample(id="q", question="How much is two and two?", target="4", answer_type="number")
CALL = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "{}"}}


class Stop(BaseException):
    """The process is told to end."""


def panel_of(tool, other):
    def first(request):
        if request.messages[-1]["role"] == "tool":
            return f"Final answer: {request.messages[-1]['content']}"
        return llm.Completion(text=None, finish_reason="tool_calls", tool_calls=(CALL,))

    def model(function):
        return llm.CallableModel(function=function, takes="request")

    return [llm.Debater(name="Bo", model=model(first), tools=(tool,)), llm.Debater(name="Cy", model=model(other))]


def play(record, function):
    """A run that is stopped as soon as the tool has begun; then resumed."""
    begun = threading.Event()
    stopping = True

    def other(request):
        if stopping:
            assert begun.wait(10)
            raise Stop
        return "Final answer: 4"

    tool = llm.Tool(function=function(begun), name="add", description="Adds.", parameters={"type": "object"})
    with pytest.raises(Stop):
        llm.run_debates(Protocol(rounds=0), panel_of(tool, other), [SAMPLE], record=record)
    stopping = False
    return llm.resume(record, panel_of(tool, other))


def test_a_function_that_had_begun_is_not_called_again(tmp_path):
    calls = []

    def function(begun):
        def add():
            calls.append(None)
            begun.set()
            time.sleep(0.3)
            return 4

        return add

    run = play(tmp_path / "r", function)
    assert [reply.answer for reply in run.transcripts[0].replies] == ["4", "4"]
    assert len(calls) == 1
    events = [event for event in read_record(tmp_path / "r").events if event.get("event") == "tool_result"]
    assert [event["result"] for event in events] == ["4"]


def test_a_coroutine_is_cancelled_with_the_run(tmp_path):
    cancelled = []
    calls = []

    def function(begun):
        async def add():
            calls.append(None)
            begun.set()
            if len(calls) == 1:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    cancelled.append(None)
                    raise
            return 4

        return add

    run = play(tmp_path / "r", function)
    assert [reply.answer for reply in run.transcripts[0].replies] == ["4", "4"]
    assert (len(cancelled), len(calls)) == (1, 2)
