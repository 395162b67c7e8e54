"""Who changed what: corrections above the line, collapses below it, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from madsim._core.estimate import Estimate
from madsim.plot._style import BLACK, BLUE, GREY, ORANGE, VERMILLION, dress, in_percent, legend
from madsim.transcripts import State, Votes, clustered_mean, flips

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_flips(axes: Axes, votes: Votes, *, level: float = 0.95) -> None:
    """Draw, for each step between rounds, which share of the replies became right (up) and which stopped being right (down).

    A correction is wrong to right or none to right; a collapse right to wrong; an answer lost (right to none) is drawn apart, because
    it is a matter of format as often as of opinion. The black mark is the net, with its interval over questions.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    votes
        of a simulated or a real run
    level
        of the intervals of the net, clustered by question

    Raises
    ------
    ValueError
        If no sample has a target or the run has one round only.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(20, accuracy=0.7, kappa=3.0, rng=1)
    >>> votes = simulate_questions(beliefs, n_agents=3, n_rounds=2, rng=2).votes
    >>> figure, axes = new_figure()
    >>> draw_flips(axes, votes)
    >>> [tick.get_text() for tick in axes.get_xticklabels()]
    ['0 → 1', '1 → 2']
    """
    if not votes.n_rounds:
        raise ValueError("a run of one round has no changes to draw")
    steps = [flips(votes, first=t, last=t + 1) for t in range(votes.n_rounds)]
    x = np.arange(len(steps))
    total = np.array([max(step.total, 1) for step in steps])

    def share(*names: str) -> np.ndarray:
        return np.array([sum(getattr(step, name) for name in names) for step in steps]) / total

    gained, found = share("wrong_to_right"), share("found_right")
    fallen, lost = share("right_to_wrong"), share("lost_right")
    for heights, base, colour, alpha, label in (
        (gained, None, BLUE, 1.0, "wrong to right"),
        (found, gained, BLUE, 0.4, "no answer to right"),
        (-fallen, None, VERMILLION, 1.0, "right to wrong"),
        (-lost, -fallen, ORANGE, 0.6, "right to no answer"),
    ):
        if heights.any():
            axes.bar(x, heights, width=0.6, bottom=base, color=colour, alpha=alpha, label=label)
    net = [_net(votes, t) for t in range(votes.n_rounds)]
    ends = [one.interval(level) or (one.value, one.value) for one in net]
    axes.vlines(x, [low for low, _ in ends], [high for _, high in ends], color=BLACK, linewidth=1.4)
    axes.plot(x, [one.value for one in net], "D", color=BLACK, markersize=6, label=f"net, {100 * level:g} % interval")
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set_xticks(x, [f"{t} → {t + 1}" for t in x])
    axes.set_xlim(-0.6, len(steps) - 0.4)
    reach = [abs(end) for pair in ends for end in pair]
    extent = 1.1 * max(float(np.max(gained + found)), float(np.max(fallen + lost)), 0.02, *reach)
    axes.set_ylim(-extent, extent)
    dress(axes, x="round", y="share of replies")
    in_percent(axes)
    legend(axes, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)


def _net(votes: Votes, step: int) -> Estimate:
    """Mean change in being right from round `step` to the next, over agents asked both times, clustered by question."""
    asked = (votes.state[:, step : step + 2] != State.NOT_ASKED).all(axis=1) & votes.has_target[:, None]
    right = votes.right[:, step : step + 2].astype(np.float64)
    change = np.where(asked, right[:, 1] - right[:, 0], np.nan)
    return clustered_mean(change.ravel(), np.repeat(votes.cluster, votes.n_agents))
