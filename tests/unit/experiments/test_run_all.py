"""All experiments by one command: every script is listed with its finding, the budget holds, failures are told."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "experiments"


@pytest.fixture
def run_all(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("run_all")


def test_every_script_is_listed_with_its_finding(run_all):
    scripts = {path.stem for path in FOLDER.glob("[!_]*.py")}
    listed = {one.name for one in run_all.experiments()}
    assert scripts - listed == run_all.NO_EXPERIMENTS
    for one in run_all.experiments():
        assert one.finding.endswith("."), one.name
        assert len(one.finding) > 30, one.name
    assert set(run_all.SECONDS) | set(run_all.NEEDS) <= listed


def test_the_readme_holds_the_table_of_today(run_all):
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert run_all.with_table(readme) == readme
    for one in run_all.experiments():
        assert one.picture is None or one.picture.stat().st_size > 5_000


def test_a_readme_without_its_marks_is_refused(run_all):
    with pytest.raises(ValueError, match="must hold the marks"):
        run_all.with_table("# Experiments\n")


def scripts(folder, **codes):
    for name, code in codes.items():
        (folder / f"{name}.py").write_text(
            f'"""A finding of {name} in one sentence."""\nimport sys\n{code}', encoding="utf-8"
        )


WRITES = 'open(sys.argv[1] + "/{name}.json", "w").write(\'{{"provenance": {{}}}}\')'


def test_the_budget_holds_and_failures_are_told(run_all, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run_all, "FOLDER", tmp_path)
    monkeypatch.setattr(run_all, "SECONDS", {"good": 1, "bad": 2, "mute": 2, "bare": 3, "long": 500, "slow": 4})
    monkeypatch.setattr(run_all, "NEEDS", {"needy": "a server"})
    scripts(
        tmp_path,
        good=WRITES.format(name="good"),
        bad="raise SystemExit('it broke')",
        mute="raise SystemExit(3)",
        bare="open(sys.argv[1] + '/bare.json', 'w').write('{}')",
        long=WRITES.format(name="long"),
        needy=WRITES.format(name="needy"),
        slow="import time; time.sleep(60)",
    )
    ended = {one.experiment.name: one for one in run_all.run_all(tmp_path / "out", 6.0, [])}
    assert {name: one.status for name, one in ended.items()} == {
        "good": "ran", "bad": "failed", "bare": "failed", "mute": "failed", "long": "skipped", "needy": "skipped",
        "slow": "skipped",
    }  # fmt: skip
    assert ended["bad"].message == "it broke"
    assert ended["mute"].message == "exit code 3"
    assert ended["bare"].message == "left no numbers with their provenance"
    assert ended["needy"].message == "needs a server"
    assert "budget" in ended["slow"].message
    assert "good" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no experiment 'nothing'; there are bad"):
        run_all.run_all(tmp_path / "out", 5.0, ["nothing"])


def test_one_experiment_from_the_command_line(tmp_path):
    command = [
        sys.executable,
        str(FOLDER / "run_all.py"),
        "vote_by_round",
        "--out",
        str(tmp_path / "out"),
        "--budget",
        "120",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.startswith("vote_by_round            ran")
    numbers = json.loads((tmp_path / "out" / "vote_by_round.json").read_text(encoding="utf-8"))
    assert numbers["provenance"]["command"] == "experiments/vote_by_round.py"
    assert "![vote_by_round](vote_by_round.png)" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
