"""The list of claims, how verdicts are reached, and that all of them hold."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from madsim.verify.claims import CLAIMS, Claim, Comparison, find_claim, run_claims
from madsim.verify.claims._listing import DEBATE_CLAIMS


@pytest.mark.parametrize("claim", DEBATE_CLAIMS, ids=lambda claim: claim.name)
def test_holds(claim):
    result = claim.run("quick")
    assert result.verdict == "holds", str(result)
    assert result.tolerance > 0
    json.dumps(result.to_dict(), allow_nan=False)


def test_names_and_texts():
    names = [claim.name for claim in CLAIMS]
    assert len(set(names)) == len(names)
    for claim in CLAIMS:
        assert claim.statement.endswith((".", ")"))
        assert claim.assumptions
        assert claim.source
        assert claim.truth
    with pytest.raises(ValueError, match="the claims are first-round"):
        find_claim("perpetual motion")


def claim_of(*comparisons, tolerance=0.1):
    return Claim(
        name="x",
        statement="x.",
        assumptions="-",
        source="-",
        truth="-",
        tolerance=tolerance,
        measure=lambda lab: comparisons,
    )


def one(found, expected=0.0, error=0.0, **options):
    return Comparison(label="one", found=found, expected=expected, standard_error=error, **options)


@pytest.mark.parametrize(
    ("comparisons", "verdict"),
    [
        ([one(0.05)], "holds"),
        ([one(0.2)], "fails"),
        ([one(math.nan)], "fails"),
        ([one(0.04, error=0.012)], "holds"),
        ([one(0.05, error=0.05)], "inconclusive"),
        ([one(0.05, error=0.005)], "fails"),  # within the tolerance, but not what chance leaves
        ([one(0.0, error=0.001), one(0.2)], "fails"),
        ([one(0.2, tolerance=0.3)], "holds"),
        ([one(-5.0, relation="at most")], "holds"),
        ([one(5.0, relation="at most")], "fails"),
        ([one(5.0, relation="at least")], "holds"),
        ([one(-5.0, error=0.1, relation="at least")], "fails"),
    ],
)
def test_verdicts(comparisons, verdict):
    assert claim_of(*comparisons).run().verdict == verdict


def test_false_alarms_are_as_rare_as_stated():
    """2000 true claims of 20 comparisons: none fails, and all intervals cover at the stated rate."""
    noise = np.random.default_rng(0).normal(size=(2000, 20))
    results = [claim_of(*(one(z, error=1.0) for z in row), tolerance=10.0).run() for row in noise]
    assert {result.verdict for result in results} == {"holds"}
    missed = sum(not result.interval.low <= 0 <= result.interval.high for result in results)
    assert missed <= 8  # expected 2
    assert min(result.pvalue for result in results) > 1e-6


def test_a_claim_that_compares_nothing_is_an_error():
    with pytest.raises(ValueError, match="compared nothing"):
        claim_of().run()
    with pytest.raises(ValueError, match="'quick' or 'full'"):
        claim_of(one(0.0)).run("slow")


def test_another_seed_gives_other_numbers():
    claim = find_claim("polya-urn")
    first, second = claim.run(rng=1), claim.run(rng=2)
    assert first.seed != second.seed
    assert first.effect != second.effect
    assert first.verdict == second.verdict == "holds"
    assert claim.run(rng=1) == first


def test_running_some_by_name():
    heard = []
    results = run_claims(["reviewers", "drift-sizes"], on_result=lambda claim, result: heard.append(claim.name))
    assert [result.name for result in results] == heard == ["reviewers", "drift-sizes"]
    assert results[0].pvalue is None
    assert "exact" in str(results[0])


def test_figures():
    figure = Figure()
    axes = figure.subplots()
    claim = find_claim("collective")
    claim.draw(claim.run(), axes)
    assert "collective: holds" in axes.get_title(loc="left")
    many = claim_of(*(one(0.01 * k, error=0.01) for k in range(40)), tolerance=1.0)
    axes.clear()
    many.draw(many.run(), axes)
    assert "16 closer ones not shown" in axes.get_title(loc="left")
    assert len(axes.get_yticks()) == 24
