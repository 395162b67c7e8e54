"""Sizes that no machine can finish are refused at once, with what to try."""

import json

import pytest

from tests.unit.cli._run import run

SWARM = ("--quality", "0.5", "0.6", "--agents", "50")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("theory", "debate", "--agents", "1000000000"), "n_agents must be between 1 and"),
        (("theory", "debate", "--answers", "1000000000"), "n_answers must be between 2 and"),
        (("theory", "debate", "--agents", "100000", "--answers", "100000"), "take fewer agents or answers"),
        (("theory", "debate", "--rounds", "100000000"), "rounds must be an integer from 0 to 100000"),
        (("theory", "debate", "--graph", "ring", "--agents", "1" + "0" * 23), "n_agents must be between 2 and"),
        (("theory", "swarm", *SWARM, "--times", "1000000000000"), "times must be whole numbers from 0 to 2147483647"),
        (("simulate", "debate", "--agents", "1000000000"), "n_agents must be between 1 and"),
        (("simulate", "debate", "--rounds", "1000000000"), "rounds must be an integer from 0 to 100000"),
        (("simulate", "debate", "--trials", "1" + "0" * 30), "n_trials must be between 1 and"),
        (("simulate", "swarm", *SWARM, "--times", "1000000000000"), "at most 2147483647"),
        (("simulate", "learner", *SWARM[:3], "--rate", "1e-300"), "take a larger one"),
    ],
)
def test_absurd_sizes_are_refused(capsys, command, message):
    done = run(capsys, *command)
    assert done.code == 2
    assert message in done.err
    assert len(done.err) < 500


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--agents", "100000000"), "--agents must be between 1 and 10000"),
        (("--rounds", "100000000"), "rounds must be an integer from 0 to 100000"),
        (("--rounds", "10000"), "take fewer agents or rounds"),
        (("--agents", "5000"), "take fewer agents or rounds"),
    ],
)
def test_plans_of_absurd_size_are_refused(capsys, tmp_path, options, message):
    task = tmp_path / "task.jsonl"
    task.write_text(json.dumps({"id": "a", "question": "?", "target": "1"}) + "\n")
    done = run(capsys, "debate", "plan", task, "--model", "simulated", *options)
    assert done.code == 2
    assert message in done.err


def test_weights_that_would_overflow_are_refused(capsys, tmp_path):
    path = tmp_path / "graph.json"
    path.write_text("[[0, 1e308], [1e308, 0]]")
    done = run(capsys, "theory", "debate", "--agents", "2", "--graph", path)
    assert done.code == 2
    assert "divide all weights by one number" in done.err


def test_long_times_leave_out_what_would_take_long_and_say_so(capsys):
    found = run(capsys, "theory", "swarm", *SWARM, "--times", "2000000000", "--json").json
    assert found["mean_share"] is None
    assert found["linear_noise_sd"] is None
    assert found["ode"][0][1] == pytest.approx(1.0)
    assert any("no linear noise" in note for note in found["notes"])
    found = run(capsys, "theory", "swarm", *SWARM, "--kind", "sync", "--times", "2000000000", "--json").json
    assert found["ode"] is None
    assert any("no mean field" in note for note in found["notes"])
