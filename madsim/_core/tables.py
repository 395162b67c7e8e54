"""Results as tables: in a notebook, for pandas, for xarray. pandas and xarray are imported where they are asked for, never before."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from madsim._core.html import table

if TYPE_CHECKING:
    import pandas
    import xarray

Row = Mapping[str, Any]


def need(package: str, extra: str, *, verb: str) -> Any:
    """An optional package.

    Raises
    ------
    ImportError
        If it is not installed; the message says how to get it. One that is installed and broken tells so itself.
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ImportError(f'{verb} needs {package}, which is not installed: pip install "madsim[{extra}]"') from None


def dataframe(rows: Sequence[Row] | Mapping[str, Any]) -> pandas.DataFrame:
    """A data frame from rows by name, or from columns by name.

    Raises
    ------
    ImportError
        If pandas is not installed.
    """
    return need("pandas", "pandas", verb="to_dataframe()").DataFrame(rows)


def dataset(
    variables: Mapping[str, tuple[tuple[str, ...], Any]], coordinates: Mapping[str, Any], **attributes: Any
) -> xarray.Dataset:
    """Arrays with named axes; attributes of None are left out.

    Raises
    ------
    ImportError
        If xarray is not installed.
    """
    kept = {name: value for name, value in attributes.items() if value is not None}
    made = need("xarray", "xarray", verb="to_xarray()")
    return made.Dataset(dict(variables), coords=dict(coordinates), attrs=kept)


def shown(rows: Sequence[Row], *, caption: str) -> str:
    """Rows by name as an HTML table; every text is escaped.

    Examples
    --------
    >>> shown([{"name": "<b>", "value": 0.25}], caption="one")
    '<table><caption>one</caption><thead><tr><th scope="col">name</th><th scope="col">value</th></tr></thead><tbody><tr>\
<th scope="row">&lt;b&gt;</th><td>0.25</td></tr></tbody></table>'
    """
    names = list(rows[0]) if rows else []
    return table(names, [[_cell(row[name]) for name in names] for row in rows], caption=caption)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def ends(interval: tuple[float, float] | None) -> tuple[float, float]:
    """The ends of an interval as columns: NaN where it is not known."""
    return (math.nan, math.nan) if interval is None else (float(interval[0]), float(interval[1]))


def finite(value: float | None) -> float:
    """A number as a column: NaN where it is not known."""
    return math.nan if value is None else float(value)
