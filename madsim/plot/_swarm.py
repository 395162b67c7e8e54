"""Swarms and learners: shares over time, the simplex of three options, and fixation against the number of agents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim.plot._style import BLACK, CYCLE, FAINT, GREY, MARKERS, dress, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from madsim.simulate import SharesResult
    from madsim.theory import ShareLaw

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(3) / 2]])
_ARROWS_A_SIDE = 14


def draw_shares(
    axes: Axes,
    result: SharesResult | None = None,
    *,
    exact: ShareLaw | None = None,
    mean_field: tuple[ArrayLike, ArrayLike] | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Draw the shares of all options over time: simulated means with bands, exact means as lines, the mean field dotted.

    The wide band is one standard deviation over trials, the narrow one the 95 % interval of the mean.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    result
        simulated swarms or learners; may be left out
    exact
        the exact law of the same model, at times of its own; may be left out
    mean_field
        times in steps, shape (time,), and shares, shape (time, option), of the replicator; may be left out
    names
        of the options, for the legend

    Raises
    ------
    ValueError
        If there is nothing to draw, or the parts have different numbers of options.

    Examples
    --------
    >>> from madsim.models import AsynchronousVoter
    >>> from madsim.plot import new_figure
    >>> from madsim.theory import share_law
    >>> figure, axes = new_figure()
    >>> draw_shares(axes, exact=share_law(AsynchronousVoter(quality=(0.4, 0.7), n_agents=20), [0, 20, 100]))
    >>> axes.get_ylabel()
    'share'
    """
    parts: list[tuple[NDArray[Any], NDArray[Any]]] = []
    if result is not None:
        parts.append((np.asarray(result.times), np.asarray(result.share_mean)))
    if exact is not None:
        parts.append((np.asarray(exact.times), np.asarray(exact.mean)))
    if mean_field is not None:
        parts.append((np.asarray(mean_field[0]), np.asarray(mean_field[1])))
    if not parts:
        raise ValueError("nothing to draw: give simulated shares, their exact law, or a mean field")
    n_types = parts[0][1].shape[1]
    if any(shares.ndim != 2 or shares.shape[1] != n_types for _, shares in parts):
        raise ValueError(
            f"all parts need the same options; got {', '.join(str(s.shape) for _, s in parts)} (time, option)"
        )
    labels = _names(names, n_types, result)
    for kind in range(n_types):
        colour = CYCLE[kind % len(CYCLE)]
        named: dict[str, Any] = {"label": labels[kind]}
        if result is not None:
            mean, sd, error = result.share_mean[:, kind], result.share_sd[:, kind], result.share_error[:, kind]
            low, high = np.clip(mean - sd, 0, 1), np.clip(mean + sd, 0, 1)
            axes.fill_between(result.times, low, high, color=colour, alpha=0.14, linewidth=0)
            if result.n_trials > 1:
                axes.fill_between(
                    result.times, mean - 1.96 * error, mean + 1.96 * error, color=colour, alpha=0.35, linewidth=0
                )
            axes.plot(result.times, mean, color=colour, linewidth=1.6 if exact is None else 0.9, **named)
            named = {}
        if exact is not None:
            style: dict[str, Any] = {"linestyle": "none", "marker": MARKERS[kind % len(MARKERS)], "markersize": 4}
            if result is None:
                style = {"linewidth": 1.6}
                axes.fill_between(
                    exact.times,
                    np.clip(exact.mean[:, kind] - exact.sd[:, kind], 0, 1),
                    np.clip(exact.mean[:, kind] + exact.sd[:, kind], 0, 1),
                    color=colour,
                    alpha=0.14,
                    linewidth=0,
                )
            axes.plot(exact.times, exact.mean[:, kind], color=colour, **style, **named)
            named = {}
        if mean_field is not None:
            times, shares = parts[-1]
            axes.plot(times, shares[:, kind], color=colour, linestyle=":", linewidth=1.2, **named)
    axes.set_ylim(0, 1)
    dress(axes, x="step", y="share")
    legend(axes)


def draw_simplex(
    axes: Axes,
    field: Callable[[NDArray[np.float64]], ArrayLike] | None = None,
    *,
    paths: ArrayLike | None = None,
    rest_points: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Draw the simplex of three options: a drift field as arrows, trajectories as lines, rest points as dots.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    field
        gives the rate of change of the shares, shape (point, 3), for shares of the same shape; arrows show its direction, their shade its
        strength
    paths
        trajectories, shape (path, time, 3), or one of shape (time, 3)
    rest_points
        shares, shape (point, 3)
    names
        of the corners

    Raises
    ------
    ValueError
        If shares do not have three options, or there is nothing to draw.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.theory import maynard_smith_field
    >>> figure, axes = new_figure()
    >>> draw_simplex(axes, lambda x: maynard_smith_field(x, [0.3, 0.55, 0.7]))
    >>> axes.get_aspect()
    1.0
    """
    if field is None and paths is None and rest_points is None:
        raise ValueError("nothing to draw: give a drift field, trajectories, or rest points")
    axes.plot(*_CORNERS[[0, 1, 2, 0]].T, color=GREY, linewidth=1.0)
    if field is not None:
        points = _grid()
        flow = np.asarray(field(points), dtype=np.float64)
        if flow.shape != points.shape:
            raise ValueError(
                f"the field must give one rate of change for every point, shape {points.shape}, got {flow.shape}"
            )
        arrows = flow @ _CORNERS
        speed = np.hypot(*arrows.T)
        moving = speed > 1e-12
        unit = arrows[moving] / speed[moving, None] * 0.8 / _ARROWS_A_SIDE
        axes.quiver(
            *(points[moving] @ _CORNERS).T,
            *unit.T,
            speed[moving],
            cmap="Greys",
            clim=(-0.6 * speed.max(), speed.max()),
            angles="xy",
            scale_units="xy",
            scale=1,
            width=0.004,
            pivot="middle",
            zorder=1,
        )
    for number, path in enumerate([] if paths is None else _three(paths, "paths").reshape(-1, *np.shape(paths)[-2:])):
        place = path @ _CORNERS
        colour = CYCLE[number % len(CYCLE)]
        axes.plot(*place.T, color=colour, linewidth=1.1, alpha=0.8, zorder=2)
        axes.plot(*place[-1], color=colour, marker="o", markersize=4, zorder=3)
    if rest_points is not None:
        axes.plot(
            *(_three(rest_points, "rest_points").reshape(-1, 3) @ _CORNERS).T, "o", color=BLACK, markersize=5, zorder=4
        )
    labels = _names(names, 3, None)
    for corner, (x, y) in enumerate(_CORNERS):
        below = y == 0
        axes.annotate(
            labels[corner],
            (x, y),
            xytext=(0, -6 if below else 6),
            textcoords="offset points",
            ha="center",
            va="top" if below else "bottom",
        )
    axes.set_aspect("equal")
    axes.set_axis_off()


def draw_fixation(
    axes: Axes, n_agents: ArrayLike, chances: Mapping[str, ArrayLike], *, limits: Mapping[str, ArrayLike] | None = None
) -> None:
    """Draw chances of fixation against the number of agents, on a logarithmic axis: exact ones as points, limits as lines.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    n_agents
        numbers of agents, shape (size,)
    chances
        name to exact values, shape (size,)
    limits
        name to approximations, shape (size,), drawn in the colour of the exact values of the same name

    Raises
    ------
    ValueError
        If there is nothing to draw, or a length differs.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.theory import moran_fixation
    >>> figure, axes = new_figure()
    >>> draw_fixation(axes, [10, 20, 40], {"Moran": [moran_fixation(n, n // 2, 0.55 / 0.7) for n in (10, 20, 40)]})
    >>> axes.get_yscale()
    'log'
    """
    sizes = np.asarray(n_agents)
    if not chances:
        raise ValueError("nothing to draw: give at least one named row of chances")
    for name, values in [*chances.items(), *(limits or {}).items()]:
        if np.shape(values) != sizes.shape:
            raise ValueError(f"{name!r} holds {np.shape(values)} chances for {sizes.shape} numbers of agents")
    order = list(chances)
    for number, (name, values) in enumerate(chances.items()):
        colour, marker = CYCLE[number % len(CYCLE)], MARKERS[number % len(MARKERS)]
        axes.plot(
            sizes, np.asarray(values), color=colour, marker=marker, markersize=5, linestyle="none", label=plain(name)
        )
    for name, values in (limits or {}).items():
        colour = CYCLE[order.index(name) % len(CYCLE)] if name in order else FAINT
        label = f"{plain(name)}, diffusion" if name in order else plain(name)
        axes.plot(sizes, np.asarray(values), color=colour, linewidth=1.2, label=label)
    axes.set_yscale("log")
    dress(axes, x="agents", y="chance of fixation")
    legend(axes)


def _grid() -> NDArray[np.float64]:
    """Interior points of the simplex, shape (point, 3)."""
    n = _ARROWS_A_SIDE
    return (
        np.array([(i + 1 / 3, j + 1 / 3, n - i - j - 2 / 3) for i in range(n) for j in range(n - i)], dtype=np.float64)
        / n
    )


def _three(values: ArrayLike, name: str) -> NDArray[np.float64]:
    shares = np.asarray(values, dtype=np.float64)
    if shares.ndim == 0 or shares.shape[-1] != 3:
        raise ValueError(f"{name} must hold shares of three options along the last axis, got shape {shares.shape}")
    return shares


def _names(names: Sequence[str] | None, n_types: int, result: SharesResult | None) -> list[str]:
    if names is None:
        return list(result.types) if result is not None else [f"option {kind}" for kind in range(n_types)]
    if len(names) != n_types:
        raise ValueError(f"{len(names)} names for {n_types} options")
    return [plain(name) for name in names]
