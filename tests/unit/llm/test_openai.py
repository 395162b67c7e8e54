"""The client of OpenAI-compatible endpoints against a loopback server: faults, streams, settings, and keys that never leak."""

import asyncio
import json

import pytest

from madsim import llm
from madsim.llm._http_errors import error_of_status, retry_after_seconds
from madsim.protocols import Protocol
from madsim.tasks import Sample
from tests._servers.chat import ChatServer, Reply, completion, streamed
from tests._servers.faults import BILLED, FAULTS, FINAL, Faulty
from tests.unit.llm._help import number, outcome

FAST = llm.Retry(attempts=3, first_wait=0.0, longest_wait=0.0)


def ask(reply, *, retry=FAST, stream=False, key=None, headers=None, record=None, **settings):
    """One debater, one call; the run and the server."""
    with ChatServer(reply) as server:
        model = llm.OpenAIModel(name="m", base_url=server.base_url, api_key=key, stream=stream, headers=headers or {})
        panel = [llm.Debater(name="d0", model=model, max_tokens=30, **{"timeout": 5.0, **settings})]
        run = llm.run_debates(Protocol(rounds=0), panel, [number()], retry=retry, record=record)
    return run, server


def good(body, number):
    return completion("Two and two.\nFinal answer: 4")


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_met_with_its_own_code(name):
    faulty = Faulty(good, share=1.0, names=(name,))
    run, server = ask(faulty, timeout=0.3 if name == "hanging" else 30.0)
    reply = run.transcripts[0].replies[0]
    expected = {
        "429_seconds": ("429", 3),
        "429_date": ("429", 3),
        "500": ("500", 3),
        "503": ("503", 3),
        "slow": ("label", 1),
        "duplicate": ("label", 1),
        "hanging": ("timeout", 3),
        "cut_body": ("connection", 3),
        "empty_choices": ("empty_choices", 3),
        "null_content": ("empty", 1),
        "wrong_json": ("wrong_reply", 3),
        "no_json": ("cut_reply", 3),
        "reset": ("connection", 3),
        "quota": ("quota", 1),
        "context_overflow": ("context_overflow", 7),
    }
    assert (reply.reason, server.count) == expected[name]
    assert reply.failed == (name not in ("slow", "duplicate", "null_content"))
    calls = outcome(run)["calls"]
    assert calls == (0 if reply.reason in ("429", "500", "503", "quota", "context_overflow") else server.count)
    assert (calls > 0) >= (name in BILLED)
    assert server.count == 1 or name not in FINAL


@pytest.mark.parametrize("name", sorted(set(FAULTS) - {"quota", "null_content", "hanging", "duplicate"}))
def test_one_fault_is_overcome(name):
    def once(body, number):
        return FAULTS[name](completion("x")) if number == 0 else good(body, number)

    run, server = ask(once)
    assert run.transcripts[0].replies[0].answer == ("4" if name != "slow" else None)
    assert server.count == (1 if name == "slow" else 2)


def test_a_response_that_is_delivered_twice_is_not_the_next_call_s_reply():
    """Every response comes twice over connections that are used again; each question gets its own answer."""

    def reply(body, n):
        asked = body["messages"][-1]["content"].split()[1].rstrip(":")
        return Reply(json.dumps(completion(f"Final answer: {asked}")).encode(), twice=True)

    samples = [
        Sample(id=f"q{i}", question=f"Number {i}: which?", target=str(i), answer_type="number") for i in range(40)
    ]
    with ChatServer(reply) as server:
        panel = [llm.Debater(name="d0", model=llm.OpenAIModel(name="m", base_url=server.base_url))]
        run = llm.run_debates(Protocol(rounds=0), panel, samples, concurrency=3, retry=FAST)
    assert [one.outcome["correct"] for one in run.transcripts] == [True] * 40


def test_an_overflow_is_answered_with_shorter_arguments():
    def reply(body, number):
        size = sum(len(message["content"]) for message in body["messages"])
        if size > 3000:
            return FAULTS["context_overflow"]({})
        return completion("because " * 800 + "\nFinal answer: 4")

    with ChatServer(reply) as server:
        model = llm.OpenAIModel(name="m", base_url=server.base_url)
        panel = [llm.Debater(name=f"d{i}", model=model) for i in range(3)]
        run = llm.run_debates(Protocol(rounds=1), panel, [number()])
    assert [reply.answer for reply in run.transcripts[0].replies] == ["4"] * 6
    last = server.seen[-1]["body"]["messages"]
    assert "How much is two and two?" in last[0]["content"]
    assert last[-1]["content"].count("(final answer: 4)") == 2


def test_settings_arrive_on_the_wire():
    run, server = ask(
        good,
        temperature=0.5,
        top_p=0.9,
        seed=3,
        stop=("END",),
        logprobs=2,
        extra={"repeat_penalty": 1.1},
        system="You are a clerk.",
    )
    body = server.seen[0]["body"]
    assert {
        name: body[name]
        for name in (
            "model",
            "temperature",
            "top_p",
            "seed",
            "stop",
            "max_tokens",
            "logprobs",
            "top_logprobs",
            "repeat_penalty",
        )
    } == {
        "model": "m",
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 3,
        "stop": ["END"],
        "max_tokens": 30,
        "logprobs": True,
        "top_logprobs": 2,
        "repeat_penalty": 1.1,
    }
    assert body["messages"][0] == {"role": "system", "content": "You are a clerk."}
    _, plain = ask(good)
    assert not set(plain.seen[0]["body"]) & {"temperature", "top_p", "seed", "stop", "logprobs", "tools", "stream"}
    assert run.transcripts[0].replies[0].usage == {"input": 20, "cached": 0, "output": 5}


def test_derived_seeds_differ_between_calls_and_stay_between_runs():
    def seeds(rng):
        with ChatServer(good) as server:
            model = llm.OpenAIModel(name="m", base_url=server.base_url)
            panel = [llm.Debater(name=f"d{i}", model=model, seed="derived") for i in range(3)]
            llm.run_debates(Protocol(rounds=1), panel, [number()], rng=rng, concurrency=1)
        return [request["body"]["seed"] for request in server.seen]

    assert seeds(1) == seeds(1)
    assert seeds(1) != seeds(2)
    assert len(set(seeds(1))) == 6


def test_logprobs_are_kept_in_the_record(tmp_path):
    tokens = {
        "content": [
            {
                "token": "4",
                "logprob": -0.1,
                "bytes": None,
                "top_logprobs": [{"token": "4", "logprob": -0.1, "bytes": None}],
            }
        ]
    }
    ask(lambda body, n: completion("Final answer: 4", logprobs=tokens), logprobs=1, record=tmp_path / "r.jsonl")
    call = next(
        json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines() if '"type": "call"' in line
    )
    assert call["logprobs"]["content"][0]["top_logprobs"][0]["logprob"] == -0.1


def test_cached_tokens_are_read():
    body = completion("Final answer: 4", usage=(100, 5))
    body["usage"]["prompt_tokens_details"] = {"cached_tokens": 80}
    run, _ = ask(lambda request, n: body)
    assert run.transcripts[0].replies[0].usage == {"input": 100, "cached": 80, "output": 5}


@pytest.mark.parametrize("usage", [None, (20, 5)])
def test_a_stream_gives_the_same_reply(usage):
    text = "Zwei und zwei — macht:\nFinal answer: 4"
    run, server = ask(lambda body, n: Reply(streamed(text, usage=usage), stream=True), stream=True)
    reply = run.transcripts[0].replies[0]
    assert (reply.text, reply.answer, reply.finish_reason) == (text, "4", "stop")
    assert reply.usage == (None if usage is None else {"input": 20, "cached": 0, "output": 5})
    assert server.seen[0]["body"]["stream"] is True


def test_a_stream_that_breaks_off_is_no_short_reply():
    whole = streamed("Final answer: 4 and then some more words")

    def reply(body, n):
        if n == 0:
            return Reply(streamed("Final answer: 4", finish=None), stream=True)
        if n == 1:
            return Reply(whole, stream=True, sent=len(whole) // 2)
        return Reply(streamed("Final answer: 5"), stream=True)

    run, server = ask(reply, stream=True)
    assert (run.transcripts[0].replies[0].answer, server.count) == ("5", 3)


KEY = "sk-planted-THISISASECRET0123456789"


def test_keys_and_headers_are_in_no_record_error_or_repr(tmp_path):
    """The endpoint echoes whatever it was sent, in bodies and in errors."""

    def echo(body, number):
        headers = server.seen[-1]["headers"]
        words = f"Incorrect key {headers['authorization']}; {headers.get('x-team')}; {'planted-password' if body['model'] == 'n' else ''}"
        return Reply(json.dumps({"error": {"message": words, "code": headers["authorization"]}}).encode(), status=401)

    events = []
    record = tmp_path / "run.jsonl"
    with ChatServer(echo) as server:
        address = server.base_url.replace("http://", "http://user:planted-password@")
        models = [
            llm.OpenAIModel(
                name="m", base_url=server.base_url, api_key=KEY, headers={"X-Team": "planted-header-value"}
            ),
            llm.OpenAIModel(name="n", base_url=address),
        ]
        panel = [llm.Debater(name=f"d{i}", model=model) for i, model in enumerate(models)]
        run = llm.run_debates(Protocol(rounds=0), panel, [number()], record=record, on_event=events.append)
        sent = {request["body"]["model"]: request["headers"] for request in server.seen}
    assert sent["m"]["authorization"] == f"Bearer {KEY}"
    assert sent["m"]["x-team"] == "planted-header-value"
    everything = record.read_text() + repr(run) + repr(events) + repr(panel)
    for secret in (KEY, "planted-header-value", "planted-password", "THISISASECRET"):
        assert secret not in everything
    assert outcome(run)["failed"] == [["d0", 0, "401"], ["d1", 0, "401"]]


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_repeats_the_key_does_not_bring_it_into_the_record(stream):
    text = f"You sent {KEY}.\nFinal answer: 4"
    run, _ = ask(
        lambda body, n: Reply(streamed(text), stream=True) if stream else completion(text), stream=stream, key=KEY
    )
    assert run.transcripts[0].replies[0].text == "You sent [removed].\nFinal answer: 4"


def test_a_key_for_openai_is_never_sent_elsewhere(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-planted")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-planted")
    monkeypatch.setenv("OTHER_KEY", "other-key")
    _, server = ask(good)
    assert "planted" not in json.dumps(server.seen[0]["headers"])
    with ChatServer(good) as second:
        model = llm.OpenAIModel(name="m", base_url=second.base_url, api_key_env="OTHER_KEY")
        llm.run_debates(Protocol(rounds=0), [llm.Debater(name="d", model=model)], [number()])
    assert second.seen[0]["headers"]["authorization"] == "Bearer other-key"


def test_a_missing_key_is_said_before_anything_is_sent_or_written(monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    record = tmp_path / "run.jsonl"
    with pytest.raises(ValueError, match="set the environment variable OPENAI_API_KEY"):
        llm.run_debates(Protocol(), [llm.Debater(name="d", model=llm.OpenAIModel(name="m"))], [number()], record=record)
    assert not record.exists()


@pytest.mark.parametrize("url", ["ftp://host/v1", "localhost:8080", "file:///etc/passwd"])
def test_addresses_must_be_http(url):
    with pytest.raises(ValueError, match="http"):
        llm.OpenAIModel(name="m", base_url=url)


@pytest.mark.parametrize(
    ("status", "words", "code", "retryable"),
    [
        (429, "Rate limit reached", "429", True),
        (429, "You exceeded your current quota, please check your plan", "quota", False),
        (402, "credit balance is too low", "quota", False),
        (400, "This model's maximum context length is 8192 tokens", "context_overflow", False),
        (400, "the request exceeds the available context size", "context_overflow", False),
        (400, "bad temperature", "400", False),
        (401, "no", "401", False),
        (403, "no", "403", False),
        (404, "no such model", "404", False),
        (408, "", "408", True),
        (409, "", "409", True),
        (500, "", "500", True),
        (529, "overloaded", "529", True),
    ],
)
def test_what_a_status_means(status, words, code, retryable):
    error = error_of_status(status, words, 1.0)
    assert (error.code, error.retryable) == (code, retryable)
    assert error.retry_after == (1.0 if retryable else None)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-4", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        (None, None),
        ("Thu, 01 Jan 1970 00:00:10 GMT", 0.0),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after_seconds(value) == seconds


def test_retry_after_as_a_date_counts_from_now():
    from datetime import UTC, datetime

    now = datetime(2030, 5, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after_seconds("Wed, 01 May 2030 12:01:30 GMT", now=now) == 90.0


def test_concurrency_adapts_to_refusals_and_recovers():
    """An endpoint that serves three at once is not asked twenty times at once for long."""
    at_once = {"now": 0, "refused": 0}

    async def reply(messages):
        at_once["now"] += 1
        try:
            if at_once["now"] > 3:
                at_once["refused"] += 1
                raise llm.ModelError("429", retryable=True)
            await asyncio.sleep(0.001)
            return "Final answer: 4"
        finally:
            at_once["now"] -= 1

    panel = [
        llm.Debater(name=f"d{i}", model=llm.CallableModel(function=reply)) for i in range(5)
    ]  # equal models share a gate
    retry = llm.Retry(attempts=40, first_wait=0.001, longest_wait=0.01)
    run = llm.run_debates(Protocol(rounds=1), panel, [number(f"q{i}") for i in range(30)], concurrency=20, retry=retry)
    assert {one.outcome["answer"] for one in run.transcripts} == {"4"}
    assert at_once["refused"] < 300  # without adapting most of the 300 calls are refused several times


def test_a_thousand_calls_in_flight():
    async def reply(messages):
        seen["now"] += 1
        seen["most"] = max(seen["most"], seen["now"])
        if seen["now"] == 1000:
            go.set()
        await go.wait()
        return "Final answer: 4"

    seen, go = {"now": 0, "most": 0}, asyncio.Event()
    panel = [llm.Debater(name=f"d{i}", model=llm.CallableModel(function=reply)) for i in range(5)]
    run = llm.run_debates(Protocol(rounds=0), panel, [number(f"q{i}") for i in range(200)], concurrency=1000)
    assert seen["most"] == 1000
    assert len(run.transcripts) == 200
