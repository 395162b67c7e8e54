"""Belief trajectories: the mean by round with the spread over debates, and the exact values as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from madsim.plot._style import BLACK, CYCLE, MARKERS, dress, legend, whole_rounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from madsim.simulate import DebateResult
    from madsim.theory import DebateMoments

_SAME = 1e-9
_MOST_LINES = 7


def draw_beliefs(axes: Axes, result: DebateResult | None = None, *, exact: DebateMoments | None = None) -> None:
    """Draw the beliefs in the target by round: simulated means with a band of one sd over debates, exact ones as lines.

    Agents with the same exact trajectory are drawn once. Panels with more than seven different trajectories are drawn as the mean over
    agents, with each agent as a faint line behind it.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    result
        a simulated debate, with ``belief_mean`` and ``belief_sd`` of axes (round, agent); may be left out
    exact
        the moments of the same model; may be left out

    Raises
    ------
    ValueError
        If neither is given, or the two differ in shape.

    Examples
    --------
    >>> from madsim.models import DebateModel
    >>> from madsim.plot import new_figure
    >>> from madsim.theory import debate_moments
    >>> figure, axes = new_figure()
    >>> draw_beliefs(axes, exact=debate_moments(DebateModel.homogeneous(n_agents=5, belief=0.7), 3))
    >>> axes.get_ylabel()
    'belief in the target'
    """
    simulated = None if result is None else (np.asarray(result.belief_mean), np.asarray(result.belief_sd))
    known = None if exact is None else (np.asarray(exact.mean), np.asarray(exact.sd))
    drawn = simulated if simulated is not None else known
    if drawn is None:
        raise ValueError("nothing to draw: give a simulated debate, its exact moments, or both")
    if known is not None and drawn[0].shape != known[0].shape:
        raise ValueError(
            f"the simulated beliefs have the shape {drawn[0].shape}, the exact ones {known[0].shape}; "
            "both must be of the same model and rounds"
        )
    n_rounds, n_agents = drawn[0].shape[0] - 1, drawn[0].shape[1]
    groups = _alike(known) if known is not None else [[agent] for agent in range(n_agents)]
    if len(groups) > _MOST_LINES:
        _draw_crowd(axes, drawn, known, is_exact=simulated is None)
    else:
        for number, agents in enumerate(groups):
            _draw_group(axes, agents, drawn, known, number=number, is_exact=simulated is None, alone=len(groups) == 1)
    axes.set_ylim(0, 1)
    whole_rounds(axes, n_rounds)
    dress(axes, y="belief in the target")
    legend(axes, loc="best")


_Moments = tuple[NDArray[np.float64], NDArray[np.float64]]


def _alike(known: _Moments) -> list[list[int]]:
    """Agents grouped by equal mean and sd in every round, in order of their first."""
    groups: list[list[int]] = []
    for agent in range(known[0].shape[1]):
        for group in groups:
            if all(np.allclose(values[:, agent], values[:, group[0]], rtol=0, atol=_SAME) for values in known):
                group.append(agent)
                break
        else:
            groups.append([agent])
    return groups


def _draw_group(
    axes: Axes, agents: list[int], drawn: _Moments, known: _Moments | None, *, number: int, is_exact: bool, alone: bool
) -> None:
    colour, marker = CYCLE[number % len(CYCLE)], MARKERS[number % len(MARKERS)]
    name = f"each of {len(agents)} agents" if alone and len(agents) > 1 else _names(agents)
    mean, sd = _pooled(drawn, agents)
    rounds = np.arange(len(mean))
    low, high = np.clip(mean - sd, 0, 1), np.clip(mean + sd, 0, 1)
    band = "± 1 sd over debates" if alone else None
    axes.fill_between(rounds, low, high, color=colour, alpha=0.14, linewidth=0, label=band)
    if is_exact:
        axes.plot(rounds, mean, color=colour, linestyle="--", linewidth=1.4, label=f"{name}, exact mean")
        return
    axes.plot(rounds, mean, color=colour, marker=marker, markersize=5, linewidth=1.4, label=f"{name}, simulated")
    if known is not None:
        label = "exact mean" if number == 0 else None
        axes.plot(rounds, _pooled(known, agents)[0], color=BLACK, linestyle="--", linewidth=1.3, label=label)


def _draw_crowd(axes: Axes, drawn: _Moments, known: _Moments | None, *, is_exact: bool) -> None:
    mean = drawn[0]
    rounds = np.arange(mean.shape[0])
    axes.plot(rounds, mean, color=CYCLE[0], alpha=max(0.05, min(0.4, 8 / mean.shape[1])), linewidth=0.7)
    label = f"mean over agents, {'exact' if is_exact else 'simulated'}"
    axes.plot(rounds, mean.mean(axis=1), color=CYCLE[0], marker="o", markersize=5, linewidth=2, label=label)
    if known is not None and not is_exact:
        axes.plot(rounds, known[0].mean(axis=1), color=BLACK, linestyle="--", linewidth=1.3, label="exact mean")


def _pooled(moments: _Moments, agents: list[int]) -> _Moments:
    """Mean belief of `agents`, and the root mean square of their sds, by round."""
    mean, sd = moments
    return mean[:, agents].mean(axis=1), np.sqrt((sd[:, agents] ** 2).mean(axis=1))


def _names(agents: list[int]) -> str:
    shown = ", ".join(map(str, agents[:4])) + (", …" if len(agents) > 4 else "")
    return f"agent {shown}" if len(agents) == 1 else f"agents {shown}"
