"""The normal form of maths: regions against membership, equations against substitution, and a partition of all of it."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim.answers import equivalent, group
from madsim.answers._exact import rational, replaced
from madsim.answers._latex import parse
from madsim.answers._normal_form import plain
from madsim.answers._regions import region_of
from madsim.answers._solve import solved_for, solved_inequality

HALVES = [Fraction(n, 2) for n in range(-8, 9)]  # the ends are whole, so that halves lie at and between them


def intervals():
    ends = st.tuples(st.integers(-3, 3), st.integers(-3, 3)).map(sorted)
    return st.tuples(ends, st.sampled_from("[("), st.sampled_from("])")).map(
        lambda made: ("interval", ("num", Fraction(made[0][0])), ("num", Fraction(made[0][1])), made[1], made[2])
    )


def points():
    return st.lists(st.integers(-3, 3), min_size=1, max_size=3).map(
        lambda xs: ("set", tuple(("num", Fraction(x)) for x in xs))
    )


def regions():
    return st.recursive(intervals() | points(), _combined, max_leaves=6)


def _combined(inner):
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.tuples(st.sampled_from(["union", "meet"]), several) | st.tuples(st.just("minus"), inner, inner)


def holds_at(node, x):
    """Whether a number lies in a region, read off the tree: the plain twin."""
    kind = node[0]
    if kind == "set":
        return any(point[1] == x for point in node[1])
    if kind == "interval":
        low, high = (end[1] if end[0] == "num" else None for end in node[1:3])
        above = low is None or x > low or (x == low and node[3] == "[")
        below = high is None or x < high or (x == high and node[4] == "]")
        return above and below
    if kind == "minus":
        return holds_at(node[1], x) and not holds_at(node[2], x)
    return (any if kind == "union" else all)(holds_at(part, x) for part in node[1])


@given(regions())
def test_a_region_keeps_its_members(node):
    found = region_of(node)
    if found is None:
        return
    assert [holds_at(found, x) for x in HALVES] == [holds_at(node, x) for x in HALVES]


@given(regions(), regions())
def test_regions_with_the_same_members_have_one_form(left, right):
    forms = region_of(left), region_of(right)
    if None in forms:
        return
    same = all(holds_at(left, x) == holds_at(right, x) for x in HALVES)
    assert (forms[0] == forms[1] or {forms[0][0], forms[1][0]} == {"set"}) is same or not same


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9))
def test_a_linear_equation_is_solved(a, b, c, d):
    left, right = parse(f"({a})x+({b})"), parse(f"({c})x+({d})")
    value = solved_for(left, right, "x")
    if a == c:
        assert value is None
        return
    assert value == ("num", Fraction(d - b, a - c))
    assert rational(replaced(left, ("var", "x"), value)) == rational(replaced(right, ("var", "x"), value))


@given(st.integers(-9, 9).filter(bool), st.integers(-9, 9), st.sampled_from(["<", ">", "<=", ">="]), st.integers(-9, 9))
def test_a_linear_inequality_is_solved(a, b, sign, x):
    solved = solved_inequality(sign, parse(f"({a})x"), ("num", Fraction(b)), "x")
    compare = {"<": lambda p, q: p < q, ">": lambda p, q: p > q, "<=": lambda p, q: p <= q, ">=": lambda p, q: p >= q}
    assert solved is not None
    turned, bound = solved
    assert compare[turned](x, bound[1]) == compare[sign](a * x, b)


CLASSES = [
    ["1,2", "2,1", "1 and 2", r"\{2,1\}", r"x=1 \text{ or } x=2", "x=2,x=1", "x_1=1, x_2=2", r"x\in\{1,2\}", "1,1,2"],
    ["(1,2)", "x=1,y=2", "y=2, x=1", "(x,y)=(1,2)", "1<x<2", r"\langle 1,2\rangle", "a=1,b=2"],
    [r"\pm 1", "1,-1", "-1,1", r"\{-1,1\}", r"x=\pm1"],
    ["x>2", r"(2,\infty)", r"\{x: x>2\}", r"\{x \mid x>2\}", "2<x", "2x>4", r"\{x\in\mathbb{R}: x>2\}"],
    [r"x\ge2", r"[2,\infty)"],
    [r"x\ne0", r"(-\infty,0)\cup(0,\infty)", r"\mathbb{R}\setminus\{0\}", "x<0 or x>0"],
    [r"\mathbb{R}", r"(-\infty,\infty)", r"x\in\mathbb{R}", "ℝ"],
    ["y=2x+3", "2x-y+3=0", "2x+3", "f(x)=2x+3", "4x-2y=-6"],
    ["9", "f(3)=9", "x=9", "m+n=9", "3^2=9", "10-1=9", r"\boxed{9}", r"\color{red}{9}", r"\max\{3,9\}", "3x=27"],
    [r"2\pi", r"2\pi\approx 6.28", r"x=2\pi", "C=2π"],
    ["6.28", r"x\approx 6.28", r"\frac{157}{25}"],
    ["1/3", r"\frac13=0.333", "0.333...", r"0.\overline{3}"],
    ["0.333", r"\frac{333}{1000}"],
    ["15", "5!!", r"\sum_{k=1}^{5}k", r"\binom{6}{2}", r"{6\choose 2}"],
    ["[1,3]", r"[1,2]\cup[2,3]", r"1\le x\le 3", "|x-2|\\le 1"],
    ["1:2", r"1\colon2"],
    ["x^2+y^2=4", "2x^2+2y^2=8"],
    ["1.2", "6/5"],
]


def test_the_normal_form_is_a_partition():
    items = [(text, number) for number, texts in enumerate(CLASSES) for text in texts]
    wrong = [(a, b) for (a, i), (b, j) in itertools.product(items, items) if equivalent(a, b, "math") is not (i == j)]
    assert wrong == []


def test_groups_do_not_depend_on_what_else_is_there():
    for texts in CLASSES[:3]:
        for pair in itertools.combinations(texts, 2):
            assert group(list(pair), "math") == (0, 0)
        assert len(set(group([*texts, "77"], "math"))) == 2


@pytest.mark.parametrize(
    "text",
    [
        r"\sum_{k=1}^{n}",
        r"\int x",
        r"\lim x",
        r"\angle",
        r"{1\over",
        r"\frac{d}{dx}",
        r"\vec",
        "1 2",
        r"\mathbb{",
        "x|",
        r"\{x:\}",
    ],
)
def test_broken_maths_is_refused(text):
    with pytest.raises(ValueError, match=r"\S"):
        plain(parse(text))
