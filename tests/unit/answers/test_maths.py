"""Maths is compared by value, off the main process where it needs a library, and never hangs."""

import os
import signal
import subprocess
import sys
import threading
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim.answers import _symbolic, equivalent
from madsim.answers._exact import Unknown, rational, same_value
from madsim.answers._latex import parse
from madsim.answers._tokens import NotMaths


def test_plain_answers_import_no_library():
    code = (
        "import sys; from madsim import answers as a;"
        "assert a.vote(['Final answer: 1/2', 'Final answer: 0.5', 'Final answer: 7'], 'math').votes == 2;"
        "assert a.equivalent('(x+1)^2', 'x^2+2x+1', 'math'); assert not a.equivalent('2\\\\pi', '6.28', 'math');"
        "bad = {'sympy', 'mpmath', 'numpy', 'numba', 'jax', 'openai', 'scipy', 'subprocess'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        "1+",
        "\\frac{1}{2",
        "\\begin{pmatrix}1",
        "1 2 3 !!",
        "{}",
        "\\unknown{2}",
        "a" * 2000,
        "(" * 500 + "1" + ")" * 500,
        "^2",
        "]1,2[",
        "\x00",
    ],
)
def test_what_is_no_maths_is_refused(text):
    with pytest.raises(NotMaths):
        parse(text)


@given(st.text(alphabet="0123456789xyab+-*/^!(){}[]\\,.=<|_ &%$sqrtfcinlogpe", max_size=60), st.text(max_size=30))
def test_parsing_never_fails_otherwise(maths, other):
    for text in (maths, other):
        try:
            parse(text)
        except NotMaths:
            continue


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 50))
def test_rational_arithmetic(a, b, c):
    assert rational(parse(f"({a}) + ({b})/{c}")) == a + Fraction(b, c)
    assert rational(parse(f"\\frac{{{a}}}{{{c}}} \\cdot ({b})^2")) == Fraction(a, c) * b**2


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9))
def test_identities_and_near_misses(a, b, c):
    product, expanded = f"(x+({a}))(y+({b}))", f"xy + ({b})x + ({a})y + ({a * b})"
    assert same_value(parse(product), parse(expanded)) is True
    assert same_value(parse(product), parse(f"{expanded} + ({c})")) is (c == 0)


@pytest.mark.parametrize(
    "tower",
    [
        "9^{9^{9^{9}}}",
        "2^{2^{2^{2^{2^{2}}}}}",
        "(10^{10})!",
        "((100!)!)!",
        "x^{9^{9^9}}",
        "\\sqrt{9^{9^{9^9}}}",
        "e^{e^{e^{e^{e^{10}}}}}",
    ],
)
def test_towers_end(tower):
    assert not equivalent(tower, "1", "math")
    assert not equivalent("7", tower, "math")
    assert equivalent(tower, tower, "math")


def test_a_rational_too_large_is_not_decided_here():
    with pytest.raises(Unknown):
        rational(parse("9^{9^9}"))


def test_the_child_is_killed_and_comes_back(monkeypatch):
    assert equivalent("\\sqrt{18}", "3\\sqrt{2}", "math")
    first = _symbolic._worker.process.pid
    monkeypatch.setattr(_symbolic, "_SECONDS_PAIR", 0.2)
    os.kill(first, signal.SIGSTOP)  # a child that will not answer
    assert not equivalent("\\sqrt{50}", "5\\sqrt{2}", "math")
    assert _symbolic._worker.process is None
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
    monkeypatch.undo()
    assert equivalent("\\sqrt{75}", "5\\sqrt{3}", "math")
    assert _symbolic._worker.process.pid != first


def test_threads_share_the_child():
    pairs = [(f"\\sqrt{{{n * n * 7}}}", f"{n}\\sqrt{{7}}", True) for n in range(2, 8)] + [
        (f"\\sqrt{{{n * n * 7 + 1}}}", f"{n}\\sqrt{{7}}", False) for n in range(2, 8)
    ]
    found: dict[int, bool] = {}
    threads = [
        threading.Thread(target=lambda i=i, a=a, b=b: found.__setitem__(i, equivalent(a, b, "math")))
        for i, (a, b, _) in enumerate(pairs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(len(pairs))] == [right for _, _, right in pairs]


def test_no_child_means_no_equality(monkeypatch):
    worker = _symbolic._Worker()
    monkeypatch.setattr(_symbolic, "_worker", worker)
    monkeypatch.setattr(_symbolic.sys, "executable", os.path.join(os.sep, "no", "such", "python"))
    assert not equivalent("\\sqrt{98}", "7\\sqrt{2}", "math")
    assert worker.process is None
    _symbolic._compare.cache_clear()


def test_the_child_ends_with_its_parent():
    code = (
        "from madsim.answers import equivalent, _symbolic; assert equivalent('\\\\sqrt{8}', '2\\\\sqrt{2}', 'math');"
        "print(_symbolic._worker.process.pid)"
    )
    pid = int(
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True).stdout
    )
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
