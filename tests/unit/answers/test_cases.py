"""The answer cases, one test a case: the project's own and, where it is at hand, the collection beside the real data."""

from pathlib import Path

import pytest

from tests._realdata import REAL_DATA, needs_real_data
from tests.run_cases import OWN_CASES, main, read_cases, run_case

OWN = [case for path in sorted(OWN_CASES.glob("*.jsonl")) for case in read_cases(path)]
SHARED = REAL_DATA.parent / "cases" / "answer_cases.jsonl" if REAL_DATA is not None else Path("absent")


@pytest.mark.parametrize("case", OWN, ids=lambda case: case["id"])
def test_own_case(case):
    passed, found = run_case(case)
    assert passed, f"{found}, expected {case['expected']!r}"


@needs_real_data
def test_every_collected_case():
    cases = read_cases(SHARED)
    failed = [f"{case['id']}: {found}" for case in cases for passed, found in [run_case(case)] if not passed]
    assert len(cases) > 100
    assert failed == []


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
