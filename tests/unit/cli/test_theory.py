"""``madsim theory debate|vote``, ``madsim simulate debate`` and ``madsim reproduce``."""

import json

import pytest

from tests.unit.cli._run import run

DEBATE = ("--agents", 5, "--answers", 2, "--belief", 0.7, "--mass", 2, "--rounds", 5)


def test_exact_values_of_a_debate(capsys):
    found = run(capsys, "theory", "debate", *DEBATE, "--json").json
    assert found["vote_accuracy"] == pytest.approx([0.8369, 0.7923, 0.7819, 0.7774, 0.7748, 0.7731], abs=5e-5)
    assert found["mean_belief"] == pytest.approx([0.7] * 6)
    assert found["sd_belief"][0] == pytest.approx(0, abs=1e-12)
    assert len(found["disagreement"]) == 6
    assert {"unconditional", "per_agent", "own_history", "collective", "reason"} <= set(found["martingale"])
    assert found["martingale"]["unconditional"] is True
    text = run(capsys, "theory", "debate", *DEBATE).out
    assert ".8369" in text
    assert "unconditional" in text


@pytest.mark.parametrize("graph", ["ring", "star", "line"])
def test_beliefs_stay_flat_on_every_graph(capsys, graph):
    found = run(capsys, "theory", "debate", *DEBATE, "--graph", graph, "--json").json
    assert found["mean_belief"] == pytest.approx([0.7] * 6)


def test_a_graph_from_a_file(capsys, tmp_path):
    ring = [[1 if abs(i - j) in (1, 4) else 0 for j in range(5)] for i in range(5)]
    path = tmp_path / "ring.json"
    path.write_text(json.dumps(ring), encoding="utf-8")
    from_file = run(capsys, "theory", "debate", *DEBATE, "--graph", path, "--json").json
    by_name = run(capsys, "theory", "debate", *DEBATE, "--graph", "ring", "--json").json
    assert from_file["sd_belief"] == pytest.approx(by_name["sd_belief"])
    for text, message in (
        ("[[0, 1], [1, 0]]", "has 2 agents"),
        ("nonsense", "not JSON"),
        ("\xff", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[[0, 1, 1], [1, 0, 1]]", "square matrix"),
        ("[[0, NaN], [1, 0]]", "finite"),
    ):
        path.write_text(text, encoding="latin-1")
        done = run(capsys, "theory", "debate", *DEBATE, "--graph", path)
        assert done.code == 2
        assert f"--graph {path}" in done.err
        assert message in done.err
        assert len(done.err.splitlines()) == 1


def test_exact_vote_and_bounds(capsys):
    found = run(capsys, "theory", "vote", "--belief", 0.5, 0.2, 0.2, 0.1, "--agents", 5, "--json").json
    assert 0.5 < found["exact"] < 1
    assert {"chernoff", "hoeffding", "l2", "theorem1"} <= set(found["bounds"])
    for bound in found["bounds"].values():
        assert bound is None or bound <= found["exact"] + 1e-12
    fail = run(capsys, "theory", "vote", "--belief", 0.5, 0.5, "--agents", 2, "--ties", "fail", "--json").json
    assert fail["exact"] == pytest.approx(0.25)
    assert run(capsys, "theory", "vote", "--belief", 1, 0, "--agents", 5, "--json").json["exact"] == 1.0
    alone, both = (run(capsys, "theory", "vote", "--belief", *p, "--agents", 5).out for p in ((0.75,), (0.75, 0.25)))
    assert alone == both
    assert "hoeffding" in run(capsys, "theory", "vote", "--belief", 0.5, 0.5, "--agents", 2).out


def test_simulated_values_stand_beside_exact_ones_and_can_be_made_again(capsys, tmp_path):
    out = tmp_path / "s.npz"
    done = run(capsys, "simulate", "debate", *DEBATE, "--trials", 4000, "--rng", 1, "--out", out, "--votes", "--json")
    assert done.code == 0
    found = done.json
    for name in ("mean_belief", "vote_accuracy", "disagreement"):
        for estimate, exact in zip(found[name], found["exact"][name], strict=True):
            assert abs(estimate["value"] - exact) <= 5 * estimate["standard_error"] + 1e-9
    assert len(found["provenance"]["seed"]) == 32
    again = run(capsys, "reproduce", out, "--threads", 1, "--json")
    assert (again.code, again.json["identical"], again.json["different"]) == (0, True, [])
    refused = run(capsys, "simulate", "debate", *DEBATE, "--out", out)
    assert refused.code == 2
    assert "not overwritten" in refused.err


def test_a_changed_file_is_not_reproduced(capsys, tmp_path):
    import numpy as np

    out = tmp_path / "s.npz"
    run(capsys, "simulate", "debate", *DEBATE, "--trials", 100, "--rng", 1, "--out", out)
    with np.load(out, allow_pickle=False) as file:
        arrays = {name: file[name].copy() for name in file.files}
    arrays["wins"].flat[0] += 1
    np.savez(out, **arrays)
    done = run(capsys, "reproduce", out, "--json")
    assert (done.code, done.json["different"]) == (1, ["wins"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("theory", "debate", "--belief", 1.5), "belief"),
        (("theory", "debate", "--agents", 0), "agents"),
        (("theory", "debate", "--mass", -1), "mass"),
        (("theory", "debate", "--rounds", -1), "rounds"),
        (("theory", "debate", "--graph", "nowhere"), "neither complete, ring, line or star"),
        (("theory", "vote", "--belief", 0.5, 0.6, "--agents", 3), "sum to 1"),
        (("theory", "vote", "--belief", 1.5, "--agents", 3), "--belief 1.5"),
        (("simulate", "debate", "--trials", 0), "n_trials"),
        (("simulate", "debate", "--out", "x.txt"), "name the file x.txt.npz"),
        (
            ("simulate", "swarm", "--quality", 0.3, 0.5, "--agents", 9, "--times", 1, "--out", "x"),
            "name the file x.npz",
        ),
        (("simulate", "debate", "--rng", -1), "rng"),
        (("reproduce", "nowhere.npz"), "nowhere.npz"),
    ],
)
def test_wrong_values_are_one_line_on_stderr(capsys, arguments, message):
    done = run(capsys, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 1
