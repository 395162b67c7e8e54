"""The flat table: what is written comes back, and what contradicts itself is refused with its place."""

import io
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim.tasks import Sample
from madsim.transcripts import Reply, Run, Transcript, export_table, import_run, votes_of

HEADER = "sample,round,agent,answer,target\n"


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_the_smallest_table(tmp_path):
    run = import_run(write(tmp_path / "t.csv", HEADER + "q,0,a,4,4\nq,0,b,5,4\nq,1,a,4,4\nq,1,b,,4\n"))
    votes = votes_of(run)
    assert run.agents == ("a", "b")
    assert run.notes == {}
    assert votes.answers.tolist() == [[[0, 1], [0, -1]]]
    assert votes.state.tolist() == [[[0, 0], [0, 1]]]


def test_an_absent_row_was_not_asked(tmp_path):
    run = import_run(write(tmp_path / "t.csv", HEADER + "q,0,1,4,4\nq,0,0,4,4\nq,1,1,4,4\n"))
    assert run.agents == ("0", "1")
    assert votes_of(run).state.tolist() == [[[0, 0], [3, 0]]]


def test_agents_in_numerical_order_and_names_in_order_of_appearance(tmp_path):
    numbers = "".join(f"q,0,{agent},1,1\n" for agent in (10, 2, 1))
    assert import_run(write(tmp_path / "n.csv", HEADER + numbers)).agents == ("1", "2", "10")
    names = "".join(f"q,0,{agent},1,1\n" for agent in ("zoe", "10", "adam"))
    assert import_run(write(tmp_path / "a.csv", HEADER + names)).agents == ("zoe", "10", "adam")


def test_json_lines_parquet_and_csv_say_the_same(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    rows = [
        {"sample": "q", "round": 0, "agent": 0, "answer": 4, "target": 4},
        {"sample": "q", "round": 0, "agent": 1, "answer": None, "target": 4},
    ]
    write(tmp_path / "t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write(tmp_path / "t.csv", HEADER + "q,0,0,4,4\nq,0,1,,4\n")
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    runs = [import_run(tmp_path / name) for name in ("t.csv", "t.jsonl", "t.parquet")]
    assert runs[0].transcripts == runs[1].transcripts == runs[2].transcripts


def test_the_answer_is_read_out_of_the_text_where_there_is_none(tmp_path):
    rows = [
        {"sample": "q", "round": 0, "agent": 0, "text": "Final answer: 4", "target": "4"},
        {"sample": "q", "round": 0, "agent": 1, "text": "no idea", "target": "4"},
    ]
    run = import_run(write(tmp_path / "t.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert [reply.answer for reply in run.transcripts[0].replies] == ["4", None]
    assert votes_of(run).answers.tolist() == [[[0, -1]]]


def test_rounds_may_start_at_one_when_said(tmp_path):
    path = write(tmp_path / "t.csv", HEADER + "q,1,a,4,4\nq,2,a,4,4\n")
    with pytest.raises(ValueError, match="say first_round=1"):
        import_run(path)
    assert votes_of(import_run(path, first_round=1)).answers.tolist() == [[[0], [0]]]
    with pytest.raises(ValueError, match="before the first round 2"):
        import_run(path, first_round=2)


def test_standard_input_needs_its_format(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((HEADER + "q,0,a,4,4\n").encode())))
    with pytest.raises(ValueError, match="name the format"):
        import_run("-")
    assert import_run("-", "table").agents == ("a",)


def test_repeated_rows_and_unused_columns_are_counted(tmp_path):
    text = HEADER.replace("\n", ",colour\n") + "q,0,a,4,4,red\nq,0,a,4,4,red\n"
    run = import_run(write(tmp_path / "t.csv", text))
    assert run.notes == {"repeated_rows": 1, "unused_columns": 1}


def test_not_a_number_is_no_answer(tmp_path):
    rows = '{"sample": "q", "round": 0, "agent": 0, "answer": NaN, "target": 4}\n'
    run = import_run(write(tmp_path / "t.jsonl", rows))
    assert votes_of(run).state.tolist() == [[[1]]]
    assert run.notes == {"not_a_number": 1}
    run = import_run(write(tmp_path / "t.csv", HEADER + "q,0,a,NaN,4\nq,0,b,nan,4\n"))
    assert run.notes == {"not_a_number": 2}
    bread = import_run(write(tmp_path / "b.csv", HEADER + "q,0,a,nan,naan\n"))
    assert bread.transcripts[0].replies[0].answer == "nan"


def test_a_torn_last_row_is_dropped_and_counted(tmp_path):
    whole = HEADER + "q,0,a,4,4\n" + 'q,0,b,"4 or\nso",4\n'
    for cut in range(2, 9):
        run = import_run(write(tmp_path / f"{cut}.csv", HEADER + "q,0,a,4,4\n" + "q,0,b,four,4"[:-cut]))
        assert len(run.transcripts[0].replies) == 1
        assert run.notes == {"torn_lines": 1}
    with pytest.raises(ValueError, match="row that starts in line 3 cannot be read"):
        import_run(write(tmp_path / "quote.csv", whole[:-4]))
    run = import_run(write(tmp_path / "unended.csv", whole[:-1]))
    assert len(run.transcripts[0].replies) == 2
    assert run.notes == {"last_line_without_end": 1}
    run = import_run(write(tmp_path / "t.jsonl", '{"sample":"q","round":0,"agent":0,"answer":4,"target":4}\n{"samp'))
    assert run.notes == {"torn_lines": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (HEADER, "no rows"),
        ("sample,round,agent,target\nq,0,a,4\n", "answer"),
        ("sample,round,answer,target\nq,0,4,4\n", "agent"),
        ("sample,round,agent,answer,answer\nq,0,a,4,4\n", "stands twice"),
        (HEADER + "q,0,a,4,4\nq,0,a,5,4\n", "line 3: .*stands twice with different content"),
        (HEADER + "q,0,a,4,4\nq,0,b,4,5\n", "line 3: .*two values of target: '4' and '5'"),
        (HEADER + "q,0,a,4\nq,0,b,4,4\n", "line 2: expected 5 cells"),
        (HEADER + "q,0,a,4,4,4\n", "line 2: expected 5 cells"),
        (HEADER + "q,x,a,4,4\n", "round must be an integer from 0"),
        (HEADER + "q,-1,a,4,4\n", "round must be an integer from 0"),
        (HEADER + "q,0.5,a,4,4\n", "round must be an integer from 0"),
        (HEADER + "q,inf,a,4,4\n", "round must be an integer from 0"),
        (HEADER + ",0,a,4,4\n", "needs a sample and an agent"),
        (HEADER + "q,0,,4,4\n", "needs a sample and an agent"),
        (HEADER.replace("\n", ",state\n") + "q,0,a,4,4,sleepy\n", "state must be one of"),
        (HEADER.replace("\n", ",state\n") + "q,0,a,4,4,failed\n", "holds the answer"),
        (HEADER.replace("\n", ",state\n") + "q,0,a,,4,answered\n", "holds no answer"),
        (HEADER.replace("\n", ",choices\n") + "q,0,a,A,A,[\n", "choices must be a JSON list"),
        (HEADER.replace("\n", ",answer_type\n") + "q,0,a,A,A,colour\n", "answer_type must be one of"),
        (HEADER.replace("\n", ",epoch\n") + "q,0,a,A,A,x\n", "epoch must be an integer"),
        (HEADER + 'q,0,a,"4"x,4\nq,0,b,4,4\n', "line 2"),
    ],
)
def test_what_contradicts_itself_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        import_run(write(tmp_path / "t.csv", text), "table")


@pytest.mark.parametrize(
    "row",
    [
        '{"sample": "q", "round": 0, "agent": 0, "answer": [4], "target": 4}',
        '{"sample": "q", "round": true, "agent": 0, "answer": 4, "target": 4}',
        '{"sample": "q", "round": 0, "agent": {}, "answer": 4, "target": 4}',
        '{"sample": "q", "round": 0, "agent": 0, "text": 4, "target": 4}',
        '["q", 0, 0, 4, 4]',
        '{"sample": "q"}',
    ],
)
def test_values_of_the_wrong_kind_are_refused(tmp_path, row):
    with pytest.raises(ValueError, match=r"t\.jsonl, line 1"):
        import_run(write(tmp_path / "t.jsonl", row + "\n\n"), "table")


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("utf-16", "starts as UTF-16"),
        ("utf-32", "starts as UTF-32"),
        ("latin-1", r"byte 39 \(0xf6\) is not UTF-8; convert"),
    ],
)
def test_other_encodings_are_named_with_the_first_wrong_byte(tmp_path, encoding, message):
    path = write(tmp_path / "t.csv", HEADER + "q,0,Zoö,4,4\n", encoding)
    with pytest.raises(ValueError, match=message):
        import_run(path)


def test_a_byte_order_mark_of_utf8_is_skipped(tmp_path):
    run = import_run(write(tmp_path / "t.csv", HEADER + "q,0,Zoë,4,4\n", "utf-8-sig"))
    assert run.agents == ("Zoë",)


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@st.composite
def runs(draw):
    agents = tuple(draw(st.lists(texts.filter(lambda t: not t.isdecimal()), min_size=1, max_size=3, unique=True)))
    transcripts = []
    for identifier in draw(st.lists(texts, min_size=1, max_size=3, unique=True)):
        choices = draw(st.none() | st.dictionaries(texts, texts, min_size=1, max_size=3))
        sample = Sample(
            id=identifier,
            question=draw(texts),
            target=draw(st.none() | texts),
            choices=choices,
            answer_type=draw(st.sampled_from(["text", "choice"])),
        )
        replies = []
        for round in range(2):
            for agent in range(len(agents)):
                answer = draw(st.none() | texts.filter(lambda t: t.lower() != "nan"))
                failed = answer is None and draw(st.booleans())
                text = draw(st.none() | texts)
                replies.append(Reply(round=round, agent=agent, text=text, answer=answer, failed=failed))
        transcripts.append(Transcript(sample=sample, replies=tuple(replies)))
    return Run(agents=agents, transcripts=tuple(transcripts))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@given(run=runs())
@settings(max_examples=40, deadline=None)
def test_export_and_import_give_the_same_replies(tmp_path_factory, suffix, run):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("t") / f"t{suffix}"
    export_table(run, path)
    back = import_run(path, "table")
    assert back.agents == run.agents
    assert back.transcripts == run.transcripts


def test_export_refuses_other_names_and_existing_files(tmp_path):
    run = Run(agents=("a",), transcripts=())
    with pytest.raises(ValueError, match=r"must end in \.csv"):
        export_table(run, tmp_path / "t.txt")
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        write(tmp_path / name, "mine")
        with pytest.raises(FileExistsError, match="name another file"):
            export_table(run, tmp_path / name)
        assert (tmp_path / name).read_text() == "mine"


def test_export_without_texts_to_standard_output(capsys):
    sample = Sample(id="q", question="2+2?", target="4", answer_type="number")
    reply = Reply(round=0, agent=0, text="secret", answer="4")
    run = Run(agents=("a",), transcripts=(Transcript(sample=sample, replies=(reply,)),))
    export_table(run, "-", text=False)
    assert capsys.readouterr().out == (
        '"sample","round","agent","answer","target","epoch","state","choices","answer_type"\n'
        '"q",0,"a","4","4",0,"answered","","number"\n'
    )
