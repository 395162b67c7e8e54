"""Where simulations run makes no difference to them, and grids of debates from the command line."""

import pytest

from tests.unit.cli._run import run

DEBATE = ("simulate", "debate", "--agents", "3", "--trials", "3000", "--rng", "7", "--json")
SWARM = ("simulate", "swarm", "--quality", "0.5", "0.6", "--agents", "20", "--trials", "500", "--rng", "7", "--json")
LEARNER = ("simulate", "learner", "--quality", "0.5", "0.6", "--trials", "500", "--rng", "7", "--json")


@pytest.mark.parametrize("command", [DEBATE, (*DEBATE, "--votes"), SWARM, (*SWARM, "--shared-rewards"), LEARNER])
def test_blocks_kept_in_a_folder_make_no_difference(capsys, tmp_path, command):
    plain = run(capsys, *command, "--out", tmp_path / "plain.npz")
    kept = run(capsys, *command, "--partial", tmp_path / "kept", "--out", tmp_path / "kept.npz")
    again = run(capsys, *command, "--partial", tmp_path / "kept", "--threads", "1")
    assert plain.code == kept.code == again.code == 0
    assert plain.out == kept.out == again.out
    assert list((tmp_path / "kept").glob("*.npz"))
    assert run(capsys, "reproduce", tmp_path / "kept.npz").code == 0


def test_processes_make_no_difference(capsys):
    plain = run(capsys, *DEBATE)
    there = run(capsys, *DEBATE, "--executor", "processes", "--threads", "1")
    assert there.code == 0, there.err
    assert there.out == plain.out


def test_a_grid_of_debates_is_every_debate_of_it(capsys, tmp_path):
    grid = run(capsys, *DEBATE, "--sweep", "belief=0.6,0.7", "--sweep", "graph=complete,ring", "--sweep", "agents=3")
    assert grid.code == 0, grid.err
    points = grid.json["points"]
    assert [tuple(point["values"].values()) for point in points] == [
        (0.6, "complete", 3), (0.6, "ring", 3), (0.7, "complete", 3), (0.7, "ring", 3),
    ]  # fmt: skip
    plain = run(capsys, *DEBATE, "--belief", "0.7", "--graph", "ring").json
    assert {name: points[3][name] for name in plain} == plain
    shown = run(capsys, *DEBATE[:-1], "--sweep", "belief=0.6,0.7", "--partial", tmp_path / "kept")
    again = run(capsys, *DEBATE[:-1], "--sweep", "belief=0.6,0.7", "--partial", tmp_path / "kept")
    assert again.out == shown.out.rstrip("\n") + "\nblocks read: 2\n"
    assert shown.out.splitlines()[2].split()[:3] == ["belief", "mean", "belief"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--executor", "gpu"), "'threads', 'processes'"),
        (("--sweep", "noise=1,2"), "a name among agents"),
        (("--sweep", "agents"), "NAME=V,V"),
        (("--sweep", "agents=3,many"), "agents takes numbers"),
        (("--sweep", "belief=0.5,nan"), "belief takes numbers"),
        (("--sweep", "agents=3,3"), "values of its own"),
        (("--sweep", "agents=3,4", "--votes"), "for one model"),
        (("--sweep", "ties=first,never"), "never"),
    ],
)
def test_what_makes_no_sense_is_refused(capsys, options, message):
    done = run(capsys, *DEBATE, *options)
    assert done.code == 2
    assert message in done.err


def test_a_folder_needs_a_seed(capsys, tmp_path):
    done = run(capsys, "simulate", "debate", "--partial", tmp_path / "kept")
    assert done.code == 2
    assert "--partial needs --rng" in done.err
    run(capsys, *DEBATE, "--partial", tmp_path / "kept")
    other = run(capsys, *DEBATE, "--belief", "0.9", "--partial", tmp_path / "kept")
    assert other.code == 2
    assert "partial results of another sweep" in other.err
