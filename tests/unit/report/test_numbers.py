"""Numbers as people read them."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim._core.estimate import Estimate, Interval
from madsim.report._numbers import amount, count, estimate, p_value, percent, percent_range, points, points_range
from madsim.report._svg import Scale, ticks


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.03125, "+3.1"), (-0.05, "\u22125.0"), (0.0, "0.0"), (-0.0001, "0.0"), (0.0001, "0.0"), (math.nan, "–")],
)
def test_points_carry_their_sign_and_zero_has_none(value, shown):
    assert points(value) == shown


def test_shares_are_cut_to_what_a_share_can_be():
    assert percent_range(Interval(-0.02, 1.03)) == "0.0 to 100.0\u00a0%"
    assert percent_range(None) == points_range(None) == percent(math.nan) == "–"
    assert points_range(Interval(-0.02, 0.03)) == "\u22122.0 to +3.0"


def test_an_estimate_without_error_shows_no_interval():
    assert estimate(Estimate(value=0.25, standard_error=None, n=1)) == "25.0\u00a0%"
    assert estimate(Estimate.of_exact(0.25)) == "25.0\u00a0%"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.01234, "0.0123"),
        (12345.6, "12346"),
        (-3.14159, "\u22123.14"),
        (1.23e-6, "1.23e-06"),
        (-1.23e-6, "\u22121.23e-06"),
    ],
)
def test_amounts(value, shown):
    assert amount(value) == shown


def test_counts_and_p_values():
    assert count(1234567) == "1\u202f234\u202f567"
    assert [p_value(v) for v in (None, math.nan, 0.0004, 0.04567, 1.0)] == ["–", "–", "<\u00a00.001", "0.046", "1.000"]


@given(st.floats(-1, 1), st.floats(1e-4, 2))
def test_ticks_hold_the_range_and_are_few_and_even(low, span):
    steps = ticks(low, low + span)
    assert steps[0] <= low + 1e-9
    assert steps[-1] >= low + span - 1e-9
    assert 2 <= len(steps) <= 8
    gaps = [b - a for a, b in itertools.pairwise(steps)]
    assert max(gaps) == pytest.approx(min(gaps), rel=1e-6)


def test_a_scale_maps_its_ends():
    scale = Scale(0.5, 0.9, 200, 0)
    assert (scale(0.5), scale(0.9), scale(0.7)) == (200, 0, 100)
