"""Tools and a run that ends while one is at work."""

import asyncio
import threading
import time

import pytest

from madsim import llm
from madsim.protocols import Protocol
from madsim.tasks import Sample
from madsim.transcripts import read_record
from tests.unit.llm._help import final, number, outcome, panel_of

SAMPLE = Sample(id="q", question="How much is two and two?", target="4", answer_type="number")
CALL = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "{}"}}


class Stop(BaseException):
    """The process is told to end."""


def one_with(tool, other):
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
        llm.run_debates(Protocol(rounds=0), one_with(tool, other), [SAMPLE], record=record)
    stopping = False
    return llm.resume(record, one_with(tool, other))


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


def test_tools_are_called_and_their_results_go_back():
    def add(a: int, b: int) -> int:
        return a + b

    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    tool = llm.Tool(function=add, name="add", description="Adds.", parameters=schema)
    calls = []

    def reply(request):
        calls.append(request)
        wanted = ['{"a": 2, "b": 2}', '{"a": 1}', "not json", '["list"]']
        if len(calls) <= len(wanted):
            one = {
                "id": f"c{len(calls)}",
                "type": "function",
                "function": {"name": "add", "arguments": wanted[len(calls) - 1]},
            }
            other = {"id": "x", "type": "function", "function": {"name": "unknown", "arguments": "{}"}}
            return llm.Completion(text=None, finish_reason="tool_calls", tool_calls=(one, other))
        return final(4)

    run = llm.run_debates(Protocol(rounds=0), panel_of(llm.ScriptedModel(replies=reply), 1, tools=(tool,)), [number()])
    assert run.transcripts[0].replies[0].answer == "4"
    results = [m["content"] for m in calls[-1].messages if m["role"] == "tool"]
    assert results[0] == "4"
    assert results[1] == "error: there is no tool 'unknown'"
    assert results[2].startswith("error: TypeError")
    assert results[4].startswith("error: JSONDecodeError")
    assert results[6].startswith("error: the arguments must be a JSON object")
    assert outcome(run)["calls"] == 5


def test_endless_tool_calls_end():
    call = {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    tool = llm.Tool(function=lambda: "again", name="t", description="", parameters={"type": "object"})
    model = llm.ScriptedModel(
        replies=lambda r: llm.Completion(text=None, finish_reason="tool_calls", tool_calls=(call,))
    )
    run = llm.run_debates(Protocol(rounds=0), panel_of(model, 1, tools=(tool,)), [number()])
    assert outcome(run)["calls"] == 9
    assert run.transcripts[0].replies[0].answer is None
