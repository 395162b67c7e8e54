"""One rule for every model: exact first, simulation for what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, get_args

from madsim.simulate import Method

Way: TypeAlias = Literal["auto", "exact", "simulated"]


def check_way(method: str) -> None:
    """Refuse anything but the three ways."""
    if method not in get_args(Way):
        raise ValueError(f"method must be one of {', '.join(get_args(Way))}, got {method!r}")


def exact_values(
    routes: Mapping[str, Mapping[str, Callable[[], Any]]], method: str
) -> tuple[dict[str, Any], dict[str, Method], dict[str, str]]:
    """Exact values by quantity, how each was computed, and for the others why theory does not have them.

    Parameters
    ----------
    routes : by quantity, the ways to its exact value by their names, in the order in which they are tried; a way that does not exist for
        the model raises ValueError
    method : ``"simulated"`` tries none; ``"exact"`` raises where a quantity has no way
    """
    values: dict[str, Any] = {}
    methods: dict[str, Method] = {}
    refused: dict[str, str] = {}
    if method == "simulated":
        return values, methods, dict.fromkeys(routes, "asked for")
    for quantity, ways in routes.items():
        for name, compute in ways.items():
            try:
                values[quantity] = compute()
            except ValueError as error:
                refused.setdefault(quantity, str(error))
            else:
                reason = "asked for" if method == "exact" else "theory reaches this model"
                methods[quantity] = Method(name=name, reason=reason, error="exact but for rounding")
                refused.pop(quantity, None)
                break
    if refused and method == "exact":
        quantity, why = next(iter(refused.items()))
        raise ValueError(f"{quantity.replace('_', ' ')} has no exact value here: {why}")
    return values, methods, refused
