"""Figures of swarms: what is drawn is what was given, and what cannot be drawn is refused."""

import numpy as np
import pytest

from madsim.models import AsynchronousVoter, CrossInhibition
from madsim.plot import draw_fixation, draw_shares, draw_simplex, new_figure, save_figure
from madsim.simulate import simulate_swarm
from madsim.theory import maynard_smith_field, maynard_smith_replicator, share_law

MODEL = AsynchronousVoter(quality=(0.3, 0.55, 0.7), n_agents=12)


def test_shares_show_means_bands_exact_values_and_mean_field(tmp_path):
    result = simulate_swarm(MODEL, n_trials=200, n_steps=60, rng=1)
    law = share_law(MODEL, [0, 30, 60])
    times = np.linspace(0, 60, 7)
    figure, axes = new_figure()
    draw_shares(
        axes,
        result,
        exact=law,
        mean_field=(times, maynard_smith_replicator(np.full(3, 1 / 3), MODEL.quality, times / 12)),
    )
    lines = axes.get_lines()
    assert len(lines) == 9
    np.testing.assert_array_equal(lines[0].get_ydata(), result.share_mean[:, 0])
    np.testing.assert_array_equal(lines[1].get_ydata(), law.mean[:, 0])
    assert len(axes.collections) == 6
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["option 0", "option 1", "option 2"]
    assert save_figure(figure, tmp_path / "shares.png").stat().st_size > 5000


def test_shares_of_one_part_alone():
    for options in ({"exact": share_law(MODEL, [0, 5])}, {"mean_field": ([0, 1], np.full((2, 3), 1 / 3))}):
        _, axes = new_figure()
        draw_shares(axes, names=["low $x$", "middle", "high"], **options)
        assert axes.get_legend().get_texts()[0].get_text() == r"low \$x\$"
    _, axes = new_figure()
    draw_shares(axes, simulate_swarm(CrossInhibition(quality=(0.5, 0.6), n_agents=6), n_trials=1, n_steps=3, rng=1))
    assert axes.get_legend().get_texts()[2].get_text() == "uncommitted"


def test_simplex_shows_field_paths_and_rest_points(tmp_path):
    result = simulate_swarm(MODEL, n_trials=4, n_steps=40, rng=1, keep="paths")
    figure, axes = new_figure()
    draw_simplex(
        axes,
        lambda x: maynard_smith_field(x, MODEL.quality),
        paths=result.paths,
        rest_points=np.eye(3),
        names=["a", "b", "c"],
    )
    arrows = axes.collections[0]
    # every arrow points towards the best corner's side: quality rises along the flow
    points = np.linalg.solve(
        np.vstack([[0, 1, 0.5], [0, 0, 3**0.5 / 2], [1, 1, 1]]),
        np.vstack([arrows.get_offsets().T, np.ones(len(arrows.U))]),
    )
    assert points.min() > 0
    slope = np.linalg.solve(
        np.vstack([[0, 1, 0.5], [0, 0, 3**0.5 / 2], [1, 1, 1]]),
        np.vstack([arrows.U, arrows.V, np.zeros(len(arrows.U))]),
    )
    assert (MODEL.quality @ slope > 0).all()
    corners = axes.get_lines()[-1].get_xydata()
    np.testing.assert_allclose(corners, [[0, 0], [1, 0], [0.5, 3**0.5 / 2]])
    assert len(axes.get_lines()) == 1 + 2 * 4 + 1
    assert save_figure(figure, tmp_path / "simplex.svg").exists()


def test_fixation_shows_points_and_limits():
    _, axes = new_figure()
    draw_fixation(
        axes,
        [10, 20],
        {"Moran": [0.2, 0.1], "Fisher": [0.1, 0.01]},
        limits={"Moran": [0.21, 0.11], "other": [0.5, 0.4]},
    )
    assert [line.get_label() for line in axes.get_lines()] == ["Moran", "Fisher", "Moran, diffusion", "other"]
    assert axes.get_lines()[0].get_color() == axes.get_lines()[2].get_color()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda axes: draw_shares(axes), "nothing to draw"),
        (lambda axes: draw_shares(axes, exact=share_law(MODEL, [0]), mean_field=([0], [[0.5, 0.5]])), "same options"),
        (lambda axes: draw_shares(axes, exact=share_law(MODEL, [0]), names=["a"]), "1 names for 3"),
        (lambda axes: draw_simplex(axes), "nothing to draw"),
        (lambda axes: draw_simplex(axes, paths=np.ones((4, 2))), "three options"),
        (lambda axes: draw_simplex(axes, lambda x: x[:, :2]), "one rate of change"),
        (lambda axes: draw_fixation(axes, [1], {}), "nothing to draw"),
        (lambda axes: draw_fixation(axes, [1], {"a": [1, 2]}), "'a' holds"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    _, axes = new_figure()
    with pytest.raises(ValueError, match=message):
        call(axes)
