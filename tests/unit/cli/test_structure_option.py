"""``--structure`` and the structures among the options of ``madsim benchmark``."""

import json

import pytest

from madsim.llm import STRUCTURES
from madsim.transcripts import read_run
from tests.unit.cli._run import run


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "sums.jsonl"
    rows = [{"id": f"q{i}", "question": f"{i}+{i}?", "target": str(2 * i), "answer_type": "number"} for i in range(6)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "calls"), [("pool", 5), ("nested", 36), ("software", 20), ("moderated", 15)])
def test_a_plan_of_a_structure_counts_its_calls(capsys, task, name, calls):
    done = run(capsys, "debate", "plan", task, "--model", "simulated", "--structure", name, "--json")
    assert done.code == 0
    assert done.json["calls"] == 6 * calls


def test_a_structure_runs_and_resumes_from_its_record(capsys, task, tmp_path):
    record = tmp_path / "run.jsonl"
    options = ("--model", "simulated", "--structure", "nested", "--agents", 2, "--rng", 1, "--no-convergence", "--json")
    stopped = run(capsys, "debate", "run", task, *options, "--record", record, "--max-calls", 50)
    assert stopped.code == 3
    done = run(capsys, "debate", "resume", record, "--max-calls", 1000, "--json")
    assert done.code == 0
    assert done.json["calls"] == 6 * 24
    assert read_run(record).agents == ("Committee 1", "Committee 2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--structure", "panel"), "known are vote, debate"),
        (("--structure", "pool", "--graph", "ring"), "--graph is what --structure pool decides itself"),
        (("--structure", "pool", "--control", "vote"), "--control is what"),
        (("--structure", "pair", "--agents", "3"), "at most 2, got 3"),
        (("--structure", "pool", "--human", "9"), "--human 9: the seats are 1 to 4"),
        (("--structure", "pool", "--model", "another"), "name one --model"),
        (("--structure", "debate", "--agents", "1000000"), "--agents must be between 1 and 10000, got 1000000"),
    ],
)
def test_odd_structures_are_refused(capsys, task, options, message):
    done = run(capsys, "debate", "plan", task, "--model", "simulated", *options)
    assert done.code == 2
    assert message in done.err


def test_a_debate_that_failed_as_a_whole_says_why(capsys, task, tmp_path):
    options = ("--structure", "software", "--model", "simulated", "--rng", 1, "--record", tmp_path / "run")
    done = run(capsys, "debate", "run", task, *options)
    assert done.code == 1
    assert "why the first failed  phase 'requirements' ended after 4 turns without a document" in done.out


def test_structures_are_options_of_a_benchmark_and_what_they_decide_is_scored(capsys, task, tmp_path):
    options = [part for name in ("vote:3", "pool:4x2", "pair:2x1") for part in ("--option", name)]
    folder = tmp_path / "out"
    command = ("benchmark", task, "--model", "simulated:belief=0.6", "--rng", 1, *options, "--record", folder, "--json")
    done = run(capsys, *command)
    assert done.code == 0
    rows = {row["option"]: row for row in done.json["rows"]}
    assert rows["pool:4x2"]["calls_per_question"] == 5
    pool = read_run(folder / "sums-simulated-belief-0.6-pool-4x2.jsonl")
    right = sum(one.outcome["correct"] for one in pool.transcripts)
    assert rows["pool:4x2"]["accuracy"]["value"] == pytest.approx(right / 6)
    assert run(capsys, *command).json["rows"] == done.json["rows"]  # finished: nothing is asked again
    for wrong in ("software:5x1", "panel:3x1", "vote:3x1"):
        assert run(capsys, "benchmark", task, "--model", "simulated", "--option", wrong, "--plan").code == 2


def test_the_help_names_every_structure(capsys):
    text = " ".join(run(capsys, "debate", "run", "--help").out.split())
    assert all(name in text for name in STRUCTURES)
