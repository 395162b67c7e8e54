"""Numbers in English words: ``forty-two``, ``one hundred and five``, ``three quarters``."""

from __future__ import annotations

import re
from fractions import Fraction

_UNITS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 20 + 10 * i
    for i, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
SCALES = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "k": 10**3,
    "m": 10**6,
    "b": 10**9,
    "lakh": 10**5,
    "crore": 10**7,
    "万": 10**4,
    "亿": 10**8,
}
for _letter in "mb":  # one letter alone is a unit as often as a scale: only k is read, as in 70k
    del SCALES[_letter]
_PARTS = {
    "half": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fourth": 4,
    "fourths": 4,
    "fifth": 5,
    "fifths": 5,
    "tenth": 10,
    "tenths": 10,
}
_WORD = re.compile(r"[a-z]+")
WORDS = "|".join(sorted([*_UNITS, *_TENS, "hundred", "dozen"], key=len, reverse=True))


def word_number(text: str) -> Fraction | None:
    """The value of a number in words, or None where the text is anything else."""
    if not text[:1].isalpha() or len(text) > 120:
        return None
    text = text.lower()
    words = [word for word in _WORD.findall(text) if word not in ("and", "a", "minus", "negative")]
    if not words or re.fullmatch(r"[a-z\s-]+", text) is None:
        return None
    sign = -1 if text.startswith(("minus ", "negative ")) else 1
    if words[-1] in _PARTS and (len(words) <= 2):
        top = 1 if len(words) == 1 else _UNITS.get(words[0])
        return None if top is None else Fraction(sign * top, _PARTS[words[-1]])
    total, part, seen = 0, 0, False
    for word in words:
        if word in _UNITS:
            part, seen = part + _UNITS[word], True
        elif word in _TENS:
            part, seen = part + _TENS[word], True
        elif word == "hundred":
            part, seen = max(part, 1) * 100, True
        elif word == "dozen":
            part, seen = max(part, 1) * 12, True
        elif word in ("thousand", "million", "billion", "trillion"):
            total, part, seen = total + max(part, 1) * SCALES[word], 0, True
        else:
            return None
    return Fraction(sign * (total + part)) if seen else None
