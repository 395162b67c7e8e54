"""The exact vote against exact fractions, enumeration, and literal values."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim.theory import mean_plurality, plurality, plurality_of_unequal

TIES = ("random", "fail", "first")


def by_fractions(p: list[list[Fraction]], ties: str, answer: int) -> Fraction:
    """The definition, in exact arithmetic: every way in which the voters (rows of `p`) can vote."""
    total = Fraction(0)
    for votes in itertools.product(range(len(p[0])), repeat=len(p)):
        counts = [votes.count(k) for k in range(len(p[0]))]
        leaders = [k for k, count in enumerate(counts) if count == max(counts)]
        if answer in leaders:
            first = next(vote for vote in votes if vote in leaders) == answer
            share = {"random": Fraction(1, len(leaders)), "fail": Fraction(len(leaders) == 1), "first": Fraction(first)}
            total += prod(row[vote] for row, vote in zip(p, votes, strict=True)) * share[ties]
    return total


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    ("weights", "n"), [((5, 2, 2, 1), 5), ((1, 1, 1), 6), ((1, 3), 8), ((7, 0, 2), 4), ((2, 1, 1, 1, 1), 4)]
)
def test_equals_the_definition_in_fractions(weights, n, ties):
    p = [Fraction(w, sum(weights)) for w in weights]
    for answer in range(len(p)):
        exact = by_fractions([p] * n, ties, answer)
        assert plurality([float(q) for q in p], n, ties=ties, answer=answer) == pytest.approx(float(exact), abs=2e-15)


def test_published_values():
    assert plurality([0.5, 0.2, 0.2, 0.1], 5, ties="fail") == pytest.approx(0.560, abs=1e-12)
    assert plurality([0.5, 0.2, 0.2, 0.1], 5, ties="random") == pytest.approx(0.665, abs=1e-12)
    assert plurality([0.8, 0.2], 5) == pytest.approx(0.94208, abs=1e-12)
    assert plurality([0.8, 0.1, 0.05, 0.05], 5, ties="fail") == pytest.approx(0.952, abs=5e-4)
    assert plurality([0.5, 0.2, 0.2, 0.1], 100) == pytest.approx(0.9998, abs=5e-5)
    assert plurality([0.4, 0.3, 0.2, 0.1], 500) == pytest.approx(0.996, abs=5e-4)


def test_many_voters_against_an_independent_computation():
    """N = 1001, K = 5, nearly tied: rivals alike, so ties expand by the binomial theorem; long double, nothing cut, no quadrature."""
    n, own, rival = 1001, np.longdouble(204) / 1000, np.longdouble(199) / 1000
    log_factorial = np.concatenate([[0], np.cumsum(np.log(np.arange(1, n + 1, dtype=np.longdouble)))])
    counts = np.arange(n + 1)

    def poisson(p):
        return np.exp(counts * np.log(n * p) - n * p - log_factorial)

    weights, exact = poisson(rival), np.longdouble(0)
    for m in range(201, 330):  # below 201 the target cannot win or tie; above 329 lie less than 1e-18
        below, powers = weights.copy(), [np.ones(1, dtype=np.longdouble)]
        below[m:] = 0
        for _ in range(4):
            powers.append(np.convolve(powers[-1], below[:m])[: n + 1])
        for ties in range(5):
            left = n - m - ties * m
            if 0 <= left < len(powers[4 - ties]):
                ways = [1, 4, 6, 4, 1][ties] * weights[m] ** ties / (ties + 1)
                exact += poisson(own)[m] * ways * powers[4 - ties][left]
    exact /= np.exp(n * np.log(np.longdouble(n)) - n - log_factorial[n])
    p = [0.204, 0.199, 0.199, 0.199, 0.199]
    assert plurality(p, n) == pytest.approx(float(exact), abs=1e-12)
    assert sum(plurality(p, n, answer=k) for k in range(5)) == pytest.approx(1, abs=1e-12)


def test_many_answers_against_an_independent_computation():
    """N = 25, K = 20: every way to deal the votes, in whole numbers."""
    n, weights = 25, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, *([2] * 5), *([1] * 5)]
    won = Fraction(0)
    for m in range(2, n + 1):
        ways = {(n - m, 0): 1}  # (votes left, ties): number of ways, weighted
        for weight in weights[1:]:
            dealt: dict[tuple[int, int], int] = {}
            for (left, ties), count in ways.items():
                for votes in range(min(m, left) + 1):
                    key = (left - votes, ties + (votes == m))
                    dealt[key] = dealt.get(key, 0) + count * comb(left, votes) * weight**votes
            ways = dealt
        shared = sum(Fraction(count, 1 + ties) for (left, ties), count in ways.items() if left == 0)
        won += comb(n, m) * weights[0] ** m * shared
    exact = won / sum(weights) ** n
    assert plurality([w / sum(weights) for w in weights], n) == pytest.approx(float(exact), abs=1e-14)


@settings(max_examples=40, deadline=None)
@given(
    weights=st.lists(st.integers(0, 9), min_size=2, max_size=4).filter(any),
    n=st.integers(1, 9),
    ties=st.sampled_from(TIES),
)
def test_equal_voters_are_unequal_voters_that_happen_to_agree(weights, n, ties):
    p = np.array(weights) / sum(weights)
    for answer in range(len(p)):
        alike = plurality(p, n, ties=ties, answer=answer)
        assert alike == pytest.approx(plurality_of_unequal(np.tile(p, (n, 1)), ties=ties, answer=answer), abs=1e-13)


@settings(max_examples=40, deadline=None)
@given(weights=st.lists(st.integers(1, 9), min_size=2, max_size=6), n=st.integers(1, 40))
def test_somebody_wins(weights, n):
    p = np.array(weights) / sum(weights)
    for ties in ("random", "first"):
        assert sum(plurality(p, n, ties=ties, answer=k) for k in range(len(p))) == pytest.approx(1, abs=1e-12)
    failed = 1 - sum(plurality(p, n, ties="fail", answer=k) for k in range(len(p)))
    assert -1e-12 <= failed <= 1


@pytest.mark.parametrize("ties", TIES)
def test_unequal_voters_equal_the_definition_in_fractions(ties):
    rows = [[3, 2, 1], [1, 1, 4], [2, 0, 4], [1, 4, 1]]
    p = [[Fraction(w, 6) for w in row] for row in rows]
    for answer in range(3):
        exact = by_fractions(p, ties, answer)
        found = plurality_of_unequal([[float(q) for q in row] for row in p], ties=ties, answer=answer)
        assert found == pytest.approx(float(exact), abs=2e-15)


def test_unequal_voters_by_hand():
    p = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]
    by_hand = 0.9 * 0.6 * 0.2 + 0.9 * 0.6 * 0.8 + 0.9 * 0.4 * 0.2 + 0.1 * 0.6 * 0.2
    assert plurality_of_unequal(p) == pytest.approx(by_hand, abs=1e-15)


def test_one_accuracy_for_all_questions_is_wrong():
    questions = [[0.9, 0.1], [0.3, 0.7]]
    assert mean_plurality(questions, 25) == pytest.approx(
        (plurality([0.9, 0.1], 25) + plurality([0.3, 0.7], 25)) / 2, abs=1e-15
    )
    assert plurality([0.6, 0.4], 25) - mean_plurality(questions, 25) > 0.3
    assert mean_plurality(questions, 25, weights=[1, 0]) == pytest.approx(plurality([0.9, 0.1], 25), abs=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plurality([0.5, 0.6], 5), "sum to 1"),
        (lambda: plurality([[0.5, 0.5]], 5), "one axis"),
        (lambda: plurality([0.5, 0.5], 0), "between 1 and 200000"),
        (lambda: plurality([0.5, 0.5], 3, ties="coin"), "'random', 'fail' or 'first'"),
        (lambda: plurality([0.5, 0.5], 3, answer=2), "between 0 and 1"),
        (lambda: plurality_of_unequal([0.5, 0.5]), "voter, answer"),
        (lambda: plurality_of_unequal(np.full((90, 6), 1 / 6)), "32 voters is the largest feasible size"),
        (lambda: plurality_of_unequal(np.full((30, 2), 1 / 2), ties="first"), "18 voters is the largest feasible size"),
        (lambda: mean_plurality([[0.5, 0.5]], 3, weights=[0.5, 0.5]), "weights must have shape"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_vote_too_large_to_finish_is_refused_at_once():
    with pytest.raises(ValueError, match="n_voters must be between 1 and 200000"):
        plurality([0.6, 0.4], 10**11)
