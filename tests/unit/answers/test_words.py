"""Numbers in words: every number below a thousand in the languages that spell them by rule, and what is no number."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim.answers._words import opening_words, word_number

_EN_SMALL = [
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
_EN_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_DE_SMALL = [
    "null",
    "ein",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
]
_DE_TENS = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
_ZH = "零一二三四五六七八九"


def english(n):
    if n < 20:
        return _EN_SMALL[n]
    if n < 100:
        return _EN_TENS[n // 10 - 2] + (f"-{_EN_SMALL[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{_EN_SMALL[n // 100]} hundred" + (f" and {english(n % 100)}" if n % 100 else "")
    return f"{english(n // 1000)} thousand" + (f" {english(n % 1000)}" if n % 1000 else "")


def german(n):
    if n < 20:
        return _DE_SMALL[n]
    if n < 100:
        return (f"{_DE_SMALL[n % 10]}und" if n % 10 else "") + _DE_TENS[n // 10 - 2]
    if n < 1000:
        return f"{_DE_SMALL[n // 100]}hundert" + (german(n % 100) if n % 100 else "")
    return f"{german(n // 1000)}tausend" + (german(n % 1000) if n % 1000 else "")


def chinese(n):
    for size, sign in ((10_000, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if n >= size:
            rest = n % size
            head = "" if n < 20 else chinese(n // size)
            gap = "零" if rest and rest < size // 10 else ""
            return head + sign + (gap + chinese(rest) if rest else "")
    return _ZH[n]


@given(st.integers(0, 999_999))
def test_spelt_numbers_are_read_back(n):
    assert word_number(english(n)) == n
    assert word_number(german(n)) == n
    assert word_number("minus " + english(n)) == -n


@given(st.integers(0, 99_999))
def test_spelt_chinese_numbers_are_read_back(n):
    assert word_number(chinese(n)) == n


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("quatre-vingt-dix-sept", "97"),
        ("soixante et onze", "71"),
        ("deux cent cinq", "205"),
        ("quatre-vingts", "80"),
        ("ciento veintidós", "122"),
        ("mil doscientos", "1200"),
        ("duzentos e vinte e um", "221"),
        ("centocinque", "105"),
        ("ventotto", "28"),
        ("duemila", "2000"),
        ("사십이", "42"),
        ("마흔둘", "42"),
        ("三分之二", "2/3"),
        ("三点一四", "157/50"),
        ("负五", "-5"),
        ("two thirds", "2/3"),
        ("one and a half", "3/2"),
        ("three point one four", "157/50"),
        ("two dozen", "24"),
        ("twenty-one hundred", "2100"),
        ("drei Komma fünf", "7/2"),
        ("trois quarts", "3/4"),
        ("la mitad", "1/2"),
    ],
)
def test_words_of_each_language(text, value):
    assert word_number(text) == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        "one two three",
        "twenty ten",
        "five and six",
        "hundred hundred thousand million",
        "a",
        "and",
        "box",
        "fort",
        "two and",
        "sixty fifteen",
        "一个",
        "四五六十",
    ],
)
def test_what_is_no_number_is_refused(text):
    assert word_number(text) is None


@pytest.mark.parametrize(
    ("text", "value", "end"),
    [
        ("forty-two apples", 42, 9),
        ("two and a half hours", Fraction(5, 2), 14),
        ("un total de 42", None, 0),
        ("ein Apfel", None, 0),
        ("ein", 1, 3),
        ("四十二个苹果", 42, 3),
        ("四十二です", 42, 3),
    ],
)
def test_words_that_open_a_stretch(text, value, end):
    assert opening_words(text, 0, len(text)) == (None if value is None else (value, end))
