"""What a sweep came to: one plain result a point, and one table of them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from madsim._core.canonical import canonical_json, to_jsonable
from madsim._core.provenance import Provenance
from madsim.simulate._debate_result import DebateResult
from madsim.simulate._shares_result import SharesResult
from madsim.simulate._sweep import Sweep, shown_values

if TYPE_CHECKING:
    import pandas

    from madsim._core.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The results of a sweep, point by point.

    Attributes
    ----------
    sweep : what was simulated
    results : one a point, each the result that the plain verb gives for that model and seed
    provenance : what is needed to make the sweep again
    notes : what was counted: blocks read from partial results (``blocks_read``), blocks that were damaged there and worked again
        (``blocks_damaged``)
    """

    sweep: Sweep
    results: tuple[DebateResult | SharesResult, ...]
    provenance: Provenance
    notes: Mapping[str, int] = field(default_factory=dict)

    def at(self, **values: Any) -> DebateResult | SharesResult:
        """The result of the one point with these values; parameters that it alone decides may be left out.

        Raises
        ------
        KeyError
            If no point or several points have them.
        """
        wanted = {name: canonical_json(to_jsonable(value)) for name, value in values.items()}
        found = [result for labels, result in self.items() if wanted.items() <= _texts(labels).items()]
        if len(found) != 1:
            raise KeyError(
                f"{len(found)} points have {shown_values(values) or 'no value given'}; a point is told by "
                f"{', '.join(self.sweep.parameters)}"
            )
        return found[0]

    def items(self) -> Iterator[tuple[Mapping[str, Any], DebateResult | SharesResult]]:
        """Values and result of every point, in order."""
        for point, result in zip(self.sweep.points, self.results, strict=True):
            yield point.values, result

    def to_table(self) -> list[dict[str, Any]]:
        """Rows by name: the values of a point, then its numbers with their standard errors.

        Debates give one row a round: ``round``, ``mean_belief`` (over trials and agents), ``share`` (right agents), ``vote`` and
        ``disagreement``. Swarms and learners give one row a time and type: ``time``, ``type``, ``share``, ``share_sd`` and, for swarms,
        ``absorbed``. A standard error is None for a single trial. A parameter that is called like one of these stands under its name with
        ``" (parameter)"``.
        """
        rows: list[dict[str, Any]] = []
        for values, result in self.items():
            numbers = _debate_rows(result) if isinstance(result, DebateResult) else _share_rows(result)
            named = {(f"{name} (parameter)" if name in numbers[0] else name): value for name, value in values.items()}
            rows.extend({**named, **row} for row in numbers)
        return rows

    def to_dataframe(self) -> pandas.DataFrame:
        """The rows of :meth:`to_table`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        return dataframe(self.to_table())

    def __str__(self) -> str:
        lines = [repr(self.sweep)]
        lines.extend(f"{shown_values(values)}: {_last(result)}" for values, result in self.items())
        lines.extend(f"{name.replace('_', ' ')}: {count}" for name, count in self.notes.items())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows: the last round or time of every point."""
        from madsim._core.tables import shown

        rows = [
            {**{name: str(value) for name, value in values.items()}, "at the end": _last(result)}
            for values, result in self.items()
        ]
        return shown(rows, caption=f"{self.sweep.n_trials} trials a point (± one standard error)")


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: canonical_json(value) for name, value in values.items()}


def _last(result: DebateResult | SharesResult) -> str:
    if isinstance(result, DebateResult):
        return f"vote right {_shown(result.vote_accuracy[-1])}, belief {result.belief_mean[-1].mean():.4f}"
    return ", ".join(f"{name} {_shown(one)}" for name, one in zip(result.types, result.share[-1], strict=True))


def _shown(estimate: Estimate) -> str:
    error = estimate.standard_error
    return f"{estimate.value:.4f}" if error is None else f"{estimate.value:.4f} ± {error:.4f}"


def _debate_rows(result: DebateResult) -> list[dict[str, Any]]:
    scores = {"share": result.share, "vote": result.vote_accuracy, "disagreement": result.disagreement}
    rows: list[dict[str, Any]] = []
    for step, belief in enumerate(result.belief_mean.mean(axis=1)):
        row: dict[str, Any] = {"round": step, "mean_belief": float(belief)}
        for name, found in scores.items():
            row[name], row[f"{name}_error"] = found[step].value, found[step].standard_error
        rows.append(row)
    return rows


def _share_rows(result: SharesResult) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for at, time in enumerate(result.times.tolist()):
        for number, name in enumerate(result.types):
            one = result.share[at][number]
            row = {
                "time": time,
                "type": name,
                "share": one.value,
                "share_error": one.standard_error,
                "share_sd": float(result.share_sd[at, number]),
            }
            if result.winner is not None:
                row["absorbed"] = int(result.totals.absorbed[at, number]) / result.n_trials
            rows.append(row)
    return rows
