"""The answer cases, one test a file: the project's own and, where it is at hand, the collection beside the real data."""

from pathlib import Path

import pytest

from tests._realdata import REAL_DATA, needs_real_data
from tests.run_cases import OWN_CASES, main, read_cases, run_case

SHARED = REAL_DATA.parent / "cases" / "answer_cases.jsonl" if REAL_DATA is not None else Path("absent")


OWN = sorted(OWN_CASES.glob("*.jsonl"))


def failures(cases):
    """What every failing case gave, so that one run shows all of them."""
    found = [(case, *run_case(case)) for case in cases]
    return [f"{case['id']}: {got}, expected {case['expected']!r}" for case, passed, got in found if not passed]


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_own_cases(path):
    assert failures(read_cases(path)) == []


def test_no_case_is_there_twice_and_none_is_lost():
    keys = [case["id"] for path in OWN for case in read_cases(path)]
    assert len(keys) == len(set(keys))
    assert len(keys) > 4900


@needs_real_data
def test_every_collected_case():
    cases = read_cases(SHARED)
    assert len(cases) > 100
    assert failures(cases) == []


def test_the_runner_tells_a_wrong_answer(tmp_path, capsys):
    file = tmp_path / "cases.jsonl"
    file.write_text(
        '{"id": "right", "kind": "extract", "input": {"text": "Final answer: 4", "type": "number"}, "expected": "4", "why": ""}\n'
        '{"id": "wrong", "kind": "extract", "input": {"text": "Final answer: 4", "type": "number"}, "expected": "5", "why": "4 is not 5"}\n'
        '{"id": "other", "kind": "equiv", "input": {"a": "4", "b": "4", "type": "number"}, "expected": false, "why": ""}\n',
        encoding="utf-8",
    )
    assert main([str(file)]) == 1
    out = capsys.readouterr().out
    assert "FAILED wrong" in out
    assert "FAILED other" in out
    assert "1 passed, 2 failed" in out
