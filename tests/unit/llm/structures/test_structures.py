"""Every ready-made structure: what it costs, what is recorded, and that a stop, a kill or a fault loses and doubles nothing."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from madsim import llm
from madsim.llm._past import place_of
from madsim.models import DebateModel
from madsim.protocols import protocol_from_dict
from madsim.tasks import Sample
from madsim.transcripts import read_record
from tests._servers.chat import ChatServer
from tests._servers.faults import FAULTS, Faulty
from tests._servers.solver import solve
from tests._servers.victim import samples

ROOT = Path(__file__).resolve().parents[4]
GOLDEN = Path(__file__).parent / "golden.json"
SCORED = [name for name, one in llm.STRUCTURES.items() if one.answers]
CALLS = {
    "vote": 5, "debate": 9, "in-turn": 9, "pair": 6, "chat": 9, "moderated": 15, "sequential": 5, "phases": 6, "software": 20,
    "pool": 5, "nested": 36,
}  # fmt: skip


def script(request):
    """Replies that show who says them: a valid document where one is asked for, an answer otherwise."""
    place = request.context
    asked = request.messages[-1]["content"]
    if place.role == "speaker":
        return "Debater 2"
    if place.role == "summary":
        return "They talked about it."
    if "document 'requirements'" in asked:
        return "# Goal\nGreet.\n# Requirements\nSay hello."
    if "document 'design'" in asked:
        return '{"language": "Python", "files": ["hello.py"], "notes": ""}\n<done>'
    return f"I am {place.agent} in round {place.round}{place.path and ' of ' + place.path}.\nFinal answer: {4 + place.agent % 2}"


def played(name, **options):
    model = llm.ScriptedModel(replies=script, usage=llm.Usage(input=10, output=5))
    question = Sample(id="q", question="How much is two and two?", target="4", answer_type="number")
    return llm.structure(name).arrange(model).run([question], rng=1, **options)


def lines_of(record):
    """The calls and the outcome of a record, without what depends on the clock."""
    found = read_record(record)
    names = (
        "round",
        "agent",
        "role",
        "path",
        "step",
        "name",
        "reply",
        "answer",
        "document",
        "problems",
        "shown",
        "inner",
    )
    calls = [{name: call[name] for name in names if name in call} for call in found.calls]
    prompts = [[[message["role"], message["content"]] for message in call["messages"]] for call in found.calls]
    outcome = {name: value for name, value in found.outcomes["q", 0].items() if name != "type"}
    return {"calls": calls, "prompts": prompts, "outcome": outcome}


@pytest.mark.parametrize("name", llm.STRUCTURES)
def test_golden_record(name, tmp_path):
    """What was said, shown and decided, word for word."""
    record = tmp_path / "run.jsonl"
    played(name, record=record)
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert lines_of(record) == golden[name]


@pytest.mark.parametrize("name", llm.STRUCTURES)
def test_the_plan_counts_the_calls(name):
    one = llm.structure(name)
    arrangement = one.arrange(llm.ScriptedModel(replies=[]), max_tokens=50)
    planned = arrangement.plan([Sample(id="q", question="2 + 2?", target="4", answer_type="number")])
    assert planned.calls == CALLS[name]
    assert planned.most is not None
    assert planned.most.calls >= planned.calls
    assert planned.most.tokens >= planned.input_tokens + planned.output_tokens


@pytest.mark.parametrize("name", llm.STRUCTURES)
def test_a_protocol_survives_its_plain_form(name):
    protocol = llm.structure(name).arrange(llm.ScriptedModel(replies=[])).protocol
    assert protocol_from_dict(json.loads(json.dumps(protocol.to_dict()))) == protocol


@pytest.mark.parametrize("name", SCORED)
@pytest.mark.parametrize("stop", [1, 17, 40])
def test_stopped_by_a_budget_and_resumed_from_the_record_alone(name, stop, tmp_path):
    speaker = llm.SimulatedModel(DebateModel.homogeneous(n_agents=5, belief=0.6, mass=2.0), rng=3)
    arrangement = llm.structure(name).arrange(speaker)
    uninterrupted = arrangement.run(samples(4), rng=1)
    record = tmp_path / "run.jsonl"
    stopped = arrangement.run(samples(4), rng=1, record=record, budget=llm.Budget(max_calls=stop))
    assert sum(one.outcome["calls"] for one in stopped.transcripts) <= stop
    resumed = llm.resume(record, budget=llm.Budget())
    assert [one.outcome for one in resumed.transcripts] == [one.outcome for one in uninterrupted.transcripts]
    places = Counter(place_of(call) for call in read_record(record).calls if not call.get("failed"))
    assert max(places.values()) == 1


@pytest.mark.parametrize("name", SCORED)
def test_against_a_server_with_faults_within_its_budget(name, tmp_path):
    names = tuple(name for name in FAULTS if name not in ("quota", "429_date", "hanging"))
    record = tmp_path / "run.jsonl"
    with ChatServer(Faulty(solve, share=0.1, names=names, seed=5), keep=False) as server:
        model = llm.OpenAIModel(name="loopback", base_url=server.base_url)
        arrangement = llm.structure(name).arrange(model, max_tokens=60, timeout=5.0)
        retry = llm.Retry(attempts=6, first_wait=0.001, longest_wait=0.002)
        budget = llm.Budget(max_calls=60)
        first = arrangement.run(samples(6), record=record, retry=retry, budget=budget, rng=1)
        assert sum(one.outcome["calls"] for one in first.transcripts) <= 60
        run = llm.resume(record, arrangement.debaters, **arrangement.helpers, retry=retry, budget=llm.Budget())
    assert {one.outcome["status"] for one in run.transcripts} <= {"max_rounds", "resolved", "failed", "degraded"}
    assert sum(one.outcome["status"] == "failed" for one in run.transcripts) <= 1
    places = Counter((place_of(call), call["attempt"]) for call in read_record(record).calls)
    assert max(places.values()) == 1


@pytest.mark.parametrize("name", ["moderated", "sequential", "pool", "nested"])
def test_killed_and_resumed_nothing_finished_is_asked_again(name, tmp_path):
    record = tmp_path / "run.jsonl"
    process: list[subprocess.Popen] = []
    total = 8 * CALLS[name]

    def reply(body, number):
        if number == total // 2:
            os.kill(process[0].pid, signal.SIGKILL)
        return solve(body, number)

    with ChatServer(reply, keep=False) as server:
        settings = {
            "base_url": server.base_url, "record": str(record), "questions": 8, "structure": name, "concurrency": 3,
        }  # fmt: skip
        command = [sys.executable, "-m", "tests._servers.victim", json.dumps(settings)]
        process.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        process[0].communicate(timeout=120)
        assert process[0].returncode == -signal.SIGKILL
        before = {place_of(call) for call in read_record(record).calls}
        asked = server.count
        arrangement = llm.structure(name).arrange(
            llm.OpenAIModel(name="loopback", base_url=server.base_url), max_tokens=40
        )
        totals = llm.resume_record(record, arrangement.debaters, **arrangement.helpers, concurrency=3)
        calls = read_record(record).calls
        real = [call for call in calls if "inner" not in call]
        assert len(real) == total
        asked_again = server.count - asked
    done = sum(call["taken"]["calls"] for call in calls if place_of(call) in before)
    assert asked_again == total - done
    assert totals.maybe_paid_twice <= 3 * (3 if name == "nested" else 1) * 3
    assert sum(totals.statuses.values()) <= 8


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("pair", {"n_agents": 3}, "at least 2 agents and at most 2"),
        ("pool", {"n_agents": 2}, "at least 3 agents"),
        ("pool", {"rounds": 0}, "structure 'pool' needs at least 1 rounds, got 0"),
        ("phases", {"rounds": 0}, "at least 1 rounds"),
        ("software", {"rounds": 0}, "at least 1 rounds"),
        ("sequential", {"rounds": -1}, "at least 1 rounds"),
        ("vote", {"rounds": 1}, "no rounds after round 0"),
        ("pool", {"n_agents": "4"}, "n_agents must be an integer, got '4'"),
        ("nested", {"rounds": 1.5}, "rounds must be an integer, got 1.5"),
        ("debate", {"n_agents": True}, "n_agents must be an integer, got True"),
        ("pool", {"temperature": "hot"}, "temperature must be a number, got 'hot'"),
        ("pool", {"timeout": None}, "timeout must be a number"),
    ],
)
def test_what_a_structure_cannot_be_is_refused(name, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        llm.structure(name).arrange(llm.ScriptedModel(replies=[]), **options)


def test_an_unknown_structure_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="no structure 'panel'; known are vote, debate, in-turn"):
        llm.structure("panel")


if __name__ == "__main__":  # writes the golden records anew; read the difference before it is kept
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for known in llm.STRUCTURES:
            played(known, record=Path(folder) / f"{known}.jsonl")
            made[known] = lines_of(Path(folder) / f"{known}.jsonl")
    GOLDEN.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
