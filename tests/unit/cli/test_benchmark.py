"""``madsim benchmark``: votes and debates on the same questions."""

import json

import pytest

from madsim.transcripts import read_run
from tests.unit.cli._run import run


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "sums.jsonl"
    rows = [{"id": f"q{i}", "question": f"{i}+{i}?", "target": str(2 * i), "answer_type": "number"} for i in range(20)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


OPTIONS = ("--model", "simulated", "--rng", 1, "--option", "vote:3", "--option", "debate:3x1", "--option", "vote:9")


def test_every_option_on_the_same_questions(capsys, task, tmp_path):
    done = run(capsys, "benchmark", task, *OPTIONS, "--record", tmp_path / "out", "--json")
    assert done.code == 0
    rows = {row["option"]: row for row in done.json["rows"]}
    assert {name: row["calls"] for name, row in rows.items()} == {"vote:3": 60, "debate:3x1": 120, "vote:9": 180}
    by_name = {one["against"]: one for one in rows["debate:3x1"]["differences"]}
    expected = rows["debate:3x1"]["accuracy"]["value"] - rows["vote:3"]["accuracy"]["value"]
    assert by_name["vote:3"]["value"] == pytest.approx(expected)
    assert by_name["vote:3"]["n"] == 20
    assert rows["vote:3"]["nearest_in_tokens"] in ("debate:3x1", "vote:9")
    assert {one.name for one in (tmp_path / "out").iterdir()} == {
        "sums-simulated-vote-3.jsonl",
        "sums-simulated-debate-3x1.jsonl",
        "sums-simulated-vote-9.jsonl",
    }


def test_a_finished_benchmark_is_shown_again_without_its_seed(capsys, task, tmp_path):
    options = ("--model", "simulated", "--option", "vote:3", "--record", tmp_path / "out", "--json")
    first = run(capsys, "benchmark", task, *options, "--rng", 1).json
    again = run(capsys, "benchmark", task, *options)
    assert (again.code, again.json) == (0, first)


def test_a_stop_by_budget_is_exit_3_and_goes_on_where_it_stopped(capsys, task, tmp_path):
    folder = tmp_path / "out"
    stopped = run(capsys, "benchmark", task, *OPTIONS, "--record", folder, "--max-calls", 100, "--json")
    assert (stopped.code, stopped.json["stopped_by_budget"]) == (3, True)
    cut = {row["option"]: row for row in stopped.json["rows"]}["debate:3x1"]
    assert cut["calls"] <= 40
    assert 0 < cut["accuracy"]["n"] < 20  # debates that were cut are not counted as wrong
    finished = run(capsys, "benchmark", task, *OPTIONS, "--record", folder, "--json")
    whole = run(capsys, "benchmark", task, *OPTIONS, "--record", tmp_path / "whole", "--json")
    assert finished.code == whole.code == 0
    assert [row["accuracy"] for row in finished.json["rows"]] == [row["accuracy"] for row in whole.json["rows"]]
    assert [row["calls"] for row in finished.json["rows"]] == [row["calls"] for row in whole.json["rows"]]


@pytest.mark.parametrize("option", ["nested:2x1", "pool:4x2", "moderated:2x2"])
def test_an_option_without_any_call_left_is_a_stop_and_goes_on_later(capsys, task, tmp_path, option):
    options = ("--model", "simulated", "--rng", 1, "--option", "vote:3", "--option", option, "--json")
    stopped = run(capsys, "benchmark", task, *options, "--record", tmp_path / "out", "--max-calls", 60)
    assert (stopped.code, stopped.json["stopped_by_budget"]) == (3, True)
    assert stopped.json["rows"][0]["accuracy"]["n"] == 20
    assert (stopped.json["rows"][1]["accuracy"]["n"], stopped.json["rows"][1]["calls"]) == (0, 0)
    finished = run(capsys, "benchmark", task, *options, "--record", tmp_path / "out")
    whole = run(capsys, "benchmark", task, *options, "--record", tmp_path / "whole")
    assert (finished.code, finished.json) == (whole.code, whole.json)
    assert finished.code == 0


def test_the_plan_sends_nothing(capsys, task, tmp_path):
    done = run(capsys, "benchmark", task, *OPTIONS, "--plan", "--price-in", 1, "--price-out", 1, "--json")
    assert done.code == 0
    assert [row["calls"] for row in done.json["plan"]] == [60, 120, 180]
    assert done.json["total"]["cost"] == pytest.approx(done.json["total"]["tokens"] / 1e6)
    assert "debate:3x1" in run(capsys, "benchmark", task, *OPTIONS, "--plan").out
    assert list(tmp_path.iterdir()) == [task]


def test_debates_run_to_the_end_unless_said(capsys, task, tmp_path):
    common = ("--model", "simulated", "--option", "debate:2x1", "--rng", 1)
    run(capsys, "benchmark", task, *common, "--record", tmp_path / "a")
    run(capsys, "benchmark", task, *common, "--record", tmp_path / "b", "--convergence")
    assert read_run(tmp_path / "a" / "sums-simulated-debate-2x1.jsonl").early_stopping is False
    assert read_run(tmp_path / "b" / "sums-simulated-debate-2x1.jsonl").early_stopping is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--option", "vote:3", "--record", "x"), "at least one --model"),
        (("--model", "simulated", "--option", "vote:3"), "--record DIR"),
        (("--model", "simulated", "--option", "vote:3", "--option", "vote:3", "--plan"), "stands twice"),
        (("--model", "simulated", "--option", "vote:0", "--plan"), "expected vote:N or NAME:NxT"),
        (("--model", "simulated", "--option", "debate:5", "--plan"), "expected vote:N or NAME:NxT"),
    ],
)
def test_odd_options_are_refused(capsys, task, arguments, message):
    done = run(capsys, "benchmark", task, *arguments)
    assert done.code == 2
    assert message in done.err


def test_records_of_other_questions_are_not_taken_for_these(capsys, task, tmp_path):
    common = ("--model", "simulated", "--option", "vote:2", "--rng", 1, "--record", tmp_path / "out")
    assert run(capsys, "benchmark", task, *common).code == 0
    lines = task.read_text(encoding="utf-8").splitlines()[:5]
    task.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run(capsys, "benchmark", task, *common)
    assert done.code == 2
    assert "holds other questions" in done.err
    assert run(capsys, "benchmark", task, task, *common).code == 2


def test_a_stopped_run_is_not_resumed_on_other_questions_or_under_another_protocol(capsys, task, tmp_path):
    common = ("--model", "simulated", "--option", "debate:2x1", "--rng", 1, "--record", tmp_path / "out")
    assert run(capsys, "benchmark", task, *common, "--max-calls", 8).code == 3
    record = next((tmp_path / "out").iterdir())
    before = record.read_bytes()
    other = run(capsys, "benchmark", task, *common, "--convergence")
    assert (other.code, "another protocol" in other.err) == (2, True)
    text = task.read_text(encoding="utf-8")
    task.write_text(text.replace("1+1?", "1+2?"), encoding="utf-8")
    assert "holds other questions" in run(capsys, "benchmark", task, *common).err
    assert record.read_bytes() == before
    task.write_text(text, encoding="utf-8")
    assert run(capsys, "benchmark", task, *common).code == 0
