"""The options of a choice question: their letters, and their texts where they are known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from string import ascii_uppercase

from madsim.answers._maths import numeric_value
from madsim.answers._normal import normal
from madsim.answers._numbers import parse_number

_BLANK = re.compile(r"\s+")
_BOLD = re.compile(r"\*\*(?=[^\s*])([^*]*)(?<!\s)\*\*(?!\w)")
_TEXT_COMMAND = re.compile(
    r"\$?\s?\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox|emph)\s?\{(?P<inner>[^{}]+)\}\s?\$?"
)
_AROUND = {'"': '"', "'": "'", "`": "`", "*": "*", "$": "$", "(": ")", "[": "]", "{": "}"}


def folded(text: str) -> str:
    """`text` as compared: case, blanks, emphasis and outer punctuation do not count, except where they change the value.

    The point of ``.5``, the mark of ``5!`` and the brackets of ``[2,5)`` stay.
    """
    text = _BLANK.sub(" ", normal(text if text.isascii() else unicodedata.normalize("NFC", text))).strip()
    if (command := _TEXT_COMMAND.fullmatch(text)) is not None:
        text = command["inner"]
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    while len(text) > 1:
        inner = text[1:-1]
        if _AROUND.get(text[0]) == text[-1] and inner.strip() and text[0] not in inner and text[-1] not in inner:
            text = inner.strip()
        elif (text[-1] in ".,;:" and text[-2] != text[-1]) or (text[-1] in "!?" and text[-2].isalpha()):
            text = text[:-1].rstrip()
        else:
            break
    return text.casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The offered options.

    Attributes
    ----------
    labels : as they are shown, in order
    texts : folded option text to label; a text that two options share is left out
    """

    labels: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]

    def label(self, written: str) -> str | None:
        """The label that `written` is, whatever its case; None where it is no label."""
        known = _by_case(self.labels)
        return known.get(written) or known.get(normal(written).casefold())

    def of_text(self, written: str) -> str | None:
        """The label of the option whose whole text `written` is, or whose value it has; None where there is none."""
        longest = max((len(text) for text, _ in self.texts), default=0)
        if not self.texts or len(written) > 2 * longest + 40:
            return None
        key = folded(written)
        return dict(self.texts).get(key) or _of_value(key, self.texts)


_LONGEST_VALUE = 80
_LONGEST_WORD = 30
_NAME = re.compile(r"[a-zA-Z]\s?(?:=|\\approx|≈)\s?(?=[^=])")
_WITH_UNIT = re.compile(r"(?P<number>-?[\d.,/]*\d)\s?(?P<unit>[a-zA-Zµμ°Ω][^\d]{0,30})")
_SIGNS = {
    "\\geq": ">=", "\\ge": ">=", "≥": ">=", "\\leq": "<=", "\\le": "<=", "≤": "<=", "\\neq": "!=", "≠": "!=", "\\cdot": "*",
    "×": "*", "\\times": "*", "\\dfrac": "\\frac", "\\tfrac": "\\frac", "\\left": "", "\\right": "", "\\,": "", "\\;": "", "\\!": "",
    "$": "", "\\(": "", "\\)": "", " ": "", "²": "^2", "³": "^3",
}  # fmt: skip
_SIGN = re.compile("|".join(re.escape(sign) + (r"(?![a-zA-Z])" if sign[-1:].isalpha() else "") for sign in _SIGNS))


@lru_cache(maxsize=1024)
def _squeezed(text: str) -> str:
    """A formula without blanks and dress, its signs in one spelling."""
    return _SIGN.sub(lambda match: _SIGNS[match[0]], text)


@lru_cache(maxsize=1024)
def _value_of(text: str) -> tuple[Fraction | None, str]:
    """The number that a short text is, and its unit."""
    if len(text) > _LONGEST_VALUE:
        return None, ""
    bare = text.strip(" $")
    if not any(char.isnumeric() for char in bare):
        word = parse_number(bare) if len(bare) <= _LONGEST_WORD else None
        return (None if word is None else word.value), ""
    parts = _WITH_UNIT.fullmatch(bare)
    if parts is not None:
        return numeric_value(parts["number"], None), parts["unit"].strip(" .")
    return numeric_value(bare, None), ""


def _of_value(key: str, texts: tuple[tuple[str, str], ...]) -> str | None:
    """The label of the only option with the value of the folded text `key`, or spelt with other blanks and signs."""
    if len(key) > _LONGEST_VALUE:
        return None
    squeezed = _squeezed(key)
    same = [label for text, label in texts if _squeezed(text) == squeezed]
    if not same:
        name = _NAME.match(key)
        value, unit = _value_of(key[name.end() :] if name else key)
        if value is None:
            return None
        valued = [(_value_of(text), label) for text, label in texts]
        same = [label for (other, kind), label in valued if other == value and (kind == unit or not kind or not unit)]
        same = [label for (other, kind), label in valued if other == value and kind == unit] or same
    return same[0] if len(same) == 1 else None


@lru_cache(maxsize=256)
def _by_case(labels: tuple[str, ...]) -> dict[str, str]:
    return {normal(label).casefold(): label for label in labels} | {label: label for label in labels}


_ALIKE = dict(zip("АВСЕНІЈКМОРЅТХΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABCEHIJKMOPSTXABEZHIKMNOPTX", strict=True))
_ALONE = re.compile(rf"(?<![^\W_])[{''.join(_ALIKE)}](?![^\W_])(?!\s[а-яёα-ω])")


def latin_letters(text: str, options: Options | None) -> str:
    """`text` with Cyrillic and Greek capitals that stand alone as the Latin ones that look the same, unless they are labels."""
    if options is not None and not all(label.isascii() for label in options.labels):
        return text
    return _ALONE.sub(lambda match: _ALIKE[match[0]], text)


def options_of(choices: Sequence[str] | Mapping[str, str] | None) -> Options | None:
    """The options as the readers need them; None where none are named.

    A list of short labels or Roman numerals is taken as labels; a list of texts is lettered A, B, C, ...

    Raises
    ------
    TypeError
        If `choices` is neither a mapping nor a sequence of text.
    ValueError
        If it is empty or has more texts than letters.
    """
    if choices is None:
        return None
    if isinstance(choices, str) or not isinstance(choices, (Mapping, Sequence)):
        raise TypeError(f"choices must be a list of letters or a mapping from letter to text, got {choices!r}")
    pairs = tuple(choices.items()) if isinstance(choices, Mapping) else tuple(choices)
    return _options(pairs)


_ROMAN = re.compile(r"[ivxIVX]{1,5}")


@lru_cache(maxsize=512)
def _options(pairs: tuple) -> Options:
    if not pairs:
        raise ValueError("choices must name at least one option; leave it out (None) for an open question")
    if isinstance(pairs[0], tuple):
        items = [(str(label), str(text)) for label, text in pairs]
    elif not all(isinstance(label, str) for label in pairs):
        raise TypeError(f"choices must be text, got {pairs!r}")
    elif all(len(label) <= 2 and label.isalnum() for label in pairs) or all(map(_ROMAN.fullmatch, pairs)):
        items = [(label, "") for label in pairs]
    elif len(pairs) <= len(ascii_uppercase):
        items = list(zip(ascii_uppercase, pairs, strict=False))
    else:
        raise ValueError(f"{len(pairs)} choices cannot be lettered; give a mapping from label to text")
    seen: dict[str, list[str]] = {}
    for label, text in items:
        seen.setdefault(folded(text), []).append(label)
    texts = tuple((text, labels[0]) for text, labels in seen.items() if text and len(labels) == 1)
    return Options(labels=tuple(label for label, _ in items), texts=texts)
