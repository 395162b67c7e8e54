"""``madsim fit``."""

import pytest

from madsim.simulate import draw_beliefs, simulate_questions
from tests.unit.cli._run import run


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    beliefs = draw_beliefs(150, accuracy=0.7, kappa=4, rng=1)
    votes = simulate_questions(beliefs, mass=2.0, n_agents=5, n_rounds=2, rng=2).votes
    lines = ["sample,round,agent,answer,target"]
    for number, debate in enumerate(votes.answers):
        lines += [f"q{number},{t},{a},{given},0" for t, row in enumerate(debate) for a, given in enumerate(row)]
    path = tmp_path_factory.mktemp("fit") / "t.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_plain_debate_is_found_again(capsys, plain):
    done = run(capsys, "fit", plain, "--json")
    assert done.code == 0
    found = done.json
    assert {"mass", "conformity", "correction", "kappa", "lr_test"} <= set(found)
    for name, truth in (("mass", 2.0), ("conformity", 1.0), ("correction", 0.0), ("kappa", 4.0)):
        low, high = found[name]["interval"]
        assert low < truth < high, name
    assert found["lr_test"]["pvalue"] > 1e-3


def test_what_cannot_be_fitted_is_said(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sample,round,agent,answer,target\nq,0,a,4,4\n", encoding="utf-8")
    done = run(capsys, "fit", path)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert run(capsys, "fit", path, "--mixing", "gamma").code == 2


def test_memory_is_chosen_and_predictive_checks_come_beside_the_fit(capsys, plain):
    found = run(capsys, "fit", plain, "--memory", "last", "--predictive", "--json").json
    assert found["memory"] == "last"
    names = {one["name"] for one in found["predictive"]}
    assert {"share right in round 2", "unanimous in the last round"} <= names
    assert "runs drawn from the fit" in run(capsys, "fit", plain, "--predictive").out
