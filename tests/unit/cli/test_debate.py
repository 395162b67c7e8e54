"""``madsim debate`` with simulated models: through the real engine, without an endpoint."""

import json

import pytest

from madsim.transcripts import read_record, read_run
from tests.unit.cli._run import run


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "task.jsonl"
    rows = [
        {"id": f"q{i}", "question": f"{i}+{i}?", "target": str(2 * i), "answer_type": "number"} for i in range(1, 5)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def debate(capsys, task, record, *arguments):
    return run(capsys, "debate", "run", task, "--model", "simulated", "--rng", 3, "--record", record, *arguments)


def test_a_run_gives_outcomes_scores_and_a_record(capsys, task, tmp_path):
    done = debate(capsys, task, tmp_path / "r", "--agents", 3, "--no-convergence", "--json")
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert [one["sample"] for one in found["outcomes"]] == ["q1", "q2", "q3", "q4"]
    assert {one["status"] for one in found["outcomes"]} == {"max_rounds"}
    assert found["calls"] == 4 * 3 * 3
    assert found["usage"]["input"] > 0
    diagnostics = found["diagnostics"]
    assert diagnostics["context_growth"] > 1
    assert 0 < diagnostics["coordination"] < 1
    assert sum(count for name, count in diagnostics["flips"].items() if name != "moved") == 12
    assert len(found["accuracy_by_round"]) == len(found["vote_by_round"]) == len(found["unparsed_by_round"]) == 3
    run_read = read_run(tmp_path / "r")
    assert run_read.early_stopping is False
    assert sum(len(one.replies) for one in run_read.transcripts) == 36


def test_the_seed_decides(capsys, task, tmp_path):
    texts = []
    for name in ("a", "b"):
        assert debate(capsys, task, tmp_path / name).code == 0
        texts.append([reply.text for one in read_run(tmp_path / name).transcripts for reply in one.replies])
    assert texts[0] == texts[1]


def test_convergence_is_on_unless_said(capsys, task, tmp_path):
    debate(capsys, task, tmp_path / "r")
    assert read_run(tmp_path / "r").early_stopping is True


def test_a_record_is_never_overwritten(capsys, task, tmp_path):
    (tmp_path / "r").write_text("mine", encoding="utf-8")
    done = debate(capsys, task, tmp_path / "r")
    assert done.code == 2
    assert "exists" in done.err
    assert (tmp_path / "r").read_text() == "mine"


def test_a_budget_stops_with_3_and_resume_finishes(capsys, task, tmp_path):
    record = tmp_path / "r"
    stopped = debate(capsys, task, record, "--agents", 3, "--no-convergence", "--max-calls", 20, "--json")
    assert stopped.code == 3
    assert stopped.json["statuses"]["budget"] >= 1
    resumed = run(capsys, "debate", "resume", record, "--max-calls", 100, "--json")
    assert resumed.code == 0
    assert resumed.json["statuses"] == {"max_rounds": 4}
    whole = tmp_path / "whole"
    debate(capsys, task, whole, "--agents", 3, "--no-convergence")
    assert [one.replies for one in read_run(record).transcripts] == [one.replies for one in read_run(whole).transcripts]


def test_pause_grant_resume_accept_and_terminate(capsys, task, tmp_path):
    def paused(name):
        record = tmp_path / name
        common = ("--agents", 2, "--rounds", 0, "--no-convergence", "--pause")
        assert debate(capsys, task, record, *common).code == 4
        return record

    record = paused("granted")
    granted = run(capsys, "debate", "grant", record, "--rounds", 1, "--comment", "look again", "--json")
    assert granted.json["granted"] >= 1
    assert run(capsys, "debate", "resume", record).code in (0, 4)
    assert max(reply.round for one in read_run(record).transcripts for reply in one.replies) == 1
    record = paused("accepted")
    assert run(capsys, "debate", "accept", record, "--json").json["accepted"] >= 1
    statuses = {outcome["status"] for outcome in read_record(record).outcomes.values()}
    assert "paused" not in statuses
    record = paused("terminated")
    assert run(capsys, "debate", "terminate", record, "--json").json["terminated"] >= 1
    again = run(capsys, "debate", "grant", record, "--rounds", 1)
    assert again.code == 2
    assert "no debate is paused" in again.err


def test_plan_sends_nothing_and_counts_everything(capsys, task):
    done = run(
        capsys, "debate", "plan", task, "--model", "m", "--agents", 3, "--rounds", 1, "--reply-tokens", 100,
        "--expected-tokens", 50, "--price-in", 1, "--price-out", 2, "--json",
    )  # fmt: skip
    assert done.code == 0
    found = done.json
    assert found["calls"] == 4 * 3 * 2
    assert found["output_tokens"] == 24 * 50
    assert found["cost"] == pytest.approx((found["input_tokens"] + 2 * found["output_tokens"]) / 1e6)
    assert found["most"]["tokens"] > found["tokens"]
    table = run(capsys, "debate", "plan", task, "--model", "m")
    assert "calls" in table.out
    assert run(capsys, "debate", "plan", task, "--model", "m", "--json").json["most"] is None


def test_controls_run_instead_of_the_debate(capsys, task, tmp_path):
    vote = debate(capsys, task, tmp_path / "v", "--agents", 2, "--rounds", 2, "--control", "vote", "--json").json
    assert (vote["control"], vote["calls"], len(vote["accuracy_by_round"])) == ("vote", 4 * 6, 1)
    reask = debate(capsys, task, tmp_path / "a", "--agents", 2, "--control", "reask", "--json").json
    assert (reask["control"], reask["calls"]) == ("reask", 4 * 6)
    assert read_run(tmp_path / "a").early_stopping is False


@pytest.mark.parametrize(
    "reduce", ["weighted", "ranked", "approval", "longest", "consensus", "seat:3", "judge", "compare"]
)
def test_every_reduction_runs(capsys, task, tmp_path, reduce):
    done = debate(capsys, task, tmp_path / "r", "--agents", 3, "--rounds", 1, "--reduce", reduce, "--json")
    assert done.code in (0, 1), done.err
    assert len(done.json["outcomes"]) == 4
    if reduce == "seat:3":
        assert {(one["method"], one["agent"]) for one in done.json["outcomes"]} <= {("one_agent", 2), ("agreement", 0)}
    judged = done.json["diagnostics"]["judge_agrees_with_vote"]
    assert (judged is not None) == (reduce in ("judge", "compare"))


@pytest.mark.parametrize(
    "arguments", [("--schedule", "sequential"), ("--schedule", "chat"), ("--show", "summary"), ("--graph", "ring")]
)
def test_schedules_and_visibilities_run(capsys, task, tmp_path, arguments):
    assert debate(capsys, task, tmp_path / "r", "--agents", 4, *arguments).code == 0


def test_personas_and_several_models_take_turns(capsys, task, tmp_path):
    record = tmp_path / "r"
    done = debate(
        capsys, task, record, "--agents", 3, "--model", "simulated:belief=0.9", "--personas", "lawyer", "doctor"
    )
    assert done.code == 0
    header = read_record(record).header
    assert header["agents"] == ["Lawyer 1", "Doctor 2", "Lawyer 3"]
    masses = [debater["model"]["debate"]["concentration"]["row"][0] for debater in header["debaters"]]
    assert masses[0] == masses[2] != masses[1]


def test_a_person_takes_a_seat(capsys, task, tmp_path):
    replies = "Final answer: 77\n\n" * 4
    done = run(
        capsys, "debate", "run", task, "--model", "simulated", "--rng", 1, "--agents", 2, "--rounds", 0,
        "--human", 1, "--concurrency", 1, "--record", tmp_path / "r", stdin=replies,
    )  # fmt: skip
    assert done.code == 0
    assert {one.replies[0].answer for one in read_run(tmp_path / "r").transcripts} == {"77"}
    assert "your reply" in done.err
    assert "your reply" not in done.out


def test_a_person_who_goes_away_pauses_what_is_left(capsys, task, tmp_path):
    arguments = (
        "--model", "simulated", "--rng", 1, "--agents", 2, "--rounds", 0, "--human", 1, "--concurrency", 1,
        "--no-convergence", "--record", tmp_path / "r", "--json",
    )  # fmt: skip
    replies = "Final answer: 77\n\n" * 2 + "Final answer: 7"
    first = run(capsys, "debate", "run", task, *arguments, stdin=replies)
    assert first.code == 4
    assert first.json["statuses"] == {"max_rounds": 3, "paused": 1}
    assert [one["reason"] for one in first.json["outcomes"] if "reason" in one] == [
        "nobody answered for Debater 1: resume the run when somebody can"
    ]
    again = run(capsys, "debate", "resume", tmp_path / "r", "--json", stdin="Final answer: 8\n\n")
    assert (again.code, again.json["statuses"]) == (0, {"max_rounds": 4})
    said = [one.replies[0].answer for one in read_run(tmp_path / "r").transcripts]
    assert said == ["77", "77", "7", "8"]
    assert len(read_record(tmp_path / "r").calls) == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "simulated:colour=1"), "none of belief, mass, answers, unparsed"),
        (("--model", "simulated:belief=x"), "belief needs a number"),
        (("--personas", "clown"), "known are assistant"),
        (("--human", "9"), "the seats are 1 to 5"),
        (("--agents", "0"), "--agents must be between 1 and 10000"),
        (("--rounds", "-1"), "rounds must be"),
        (("--max-cost", "1"), "price"),
        (("--price-in", "1"), "both --price-in and --price-out"),
        (("--graph", "nowhere.json"), "neither complete, ring, line or star"),
        (("--prices", "nowhere.json"), "nowhere.json"),
    ],
)
def test_wrong_options_are_refused_before_a_record_is_made(capsys, task, tmp_path, arguments, message):
    done = debate(capsys, task, tmp_path / "r", *arguments)
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "r").exists()


def test_a_model_must_be_named(capsys, task, tmp_path):
    done = run(capsys, "debate", "run", task, "--record", tmp_path / "r")
    assert done.code == 2
    assert "--model simulated" in done.err


def test_an_odd_seat_is_usage(capsys, task, tmp_path):
    assert debate(capsys, task, tmp_path / "r", "--human", "first").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--expected-tokens", -1], "expected length of a reply"),
        (["--epochs", 0], "epochs must be at least 1"),
    ],
)
def test_a_plan_of_nothing_is_refused(capsys, task, arguments, message):
    done = run(capsys, "debate", "plan", task, "--model", "simulated", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_cap_names_the_option_that_it_needs(capsys, task, tmp_path):
    done = debate(capsys, task, tmp_path / "r", "--max-total-tokens", 1000)
    assert done.code == 2
    assert "--reply-tokens" in done.err
    assert not (tmp_path / "r").exists()
