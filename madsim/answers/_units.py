"""Read a unit of measurement: a product of powers of known units, or a counted thing such as ``apples``."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from madsim.answers._unit_table import SYMBOLS, WORDS, Dimension, Unit

_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_LATEX = (
    (re.compile(r"\\[dtc]?frac\s?\{((?:[^{}]|\{[^{}]*\})*)\}\s?\{((?:[^{}]|\{[^{}]*\})*)\}"), r"(\1)/(\2)"),
    (re.compile(r"\\(?:text|mathrm|mbox|textrm|operatorname|rm|mathit|textit|unit|si|bf|mathbf)(?![a-zA-Z])\s?"), ""),
    (re.compile(r"\\(?:cdot|times|ast)(?![a-zA-Z])|[⋅∙•×*]"), "·"),
    (re.compile(r"\\(?:Omega|ohm)(?![a-zA-Z])"), "Ω"),
    (re.compile(r"\\mu(?![a-zA-Z])\s?"), "µ"),
    (re.compile(r"\^?\s?\{?\s?\\(?:circ|degree)(?![a-zA-Z])\s?\}?"), "°"),
    (re.compile(r"\\[,;:! ]|~|\\(?:quad|thinspace)(?![a-zA-Z])"), " "),
    (re.compile(r"\*\*"), "^"),
    (re.compile(r"\^\s?[({]?\s?([-+]?\d)\s?[)}]?"), r"^\1"),
    (re.compile(r"[{}`]"), ""),
)
_DEGREE = re.compile(r"°\s?([CF])(?![A-Za-z])")
_PIECE = re.compile(
    r"\s*(?P<sign>/|\bper\b|\bpro\b|\bpor\b|\bpar\b|·|(?<=[A-Za-zΩ])-(?=[A-Za-z]))?\s*(?P<open>\()?\s*"
    r"(?P<atom>[^\s/·()^⁻⁰¹²³⁴⁵⁶⁷⁸⁹-]+(?:-[^\W\d]+)?)"
    r"(?:\^(?P<power>[-+]?\d)|(?P<super>⁻?[¹²³⁴⁵⁶⁷⁸⁹]))?\s*(?P<close>\))?"
)
_SHAPES = {
    "square": 2,
    "sq": 2,
    "sq.": 2,
    "cubic": 3,
    "cu": 3,
    "cu.": 3,
    "squared": 2,
    "cubed": 3,
    "quadrat": 2,
    "kubik": 3,
}
_PER = re.compile(r"\bper\b|\bpro\b|\bpor\b|\bpar\b|/")
_LONGEST = 120


@lru_cache(maxsize=2048)
def known_unit(written: str) -> Unit | None:
    """The unit that `written` is, or None where a part of it is not known."""
    if written in SYMBOLS:
        return SYMBOLS[written]
    return _product(_plain(written)) if len(written) <= _LONGEST else None


@lru_cache(maxsize=2048)
def unit_of(written: str) -> Unit:
    """The unit that `written` is; what is not known is a dimension of its own, in the singular."""
    unit = known_unit(written)
    if unit is not None:
        return unit
    name = " ".join(_plain(written).split()).strip(" .*_$'\"")
    top, *below = (_counted(part) for part in _PER.split(name, maxsplit=1))
    bottom = below[0] if below else None
    if bottom is None:
        return top
    return _combined([(top, 1), (bottom, -1)])


def _counted(name: str) -> Unit:
    """A known unit, or a counted thing of that name."""
    known = _product(name.strip())
    if known is not None:
        return known
    plain = name.strip().casefold()
    if plain.endswith("s") and len(plain) > 3 and not plain.endswith("ss"):
        plain = plain[:-1]
    return Unit(plain, ((plain, 1),), Fraction(1))


def _plain(written: str) -> str:
    """The unit without LaTeX, in one spelling a sign."""
    for pattern, new in _LATEX:
        written = pattern.sub(new, written)
    if not written.isascii():
        written = (
            unicodedata.normalize("NFKC", written.replace("µ", "μ")) if "℃" in written or "℉" in written else written
        )
        written = written.replace("μ", "µ").replace("\u2126", "Ω").replace("º", "°")
    written = written.strip(" .,;_*")
    if written.endswith("$") and len(written) > 1:
        written = written[written.startswith("$") : -1]
    return _DEGREE.sub(r"°\1", " ".join(written.split()))


def _single(name: str) -> Unit | None:
    """One unit without powers: by its symbol, or by its name in any case."""
    found = SYMBOLS.get(name)
    if found is not None:
        return found
    word = name.casefold()
    found = WORDS.get(word)
    if found is None and len(word) > 2:
        found = _FOLDED.get(word)
    if found is None and word.endswith("."):
        return _single(name[:-1])
    return found


_FOLDED: dict[str, Unit] = {}
for _name, _unit in SYMBOLS.items():
    if len(_name) > 2:
        _FOLDED.setdefault(_name.casefold(), _unit)


def _product(text: str) -> Unit | None:
    """The unit of a product of powers; None where a part is not known."""
    single = _single(text)
    if single is not None:
        return single
    parts: list[tuple[Unit, int]] = []
    shape, below, group = 1, False, False
    place = 0
    while place < len(text):
        match = _PIECE.match(text, place)
        if match is None:
            return None
        place = match.end()
        if match["sign"] in ("/", "per", "pro", "por", "par"):
            below = True
        if match["open"]:
            group = True
        atom = match["atom"]
        power = int(match["power"] or (match["super"] or "1").translate(_SUPER))
        if atom.casefold() in _SHAPES:
            power = _SHAPES[atom.casefold()]
            if atom.casefold() in ("squared", "cubed"):
                if not parts:
                    return None
                unit, old = parts[-1]
                parts[-1] = (unit, old * power)
            else:
                shape = power
            continue
        unit = _single(atom)
        if unit is None and atom[-1] in "23" and _single(atom[:-1]) in _LENGTHS:
            unit, power = _single(atom[:-1]), int(atom[-1])
        if unit is None:
            return None
        parts.append((unit, power * shape * (-1 if below else 1)))
        shape = 1
        if match["close"]:
            if not group:
                return None
            group, below = False, False
    return _combined(parts) if parts and shape == 1 and not group else None


_LENGTHS = frozenset(SYMBOLS[name] for name in ("m", "cm", "mm", "km", "dm", "in", "ft", "yd", "mi"))


def _combined(parts: list[tuple[Unit, int]]) -> Unit:
    powers: dict[str, int] = {}
    factor = Fraction(1)
    for unit, power in parts:
        factor *= unit.factor**power
        for base, times in unit.dimension:
            powers[base] = powers.get(base, 0) + times * power
    dimension: Dimension = tuple(sorted((base, power) for base, power in powers.items() if power))
    above, below = (
        [_powered(unit.name, abs(power)) for unit, power in parts if (power > 0) is up] for up in (True, False)
    )
    name = "·".join(above) or "1"
    if below:
        name += "/" + (below[0] if len(below) == 1 else f"({'·'.join(below)})")
    return Unit(name, dimension, factor)


def _powered(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"
