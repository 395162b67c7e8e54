"""``madsim forecast``."""

import pytest

from tests.unit.cli._run import run

OPTIONS = ("--option", "vote:5", "--option", "vote:25", "--option", "debate:5x2")
PRIOR = ("--accuracy", 0.72, "--kappa", 4, "--answers", 4, "--mass", 2)


def test_without_a_pilot(capsys):
    done = run(capsys, "forecast", *PRIOR, *OPTIONS, "--json")
    assert done.code == 0
    found = done.json
    assert [one["option"] for one in found["options"]] == ["vote:5", "vote:25", "debate:5x2"]
    assert {"option", "accuracy", "interval", "calls", "tokens", "cost"} <= set(found["options"][0])
    assert {"verdict", "questions_needed"} <= set(found)
    assert [one["calls"] for one in found["options"]] == [5, 25, 15]
    assert "verdict" in run(capsys, "forecast", *PRIOR, *OPTIONS).out


def test_prices_and_lengths_decide_the_cost(capsys):
    lengths = ("--question-tokens", 100, "--answer-tokens", 10, "--price-in", 1, "--price-out", 2)
    found = run(capsys, "forecast", *PRIOR, *OPTIONS, *lengths, "--json").json
    assert found["options"][0]["cost"] == pytest.approx(5 * (100 * 1 + 10 * 2) / 1e6)


def test_from_a_pilot_of_votes(capsys, tmp_path):
    rows = [f"q{q},0,a{a},{0 if (q * 7 + a * 3) % 10 < 6 + q % 4 else 1},0" for q in range(60) for a in range(5)]
    path = tmp_path / "pilot.csv"
    path.write_text("sample,round,agent,answer,target\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = run(capsys, "forecast", path, "--option", "vote:3", "--option", "vote:9", "--json")
    assert done.code == 0
    small, large = done.json["options"]
    assert small["counted"] is not None
    assert large["counted"] is None
    assert "60 questions" in done.json["basis"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (OPTIONS, "name a pilot RUN, or suppose both"),
        ((*PRIOR, "--option", "dance:5"), "expected an option such as"),
        (("nowhere.jsonl", *PRIOR, *OPTIONS), "give the one or the other"),
        (("nowhere.jsonl", *OPTIONS), "no such file"),
        (("--accuracy", 2, "--kappa", 4, *OPTIONS), "accuracy must lie"),
        ((*PRIOR, *OPTIONS, "--price-in", -1), "price_in"),
    ],
)
def test_what_cannot_be_forecast_is_said(capsys, arguments, message):
    done = run(capsys, "forecast", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
