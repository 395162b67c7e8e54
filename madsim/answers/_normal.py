"""One spelling a character: digits of any script, full-width forms, dashes and blanks become their plain twins, one for one.

Every character stays at its place, so that a place in the normal text is the same place in the original.
"""

from __future__ import annotations

import unicodedata

_MINUS = "\u2212\u2012\ufe63\uff0d"
_PLAIN = {
    **dict.fromkeys(map(ord, _MINUS), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201b\u2032\u02bc"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u300c\u300d\u300e\u300f"), '"'),
    **dict.fromkeys(map(ord, "\u3010\u3014\u3016"), "["),
    **dict.fromkeys(map(ord, "\u3011\u3015\u3017"), "]"),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u061c\u180e"), " "),
    ord("\u0130"): "I",
    ord("\u3002"): ".",
    ord("\uff61"): ".",
    ord("\u066b"): ".",
    ord("\u066c"): ",",
    ord("\u060c"): ",",
    ord("\u3001"): ",",
    ord("\u066a"): "%",
    ord("\u2215"): "/",
    ord("\u2044"): "/",
    ord("\u2217"): "*",
    ord("\u2236"): ":",
    ord("\ufe55"): ":",
}
_KEPT = frozenset("ℝℤℕℚℂ²³¹⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉ªº")


class _Table(dict):
    """The translation of each character, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        plain = self[code] = _plain(chr(code))
        return plain


def _plain(char: str) -> str:
    if char in _KEPT or ord(char) < 128:
        return char
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(char)
    if category == "Zs" or category == "Zl" or category == "Zp":
        return "\n" if category != "Zs" else " "
    if category == "Cf":
        return " "
    code = ord(char)
    for first in (0x24B6, 0x24D0, 0x1F110, 0x1F130, 0x1F150, 0x1F170):  # circled and squared letters
        if first <= code < first + 26:
            return chr(ord("A") + code - first)
    folded = unicodedata.normalize("NFKC", char)
    return folded if len(folded) == 1 and folded.isascii() else char


_TABLE = _Table(_PLAIN)


def normal(text: str) -> str:
    """`text` with plain digits, letters, dashes and blanks, every character at its old place."""
    return text if text.isascii() else text.translate(_TABLE)
