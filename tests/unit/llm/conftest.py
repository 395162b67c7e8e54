"""What the tests of the engine share."""

import pytest


@pytest.fixture
def record(tmp_path):
    return tmp_path / "run.jsonl"
