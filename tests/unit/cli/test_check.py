"""``madsim check`` and ``madsim demo``."""

import io
import json

import pytest

from madsim.models import DebateModel
from madsim.simulate import draw_beliefs, simulate_debate, simulate_questions
from madsim.transcripts import read_run
from tests.unit.cli._run import run


def table_of(votes, path):
    """Votes as a flat table; answer 0 is the target."""
    lines = ["sample,round,agent,answer,target"]
    for number, debate in enumerate(votes.answers):
        lines += [f"q{number},{t},{a},{given},0" for t, row in enumerate(debate) for a, given in enumerate(row)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    beliefs = draw_beliefs(900, accuracy=0.72, kappa=4, rng=1)
    votes = simulate_questions(beliefs, n_rounds=2, rng=2).votes
    return table_of(votes, tmp_path_factory.mktemp("flat") / "flat.csv")


@pytest.fixture(scope="module")
def drifting(tmp_path_factory):
    beliefs = draw_beliefs(300, accuracy=0.6, kappa=4, rng=3)
    votes = simulate_questions(beliefs, n_rounds=2, rng=4, answer_weights=(4.0, 1.0)).votes
    return table_of(votes, tmp_path_factory.mktemp("drift") / "drift.csv")


def test_the_replicator_check_comes_beside_the_others(capsys, flat):
    found = run(capsys, "check", flat, "--replicator", "--json").json["replicator"]
    assert set(found) >= {"verdict", "reason", "innovation"}
    assert found["reason"] in run(capsys, "check", flat, "--replicator").out


def test_a_martingale_is_equivalent_and_exit_0(capsys, flat):
    done = run(capsys, "check", flat, "--delta", 0.05, "--json")
    assert (done.code, done.json["verdict"]) == (0, "equivalent")
    contract = {
        "accuracy_by_round", "vote_by_round", "tests", "equivalence", "verdict", "flips", "unparsed_by_round", "questions_needed",
    }  # fmt: skip
    assert contract <= set(done.json)
    assert {"name", "statistic", "pvalue", "pvalue_holm"} <= set(done.json["tests"][0])


def test_a_drift_is_exit_1(capsys, drifting):
    done = run(capsys, "check", drifting)
    assert done.code == 1
    assert done.out.startswith("verdict: drift")
    for option, key, expected in (
        ((), "null", "belief"),
        (("--null", "share"), "null", "share"),
        (("--ran-to-the-end",), "early_stopping", False),
    ):
        again = run(capsys, "check", drifting, *option, "--json")
        assert (again.code, again.json["verdict"], again.json[key]) == (1, "drift", expected)
    assert run(capsys, "check", drifting, "--anytime", "--json").json["anytime"] is not None


def held_out_of(lines, *, right, target=0):
    """Round-0 rows of a table with other answers."""
    rows = [line.split(",") for line in lines[1:] if line.split(",")[1] == "0"]
    rows = [[*row[:3], str(int((number * 7) % 10 >= right)), str(target)] for number, row in enumerate(rows)]
    return "\n".join([lines[0], *map(",".join, rows)]) + "\n"


def test_held_out_answers_add_their_tests(capsys, drifting, tmp_path):
    lines = drifting.read_text(encoding="utf-8").splitlines()
    held = tmp_path / "held.csv"
    held.write_text(held_out_of(lines, right=6), encoding="utf-8")
    plain = {one["name"] for one in run(capsys, "check", drifting, "--json").json["tests"]}
    more = {one["name"] for one in run(capsys, "check", drifting, "--held-out", held, "--json").json["tests"]}
    assert more - plain == {"held-out-moment", "held-out-plurality"}


def test_held_out_answers_to_other_questions_are_refused(capsys, drifting, tmp_path):
    lines = drifting.read_text(encoding="utf-8").splitlines()
    for name, text, message in (
        ("other.csv", held_out_of(lines, right=6, target=1), "another question"),
        ("copy.csv", "\n".join([lines[0], *(one for one in lines[1:] if one.split(",")[1] == "0")]) + "\n", "a copy"),
    ):
        held = tmp_path / name
        held.write_text(text, encoding="utf-8")
        done = run(capsys, "check", drifting, "--held-out", held)
        assert done.code == 2
        assert message in done.err


def test_several_runs_are_one_and_a_control_is_subtracted(capsys, drifting, flat, tmp_path):
    again = tmp_path / "again.csv"
    again.write_bytes(drifting.read_bytes())
    done = run(capsys, "check", drifting, again, "--json")
    assert (done.json["n_debates"], done.json["n_questions"]) == (600, 600)
    assert "no question is in two of the runs" in done.err  # a table without questions shares none
    done = run(capsys, "check", drifting, "--control", flat, "--json")
    assert done.json["control"]["n_questions"] == 300
    assert done.json["control"]["pvalue"] < 0.01
    assert "against the control: debate +" in run(capsys, "check", drifting, "--control", flat).out
    for options, message in (
        (("--control", drifting), "--control"),
        ((drifting,), "is named more than once"),
        ((flat, "--held-out", tmp_path / "x.csv"), "--held-out belongs to one run, got 2"),
    ):
        refused = run(capsys, "check", drifting, *options)
        assert refused.code == 2
        assert message in refused.err


def test_a_simulation_takes_held_out_answers_too(capsys, tmp_path):
    model = DebateModel.homogeneous(n_agents=3, belief=0.6)
    for seed in (1, 2):
        simulate_debate(model, n_trials=60, n_rounds=2, rng=seed, keep="votes").save(tmp_path / f"{seed}.npz")
    done = run(capsys, "check", tmp_path / "1.npz", "--held-out", tmp_path / "2.npz", "--json")
    assert "held-out-moment" in {one["name"] for one in done.json["tests"]}


def test_early_stopping_can_be_told(capsys, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"q{q},0,{a},{(q + a) % 2},0" for q in range(40) for a in range(3)]
    rows += [f"q{q},1,{a},{q % 2},0" for q in range(0, 40, 2) for a in range(3)]
    path.write_text("sample,round,agent,answer,target\n" + "\n".join(rows) + "\n", encoding="utf-8")
    told = run(capsys, "check", path, "--stopped-early", "--json")
    assert (told.code, told.json["verdict"]) == (0, "unreadable")
    assert run(capsys, "check", path, "--stopped-early", "--ran-to-the-end").code == 2


def test_simulations_are_checked_like_transcripts(capsys, tmp_path):
    model = DebateModel.homogeneous(n_agents=4, belief=0.7)
    simulate_debate(model, n_trials=3000, n_rounds=2, rng=1, keep="votes").save(tmp_path / "s.npz")
    done = run(capsys, "check", tmp_path / "s.npz", "--json")
    assert (done.code, done.json["verdict"]) == (0, "equivalent")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sample,round,agent,answer,target\nq,0,a,4,4\n", "round 0 alone"),
        ("nothing\n", "neither JSON nor a table"),
    ],
)
def test_what_cannot_be_checked_is_said(capsys, tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    done = run(capsys, "check", path)
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("option", [("--delta", "0"), ("--level", "0.7"), ("--null", "nothing")])
def test_odd_options_are_refused(capsys, flat, option):
    assert run(capsys, "check", flat, *option).code == 2


def test_the_demo_leaves_a_report_and_verdicts(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(capsys, "demo", "--out", "out", "--json")
    assert done.code == 0
    found = done.json
    rows = {row["name"]: row for row in found["runs"]}
    assert rows["simulated population"]["verdict"] == "equivalent"
    assert rows["engine with simulated models"]["verdict"] in ("equivalent", "inconclusive")
    assert found["forecast"]["verdict"] in ("vote", "undecided")
    assert rows["arithmetic debate"]["questions"] == rows["arithmetic reask"]["questions"] == 60
    debates = read_run(tmp_path / "out" / "debate.jsonl").transcripts
    assert len(debates) == rows["engine with simulated models"]["questions"] > 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert all(name in page for name in rows)
    assert json.loads(json.dumps(found)) == found


def test_a_second_demo_replaces_the_first_and_nothing_else(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "demo").code == 0
    before = {one.name: one.read_bytes() for one in (tmp_path / "madsim-demo").iterdir()}
    again = run(capsys, "demo")
    assert again.code == 0
    assert "verdict" in again.out
    assert {one.name for one in (tmp_path / "madsim-demo").iterdir()} == set(before)
    (tmp_path / "madsim-demo" / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for folder, message in (("madsim-demo", "holds mine.txt"), ("file", "is a file")):
        refused = run(capsys, "demo", "--out", folder)
        assert refused.code == 2
        assert message in refused.err
    assert (tmp_path / "madsim-demo" / "report.html").exists()


def test_what_was_odd_in_a_record_is_told_beside_the_verdict(capsys, tmp_path):
    task = tmp_path / "task.jsonl"
    rows = [{"id": f"q{i}", "question": f"{i}+1?", "target": str(i + 1), "answer_type": "number"} for i in range(3)]
    task.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    record = tmp_path / "r"
    options = ("--model", "simulated", "--agents", 2, "--rounds", 1, "--no-convergence", "--rng", 1)
    assert run(capsys, "debate", "run", task, *options, "--record", record).code == 0
    assert run(capsys, "check", record).err == ""
    whole = record.read_bytes()
    record.write_bytes(whole + whole.splitlines()[-1][:40])
    done = run(capsys, "check", record, "--json")
    assert done.json["n_questions"] == 3
    assert done.err == "note: torn lines: 1\n"


def test_a_simulation_is_read_from_standard_input(capsys, tmp_path, monkeypatch):
    saved = {}
    for name, options in (("votes", ["--votes"]), ("none", [])):
        path = tmp_path / f"{name}.npz"
        run(capsys, "simulate", "debate", "--trials", 500, "--rng", 1, "--out", path, *options)
        saved[name] = path.read_bytes()

    def piped(content, *arguments):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        return run(capsys, *arguments)

    assert piped(saved["votes"], "check", "-", "--json").json["n_debates"] == 500
    assert piped(saved["none"], "reproduce", "-", "--json").json["identical"] is True
    done = piped(saved["none"], "check", "-")
    assert done.code == 2
    assert "standard input was saved without its votes" in done.err
    assert "standard input" in piped(b"nothing of the kind", "reproduce", "-").err


def test_a_run_is_not_held_out_from_itself(capsys, flat):
    done = run(capsys, "check", flat, "--held-out", flat)
    assert done.code == 2
    assert "the run itself" in done.err
