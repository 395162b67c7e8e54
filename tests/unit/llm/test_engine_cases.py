"""Every scripted case of the engine comes out as described, and a wrong expectation is noticed."""

import json
from pathlib import Path

import pytest

from tests._engine.cases import run_engine_case

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "engine_cases.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case):
    right, message = run_engine_case(case)
    assert right, message


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_wrong_expectation_is_noticed(case):
    """The runner cannot pass a case whatever it expects."""
    wrong = {name: _wrong(name, value) for name, value in case["expected"].items()}
    right, message = run_engine_case({**case, "expected": wrong})
    assert not right
    assert message


def _wrong(name, value):
    if name.endswith("_at_least"):
        return 1e9
    return [*value, "user: "] if name.endswith("_lacks") else _other(value)


def _other(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return -value - 1 if value >= 0 else 1
    if isinstance(value, list):
        return [*value, "something else"]
    if isinstance(value, dict):
        return {name: _other(part) for name, part in value.items()}
    return f"not {value}"
