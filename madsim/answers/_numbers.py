"""Numbers as people write them, read exactly.

``1,234`` is 1234 and ``3,5`` is 3.5 unless a locale says otherwise; ``12,34`` is 12.34 because a comma that cannot group digits
is a decimal comma. Fractions, mixed numbers, scientific notation, percent, currency and vulgar fractions are exact rationals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from madsim.answers._words import MINUS_WORD, SCALES, word_number

CURRENCY_SIGN = r"(?:(?:US|AU?|CA?|NZ|HK|SG?|NT|MX?|R)?\\?\$|[€£¥₹₩₽₺₫₱₪₴₦฿¢])"
CURRENCY_CODE = (
    r"(?-i:(?<![A-Za-z])(?:USD|EUR|GBP|JPY|INR|CNY|RMB|CHF|CAD|AUD|NZD|HKD|SGD|SEK|NOK|DKK|KRW|BRL|MXN|ZAR|RUB|PLN|"
    r"Rs\.?)(?![A-Za-z]))"
)
CURRENCY = rf"(?:{CURRENCY_SIGN}|{CURRENCY_CODE}(?=\s?[-+\d.]))"
VULGAR = {
    "½": (1, 2),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅕": (1, 5),
    "⅖": (2, 5),
    "⅗": (3, 5),
    "⅘": (4, 5),
    "⅙": (1, 6),
    "⅚": (5, 6),
    "⅐": (1, 7),
    "⅛": (1, 8),
    "⅜": (3, 8),
    "⅝": (5, 8),
    "⅞": (7, 8),
    "⅑": (1, 9),
    "⅒": (1, 10),
}
_VULGAR = "[" + "".join(VULGAR) + "]"
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
# digits with their separators; a blank groups only before exactly three digits
_GROUP = r"(?:[ '_~]|\\[,;:! ]|\{,\}|,\\!)"
DIGITS = rf"(?:\d{{1,3}}(?:{_GROUP}\d{{3}}(?!\d))+(?:[.,]\d+)?|\d+(?:[.,]\d+)*|[.,]\d+)"
_GROUP_MARKS = re.compile(r"\\[,;:! ]|[{}' _~]|\\!")
_EXPONENT = r"(?:[eE][-+]?\d{1,6}(?![\w.]))"
_TIMES_TEN = (
    r"(?:\s?(?:[x×*·⋅]|\\times|\\cdot)\s?10\s?(?:(?:\^|\*\*)\s?[{(]?\s?[-+]?\d{1,6}\s?[)}]?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
)
_FRAC = r"\\[dtc]?frac\s?(?:\{\s?[-+]?\d+(?:[.,]\d+)*\s?\}\s?\{\s?\d+(?:[.,]\d+)*\s?\}|\d\s?\d|\d\s?\{\s?\d+\s?\})"
_OVER = r"(?:\s?/\s?\d+(?:[.,]\d+)*(?![\d/]))"
_DOTS = r"(?:\.\.\.|…|\\[lc]?dots(?![a-zA-Z]))"
_PERIOD = rf"(?:\d*\.\d{{3,60}}{_DOTS}|\d*\.\d*\\(?:overline|bar)\s?\{{\d{{1,40}}\}})"
UNSIGNED = (
    rf"(?:{_FRAC}|{_VULGAR}|{_PERIOD}|{DIGITS}(?:\s?{_VULGAR}|\s?{_FRAC}|[ ](?:and )?\d+\s?/\s?\d+(?![\d/.])|{_OVER}|"
    rf"{_EXPONENT}|{_TIMES_TEN})?)"
)
_SCALE_WORDS = "|".join(sorted((word for word in SCALES if len(word) > 1), key=len, reverse=True))
SCALE = rf"(?:\s?(?:{_SCALE_WORDS})\b|\s?k\b(?!\s?\\(?:Omega|ohm|mu))|\s?[千천万萬만亿億억]|(?-i:[kKMB])(?![\w/\\]))"
_LETTER_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
PERCENT = r"(?:\s?\\?%|\s(?:percent|per cent|prozent|pour cent|por ciento|por cento|per cento)\b)"
SIGN = r"[-+–—]"
NUMBER = rf"(?:{SIGN}\s?)?(?:{CURRENCY}\s?(?:{SIGN}\s?)?)?{UNSIGNED}(?:{SCALE})?(?:{PERCENT})?"
_WHOLE = re.compile(
    rf"(?P<sign>{SIGN}|{MINUS_WORD})?\s?(?P<currency>{CURRENCY})?\s?(?P<sign2>{SIGN})?\s?(?P<body>{UNSIGNED})"
    rf"(?P<scale>{SCALE})?(?P<percent>{PERCENT})?\s?(?P<after>{CURRENCY_SIGN}|{CURRENCY_CODE})?",
    re.IGNORECASE,
)
_SPLIT_FRAC = re.compile(
    r"\\[dtc]?frac\s?(?:\{\s?([-+]?[\d.,]+)\s?\}\s?\{\s?([\d.,]+)\s?\}|(\d)\s?(\d)|(\d)\s?\{\s?(\d+)\s?\})$"
)
_SPLIT_PERIOD = re.compile(rf"(\d*)\.(?:(\d{{3,60}}){_DOTS}|(\d*)\\(?:overline|bar)\s?\{{(\d{{1,40}})\}})")
_SPLIT_MIXED = re.compile(r"[ ](?:and )?(\d+)\s?/\s?(\d+)$")
_SPLIT_TEN = re.compile(r"\s?(?:[x×*·⋅]|\\times|\\cdot)\s?10\s?(.+)$")
_WESTERN = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+$")
_INDIAN = re.compile(r"[1-9]\d?(?:,\d{2})+,\d{3}$")
_DOTTED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+$")
_LARGEST_EXPONENT = 10_000
_LONGEST = 4_500
_DECIMAL_POINT = frozenset({"en", "zh", "ja", "ko", "he", "th", "hi", "es-mx", "es-us", "de-ch", "it-ch"})
_DECIMAL_COMMA = frozenset(
    {
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
        "ru",
        "uk",
        "pl",
        "cs",
        "sk",
        "sv",
        "da",
        "nb",
        "nn",
        "no",
        "fi",
        "tr",
        "el",
        "hu",
        "ro",
        "bg",
        "hr",
        "sr",
        "sl",
        "ca",
        "id",
        "vi",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """An exact number and how it was written.

    Attributes
    ----------
    value : exact value; of ``20%`` one fifth
    style : ``"decimal"``, ``"fraction"`` or ``"percent"``
    currency : the currency sign, or the empty text
    """

    value: Fraction
    style: str
    currency: str = ""

    def __str__(self) -> str:
        if self.style == "percent":
            return decimal_text(self.value * 100) + "%"
        return decimal_text(self.value) if self.style == "decimal" else fraction_text(self.value)


def decimal_mark(locale: str | None) -> str | None:
    """``"."`` or ``","`` as the decimal mark of a locale; None where none is named.

    Raises
    ------
    ValueError
        For a locale whose decimal mark is not known.
    """
    if locale is None:
        return None
    tag = locale.replace("_", "-").lower()
    for known in (tag, tag.split("-")[0]):
        if known in _DECIMAL_POINT:
            return "."
        if known in _DECIMAL_COMMA:
            return ","
    raise ValueError(f"locale {locale!r} is not known; use a language tag such as 'en', 'de' or 'fr-FR', or None")


def fraction_text(value: Fraction) -> str:
    """Lowest terms, a whole number without its denominator."""
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def decimal_text(value: Fraction) -> str:
    """Plain decimal digits where the expansion ends, else lowest terms; very large and small ones with an exponent."""
    twos, fives, rest = 0, 0, value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return fraction_text(value)
    places = max(twos, fives)
    whole = abs(value.numerator) * 10**places // value.denominator
    digits = _int_text(whole)
    sign = "-" if value < 0 else ""
    if len(digits) > 60 or places > 60:
        bare = digits.rstrip("0") or "0"
        exponent = len(digits) - len(bare) - places
        return f"{sign}{bare}e{exponent}" if exponent else sign + bare
    if not places:
        return sign + digits
    digits = digits.rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def _int_text(value: int) -> str:
    if value.bit_length() < 10_000:
        return str(value)
    half = value.bit_length() * 3 // 20  # Python refuses to print very long integers at once
    high, low = divmod(value, 10**half)
    return _int_text(high) + _int_text(low).rjust(half, "0")


def plain_decimal(digits: str, mark: str | None = None) -> Fraction | None:
    """The value of digits with separators, or None where the separators make no sense.

    Parameters
    ----------
    digits : such as ``1,234.5``, ``1 234``, ``3,5``
    mark : decimal mark where the locale is known
    """
    digits = _GROUP_MARKS.sub("", digits)
    commas, dots = digits.count(","), digits.count(".")
    if not commas and dots <= 1 and mark != ",":
        return _fraction(digits)
    if mark is not None:
        group = "," if mark == "." else "."
        whole, _, decimals = digits.partition(mark)
        if group in decimals or mark in decimals:
            return None
        if group in whole:
            if not (_WESTERN if group == "," else _DOTTED).match(whole) and not (group == "," and _INDIAN.match(whole)):
                return None
            whole = whole.replace(group, "")
        return _fraction(f"{whole}.{decimals}" if decimals else whole)
    if commas and dots:
        last = "," if digits.rfind(",") > digits.rfind(".") else "."
        return plain_decimal(digits, last) if digits.count(last) == 1 else None
    if dots > 1:
        return _fraction(digits.replace(".", "")) if _DOTTED.match(digits) else None
    if _WESTERN.match(digits) or _INDIAN.match(digits):
        return _fraction(digits.replace(",", ""))
    return _fraction(digits.replace(",", ".")) if commas == 1 else None


def _fraction(digits: str) -> Fraction | None:
    whole, _, decimals = digits.partition(".")
    if len(digits) > 4000 or not (whole + decimals).isdecimal():
        return None
    return Fraction(int(whole + decimals), 10 ** len(decimals))


@lru_cache(maxsize=4096)
def parse_number(text: str, mark: str | None = None) -> Number | None:
    """The number that `text` is, as a whole, or None where it is not one number.

    Parameters
    ----------
    text : in normal characters
    mark : decimal mark of the locale, or None
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    match = _WHOLE.fullmatch(text)
    if match is None:
        value = word_number(text)
        return None if value is None else Number(value=Fraction(value), style="decimal")
    body = match["body"]
    value, style = _body_value(body, mark)
    if value is None:
        return None
    if match["scale"]:
        scale = match["scale"].strip()
        value *= _LETTER_SCALES.get(scale) or SCALES[scale.lower()]
        style = "decimal"
    if match["sign"] and match["sign2"] and not match["currency"]:
        return None
    if (match["sign"] not in (None, "+")) != (match["sign2"] in ("-", "–", "—")):
        value = -value
    if match["percent"]:
        return Number(value=value / 100, style="percent")
    return Number(value=value, style=style, currency=(match["currency"] or match["after"] or "").lstrip("\\"))


_LISTED = re.compile(r"[^.]*\d,\d[^.]*")
_LETTER = re.compile(r"\d\s?[kKMB]$")


def maths_number(text: str, mark: str | None = None) -> Number | None:
    """The number that a piece of maths is; ``1,2`` is a list there, unless the locale has decimal commas, and ``2k`` a product."""
    number = parse_number(text, mark)
    if number is None or _LETTER.search(text):
        return None
    if mark is None and _LISTED.fullmatch(text) and not _grouped(text):
        return None
    return number


def _grouped(text: str) -> bool:
    digits = text.strip(" +-–—$€£¥%\\")
    return _WESTERN.match(digits) is not None or _INDIAN.match(digits) is not None


def _body_value(body: str, mark: str | None) -> tuple[Fraction | None, str]:
    if body[-1] in VULGAR:
        return _mixed(body[:-1].strip(), Fraction(*VULGAR[body[-1]]), mark)
    endless = _SPLIT_PERIOD.fullmatch(body)
    if endless:
        return repeating(*endless.groups())
    frac = _SPLIT_FRAC.search(body)
    if frac:
        top, bottom = (part for part in frac.groups() if part is not None)
        negative = top.startswith("-")
        parts = plain_decimal(top.lstrip("+-"), mark), plain_decimal(bottom, mark)
        if parts[0] is None or not parts[1]:
            return None, ""
        value, style = _mixed(body[: frac.start()].strip(), parts[0] / parts[1], mark)
        return (-value if negative and value is not None else value), style
    mixed = _SPLIT_MIXED.search(body)
    if mixed:
        bottom = int(mixed[2]) if len(mixed[2]) < 100 else 0
        return (
            _mixed(body[: mixed.start()], Fraction(int(mixed[1]), bottom), mark)
            if bottom and len(mixed[1]) < 100
            else (None, "")
        )
    if "/" in body:
        top, bottom = (plain_decimal(part.strip(), mark) for part in body.split("/", 1))
        return (top / bottom, "fraction") if top is not None and bottom else (None, "")
    ten = _SPLIT_TEN.search(body)
    if ten:
        power = re.sub(r"[\^*{}()\s]", "", ten[1]).translate(_SUPER)
        return _scaled(plain_decimal(body[: ten.start()].strip(), mark), power)
    for letter in "eE":
        if letter in body:
            digits, power = body.split(letter)
            return _scaled(plain_decimal(digits, mark), power)
    return plain_decimal(body, mark), "decimal"


def repeating(whole: str, dotted: str | None, start: str | None, period: str | None) -> tuple[Fraction, str]:
    """The value of digits that go on for ever: a marked period, or the shortest one that dots follow after three rounds,
    or after two where it has several digits; other dotted digits are what they show.
    """
    if period is None:
        dotted = dotted or ""
        found = _ROUNDS.search(dotted)
        if found is None:
            return Fraction(f"{whole or 0}.{dotted}"), "decimal"
        start, period = dotted[: found.start()], str(found[1] or found[2])
    start = start or ""
    power, nines = 10 ** len(start), 10 ** len(period) - 1
    return Fraction(int(whole + start or "0"), power) + Fraction(int(period), nines * power), "fraction"


_ROUNDS = re.compile(r"(?:(\d)\1{2,}|(\d{2,12}?)\2+)$")


def _scaled(value: Fraction | None, power: str) -> tuple[Fraction | None, str]:
    exponent = int(power)
    if value is None or abs(exponent) > _LARGEST_EXPONENT:
        return None, ""
    return value * Fraction(10) ** exponent, "decimal"


def _mixed(whole: str, part: Fraction, mark: str | None) -> tuple[Fraction | None, str]:
    value = plain_decimal(whole, mark) if whole else Fraction(0)
    if value is None or (whole and (value.denominator != 1 or part >= 1)):
        return None, ""
    return value + part, "fraction"
