"""Units of measurement: their names, and exact factors between units of one kind."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

_TABLE: dict[str, tuple[str, str, Fraction]] = {}


def _add(dimension: str, name: str, factor: Fraction | int | str, *aliases: str) -> None:
    for alias in (name, *aliases):
        _TABLE[alias] = (name, dimension, Fraction(factor))


for _prefix, _word, _factor in (
    ("k", "kilo", 1000),
    ("", "", 1),
    ("d", "deci", "0.1"),
    ("c", "centi", "0.01"),
    ("m", "milli", "0.001"),
    ("µ", "micro", "0.000001"),
    ("n", "nano", "0.000000001"),
):
    _metre = [f"{_word}{stem}" for stem in ("meter", "meters", "metre", "metres")]
    _add("length", f"{_prefix}m", _factor, *_metre)
    _add(
        "mass",
        f"{_prefix}g",
        Fraction(_factor) / 1000,
        *[f"{_word}{stem}" for stem in ("gram", "grams", "gramme", "grammes")],
    )
    _add(
        "volume",
        f"{_prefix}L",
        Fraction(_factor) / 1000,
        f"{_prefix}l",
        *[f"{_word}{stem}" for stem in ("liter", "liters", "litre", "litres")],
    )
    _add("time", f"{_prefix}s", _factor, *[f"{_word}{stem}" for stem in ("second", "seconds")])
for _prefix, _word, _factor in (
    ("k", "kilo", 1000),
    ("", "", 1),
    ("M", "mega", 10**6),
    ("G", "giga", 10**9),
    ("m", "milli", "0.001"),
    ("µ", "micro", "0.000001"),
):
    for _unit, _names, _dimension in (
        ("J", ("joule", "joules"), "energy"),
        ("W", ("watt", "watts"), "power"),
        ("N", ("newton", "newtons"), "force"),
        ("Pa", ("pascal", "pascals"), "pressure"),
        ("Hz", ("hertz",), "frequency"),
        ("V", ("volt", "volts"), "voltage"),
        ("A", ("ampere", "amperes", "amp", "amps"), "current"),
        ("Ω", ("ohm", "ohms"), "resistance"),
    ):
        _add(_dimension, f"{_prefix}{_unit}", _factor, *[f"{_word}{name}" for name in _names])
_add("time", "s", 1, "sec", "secs", "sec.")
_add("time", "min", 60, "mins", "minute", "minutes", "min.")
_add("time", "h", 3600, "hr", "hrs", "hour", "hours")
_add("time", "day", 86400, "days", "d")
_add("time", "week", 604800, "weeks", "wk", "wks")
_add("month", "month", 1, "months")
_add("month", "year", 12, "years", "yr", "yrs")
_add("length", "in", "0.0254", "inch", "inches", '"')
_add("length", "ft", "0.3048", "foot", "feet", "'")
_add("length", "yd", "0.9144", "yard", "yards")
_add("length", "mi", "1609.344", "mile", "miles")
_add("mass", "lb", "0.45359237", "lbs", "pound", "pounds")
_add("mass", "oz", "0.028349523125", "ounce", "ounces")
_add("mass", "t", 1000, "tonne", "tonnes")
_add("speed", "m/s", 1, "meters per second", "metres per second", "ms^-1", "m s^-1")
_add("speed", "km/h", Fraction(5, 18), "kph", "kmh", "kilometers per hour", "kilometres per hour")
_add("speed", "mph", "0.44704", "miles per hour", "mi/h", "miles/hour")
_add("angle", "°", 1, "deg", "degree", "degrees", "\\circ", "^\\circ", "º")
_add("radian", "rad", 1, "radian", "radians")
_add("°C", "°C", 1, "celsius", "degrees celsius", "degree celsius", "deg c", "c")
_add("°F", "°F", 1, "fahrenheit", "degrees fahrenheit", "degree fahrenheit", "deg f", "f")
_add("K", "K", 1, "kelvin", "kelvins")
_add("area", "m^2", 1, "square meters", "square metres", "sq m", "m²", "square meter", "square metre")
_add("area", "cm^2", "0.0001", "square centimeters", "square centimetres", "cm²", "sq cm")
_add("area", "km^2", 10**6, "square kilometers", "square kilometres", "km²")
_add("area", "ft^2", "0.09290304", "square feet", "sq ft", "ft²", "square foot")
_add("volume", "m^3", 1, "cubic meters", "cubic metres", "m³")
_add("volume", "cm^3", "0.000001", "cubic centimeters", "cubic centimetres", "cm³", "cc")
_add("volume", "gal", "0.003785411784", "gallon", "gallons")
_add("acceleration", "m/s^2", 1, "m/s²", "meters per second squared", "metres per second squared")
_add("energy", "cal", "4.184", "calorie", "calories")
_add("energy", "kcal", 4184, "kilocalorie", "kilocalories")
_add("energy", "kWh", 3600000, "kilowatt-hour", "kilowatt-hours", "kilowatt hours")
_add("energy", "eV", "1.602176634e-19", "electronvolt", "electronvolts")
_add("amount", "mol", 1, "mole", "moles")
_add("$", "$", 1, "dollar", "dollars", "usd", "us$", "us dollars")
_add("$", "¢", "0.01", "cent", "cents")
_add("€", "€", 1, "euro", "euros", "eur")
_add("£", "£", 1, "gbp", "pounds sterling", "quid")
_add("¥", "¥", 1, "yen", "jpy")
_add("₹", "₹", 1, "rupee", "rupees", "inr")
_CASED = dict(_TABLE.items())
_FOLDED = {}
for _name, _entry in _TABLE.items():
    if len(_name) > 2 or not _name.isascii():
        _FOLDED.setdefault(_name.casefold(), _entry)
_MARKS = re.compile(r"\\(?:text|mathrm|mbox|textrm|rm|,|;|:|!| )|[{}$]")


@lru_cache(maxsize=1024)
def unit_of(written: str) -> tuple[str, str, Fraction]:
    """Name, dimension and factor of a unit; an unknown one is a dimension of its own."""
    if written in _CASED:
        return _CASED[written]
    for old, new in (("μ", "µ"), ("^{\\circ}", "°"), ("^\\circ", "°"), ("**", "^"), ("{", ""), ("}", ""), ("~", " ")):
        written = written.replace(old, new)
    name = " ".join(_MARKS.sub(" ", written).split()).strip(" .*_`")
    name = name.replace("° C", "°C").replace("° F", "°F").replace("^ ", "^")
    found = _CASED.get(name) or _FOLDED.get(name.casefold()) or _CASED.get(name.lower() if len(name) == 1 else name)
    if found is not None:
        return found
    plain = name.casefold()
    if plain.endswith("s") and len(plain) > 3 and not plain.endswith("ss"):
        plain = plain[:-1]
    return plain, plain, Fraction(1)
