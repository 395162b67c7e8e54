"""Damaged files of every layout: an import succeeds or raises ValueError, whatever was broken."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from madsim.transcripts import RunWriter, import_run, read_run, sniff, votes_of

TURNS = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "Final answer: 4"}]
ROUND = {"responses": {"a": "{final answer: 4}", "b": "no"}, "final_answers": [4.0, ""], "answer": 4.0}
RECORD = [
    {
        "type": "run",
        "schema": 1,
        "agents": ["a", "b"],
        "epochs": 1,
        "early_stopping": False,
        "protocol": {"rounds": 0},
        "source": {"answer_decimals": 1},
        "control": "reask",
    },
    {"type": "sample", "id": "q", "question": "2+2?", "target": "4", "choices": None, "answer_type": "number"},
    {"type": "call", "sample": "q", "epoch": 0, "round": 0, "agent": 0, "reply": "4", "answer": "4", "span": [0, 1]},
    {"type": "outcome", "sample": "q", "epoch": 0, "status": "max_rounds", "answer": "4"},
    {"type": "event", "event": "x"},
]
FILES = {
    "record": [json.dumps(line) for line in RECORD],
    "debate-or-vote": [json.dumps({"0": ROUND, "1": ROUND})] * 2,
    "du": [json.dumps({"2+2?": [[TURNS, TURNS], "#### 4"], "3+3?": [[TURNS], "4", 1]})],
    "dylan": [json.dumps([["(A)", "(B)", None], ["(B)", None, None]])] * 2,
    "answers": [json.dumps({"id": "q", "gold": "A", "answers": [["A", None], ["B", "A"]]})] * 2,
    "table": ["sample,round,agent,answer,target,text,choices,epoch", 'q,0,a,4,4,"x, ""y""",,0', "q,0,b,,4,z,,0"],
}
WHOLE = {name: "\n".join(lines).encode() + b"\n" for name, lines in FILES.items()}
ODD = [None, True, -1, 0, 2**70, 0.5, "", "x", "\ud800", [], {}, [[]], [None], {"a": 1}, "NaN"]


def attempt(path, name):
    for work in (lambda: votes_of(import_run(path, name)), lambda: sniff(path)):
        with suppress(ValueError):  # anything else fails the test
            work()


@pytest.mark.parametrize("name", list(WHOLE))
@given(
    edits=st.lists(
        st.tuples(
            st.floats(0, 1), st.sampled_from(["cut", "flip", "insert", "double"]), st.binary(min_size=1, max_size=4)
        )
    ),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes(tmp_path, name, edits):
    data = WHOLE[name]
    for where, what, extra in edits:
        at = int(where * len(data))
        if what == "cut":
            data = data[:at]
        elif what == "flip":
            data = data[:at] + extra + data[at + len(extra) :]
        elif what == "insert":
            data = data[:at] + extra + data[at:]
        else:
            data += data[at:]
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    attempt(path, name)


def places(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("name", [name for name in FILES if name != "table"])
def test_every_value_replaced_by_every_odd_value(tmp_path, name):
    path = tmp_path / "file.txt"
    for number, line in enumerate(FILES[name]):
        value = json.loads(line)
        for place in places(value):
            for odd in ODD:
                lines = list(FILES[name])
                lines[number] = json.dumps(replaced(value, place, odd))
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
                attempt(path, name)


@pytest.mark.parametrize("column", FILES["table"][0].split(","))
def test_every_cell_replaced_by_every_odd_value(tmp_path, column):
    names = FILES["table"][0].split(",")
    cells = ["q", "0", "a", "4", "4", "text", "", "0"]
    path = tmp_path / "t.jsonl"
    for odd in ODD:
        row = {**dict(zip(names, cells, strict=True)), column: odd}
        path.write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n", encoding="utf-8")
        attempt(path, "table")


def test_a_record_with_odd_values_can_be_resumed_or_is_refused(tmp_path):
    path = tmp_path / "r"
    for number, line in enumerate(RECORD):
        for place in places(line):
            for odd in ODD:
                lines = list(RECORD)
                lines[number] = replaced(line, place, odd)
                path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
                with suppress(ValueError):
                    writer, _ = RunWriter.resume(path)
                    writer.close()
                    assert read_run(path).agents
