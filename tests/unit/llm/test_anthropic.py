"""The client of Anthropic's interface against a loopback server; skipped where the extra is not installed."""

import json

import pytest

from madsim import llm
from madsim.protocols import Protocol
from tests._servers.chat import ChatServer, Reply
from tests.unit.llm._help import number, outcome

pytest.importorskip("anthropic", reason="the extra 'anthropic' is not installed")

KEY = "sk-ant-planted-0123456789"


def reply(*blocks, stop="end_turn", **usage):
    counts = {"input_tokens": 20, "output_tokens": 5, **usage}
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": counts,
    }


def text(words):
    return {"type": "text", "text": words}


def ask(answer, **settings):
    with ChatServer(answer) as server:
        model = llm.AnthropicModel(name="claude", base_url=server.base_url.removesuffix("/v1"), api_key=KEY)
        panel = [llm.Debater(name="d0", model=model, system="You are careful.", **settings)]
        run = llm.run_debates(Protocol(rounds=0), panel, [number()], retry=llm.Retry(attempts=3, first_wait=0))
    return run, server


def test_a_reply_with_its_usage():
    run, server = ask(
        lambda body, n: reply(text("Thinking.\n"), text("Final answer: 4"), cache_read_input_tokens=60),
        temperature=0.5,
        stop=("END",),
        max_tokens=77,
    )
    found = run.transcripts[0].replies[0]
    assert not found.failed, outcome(run)
    assert (found.answer, found.finish_reason) == ("4", "stop")
    assert found.usage == {"input": 80, "cached": 60, "output": 5}
    body = server.seen[0]["body"]
    assert body["system"] == "You are careful."
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert (body["temperature"], body["stop_sequences"], body["max_tokens"]) == (0.5, ["END"], 77)
    assert KEY in json.dumps(server.seen[0]["headers"])  # under a name that depends on the package's version


@pytest.mark.parametrize(
    ("answer", "reason", "count"),
    [
        (lambda b, n: reply(stop="refusal"), "refused", 1),
        (lambda b, n: reply(text("so"), stop="max_tokens"), "truncated", 1),
        (
            lambda b, n: Reply(b'{"type":"error","error":{"type":"overloaded_error","message":"x"}}', status=529),
            "529",
            3,
        ),
        (
            lambda b, n: Reply(
                json.dumps({"type": "error", "error": {"type": "authentication_error", "message": KEY}}).encode(),
                status=401,
            ),
            "401",
            1,
        ),
        (
            lambda b, n: Reply(
                b'{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens"}}',
                status=400,
            ),
            "context_overflow",
            7,
        ),
        (lambda b, n: Reply(b"", reset=True), "connection", 3),
        (lambda b, n: {"odd": 1}, "wrong_reply", 3),
    ],
)
def test_what_goes_wrong(answer, reason, count):
    run, server = ask(answer)
    found = run.transcripts[0].replies[0]
    assert server.count == count
    assert found.reason == reason or (reason == "refused" and found.reason in ("refused", "empty"))
    assert KEY not in repr(run)


def test_tools_in_both_directions():
    schema = {"type": "object", "properties": {"a": {"type": "number"}}}
    tool = llm.Tool(function=lambda a: a * 2, name="double", description="Doubles.", parameters=schema)

    def answer(body, n):
        if n == 0:
            return reply(
                text("Let me see."),
                {"type": "tool_use", "id": "t1", "name": "double", "input": {"a": 2}},
                stop="tool_use",
            )
        return reply(text("Final answer: 4"))

    run, server = ask(answer, tools=(tool,))
    assert outcome(run)["answer"] == "4"
    body = server.seen[1]["body"]
    assert body["tools"] == [{"name": "double", "description": "Doubles.", "input_schema": schema}]
    assert body["messages"][1]["content"][1] == {"type": "tool_use", "id": "t1", "name": "double", "input": {"a": 2}}
    assert body["messages"][2]["content"] == [{"type": "tool_result", "tool_use_id": "t1", "content": "4"}]


def test_settings_that_the_interface_lacks_are_refused():
    with pytest.raises(llm.MisuseError, match="neither seeds nor"):
        ask(lambda b, n: reply(text("x")), seed=3)


def test_a_key_is_wanted(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ValueError, match="ANTHROPIC_API_KEY"):
        llm.run_debates(Protocol(), [llm.Debater(name="d", model=llm.AnthropicModel(name="claude"))], [number()])
