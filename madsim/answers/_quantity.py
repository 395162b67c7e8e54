"""Quantities: a number with its unit, read and compared exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from madsim.answers._numbers import CURRENCY, NUMBER, parse_number
from madsim.answers._read_number import read_number
from madsim.answers._reading import Reading, failed
from madsim.answers._units import unit_of

_UNIT = re.compile(
    r"[\s*_`]?(?:\\[,;: ]|~)?\s?(?P<unit>(?:\^\s?\{?\\circ\}?|°|º)\s?(?:\\text\{\s?)?(?:[CFK]\b)?\}?|"
    r"\\?(?:text|mathrm|mbox|textrm|rm)\s?\{[^{}]{1,40}\}(?:\s?\^\s?\{?-?\d\}?)?|"
    r"(?:(?:square|cubic|sq\.?|degrees?|us)\s)?[A-Za-zµμΩ\"'¢€£¥₹$²³]+[²³]?(?:\s?\^\s?\{?-?\d\}?)?(?:\s?(?:/|"
    r"\bper\b)\s?[A-Za-z]+(?:\s?\^\s?\{?\d\}?|[²³])?(?:\ssquared|\scubed)?)?)"
)
_NO_UNIT = frozenset(
    [
        "because",
        "since",
        "as",
        "so",
        "and",
        "or",
        "but",
        "is",
        "are",
        "was",
        "which",
        "that",
        "the",
        "with",
        "in",
        "on",
        "for",
        "if",
        "from",
        "by",
        "approximately",
        "correct",
        "left",
        "each",
        "total",
        "of",
        "to",
        "at",
        "a",
        "an",
        "it",
        "this",
        "i",
        "we",
        "not",
        "more",
        "less",
        "than",
        "i'm",
    ]
)
_PARTS = re.compile(rf"(?P<number>{NUMBER})(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_CURRENCY = re.compile(rf"(?P<sign>{CURRENCY})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and its unit; `unit` is None for a bare number."""

    value: Fraction
    text: str
    unit: str | None
    dimension: str | None
    factor: Fraction

    def __str__(self) -> str:
        if self.unit is None:
            return self.text
        return f"{self.text}{self.unit}" if self.unit == "°" else f"{self.text} {self.unit}"

    @property
    def key(self) -> tuple[str | None, Fraction]:
        """What two equal quantities share: the dimension and the value in its base unit."""
        return self.dimension, self.value * self.factor


@lru_cache(maxsize=2048)
def parse_quantity(text: str, mark: str | None = None) -> Quantity | None:
    """The quantity that `text` is, or None."""
    text = text.strip()
    match = _PARTS.match(text)
    if match is None:
        return None
    written, rest = match["number"], match["rest"]
    currency = _CURRENCY.search(written)
    if currency is not None:
        written = written.replace(currency["sign"], "")
        rest = (
            currency["sign"].lstrip("\\") + rest.strip()
            if not rest.strip(" .") or currency is None
            else currency["sign"].lstrip("\\")
        )
    if written.endswith("K"):  # kelvins, not thousands
        written, rest = written[:-1], "K" + rest
    number = parse_number(written, mark)
    if number is None:
        return None
    shown = str(number)
    rest = rest.strip(" .*_`$,;)").rstrip("\\")
    if number.style == "percent":
        return Quantity(value=number.value, text=shown[:-1] + "%", unit=None, dimension="%", factor=Fraction(1))
    if not rest and currency is None:
        return Quantity(value=number.value, text=shown, unit=None, dimension=None, factor=Fraction(1))
    name, dimension, factor = unit_of(rest if currency is None else currency["sign"].lstrip("\\"))
    if not name:
        return Quantity(value=number.value, text=shown, unit=None, dimension=None, factor=Fraction(1))
    return Quantity(value=number.value, text=shown, unit=name, dimension=dimension, factor=factor)


def read_quantity(text: str, start: int, stop: int, mark: str | None, *, prose: bool = True) -> Reading:
    """The number with its unit between `start` and `stop`."""
    reading = read_number(text, start, stop, mark, prose=prose)
    if reading.value is None:
        return reading
    end = reading.stop
    begin = reading.start
    if text[begin - 1 : begin] in ("$", "€", "£", "¥", "₹") and begin > start and text[end : end + 1] != "$":
        begin -= 1
    unit = _UNIT.match(text, end, stop)
    if (
        unit is not None
        and unit["unit"].strip().lower().split()[:1]
        and unit["unit"].strip().lower().split()[0] not in _NO_UNIT
    ):
        end = unit.end("unit")
    quantity = parse_quantity(text[begin:end], mark)
    if quantity is None:
        return failed("unreadable", start)
    return Reading(str(quantity), begin, end, reading.exact)
