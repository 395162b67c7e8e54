"""Quantities: a number with its unit, read and compared exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from madsim.answers._numbers import CURRENCY, NUMBER, UNSIGNED, decimal_text, parse_number
from madsim.answers._read_number import read_number
from madsim.answers._reading import OR, Reading, failed
from madsim.answers._unit_table import Dimension
from madsim.answers._units import known_unit, unit_of
from madsim.answers._words import opening_words

_LATIN = r"A-Za-zÀ-ÖØ-öø-ÿµμΩ\u2126℃℉Å"
_POWER = r"(?:\s?(?:\^|\*\*)\s?[({]?\s?-?\d\s?[)}]?|⁻?[¹²³⁴⁵⁶⁷⁸⁹]|(?<=[mtn])[23](?![\w.]))?"
_ATOM = (
    r"(?:(?:square|cubic|sq\.?|cu\.?|us|fl\.?|light|nautical)\s)?"
    r"(?:\\?(?:text|mathrm|mbox|textrm|rm|operatorname)\s?\{[^{}]{1,40}\}|\\[dtc]?frac\s?\{[^{}]{1,40}(?:\{[^{}]{1,20}\})?\}\s?\{[^{}]{1,40}"
    r"(?:\{[^{}]{1,20}\})?\}|\\(?:Omega|mu|ohm)(?![a-zA-Z])(?:\s?\\?(?:text|mathrm)\s?\{[^{}]{1,20}\}|\s?[A-Za-z]{1,3}\b)?|"
    r"(?:\^\s?\{?\s?\\circ\s?\}?|\\degree(?![a-zA-Z])|[°º])(?:\s?\\?(?:text|mathrm)?\s?\{?[CFK]\b\}?)?|"
    rf"[{_LATIN}]+(?:-[{_LATIN}]+)*|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{{1,8}}|\"|'(?!s)|\\?\$|[¢€£¥₹₩₽])"
    rf"{_POWER}(?:\s(?:squared|cubed)\b)?"
)
_JOIN = (
    r"(?:\s?(?:/|·|⋅|∙|\*(?!\*)|\\cdot(?![a-zA-Z])|\\times(?![a-zA-Z])|\bper\b|\bpro\b|\bpor\b|\bpar\b)\s?\(?|"
    r"\\[,;: ]|~|\s|(?=\\(?:Omega|ohm|mu)(?![a-zA-Z]))|(?<=[A-Za-z])-(?=[A-Za-z]))"
)
_FIRST = re.compile(rf"[\s*_`]*(?:\\[,;:! ]|~)*\s?(?P<unit>{_ATOM}|/\s?{_ATOM}|per\s{_ATOM})", re.IGNORECASE)
_NEXT = re.compile(rf"(?P<join>{_JOIN})(?P<unit>{_ATOM})\)?", re.IGNORECASE)
_EXPLICIT = re.compile(r"\s?(?:/|\bper\b|·|⋅|\\cdot)", re.IGNORECASE)
_MOST_PARTS = 6
# what may follow a unit after a blank and still be a factor of it, as in ``kW h``
_FACTORS = re.compile(
    r"(?:[mkcµd]?m|[kMm]?g|[kMm]?N|[kMmG]?W|[kMG]?J|[kM]?Pa|s|h|K|A|V|C|mol|L|Hz|rad|Hg|oz)(?:\s?\^.*|[²³⁻¹].*)?$"
)
_NO_UNIT = re.compile(
    r"(?:because|since|as|so|and|or|but|is|are|was|were|which|that|the|with|in|on|for|if|from|by|approximately|correct|left|each|"
    r"total|of|to|at|a|an|it|this|these|those|i|we|you|they|not|more|less|than|i'm|oder|ou|y|et|e|und|then|when|where|while|thus|"
    r"hence|therefore|final|answer|only|also|exactly|about|together|altogether|remaining|remains?|should|would|will|can|may|might|"
    r"must|have|has|had|be|been|being|do|does|did|our|my|your|his|her|their|its|all|both)$",
    re.IGNORECASE,
)
_PARTS = re.compile(rf"(?P<number>(?:(?:minus|negative)\s)?{NUMBER})(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_DELIMITED = re.compile(r"^\$\s?(-?\d[\d.,]*)\s?\$(?=\s?[^\W\d_])")  # a formula before its unit: "$5$ kg"
_CURRENCY = re.compile(rf"(?P<sign>{CURRENCY})", re.IGNORECASE)
_STEPS = re.compile(r"\s?(?P<unit>[^\W\d]+|[\"'°])\s?,?\s?(?:(?:and|und|et|y|e)\s)?(?P<rest>\d.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and its unit; `unit` is None for a bare number."""

    value: Fraction
    text: str
    unit: str | None
    dimension: Dimension | None
    factor: Fraction

    def __str__(self) -> str:
        if self.unit is None:
            return self.text
        return f"{self.text}{self.unit}" if self.unit == "°" else f"{self.text} {self.unit}"

    @property
    def key(self) -> tuple[Dimension | None, Fraction]:
        """What two equal quantities share: the dimension and the value in its base unit."""
        return self.dimension, self.value * self.factor


@lru_cache(maxsize=2048)
def parse_quantity(text: str, mark: str | None = None) -> Quantity | None:
    """The quantity that `text` is, or None."""
    text = _DELIMITED.sub(r"\1", text.strip())
    match = _PARTS.match(text)
    if match is None:
        return _in_words(text)
    written, rest = match["number"], match["rest"]
    currency = _CURRENCY.search(written)
    sign = ""
    if currency is not None:
        sign = currency["sign"].lstrip("\\")
        written = written[: currency.start()] + written[currency.end() :]
    elif written[-1] in "KMB":  # kelvins, molar and bytes, not thousands, millions and billions
        written, rest = written[:-1], written[-1] + rest
    number = parse_number(written.strip(), mark)
    if number is None:
        return None
    shown = str(number)
    if number.style == "percent":
        return _quantity(number.value, shown[:-1] + "%", None)
    steps = _STEPS.fullmatch(rest) if not sign and "\\" not in rest and len(rest) < 60 else None
    if steps is not None:
        one = _quantity(number.value, shown, steps["unit"].strip())
        whole = (
            _added(one, parse_quantity(steps["rest"], mark)) if known_unit(steps["unit"].strip()) is not None else None
        )
        if whole is not None:
            return whole
    rest = _without_delimiter(rest.strip(" .*_`,;" if "(" in rest else " .*_`,;)"), sign)
    if sign:
        return _quantity(number.value, shown, f"{sign} {rest}" if rest.startswith(("/", "per ")) else sign)
    return _quantity(number.value, shown, rest)


def _in_words(text: str) -> Quantity | None:
    found = opening_words(text, 0, len(text)) if text[:1].isalpha() else None
    if found is None:
        return None
    value, end = found
    return _quantity(value, str(value), text[end:].strip(" .*_`,;)"))


def _without_delimiter(rest: str, sign: str) -> str:
    """The unit without the dollar that ends a formula; a dollar alone is money."""
    if rest in ("$", "\\$"):
        return "" if sign else "$"
    return rest.rstrip("$").rstrip(" \\")


def _quantity(value: Fraction, shown: str, written: str | None) -> Quantity:
    if written is None:
        return Quantity(value=value, text=shown, unit=None, dimension=(("%", 1),), factor=Fraction(1))
    unit = unit_of(written) if written else None
    if unit is None or not unit.name:
        return Quantity(value=value, text=shown, unit=None, dimension=None, factor=Fraction(1))
    return Quantity(value=value, text=shown, unit=unit.name, dimension=unit.dimension, factor=unit.factor)


def read_quantity(text: str, start: int, stop: int, mark: str | None, *, prose: bool = True) -> Reading:
    """The number with its unit between `start` and `stop`; one quantity in two units is one answer."""
    reading = read_number(text, start, stop, mark, prose=prose)
    if reading.value is None:
        return _in_two_units(text, start, stop, mark) if reading.problem == "hedge" else reading
    return _with_unit(text, start, stop, mark, reading)


def _with_unit(text: str, start: int, stop: int, mark: str | None, reading: Reading) -> Reading:
    begin, end = reading.start, reading.stop
    in_formula = text[begin - 1 : begin] == "$" and _CLOSING.search(text, end, stop) is not None
    if text[begin - 1 : begin] in ("$", "€", "£", "¥", "₹") and begin > start and not in_formula:
        begin -= 1
    if text[end - 1] in "MB" and text[end - 2].isdigit() and _CURRENCY.match(text, begin) is None:
        end -= 1
    closed = end + 1 if in_formula and text[end : end + 1] == "$" else end
    unit_end = _unit_end(text, closed, stop, text.count("$", start, closed) % 2 == 1)
    if _BY.match(text, unit_end, stop):
        return failed("unreadable", start)
    written = text[begin:end] + (" " + text[closed:unit_end] if unit_end > closed else "")
    end = unit_end if unit_end > closed else end
    quantity = parse_quantity(written, mark)
    if quantity is None:
        return failed("unreadable", start)
    more = _AND.match(text, end, stop) if quantity.unit is not None else None
    if more is not None:
        last = _unit_end(text, more.end(), stop, False)
        whole = _added(quantity, parse_quantity(text[more.start("number") : last], mark))
        if whole is not None:
            quantity, end = whole, last
    return Reading(str(quantity), begin, end, reading.exact)


_AND = re.compile(rf"\s?,?\s?(?:(?:and|und|et|y|e)\s)?\s?(?P<number>{UNSIGNED})", re.IGNORECASE)


def _added(first: Quantity, second: Quantity | None) -> Quantity | None:
    """A quantity in two steps, such as ``2 h 30 min``: both of one dimension, the second step finer and less than one of the first."""
    if second is None or second.unit is None or first.dimension != second.dimension or second.factor >= first.factor:
        return None
    part = second.value * second.factor / first.factor
    if not 0 <= part < 1 or first.value.denominator != 1:
        return None
    value = first.value + part if first.value >= 0 else first.value - part
    return replace(first, value=value, text=decimal_text(value))


_BY = re.compile(r"\s(?:by|×|x)\s\d")
_CLOSING = re.compile(r"\$(?!\s?\d)")


def _unit_end(text: str, end: int, stop: int, in_formula: bool) -> int:
    """Where the unit after the number at `end` ends: its longest known part, or else one word."""
    first = _FIRST.match(text, end, stop)
    if first is None or (first["unit"] in ("$", "\\$") and in_formula):
        return end
    word = first["unit"].strip().lower()
    if _NO_UNIT.match(word.split()[0]) and known_unit(first["unit"]) is None:
        return end
    if word in ("in", "a", "at", "as", "mi") and re.match(r"\s+[A-Za-z]", text[first.end() : first.end() + 3]):
        return end
    if ord(first["unit"][0]) > 0x3000:
        return _cjk_end(text, first.start("unit"), first.end("unit"))
    ends = [first.end("unit")]
    while len(ends) < _MOST_PARTS and (part := _NEXT.match(text, ends[-1], stop)) is not None:
        if (
            not part["join"].strip()
            and not _FACTORS.match(part["unit"])
            and (known_unit(text[end : part.end()].strip()) is None or _NO_UNIT.match(part["unit"]))
        ):
            break
        if part["join"].strip().lower() == "per" and part["unit"].lower() == "cent":
            break
        ends.append(part.end())
    for place in reversed(ends[1:]):
        if known_unit(text[first.start("unit") : place].strip()) is not None:
            return place
    if len(ends) > 1 and _EXPLICIT.match(text, ends[0]) and _NO_UNIT.match(text[ends[0] : ends[1]].strip(" /")) is None:
        return ends[1]
    noun = _NOUN.match(text, ends[0], stop)
    if noun is not None and known_unit(first["unit"]) is None and not word.endswith(("s", *_PLURALS)):
        return ends[0] if _NO_UNIT.match(noun["noun"]) else noun.end()
    return ends[0]


_NOUN = re.compile(r"\s(?P<noun>[a-z]{3,}s)(?=[\s.,;!?)*]*(?:$|[.,;!?)*\n]))")  # "39 math problems."
_PLURALS = ("people", "children", "men", "feet", "teeth", "mice", "sheep", "fish")


def _cjk_end(text: str, start: int, stop: int) -> int:
    """Where a unit in Chinese, Japanese or Korean ends: the longest known one, or else the next character."""
    return next((end for end in range(stop, start, -1) if known_unit(text[start:end]) is not None), start + 1)


_OR = re.compile(rf"[\s*_`)$,]*(?:\b{OR}\b|=|≈|\(|,)\s*(?:about |i\.e\.,? )?[\s*_`(\[{{$]*", re.IGNORECASE)


def _in_two_units(text: str, start: int, stop: int, mark: str | None) -> Reading:
    """The first of two quantities that are one, such as ``5 km or 5000 m``; a hedge where they differ."""
    first = read_number(text, start, _first_end(text, start, stop), mark, prose=False)
    if first.value is None:
        return failed("hedge", start)
    one = _with_unit(text, start, stop, mark, first)
    if one.value is not None and one.stop > _second_start(text, first.stop, stop):
        return one
    joined = _OR.match(text, one.stop, stop)
    if one.value is None or joined is None:
        return failed("hedge", start)
    second = read_number(text, joined.end(), _first_end(text, joined.end(), stop), mark, prose=False)
    two = _with_unit(text, joined.end(), stop, mark, second) if second.value is not None else second
    if two.value is None:
        return failed("hedge", start)
    left, right = parse_quantity(one.value), parse_quantity(two.value)
    if left is None or right is None or left.unit is None or right.unit is None or left.key != right.key:
        return failed("hedge", start)
    return one


def _second_start(text: str, start: int, stop: int) -> int:
    """Start of the next number after `start`; `stop` where there is none."""
    number = re.compile(UNSIGNED).search(text, start, stop)
    return number.start() if number else stop


def _first_end(text: str, start: int, stop: int) -> int:
    """End of the first number from `start` on."""
    number = re.compile(NUMBER, re.IGNORECASE).search(text, start, stop)
    return number.end() if number else stop
