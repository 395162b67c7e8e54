"""Reading question sets."""

import io
import json
import sys

import pytest

from madsim.tasks import Sample, read_samples, sample_from_dict

ROWS = [
    {"id": "a", "question": "2+2?", "target": "4", "answer_type": "number"},
    {"id": "b", "question": "Which?\nOne of:", "target": "B", "choices": {"A": "x", "B": "y"}, "answer_type": "choice"},
]
SAMPLES = (
    Sample(id="a", question="2+2?", target="4", answer_type="number"),
    Sample(id="b", question="Which?\nOne of:", target="B", choices={"A": "x", "B": "y"}, answer_type="choice"),
)
CSV = (
    "id,question,target,choices,answer_type\r\n"
    'a,2+2?,4,,number\r\nb,"Which?\nOne of:",B,"{""A"": ""x"", ""B"": ""y""}",choice\r\n'
)


def write(path, text):
    path.write_bytes(text.encode())
    return path


def test_json_lines_csv_and_parquet_give_the_same_samples(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as arrow

    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    assert read_samples(write(tmp_path / "t.jsonl", lines)) == SAMPLES
    assert read_samples(write(tmp_path / "t.csv", CSV)) == SAMPLES
    rows = [{**row, "choices": json.dumps(row["choices"]) if "choices" in row else None} for row in ROWS]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    assert read_samples(tmp_path / "t.parquet") == SAMPLES


@pytest.mark.parametrize("text", [json.dumps(ROWS[0]), "\n" + json.dumps(ROWS[0]) + "\n\n", CSV.split("b,")[0]])
def test_standard_input_is_read_and_left_open(monkeypatch, text):
    stream = io.TextIOWrapper(io.BytesIO(text.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert read_samples("-") == SAMPLES[:1]
    assert not stream.closed


def test_plain_values_become_text():
    assert sample_from_dict({"id": 7, "question": "?", "target": 4}).target == "4"
    assert sample_from_dict({"id": 7, "question": "?", "target": True}).target == "yes"
    assert sample_from_dict({"id": 7, "question": "?", "target": 0.5}).id == "7"
    assert sample_from_dict({"id": "q", "question": "?", "choices": ["x", "y"]}).choices == {"A": "x", "B": "y"}
    assert sample_from_dict({"id": "q", "question": "?", "colour": "red"}) == Sample(id="q", question="?")


def test_a_sample_survives_its_plain_form():
    for sample in SAMPLES:
        assert sample_from_dict(json.loads(json.dumps(sample.to_dict()))) == sample


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no samples"),
        ("\n\n", "no samples"),
        ('{"id": "a"}', "line 1: sample 'a' needs a 'question'"),
        ('{"question": "?"}', "line 1: a sample needs an 'id'"),
        ('{"id": "a", "question": "?", "answer": "4"}', "no 'target' but 'answer'"),
        ('{"id": "a", "question": "?", "target": [1]}', "target must be text or a number"),
        ('{"id": "a", "question": "?"}\n{"id": "b", "question": "?", "target": NaN}', "line 2: NaN or an infinity"),
        ('{"id": "a", "question": " "}', "line 1: the question of sample 'a' is empty"),
        ('{"id": "a", "question": "?", "choices": "AB"}', "choices must be a list"),
        ('{"id": "a", "question": "?", "choices": []}', "choices must be a list"),
        ('{"id": "a", "question": "?", "answer_type": "colour"}', "answer_type must be one of"),
        ('{"id": "a", "question": "?", "answer_type": 3}', "answer_type must be one of"),
        ('{"id": "a", "question": "?"}\n{"id": "a", "question": "!"}', "line 2: the id 'a' was used before"),
        ('{"id": "a", "question": "?"}\n[1]', "line 2: expected a JSON object"),
        ('{"id": "a", "question": "?"}\n{"id": ', "line 2: not JSON"),
        ("name,text\nx,y\n", "id, question, target"),
        ("id,question\na,b,c\n", "expected 2 cells, found 3"),
        ("id,question,choices\na,b,{\n", "choices must be a JSON list"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_samples(write(tmp_path / "t.jsonl", text))


def test_a_parquet_file_that_is_none_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="not readable as Parquet"):
        read_samples(write(tmp_path / "t.parquet", "id,question"))


@pytest.mark.parametrize(("question", "target"), [(3, None), ("?", 4)])
def test_a_sample_holds_text_only(question, target):
    with pytest.raises(TypeError, match="must be text"):
        Sample(id="a", question=question, target=target)
