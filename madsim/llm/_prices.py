"""What a token costs, by model name."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from madsim.llm._request import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Money a token, in any one currency.

    Attributes
    ----------
    input, output : for a token read and a token written
    cached : for an input token read from the provider's cache; None means the price of `input`
    per_call : for a call as such
    """

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    per_call: float = 0.0

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached", "per_call"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0):
                raise ValueError(f"the price {name!r} must be a finite number of at least 0, got {value!r}")

    def cost(self, usage: Usage) -> float:
        """Money for one call with this usage."""
        cached = min(max(usage.cached, 0), usage.input)
        cached_price = self.input if self.cached is None else self.cached
        tokens = (usage.input - cached) * self.input + cached * cached_price + usage.output * self.output
        return self.per_call + tokens

    def bound(self, usage: Usage) -> float:
        """Most money that a call with at most this usage can cost (nothing is assumed to be cached, unless that is dearer)."""
        dearest = max(self.input, self.cached or 0.0)
        return self.per_call + usage.input * dearest + usage.output * self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices by model name; the longest name that fits wins, whatever the order.

    A name fits a model of that very name, and one that goes on after it with anything but a letter or digit: ``m-1`` fits ``m-1`` and
    ``m-1-32k``, not ``m-12``.

    Examples
    --------
    >>> prices = Prices.of_table({"m-1": [1.0, 1.0], "m-1-32k": [2.0, 2.0]}, per=1000)
    >>> prices.of("m-1-32k-latest").cost(Usage(input=500, output=500))
    2.0
    >>> prices.of("m-12") is None
    True
    """

    table: Mapping[str, Price]

    def of(self, model: str) -> Price | None:
        """The price of `model`; None where no name fits."""
        fitting = [name for name in self.table if _fits(name, model)]
        return self.table[max(fitting, key=len)] if fitting else None

    @classmethod
    def of_table(cls, table: Mapping[str, Any], *, per: float = 1.0) -> Prices:
        """Prices from plain values: ``[input, output]``, or an object with input, output, cached and per_call; token prices are
        divided by `per` (1e6 for prices a million tokens)."""
        if not (isinstance(per, (int, float)) and math.isfinite(per) and per > 0):
            raise ValueError(f"per must be a number of tokens above 0, got {per!r}")
        return cls(table={str(name): _price(name, value, per) for name, value in table.items()})


def read_prices(path: str | PathLike[str]) -> Prices:
    """Prices from a JSON file: ``{"per": 1000000, "models": {"name": {"input": 0.15, "cached": 0.075, "output": 0.6}}}``."""
    try:
        plain = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is not a JSON file of prices: {error}") from error
    if not isinstance(plain, dict) or not isinstance(plain.get("models"), dict):
        raise ValueError(f'{path} must hold an object with "models": {{name: {{"input": ..., "output": ...}}}}')
    return Prices.of_table(plain["models"], per=plain.get("per", 1.0))


def _fits(name: str, model: str) -> bool:
    if not model.startswith(name):
        return False
    rest = model[len(name) :]
    return not rest or not rest[0].isalnum() or not name or not name[-1].isalnum()


def _price(name: str, value: Any, per: float) -> Price:
    if isinstance(value, Price):
        return value
    if isinstance(value, Mapping):
        unknown = sorted(set(value) - {"input", "output", "cached", "per_call"})
        if unknown or "input" not in value or "output" not in value:
            raise ValueError(
                f"the price of {name!r} needs 'input' and 'output' (and may have 'cached', 'per_call'); got {dict(value)!r}"
            )
        parts = dict(value)
    elif isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        parts = {"input": value[0], "output": value[1]}
    else:
        raise ValueError(f"the price of {name!r} must be [input, output] or an object, got {value!r}")
    numbers = {part: _number(name, number) for part, number in parts.items() if number is not None}
    return Price(**{part: number if part == "per_call" else number / per for part, number in numbers.items()})


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"the price of {name!r} must be numbers, got {value!r}")
    return float(value)
