"""The figure of a claim: every difference between found and expected, with its interval, against the tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from madsim.verify.claims._claim import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from madsim.verify.claims._claim import Claim, ClaimResult

_MOST_ROWS = 24
_COLOURS = {"holds": "#0072B2", "fails": "#D55E00", "inconclusive": "#E69F00"}


def draw_claim(claim: Claim, result: ClaimResult, axes: Axes) -> None:
    """Draw `result` on `axes`; of many comparisons those nearest to their tolerance are shown."""

    def limit(one: Comparison) -> float:
        return claim.tolerance if one.tolerance is None else one.tolerance

    def reach(one: Comparison) -> float:
        return (abs(one.difference) + 3.3 * one.standard_error) / limit(one)

    shown = sorted(result.comparisons, key=reach)[-_MOST_ROWS:]
    colour = _COLOURS[result.verdict]
    axes.axvspan(-1, 1, color="0.93", zorder=0)
    axes.axvline(0, color="0.4", linewidth=0.8, zorder=1)
    axes.errorbar(
        [one.difference / limit(one) for one in shown],
        range(len(shown)),
        xerr=[3.3 * one.standard_error / limit(one) for one in shown],
        fmt="o",
        markersize=3,
        linewidth=1,
        color=colour,
        zorder=2,
    )
    axes.set_yticks(range(len(shown)), [one.label for one in shown], fontsize=6)
    axes.set_xlabel("found minus expected, in units of the tolerance (bars: 3.3 standard errors)", fontsize=7)
    left_out = len(result.comparisons) - len(shown)
    more = f", {left_out} closer ones not shown" if left_out else ""
    axes.set_title(f"{claim.name}: {result.verdict}{more}", fontsize=9, loc="left")
