"""Figures of fits and forecasts: the right numbers at the right places, with their uncertainty."""

import math

import numpy as np
import pytest

from madsim._core.estimate import Estimate
from madsim.fit import profile_debate
from madsim.planning import forecast, forecast_from_prior
from madsim.plot import draw_calibration, draw_forecast, draw_profile, new_figure
from madsim.simulate import draw_beliefs, simulate_questions


@pytest.fixture
def axes():
    return new_figure()[1]


@pytest.fixture(scope="module")
def votes():
    return simulate_questions(draw_beliefs(60, accuracy=0.7, kappa=4, rng=1), n_rounds=2, rng=2).votes


@pytest.fixture(scope="module")
def profile(votes):
    return profile_debate(votes, "conformity", n_points=9)


def lines(axes):
    return {line.get_label(): line.get_xydata() for line in axes.lines if not line.get_label().startswith("_")}


def test_profile_is_drawn_with_its_cut_and_its_interval(axes, profile):
    draw_profile(axes, {"mine": profile})
    shown = lines(axes)
    np.testing.assert_allclose(shown["mine"], np.stack([profile.values, profile.log_likelihood], axis=1))
    np.testing.assert_allclose(shown["95 % interval above"][:, 1], -1.920729, atol=1e-6)
    assert shown["plain model"][0, 0] == 1.0
    ends = next(line for line in axes.lines if line.get_marker() == "|")
    np.testing.assert_allclose(ends.get_xdata(), profile.interval)
    top = next(line for line in axes.lines if line.get_marker() == "o")
    assert (top.get_xdata()[0], top.get_ydata()[0]) == (profile.best, 0)
    outline = axes.collections[0].get_paths()[0].vertices
    assert outline[:, 1].min() == pytest.approx(-profile.cut)  # the fill stands on the cut
    assert all(label.get_text() for label in axes.get_xticklabels())


def test_profiles_that_do_not_compare_are_refused(axes, votes, profile):
    other = profile_debate(votes, "correction", n_points=5)
    with pytest.raises(ValueError, match="different parameters"):
        draw_profile(axes, {"a": profile, "b": other})
    with pytest.raises(ValueError, match="got 0"):
        draw_profile(axes, {})


def test_correction_lies_on_a_plain_axis(axes, votes):
    draw_profile(axes, {"mine": profile_debate(votes, "correction", n_points=5)})
    assert axes.get_xscale() == "linear"
    assert lines(axes)["plain model"][0, 0] == 0.0


def test_forecast_shows_every_option_with_interval_bounds_and_front(axes, votes):
    found = forecast(votes, ["vote:5", "vote:25", "debate:5x2"])
    draw_forecast(axes, found)
    assert {text.get_text() for text in axes.texts} == {"vote:5", "vote:25", "debate:5x2"}
    bars = {tuple(np.round(segment.ravel(), 9)) for part in axes.collections for segment in part.get_segments()}
    for one in found.options:
        assert tuple(np.round([one.cost.money, one.interval.low, one.cost.money, one.interval.high], 9)) in bars
        if one.bounds is not None:
            assert tuple(np.round([one.cost.money, one.bounds.low, one.cost.money, one.bounds.high], 9)) in bars
    marks = {
        tuple(line.get_xydata()[0]): line.get_markerfacecolor()
        for line in axes.lines
        if line.get_marker() in ("o", "s")
    }
    assert {(one.cost.money, one.accuracy): one.on_front for one in found.options} == {
        place: face != "white" for place, face in marks.items()
    }
    front = sorted((one.cost.money, one.accuracy) for one in found.options if one.on_front)
    np.testing.assert_allclose(lines(axes)["no option is cheaper and better"], front)


def test_names_of_options_of_like_cost_stay_apart(axes):
    options = [f"vote:{n}" for n in range(20, 30)]
    draw_forecast(axes, forecast_from_prior([*options, "vote:1"], accuracy=0.7, kappa=4, n_answers=2))
    places = sorted(text.xyann[0] for text in axes.texts)
    assert min(np.diff(places)) > 0.05
    assert places[-1] <= 1.0


def test_without_prices_the_cost_is_in_tokens(axes):
    from madsim.planning import Prices

    free = forecast_from_prior(
        ["vote:5", "vote:9"], accuracy=0.7, kappa=4, n_answers=2, prices=Prices(price_in=0, price_out=0)
    )
    draw_forecast(axes, free)
    assert axes.get_xlabel() == "tokens a question"
    assert {line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"} == {2500.0, 4500.0}


def test_calibration_has_points_a_diagonal_and_intervals_of_some_length(axes):
    points = [(0.9, Estimate(value=0.8, standard_error=0.1, n=10)), (0.1, Estimate(value=0.0, standard_error=0.0, n=4))]
    draw_calibration(axes, {"mine": points})
    assert lines(axes)["mine"].tolist() == [[0.1, 0.0], [0.9, 0.8]]
    assert lines(axes)["kept word"].tolist() == [[0, 0], [1, 1]]
    none, most = (part.get_segments()[0][:, 1] for part in axes.collections)
    assert none[0] == pytest.approx(0, abs=1e-12)
    assert none[1] == pytest.approx(1.959964**2 / (4 + 1.959964**2), rel=1e-6)
    from scipy.stats import binomtest

    wilson = binomtest(8, 10).proportion_ci(method="wilson")
    np.testing.assert_allclose(most, [wilson.low, wilson.high], atol=1e-6)
    with pytest.raises(ValueError, match="no point"):
        draw_calibration(axes, {"a": []})
    with pytest.raises(ValueError, match="got 0"):
        draw_calibration(axes, {})


def test_open_ends_are_drawn_without_a_mark(axes, profile):
    from dataclasses import replace

    from madsim._core.estimate import Interval

    draw_profile(axes, {"open": replace(profile, interval=Interval(profile.interval.low, math.inf))})
    ends = next(line for line in axes.lines if line.get_marker() == "|")
    assert ends.get_xdata().tolist() == [profile.interval.low]
