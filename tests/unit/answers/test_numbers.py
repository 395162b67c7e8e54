"""Numbers are read exactly, whatever their spelling."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim.answers import canonical, equivalent
from madsim.answers._normal import normal
from madsim.answers._numbers import decimal_text, parse_number

VALUES = {
    "42": 42,
    "-42": -42,
    "- 42": -42,
    "+42": 42,
    "4,200": 4200,
    "1,234,567.5": Fraction("1234567.5"),
    "12,34": Fraction("12.34"),
    "0,123": Fraction("0.123"),
    "1.234.567": 1234567,
    "1.234,5": Fraction("1234.5"),
    "1 234": 1234,
    "1'234": 1234,
    "1,00,000": 100000,
    "12,34,567": 1234567,
    ".5": Fraction(1, 2),
    "1e3": 1000,
    "1.5E-3": Fraction(3, 2000),
    "3 x 10^4": 30000,
    "3×10⁴": 30000,
    "2 \\cdot 10^{-2}": Fraction(1, 50),
    "1/3": Fraction(1, 3),
    "-1/3": Fraction(-1, 3),
    "1 7/9": Fraction(16, 9),
    "½": Fraction(1, 2),
    "1½": Fraction(3, 2),
    "\\frac{3}{4}": Fraction(3, 4),
    "\\frac34": Fraction(3, 4),
    "2\\frac{1}{2}": Fraction(5, 2),
    "$5": 5,
    "5€": 5,
    "-$5": -5,
    "$-5": -5,
    "50%": Fraction(1, 2),
    "50 percent": Fraction(1, 2),
    "2 million": 2000000,
    "70k": 70000,
    "twelve": 12,
    "forty-two": 42,
    "one hundred and five": 105,
    "two thousand": 2000,
    "minus three": -3,
    "three quarters": Fraction(3, 4),
    "half": Fraction(1, 2),
    "two dozen": 24,
    "1\\,234": 1234,
    "1{,}234": 1234,
}
NO_NUMBERS = (
    "",
    "abc",
    "1,2,3",
    "1.2.3",
    "1,23,4",
    "12:30",
    "1-2",
    "x",
    "5x",
    "1/0",
    "--5",
    "1e",
    "1e999999",
    "5!",
    "2^3",
    "one two banana",
    "1" * 5000,
    "A",
    "and",
    "%",
)


@pytest.mark.parametrize("written", VALUES)
def test_value(written):
    assert parse_number(normal(written)).value == VALUES[written]


@pytest.mark.parametrize("written", NO_NUMBERS)
def test_no_number(written):
    assert parse_number(written) is None


@pytest.mark.parametrize("zero", [0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10, 0x1D7CE])
def test_digits_of_other_scripts(zero):
    written = "".join(chr(zero + int(digit)) for digit in "1957")
    assert equivalent(written, "1957", "number")
    assert not equivalent(written, "1958", "number")


@given(st.fractions(max_denominator=10**6))
def test_fractions_come_back(value):
    assert parse_number(f"{value.numerator}/{value.denominator}").value == value
    assert equivalent(f"\\frac{{{value.numerator}}}{{{value.denominator}}}", str(value), "math")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_decimal_text_is_exact(value):
    assert parse_number(decimal_text(Fraction(value))).value == Fraction(value)


@given(st.integers(), st.integers())
def test_only_equal_numbers_are_equal(a, b):
    assert equivalent(str(a), str(b), "number") == (a == b)
    assert equivalent(f"{a:,}", str(a), "number")


@given(st.text(max_size=60))
def test_normal_keeps_every_place(text):
    assert len(normal(text)) == len(text)
    assert normal(normal(text)) == normal(text)


@given(st.sampled_from(sorted(VALUES)))
def test_canonical_is_its_own_canonical(written):
    once = canonical(written, "number")
    assert canonical(once, "number") == once
    assert equivalent(once, written, "number")


def test_very_large_numbers_print_short():
    assert canonical("1e9000", "number") == "1e9000"
    assert canonical("123e-9000", "number") == "123e-9000"
    assert not equivalent("1e9000", "1e9001", "number")


def test_tolerance_is_a_share_of_the_larger_number():
    assert equivalent("100", "99", "number", tolerance=0.01)
    assert not equivalent("100", "98.9", "number", tolerance=0.01)
    assert equivalent("2\\sqrt{4}", "4.01", "math", tolerance=0.01)
    assert equivalent("100 m", "99 m", "quantity", tolerance=0.01)
    for wrong in (-0.1, 1.0, float("nan")):
        with pytest.raises(ValueError, match="tolerance"):
            equivalent("1", "1", "number", tolerance=wrong)
