"""What figures show: the right numbers at the right places, with their uncertainty."""

import subprocess
import sys

import numpy as np
import pytest

from madsim._core.estimate import Estimate
from madsim.models import DebateModel
from madsim.plot import (
    draw_beliefs,
    draw_bets,
    draw_comparison,
    draw_disagreement,
    draw_drift,
    draw_estimates,
    draw_exact,
    draw_flips,
    draw_scores,
    draw_unparsed,
    new_figure,
    save_figure,
)
from madsim.protocols import Protocol
from madsim.theory import debate_moments
from madsim.verify import check, e_process
from tests.unit.plot._votes import drawn, votes_from


def lines(axes):
    """Label to y values, for the lines that carry a label."""
    return {
        line.get_label(): np.asarray(line.get_ydata())
        for line in axes.lines
        if not line.get_label().startswith("_child")
    }


def bars(axes):
    return {box.get_label(): [patch.get_height() for patch in box.patches] for box in axes.containers}


def labels(axes):
    return axes.get_legend_handles_labels()[1]


@pytest.fixture
def axes():
    return new_figure()[1]


def test_estimates_are_drawn_with_their_interval(axes):
    draw_estimates(
        axes,
        [Estimate(value=0.5, standard_error=0.1, n=9), Estimate(value=0.7, standard_error=None, n=1)],
        label="x",
        colour="red",
        level=0.95,
    )
    assert lines(axes)["x"].tolist() == [0.5, 0.7]
    known, unknown = axes.collections[-1].get_segments()
    np.testing.assert_allclose(known[:, 1], [0.5 - 0.1959964, 0.5 + 0.1959964], atol=1e-6)
    assert not unknown.size


def test_a_wider_level_gives_a_wider_interval(axes):
    one = [Estimate(value=0.5, standard_error=0.1, n=9)]
    draw_estimates(axes, one, label="a", colour="red", level=0.5)
    draw_estimates(axes, one, label="b", colour="red", level=0.99)
    heights = [np.ptp(c.get_segments()[0][:, 1]) for c in axes.collections if hasattr(c, "get_segments")]
    np.testing.assert_allclose(heights, [2 * 0.1 * 0.6744898, 2 * 0.1 * 2.5758293], atol=1e-6)


def test_nothing_to_draw_is_an_error(axes):
    with pytest.raises(ValueError, match="no estimate"):
        draw_estimates(axes, [], label="x", colour="red")
    with pytest.raises(ValueError, match="no run"):
        draw_unparsed(axes, {})
    with pytest.raises(ValueError, match="give a simulated debate"):
        draw_beliefs(axes)
    with pytest.raises(ValueError, match="finite number a round"):
        draw_exact(axes, [0.5, np.nan])


def test_scores_show_agent_vote_and_exact_values(axes):
    # Round 0: 2 of 3 right on both; round 1: 3 of 3 and 0 of 3 (one unparsed).
    votes = votes_from([[[0, 0, 1], [0, 0, 0]], [[0, 1, 0], [1, 1, -1]]])
    draw_scores(axes, votes, exact_vote=[0.9, 0.4])
    shown = lines(axes)
    np.testing.assert_allclose(shown["single agent"], [2 / 3, 1 / 2])
    np.testing.assert_allclose(shown["vote of 3"], [1.0, 0.5])
    np.testing.assert_allclose(shown["vote of 3, exact"], [0.9, 0.4])
    assert any("2 questions" in text.get_text() for text in axes.texts)


def test_comparison_draws_the_measure_that_was_asked_for():
    votes = votes_from([[[0, 0, 1], [0, 0, 0]], [[0, 1, 2], [1, 1, 1]]])
    expected = {"accuracy": [0.5, 0.5], "disagreement": [5 / 6, 0.0], "vote": [2 / 3, 0.5]}
    for measure, values in expected.items():
        axes = new_figure()[1]
        draw_comparison(axes, {"a": votes}, measure=measure)
        np.testing.assert_allclose(lines(axes)["a"], values, err_msg=measure)


def test_comparison_refuses_what_it_cannot_tell_apart(axes):
    votes = drawn()
    with pytest.raises(ValueError, match="got 8"):
        draw_comparison(axes, {str(number): votes for number in range(8)})
    with pytest.raises(ValueError, match="'speed'"):
        draw_comparison(axes, {"a": votes}, measure="speed")


def test_the_floor_of_disagreement_is_that_of_the_theory(axes):
    draw_disagreement(axes, votes_from([[[0, 1, 2], [0, 0, 1], [0, 0, 0]]]))
    np.testing.assert_allclose(lines(axes)["floor of the plain model"], [1, 2 / 3, 0.6111], atol=5e-5)
    with pytest.raises(ValueError, match="at least two agents"):
        draw_disagreement(axes, votes_from([[[0], [1]]]))


def test_flips_stand_on_their_side_of_zero(axes):
    # Four replies: one corrected, one collapsed, one lost, one found.
    draw_flips(axes, votes_from([[[1, 0, 0, -1], [0, 1, -1, 0]]]))
    assert bars(axes) == {
        "wrong to right": [0.25],
        "no answer to right": [0.25],
        "right to wrong": [-0.25],
        "right to no answer": [-0.25],
    }
    assert lines(axes)["net, 95 % interval"].tolist() == [0.0]
    with pytest.raises(ValueError, match="one round"):
        draw_flips(axes, votes_from([[[0, 1]]]))


def test_the_net_of_flips_carries_an_interval_over_questions(axes):
    # Changes by question: 1, 1, 0, -1, with mean 1/4 and sd sqrt(11/12); two agents move together.
    rounds = [[[1, 1], [0, 0]], [[2, 1], [0, 0]], [[0, 1], [0, 1]], [[0, 0], [1, 1]]]
    draw_flips(axes, votes_from(rounds))
    (segment,) = axes.collections[-1].get_segments()
    half = 1.9599640 * np.sqrt(11 / 12 / 4)
    np.testing.assert_allclose(segment[:, 1], [0.25 - half, 0.25 + half], atol=1e-6)
    assert bars(axes).keys() == {"wrong to right", "right to wrong"}


def test_unparsed_shares_are_bars_by_run(axes):
    draw_unparsed(axes, {"a": votes_from([[[0, -1], [0, 0]]]), "b": votes_from([[[-1, -1], [0, -1]]])})
    assert bars(axes) == {"a": [0.5, 0.0], "b": [1.0, 0.5]}


def test_equal_agents_are_drawn_once_and_unequal_ones_apart():
    equal = debate_moments(DebateModel.homogeneous(n_agents=5, belief=0.7, protocol=Protocol(rounds=3)))
    axes = new_figure()[1]
    draw_beliefs(axes, exact=equal)
    np.testing.assert_allclose(lines(axes)["each of 5 agents, exact mean"], [0.7] * 4)
    unequal = DebateModel(concentration=np.array([[1.4, 0.6], [1.4, 0.6], [2.0, 3.0]]), protocol=Protocol(rounds=3))
    axes = new_figure()[1]
    draw_beliefs(axes, exact=debate_moments(unequal))
    assert labels(axes) == ["agents 0, 1, exact mean", "agent 2, exact mean"]


def test_the_band_of_beliefs_is_one_sd(axes):
    moments = debate_moments(DebateModel.homogeneous(n_agents=4, belief=0.6, mass=3, protocol=Protocol(rounds=2)))
    draw_beliefs(axes, exact=moments)
    outline = axes.collections[0].get_paths()[0].vertices
    at_two = outline[outline[:, 0] == 2][:, 1]
    np.testing.assert_allclose([at_two.min(), at_two.max()], 0.6 + np.array([-1, 1]) * moments.sd[2, 0])


class Simulated:
    def __init__(self, mean, sd):
        self.belief_mean, self.belief_sd = np.array(mean), np.array(sd)


def test_simulated_and_exact_means_stand_beside_each_other(axes):
    model = DebateModel.homogeneous(n_agents=2, belief=0.5, protocol=Protocol(rounds=1))
    draw_beliefs(axes, Simulated([[0.5, 0.5], [0.48, 0.5]], np.zeros((2, 2))), exact=debate_moments(model))
    np.testing.assert_allclose(lines(axes)["each of 2 agents, simulated"], [0.5, 0.49])
    np.testing.assert_allclose(lines(axes)["exact mean"], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"\(3, 2\).*\(2, 2\)"):
        draw_beliefs(axes, Simulated(np.zeros((3, 2)), np.zeros((3, 2))), exact=debate_moments(model))


def test_a_crowd_is_its_mean_with_faint_agents(axes):
    rng = np.random.default_rng(3)
    mean = rng.random((4, 30))
    draw_beliefs(axes, Simulated(mean, np.zeros((4, 30))))
    np.testing.assert_allclose(lines(axes)["mean over agents, simulated"], mean.mean(axis=1))
    assert len(axes.lines) == 31


def up(n=30):
    return votes_from([[[1, 1, 1], [0, 0, 0]]] * n + [[[0, 0, 0], [0, 0, 1]]] * n)


def test_drift_is_drawn_with_the_interval_of_the_equivalence_test(axes):
    report = check(drawn(), delta=0.05)
    draw_drift(axes, {"mine": report, "up": check(up(), delta=0.05)})
    (segment,) = axes.collections[0].get_segments()
    np.testing.assert_allclose(segment[:, 0], report.equivalence.interval)
    assert axes.lines[1].get_xdata()[0] == report.drift.value
    zone = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    np.testing.assert_allclose([zone.x0, zone.x1], [-0.05, 0.05])
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["mine (inconclusive)", "up (drift)"]


def test_drifts_that_do_not_compare_are_refused(axes):
    with pytest.raises(ValueError, match="different tolerances"):
        draw_drift(axes, {"a": check(drawn(), delta=0.05), "b": check(drawn(), delta=0.1)})
    with pytest.raises(ValueError, match="none has a drift"):
        draw_drift(axes, {"a": check(votes_from([[[1, 2], [2, 2]], [[1, 1], [1, 2]]], has_target=[False, False]))})


def test_bets_start_at_one_and_are_refuted_above_the_line(axes):
    bets = check(up(), anytime=True).anytime
    draw_bets(axes, {"up": bets})
    assert lines(axes)["up"].tolist() == [1.0, *bets.path]
    assert set(lines(axes)["refuted above 20"]) == {20.0}
    with pytest.raises(ValueError, match="different levels"):
        draw_bets(axes, {"a": bets, "b": e_process([0.1, 0.2], level=0.1)})
    with pytest.raises(ValueError, match="got 0"):
        draw_bets(axes, {})


@pytest.mark.parametrize("name", ["cost $5 of $x_{", "_hidden", "two\nlines\u202e", "x" * 300])
def test_names_from_files_are_labels_not_formulas(tmp_path, name):
    figure, axes = new_figure()
    draw_comparison(axes, {name: drawn(), "other": drawn(seed=1)})
    assert len(labels(axes)) == 2
    assert all(len(label) <= 50 and "\u202e" not in label for label in labels(axes))
    save_figure(figure, tmp_path / "figure.png")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_equal_figures_are_equal_files(tmp_path, suffix):
    def write(name):
        figure, axes = new_figure()
        draw_scores(axes, drawn())
        return save_figure(figure, tmp_path / f"{name}{suffix}").read_bytes()

    first = write("a")
    assert len(first) > 1000
    assert first == write("b")


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"\.bmp"):
        save_figure(new_figure()[0], tmp_path / "figure.bmp")


def test_drawing_leaves_nothing_global(tmp_path):
    code = f"""
import sys
import matplotlib
before = matplotlib.rcParams.copy()
from tests.unit.plot._votes import drawn
from madsim.plot import draw_scores, new_figure, save_figure
figure, axes = new_figure()
draw_scores(axes, drawn())
save_figure(figure, {str(tmp_path / "figure.svg")!r})
assert matplotlib.rcParams.copy() == before
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_importing_the_package_does_not_load_matplotlib():
    code = "import sys, madsim.plot; assert 'matplotlib' not in sys.modules and 'scipy' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
