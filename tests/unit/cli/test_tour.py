"""The demo as a tour: each step says what came out, and the command that it names works."""

import shlex

import pytest

from tests.unit.cli._run import run


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return tmp_path_factory.mktemp("tour") / "a demo"


def test_every_command_that_the_tour_names_works(capsys, demo):
    payload = run(capsys, "demo", "--out", demo, "--json").json
    assert [set(step) for step in payload["tour"]] == [{"done", "found", "next"}] * 5
    assert "exactly, it goes from 0.837 to 0.777" in payload["tour"][0]["found"]
    for step in payload["tour"]:
        program, *arguments = shlex.split(step["next"])
        assert program == "madsim"
        done = run(capsys, *arguments)
        assert done.code == 0, (step["next"], done.err)
        assert done.out


def test_the_tour_is_told_after_the_numbers(capsys, demo):
    out = run(capsys, "demo", "--out", demo).out
    places = [out.index(f"\n{number}. ") for number in range(1, 6)]
    assert places == sorted(places)
    assert out.count("   next: madsim ") == 5
    assert out.rstrip().endswith("madsim check YOUR.csv")
