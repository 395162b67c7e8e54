"""``madsim verify``: the list, single claims, what a failed one does."""

import json

import pytest

from tests.unit.cli._run import run


def test_the_list_tries_nothing(capsys):
    found = run(capsys, "verify", "--list", "--json").json["claims"]
    assert {"name", "statement", "assumptions", "source", "truth", "tolerance"} <= set(found[0])
    text = run(capsys, "verify", "--list").out
    assert all(one["name"] in text for one in found)


def test_single_claims_with_figures(capsys, tmp_path):
    done = run(capsys, "verify", "theorem-1", "per-agent", "--out", tmp_path / "out", "--json")
    assert done.code == 0
    assert [one["name"] for one in done.json["claims"]] == ["theorem-1", "per-agent"]
    for one in done.json["claims"]:
        assert set(one) >= {"name", "verdict", "effect", "interval", "tolerance", "pvalue"}
        assert one["verdict"] == "holds"
        assert (tmp_path / "out" / f"{one['name']}.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "out" / "claims.json").read_text()) == done.json
    assert "theorem-1" in run(capsys, "verify", "theorem-1").out


def test_a_failed_claim_is_exit_1(capsys, monkeypatch):
    from madsim.verify.claims import Claim, Comparison, _listing, find_claim

    def measure(lab):
        return [Comparison(label="one and two", found=1.0, expected=2.0)]

    wrong = Claim(
        name="wrong", statement="1 = 2", assumptions="none", source="here", truth="2", tolerance=0.1, measure=measure
    )
    monkeypatch.setattr(_listing, "CLAIMS", (*_listing.CLAIMS, wrong))
    assert find_claim("wrong") is wrong
    done = run(capsys, "verify", "wrong", "--json")
    assert done.code == 1
    assert done.json["claims"][0]["verdict"] == "fails"


def test_unknown_names_and_used_folders_are_refused(capsys, tmp_path):
    done = run(capsys, "verify", "no-such-claim")
    assert done.code == 2
    assert "the claims are" in done.err
    (tmp_path / "x").write_text("mine", encoding="utf-8")
    for folder in (tmp_path, tmp_path / "x"):
        done = run(capsys, "verify", "theorem-1", "--out", folder)
        assert done.code == 2
        assert "not an empty folder" in done.err


@pytest.mark.parametrize("arguments", [["--suite", "huge"], ["--rng", "x"]])
def test_odd_options_are_usage(capsys, arguments):
    assert run(capsys, "verify", *arguments).code == 2
