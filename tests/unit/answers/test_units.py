"""Units: products of powers, exact factors, and what may never be one."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim import answers
from madsim.answers._unit_table import SYMBOLS
from madsim.answers._units import known_unit, unit_of

BASIC = ["m", "kg", "s", "A", "K", "mol", "N", "J", "W", "Pa", "V", "L", "h", "km", "g", "eV", "$", "bit"]


@given(st.lists(st.tuples(st.sampled_from(BASIC), st.integers(-3, 3).filter(bool)), min_size=1, max_size=4))
def test_a_product_is_the_product_of_its_parts(parts):
    written = "·".join(f"{name}^{power}" for name, power in parts)
    unit = known_unit(written)
    factor, powers = Fraction(1), {}
    for name, power in parts:
        factor *= SYMBOLS[name].factor ** power
        for base, times in SYMBOLS[name].dimension:
            powers[base] = powers.get(base, 0) + times * power
    assert unit is not None
    assert unit.factor == factor
    assert dict(unit.dimension) == {base: power for base, power in powers.items() if power}


@given(st.sampled_from(sorted(SYMBOLS)))
def test_every_name_is_read_as_its_own_unit(symbol):
    unit = SYMBOLS[symbol]
    assert known_unit(symbol) == unit
    again = unit_of(unit.name)
    assert (again.dimension, again.factor) == (unit.dimension, unit.factor)


@pytest.mark.parametrize(
    "spellings",
    [
        [
            "m/s",
            "m s^-1",
            "m·s⁻¹",
            r"\frac{m}{s}",
            r"\text{m}/\text{s}",
            "meters per second",
            "meters/second",
            r"\mathrm{m\,s^{-1}}",
        ],
        ["N m", "N·m", r"N\cdot m", "N*m", "J", "newton meters"],
        ["J/(kg·K)", "J/(kg K)", "J kg^-1 K^-1", "J·kg⁻¹·K⁻¹"],
        ["m^2", "m²", "m2", "square meters", "sq m", "sq. m", "square metre", "meters squared"],
        ["°C", "℃", "degrees Celsius", r"^\circ C", r"^\circ\text{C}", "deg C"],
        ["Ω", r"\Omega", "\u2126", "ohm", "ohms"],
        ["µm", "μm", r"\mu m", r"\mu\text{m}", "micrometer"],
        ["kWh", "kW h", "kW·h", "kilowatt-hours"],
    ],
)
def test_spellings_of_one_unit(spellings):
    units = [known_unit(spelling) for spelling in spellings]
    assert None not in units
    assert len({(unit.dimension, unit.factor) for unit in units}) == 1


CURRENCIES = ["$5", "€5", "£5", "¥5", "₹5", "₩5", "5 CHF", "A$5", "C$5", "5 yuan", "₽5"]


@pytest.mark.parametrize("a", CURRENCIES)
@pytest.mark.parametrize("b", CURRENCIES)
def test_currencies_never_merge(a, b):
    assert answers.equivalent(a, b, "quantity") is (a == b)
    assert len(set(answers.group([a, b], "quantity"))) == len({a, b})


@pytest.mark.parametrize("unit", ["m", "km", "$", "€", "°C", "apples", "m/s", "%", "N·m"])
def test_a_unit_survives_extraction(unit):
    found = answers.extract(f"Some work.\nFinal answer: 5 {unit}", "quantity")
    assert found.answer is not None
    assert answers.equivalent(found.answer, f"5 {unit}", "quantity")
    assert not answers.equivalent(found.answer, "5 s", "quantity")


def test_a_counted_thing_is_a_dimension_of_its_own():
    assert unit_of("apples") == unit_of("Apple")
    assert unit_of("apples") != unit_of("oranges")
    assert known_unit("apples") is None
    assert unit_of("apples per day") == unit_of("apples/day")
