"""Who changed what: corrections above the line, collapses below it, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from madsim.plot._style import BLACK, BLUE, GREY, ORANGE, VERMILLION, dress, in_percent, legend
from madsim.transcripts import Votes, flips

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_flips(axes: Axes, votes: Votes) -> None:
    """Draw, for each step between rounds, which share of the replies became right (up) and which stopped being right (down).

    A correction is wrong to right or none to right; a collapse right to wrong; an answer lost (right to none) is drawn apart, because
    it is a matter of format as often as of opinion. The black mark is the net change in accuracy among agents asked both times.

    Raises
    ------
    ValueError
        If no sample has a target or the run has one round only.
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
    axes.bar(x, gained, width=0.6, color=BLUE, label="wrong to right")
    axes.bar(x, found, width=0.6, bottom=gained, color=BLUE, alpha=0.4, label="no answer to right")
    axes.bar(x, -fallen, width=0.6, color=VERMILLION, label="right to wrong")
    axes.bar(x, -lost, width=0.6, bottom=-fallen, color=ORANGE, alpha=0.6, label="right to no answer")
    axes.plot(x, gained + found - fallen - lost, "D", color=BLACK, markersize=6, label="net")
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set_xticks(x, [f"{t} → {t + 1}" for t in x])
    axes.set_xlim(-0.6, len(steps) - 0.4)
    extent = 1.25 * max(float(np.max(gained + found)), float(np.max(fallen + lost)), 0.02)
    axes.set_ylim(-extent, extent)
    dress(axes, x="round", y="share of replies")
    in_percent(axes)
    legend(axes, loc="best", ncols=2)
