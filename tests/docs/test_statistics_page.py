"""The tables of the page on statistics are those of the measured numbers, and the numbers keep what the page promises."""

import importlib
import json
import math
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
FOUND = json.loads((ROOT / "experiments" / "results" / "statistics_studies.json").read_text(encoding="utf-8"))
PARTS = ("checks", "others", "naive", "votes", "debates", "fits")


@pytest.fixture(scope="module")
def made():
    sys.path.insert(0, str(ROOT / "experiments"))
    try:
        yield importlib.import_module("_statistics_tables").tables(FOUND)
    finally:
        sys.path.remove(str(ROOT / "experiments"))
        for name in ("_statistics_tables", "_out"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize("part", PARTS)
def test_page_shows_the_numbers(made, part):
    shown = PAGE.split(f"<!-- table {part} -->\n", 1)[1].split("<!-- end -->", 1)[0]
    assert shown.strip() == made[part].strip()


def test_sizes_on_true_systems():
    low, high, conservative = 0.02, 0.065, {"drift-sign-flip", "e-process", "disagreement-floor", "vote-ceiling"}
    for row in FOUND["checks"]["rows"]:
        if not row["system"].startswith("null"):
            continue
        assert row["n"] == 2000
        for name, rate in row["tests"].items():
            if rate is None:
                continue
            assert rate <= high, (row["system"], row["questions"], name)
            few_changes = row["system"].startswith("null: accuracy .95") and row["questions"] == 30
            assert rate >= low or name in conservative or few_changes, (row["system"], row["questions"], name)


@pytest.mark.parametrize(
    ("system", "questions", "test", "power"),
    [
        ("correction lock .1", 300, "drift", 0.54),
        ("correction lock .1", 300, "e-process", 0.26),
        ("oracle lock", 30, "drift", 1.0),
        ("oracle lock", 30, "e-process", 0.85),
        ("follower .3, symmetric", 100, "held-out-moment", 0.34),
        ("follower .3, symmetric", 300, "held-out-moment", 0.78),
        ("sharpen 1.5, symmetric", 30, "lag-moment", 0.17),
        ("sharpen 1.5, symmetric", 100, "lag-moment", 0.37),
        ("sharpen 1.5, symmetric", 30, "held-out-moment", 0.39),
        ("sharpen 1.5, symmetric", 100, "held-out-moment", 0.84),
        ("ring taken for complete, mass 2", 50, "common-belief", 0.57),
        ("ring taken for complete, mass 2", 200, "common-belief", 0.98),
    ],
)
def test_powers(system, questions, test, power):
    (row,) = [one for one in FOUND["checks"]["rows"] if (one["system"], one["questions"]) == (system, questions)]
    assert row["tests"][test] == pytest.approx(power, abs=0.05)


def test_forecasts_hold_the_truth():
    for row in FOUND["votes"]["rows"]:
        asked = 0.9 if row["law"].startswith("Beta") else 0.8
        assert row["coverage"] >= asked, row["law"]
        assert row["bounds"] >= 0.95, row["law"]
    for row in FOUND["debates"]["rows"]:
        assert row["coverage"] >= 0.9, row["system"]
        assert math.sqrt(row["coverage"] * (1 - row["coverage"]) / row["n"]) <= 0.015
