"""A run killed with SIGKILL goes on from its record; the server sees each call once, except those in flight at a kill."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from madsim import llm
from madsim._core.canonical import digest
from madsim.llm._past import place_of
from madsim.protocols import Protocol
from madsim.transcripts import accuracy_by_round, read_record, votes_of
from madsim.verify import check
from tests._servers.chat import ChatServer
from tests._servers.faults import FAULTS, Faulty
from tests._servers.population import Population
from tests._servers.victim import panel, samples

ROOT = Path(__file__).resolve().parents[3]


class Killer:
    """Around a reply function: kills the process that asks at the request of a given number; `seen` are digests of all prompts."""

    def __init__(self, reply):
        self.reply = reply
        self.seen: list[str] = []
        self.at: int | None = None
        self.process: subprocess.Popen | None = None

    def __call__(self, body, number):
        self.seen.append(digest(body["messages"]))
        if self.at is not None and number >= self.at and self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.at = None
        return self.reply(body, number)


def start(settings: dict) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "tests._servers.victim", json.dumps(settings)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_killed(killer: Killer, settings: dict, at: int) -> int:
    """Run until request number `at` kills it; its exit status."""
    killer.process = start(settings)
    killer.at = at
    try:
        _, errors = killer.process.communicate(timeout=900)
    finally:
        killer.process.kill()
        killer.at = None
    assert killer.process.returncode in (0, -signal.SIGKILL), errors
    return killer.process.returncode


def recorded(record: Path) -> set[str]:
    """Digests of the prompts whose replies are in the record."""
    return {digest(call["messages"]) for call in read_record(record).calls if not call.get("failed")}


@pytest.fixture
def record(tmp_path):
    return tmp_path / "run.jsonl"


def test_each_call_is_seen_once_except_those_in_flight(record):
    population = Population(belief=0.6, mass=2.0)
    killer = Killer(population)
    with ChatServer(killer, keep=False) as server:
        settings = {
            "base_url": server.base_url,
            "record": str(record),
            "questions": 100,
            "agents": 5,
            "rounds": 2,
            "concurrency": 6,
        }
        assert run_killed(killer, settings, at=700) == -signal.SIGKILL
        done = recorded(record)
        first = set(killer.seen)
        assert done < first
        assert len(first - done) <= 6
        notes: list[llm.Event] = []
        totals = llm.resume_record(record, panel(server.base_url, 5), on_event=notes.append, concurrency=6)
    assert set(population.keys) == {(q, a, r) for q in range(100) for a in range(5) for r in range(3)}
    seen = Counter(killer.seen)
    assert len(seen) == 1500
    twice = {key for key, times in seen.items() if times > 1}
    assert twice == first - done
    assert max(seen.values()) <= 2
    assert len(twice) <= totals.maybe_paid_twice <= 6
    assert totals.spent.calls == 1500 + totals.maybe_paid_twice
    assert totals.statuses.keys() == {"max_rounds"}
    run = llm.resume(record, panel(server.base_url, 5))  # nothing is missing: no call, the same record
    assert len(killer.seen) == 1500 + len(twice)
    assert [len(one.replies) for one in run.transcripts] == [15] * 100


@pytest.mark.parametrize(
    ("questions", "kills"), [(24, 3), pytest.param(2000, 20, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)
def test_faults_and_kills_lose_nothing_and_overspend_nothing(record, questions, kills):
    """One call in ten meets a fault of some kind; whatever reached the record is never asked for again."""
    population = Population(belief=0.6)
    names = tuple(name for name in FAULTS if name not in ("quota", "429_date"))
    faulty = Faulty(population, share=0.1, names=names, seed=5)
    killer = Killer(faulty)
    draw = random.Random(8)
    total = questions * 15
    asked_after_recorded: set[str] = set()
    with ChatServer(killer, keep=False) as server:
        cap = 10**9
        settings = {
            "base_url": server.base_url,
            "record": str(record),
            "questions": questions,
            "agents": 5,
            "rounds": 2,
            "concurrency": 16,
            "timeout": 2.0 if questions > 100 else 0.5,
            "max_tokens": cap,
        }
        before: set[str] = set()
        for number in range(kills):
            seen_before = len(killer.seen)
            run_killed(killer, settings, at=server.count + draw.randint(1, 2 * total // (kills + 1) - 1))
            asked_after_recorded |= before & set(killer.seen[seen_before:])
            before = recorded(record)
            assert read_record(record).notes["torn_lines"] <= 1, f"kill {number}"
        seen_before = len(killer.seen)
        process = start(settings)
        output, errors = process.communicate(timeout=3000)
        assert process.returncode == 0, errors
        asked_after_recorded |= before & set(killer.seen[seen_before:])
    totals = json.loads(output)
    record_now = read_record(record)
    prompts = Counter(digest(call["messages"]) for call in record_now.calls)
    assert {
        prompt for prompt in asked_after_recorded if prompts[prompt] == 1
    } == set()  # others are prompts of two calls
    assert len(record_now.outcomes) == questions
    assert sum(totals["statuses"].values()) <= questions
    places = Counter((place_of(call), call["attempt"]) for call in record_now.calls)
    assert len(places) == total
    assert max(places.values()) == 1
    failed = sum(bool(call.get("failed")) for call in record_now.calls)
    assert failed <= 0.01 * total
    assert totals["spent"]["tokens"] <= cap
    assert totals["spent"]["calls"] >= sum(not call.get("failed") for call in record_now.calls)


@pytest.mark.parametrize(("pull", "verdicts"), [(0.0, ("equivalent", "inconclusive")), (0.2, ("drift",))])
def test_the_check_finds_the_truth_that_was_simulated(record, pull, verdicts):
    """A population whose beliefs are a martingale shows no drift; one that is pulled towards the truth does. Both stopped and resumed."""
    stop = llm.Budget(max_calls=700)
    with ChatServer(Population(belief=0.5, mass=4.0, seed=3, pull=pull), keep=False) as server:
        people = panel(server.base_url, 5)
        first = llm.run_debates(Protocol(rounds=2), people, samples(100), record=record, budget=stop, rng=1)
        assert "budget" in {one.outcome["status"] for one in first.transcripts}
        run = llm.resume(record, people, budget=llm.Budget())
    report = check(votes_of(run), null="belief")
    assert report.verdict in verdicts, str(report)
    drift = accuracy_by_round(votes_of(run))
    assert (drift[-1].value - drift[0].value > 0.1) == (pull > 0)


def test_a_second_writer_is_refused_while_the_first_one_runs(record):
    release = threading.Event()

    def reply(body, number):
        release.wait(0 if number else 5)
        return population(body, number)

    population = Population()
    with ChatServer(reply, keep=False) as server:
        settings = {
            "base_url": server.base_url,
            "record": str(record),
            "questions": 2,
            "agents": 2,
            "rounds": 0,
            "concurrency": 1,
        }
        process = start(settings)
        while server.count == 0:
            time.sleep(0.01)
        with pytest.raises(ValueError, match="another run is writing"):
            llm.resume(record, panel(server.base_url, 2))
        release.set()
        assert process.wait(60) == 0
        process.communicate()
