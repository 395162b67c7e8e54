"""The experiments that draw nothing at random run, and leave a picture and its numbers."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

SCRIPTS = ("vote_by_round", "four_properties", "bounds_against_exact", "floor_and_ceiling", "breaking_flatness")
FOLDER = Path(__file__).parents[3] / "experiments"


@pytest.mark.parametrize("name", SCRIPTS)
def test_runs(name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    importlib.import_module(name).main(tmp_path)
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    record = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert record["numbers"]
    assert record["provenance"]["command"] == f"experiments/{name}.py"
    assert record["provenance"]["parameters"]


def test_published_averages_lie_inside_the_bracket(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    importlib.import_module("floor_and_ceiling").main(tmp_path)
    numbers = json.loads((tmp_path / "floor_and_ceiling.json").read_text(encoding="utf-8"))["numbers"]
    assert numbers["best debate inside the bracket"] == {"Qwen2.5-7B": True, "Llama3.1-8B": True}
    assert numbers["first fall beyond the bracket"] == {"Qwen, arithmetic": True, "Qwen, GSM8K": False}


def test_every_script_is_in_the_table():
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in SCRIPTS:
        assert f"`{name}.py`" in table
        assert (FOLDER / "pictures" / f"{name}.png").exists()
