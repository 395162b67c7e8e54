"""``madsim transcripts``."""

import json

import pytest

from madsim.tasks import Sample
from madsim.transcripts import Reply, Run, Transcript, import_run, read_run, write_run
from tests.unit.cli._run import run

TABLE = "sample,round,agent,answer,target\nq,0,a,4,4\nq,0,b,5,4\nq,1,a,4,4\nq,1,b,4,4\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def record(tmp_path):
    sample = Sample(id="q", question="2+2?", target="4", answer_type="number")
    other = Sample(id="p", question="Which?", target="A", choices={"A": "x", "B": "y"}, answer_type="choice")
    replies = (
        Reply(round=0, agent=0, text="Final answer: 4", answer="4", reason="label", span=(14, 15)),
        Reply(round=0, agent=1, text="\x1b[2JFinal answer: 5", answer="4", reason="label"),
        Reply(round=1, agent=0, text="Final answer: 4", answer="4", reason="label"),
        Reply(round=1, agent=1, failed=True, reason="timeout"),
    )
    whole = Run(
        agents=("a", "b"),
        transcripts=(
            Transcript(
                sample=sample, replies=replies, outcome={"answer": "4", "status": "max_rounds", "method": "majority"}
            ),
            Transcript(
                sample=other, replies=(Reply(round=0, agent=0, answer="B"), Reply(round=0, agent=1, answer="A"))
            ),
        ),
        early_stopping=False,
    )
    path = tmp_path / "run.jsonl"
    write_run(whole, path)
    return path


def test_import_writes_a_record_and_says_what_it_found(capsys, table, tmp_path):
    done = run(capsys, "transcripts", "import", table, "--out", tmp_path / "r", "--json")
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert (found["samples"], found["rounds"], found["agents"]) == (1, 1, ["a", "b"])
    assert [one["value"] for one in found["accuracy_by_round"]] == [0.5, 1.0]
    assert [one["value"] for one in found["vote_by_round"]] == [0.5, 1.0]
    assert found["unparsed_by_round"] == [0.0, 0.0]
    assert read_run(tmp_path / "r") == import_run(table)


def test_nothing_is_overwritten_and_no_work_is_done_before_that_is_known(capsys, table, tmp_path):
    done = run(capsys, "transcripts", "import", tmp_path / "absent", "--out", table)
    assert done.code == 2
    assert "is not overwritten; name another file" in done.err
    done = run(capsys, "transcripts", "import", table, "--out", tmp_path / "none" / "r")
    assert "does not exist" in done.err
    assert table.read_text() == TABLE


def test_import_from_standard_input(capsys, tmp_path):
    done = run(capsys, "transcripts", "import", "-", "--format", "table", "--out", tmp_path / "r", stdin=TABLE)
    assert done.code == 0
    assert "written" in done.out
    assert run(capsys, "transcripts", "import", "-", "--out", tmp_path / "s", stdin=TABLE).code == 0
    assert read_run(tmp_path / "s") == read_run(tmp_path / "r")
    assert read_run(tmp_path / "s").source["file"] == "standard input"
    done = run(capsys, "transcripts", "import", "-", "--out", tmp_path / "t", stdin="nothing\n")
    assert done.code == 2
    assert done.err.startswith("madsim: error: standard input: neither JSON nor a table")


def test_every_layout_can_come_from_standard_input(capsys):
    assert run(capsys, "transcripts", "show", "-", "--json", stdin=TABLE).json["rounds"] == 1
    assert run(capsys, "check", "-", "--json", stdin=TABLE).json["n_questions"] == 1


def test_options_of_another_layout_are_refused(capsys, table, tmp_path):
    done = run(capsys, "transcripts", "import", table, "--gold", "x.csv", "--out", tmp_path / "r")
    assert done.code == 2
    assert "takes no such option" in done.err
    assert not (tmp_path / "r").exists()


def test_show_a_run_from_its_file_and_from_standard_input(capsys, record):
    from_file = run(capsys, "transcripts", "show", record, "--json").json
    from_stdin = run(capsys, "transcripts", "show", "-", "--json", stdin=record.read_text()).json
    assert from_file == from_stdin
    assert from_file["debates"] == 2
    assert from_file["early_stopping"] is False
    text = run(capsys, "transcripts", "show", record).out
    assert "accuracy" in text
    assert "questions" in text


def test_show_one_debate_makes_control_characters_visible(capsys, record):
    text = run(capsys, "transcripts", "show", record, "--sample", "q").out
    assert "\x1b" not in text
    assert "\\x1b[2JFinal answer: 5" in text
    assert "no reply (timeout)" in text
    assert "outcome: 4 (max_rounds, by majority)" in text
    found = run(capsys, "transcripts", "show", record, "--sample", "q", "--json").json
    assert [one["answer"] for one in found["debates"][0]["replies"]] == ["4", "4", "4", None]
    options = run(capsys, "transcripts", "show", record, "--sample", "p").out
    assert "  B) y" in options
    absent = run(capsys, "transcripts", "show", record, "--sample", "z")
    assert absent.code == 2
    assert "no sample 'z'; it has q, p\n" in absent.err


def test_extract_reads_the_texts_again(capsys, record, table, tmp_path):
    done = run(capsys, "transcripts", "extract", record, "--out", tmp_path / "new", "--json").json
    assert (done["texts"], done["changed"], done["lost"], done["found"]) == (3, 1, 0, 0)
    assert sum(done["reasons"].values()) == 3
    new = read_run(tmp_path / "new")
    assert new.transcripts[0].replies[1].answer == "5"
    assert new.transcripts[0].outcome is None
    assert run(capsys, "transcripts", "extract", record).out.startswith("texts")
    refused = run(capsys, "transcripts", "extract", table)
    assert refused.code == 2
    assert "holds no texts" in refused.err


def test_revote_says_how_ties_count(capsys, record):
    split = run(capsys, "transcripts", "revote", record, "--json").json
    assert [one["right"] for one in split["samples"]] == [1.0, 0.5]
    assert split["samples"][0]["recorded"] == "4"
    first = run(capsys, "transcripts", "revote", record, "--ties", "first", "--json").json
    assert [one["right"] for one in first["samples"]] == [1.0, 0.0]
    assert first["vote_by_round"][0]["value"] == 0.5
    assert "vote" in run(capsys, "transcripts", "revote", record).out


def test_rejudge_reads_the_judge_again(capsys, record, tmp_path):
    task = tmp_path / "task.jsonl"
    task.write_text('{"id": "q", "question": "2+2?", "target": "4", "answer_type": "number"}\n', encoding="utf-8")
    judged = tmp_path / "judged"
    arguments = (
        "--model",
        "simulated",
        "--rng",
        1,
        "--agents",
        3,
        "--reduce",
        "judge",
        "--no-convergence",
        "--rounds",
        1,
    )
    assert run(capsys, "debate", "run", task, *arguments, "--record", judged).code == 0
    done = run(capsys, "transcripts", "rejudge", judged, "--json")
    assert done.code == 0
    assert done.json["judged"] == 1
    assert done.json["changed"] == 0
    assert done.json["samples"][0]["answer"] == done.json["samples"][0]["recorded"]
    assert "read now" in run(capsys, "transcripts", "rejudge", judged).out
    refused = run(capsys, "transcripts", "rejudge", record)
    assert refused.code == 2
    assert "not decided by a judge" in refused.err


def test_cut_keeps_the_first_rounds(capsys, record, tmp_path):
    done = run(capsys, "transcripts", "cut", record, "--rounds", 0, "--out", tmp_path / "cut", "--json").json
    assert done["rounds"] == 0
    assert [len(one.replies) for one in read_run(tmp_path / "cut").transcripts] == [2, 2]
    assert run(capsys, "transcripts", "cut", record, "--rounds", 0, "--json").json["record"] is None
    assert "nothing was cut" in run(capsys, "transcripts", "cut", record, "--rounds", 9).err
    refused = run(capsys, "transcripts", "cut", record, "--rounds", -1, "--out", tmp_path / "x")
    assert refused.code == 2


def test_export_and_import_again(capsys, record, tmp_path):
    done = run(capsys, "transcripts", "export", record, "--out", tmp_path / "t.jsonl", "--json")
    assert done.json["rows"] == 6
    assert import_run(tmp_path / "t.jsonl").transcripts[1].replies == read_run(record).transcripts[1].replies
    piped = run(capsys, "transcripts", "export", record, "--no-text")
    assert piped.out.splitlines()[1] == '"q",0,"a","4","4",0,"answered","","number"'
    assert piped.err == "6 rows\n"
    copied = run(capsys, "transcripts", "export", record, "--format", "record", "--out", tmp_path / "copy")
    assert copied.code == 0
    assert read_run(tmp_path / "copy") == read_run(record)


@pytest.mark.parametrize(
    "arguments", [["--json"], ["--format", "record"], ["--out", "x.xml"], ["--out", "absent_folder/x.csv"]]
)
def test_export_needs_a_file_that_can_be_written(capsys, record, arguments):
    assert run(capsys, "transcripts", "export", record, *arguments).code == 2


def test_a_run_without_replies_can_be_shown(capsys, tmp_path):
    lines = [{"type": "run", "schema": 1, "agents": ["a"]}, {"type": "sample", "id": "q", "question": "?"}]
    path = tmp_path / "r"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert run(capsys, "transcripts", "show", path, "--json").json["rounds"] is None
    assert run(capsys, "transcripts", "show", path).code == 0


def test_extract_explains_how_answers_were_read(capsys, record):
    found = run(capsys, "transcripts", "extract", record, "--explain", "--json").json
    told = found["explanation"]
    assert {reason: sum(counts) for reason, counts in told["reasons_by_round"].items()} == found["reasons"]
    assert 0 < len(told["oddest"]) <= 20
    assert set(told["meaning"]) == set(found["reasons"])
    assert told["after"]["accuracy_by_round"] == found["accuracy_by_round"]
    text = run(capsys, "transcripts", "extract", record, "--explain").out
    assert "oddest replies" in text
    assert "what reading again changes" in text
