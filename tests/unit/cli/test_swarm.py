"""``madsim theory swarm``, ``simulate swarm`` and ``simulate learner``."""

import pytest

from tests.unit.cli._run import run

SWARM = ("--quality", 0.3, 0.6, "--agents", 20)


def test_theory_gives_exact_shares_replicator_and_end(capsys):
    found = run(capsys, "theory", "swarm", *SWARM, "--times", 0, 20, 40, "--json").json
    assert found["times"] == [0, 20, 40]
    assert found["mean_share"][0] == [0.5, 0.5]
    assert found["mean_share"][2][1] > found["mean_share"][1][1] > 0.5
    assert sum(found["fixation"]) == pytest.approx(1)
    assert found["absorption_time"] > 0
    assert len(found["ode"]) == 3
    text = run(capsys, "theory", "swarm", *SWARM)
    assert "everybody ends with" in text.out
    far = run(capsys, "theory", "swarm", "--quality", 0.3, 0.4, 0.5, 0.6, "--agents", 500, "--json").json
    assert far["mean_share"] is None
    assert far["notes"]


@pytest.mark.parametrize("kind", ["async", "sync", "pairwise"])
def test_simulated_shares_agree_with_exact_ones(capsys, tmp_path, kind):
    done = run(
        capsys, "simulate", "swarm", *SWARM, "--kind", kind, "--trials", 2000, "--rng", 1, "--threads", 1,
        "--out", tmp_path / "s.npz", "--json",
    )  # fmt: skip
    assert done.code == 0
    found = done.json
    for means, exact in zip(found["mean_share"], found["exact"]["mean_share"], strict=True):
        for mean, truth in zip(means, exact, strict=True):
            assert abs(mean["value"] - truth) <= 5 * mean["standard_error"] + 1e-9
    again = run(capsys, "reproduce", tmp_path / "s.npz", "--json")
    assert (again.code, again.json["identical"]) == (0, True)
    assert run(capsys, "simulate", "swarm", *SWARM, "--out", tmp_path / "s.npz").code == 2


def test_shared_rewards_are_warned_of_and_have_no_exact_values(capsys):
    done = run(
        capsys, "simulate", "swarm", *SWARM, "--shared-rewards", "--noise", "bernoulli", "--trials", 50, "--json"
    )
    assert done.json["warnings"]
    assert done.json["exact"] == {"mean_share": None, "ode": None}
    assert run(capsys, "simulate", "swarm", *SWARM, "--kind", "pairwise", "--shared-rewards").code == 2


@pytest.mark.parametrize(
    "rule",
    [
        ("cross",),
        ("maynard-cross",),
        ("maynard-cross", "--baseline", "moving:0.1"),
        ("maynard-cross", "--baseline", "batch"),
    ],
)
def test_learners_run_beside_their_replicator(capsys, tmp_path, rule):
    done = run(
        capsys, "simulate", "learner", "--quality", 0.3, 0.6, "--rule", *rule, "--batch", 8, "--trials", 100, "--rng", 1,
        "--out", tmp_path / "l.npz", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert len(done.json["exact"]["ode"]) == len(done.json["times"]) == 6
    assert run(capsys, "reproduce", tmp_path / "l.npz").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rule", "maynard-cross", "--baseline", "median"), "oracle, batch or moving:RATE"),
        (("--rule", "maynard-cross", "--baseline", "moving:x"), "--baseline moving:x"),
        (("--rate", "9"), "largest safe rate"),
        (("--rate", "0"), "rate must be"),
    ],
)
def test_wrong_learners_are_refused(capsys, arguments, message):
    done = run(capsys, "simulate", "learner", "--quality", 0.3, 0.6, *arguments)
    assert done.code == 2
    assert message in done.err


def test_a_baseline_needs_the_rule_that_has_one(capsys):
    done = run(capsys, "simulate", "learner", "--quality", 0.3, 0.5, "--trials", 10, "--baseline", "batch")
    assert done.code == 2
    assert "--rule maynard-cross" in done.err


def test_a_swarm_has_no_votes_to_draw(capsys, tmp_path):
    run(capsys, "simulate", "swarm", *SWARM, "--trials", 20, "--out", tmp_path / "s.npz")
    for kind in ("scores", "beliefs"):
        done = run(capsys, "plot", tmp_path / "s.npz", "--kind", kind, "--out", tmp_path / "x.png")
        assert done.code == 2
        assert "simulation of shares" in done.err
