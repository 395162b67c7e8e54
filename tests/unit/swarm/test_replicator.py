"""Replicators, rest points and cross-inhibition: exact values, closed forms against integration, invariants."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim.models import congestion
from madsim.theory import (
    cross_inhibition_field,
    cross_inhibition_path,
    cross_inhibition_rest_points,
    maynard_smith_field,
    maynard_smith_replicator,
    rest_point,
    taylor_field,
    taylor_replicator,
    unit_step_replicator,
)

Q = np.array([0.3, 0.55, 0.4, 0.7])
EQUAL = np.full(4, 0.25)

qualities = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=6).map(np.array)


def test_values_at_event_1000_of_200_agents():
    assert maynard_smith_replicator(EQUAL, Q, [5.0])[0, 3] == pytest.approx(0.7256, abs=5e-5)
    assert taylor_replicator(EQUAL, Q, [5.0])[0, 3] == pytest.approx(0.5462, abs=5e-5)


@given(quality=qualities, seed=st.integers(0, 2**32), t=st.floats(0.0, 50.0))
def test_paths_stay_on_the_simplex_and_climb(quality, seed, t):
    x = np.random.default_rng(seed).dirichlet(np.ones(len(quality)))
    for path in (taylor_replicator(x, quality, [0, t]), maynard_smith_replicator(x, quality, [0, t])):
        assert (path >= 0).all()
        np.testing.assert_allclose(path.sum(axis=1), 1, atol=1e-12)
        np.testing.assert_allclose(path[0], x, atol=1e-12)
        assert path[1] @ quality >= x @ quality - 1e-12


@given(quality=qualities, seed=st.integers(0, 2**32), t=st.floats(1e-3, 300.0))
def test_clock_of_maynard_smith_solves_its_equation(quality, seed, t):
    # x_a = x_a(0) exp(q_a s - t): any two options give the same s, and the sum over all gives exp(t)
    x = np.random.default_rng(seed).dirichlet(np.full(len(quality), 5.0))
    end = maynard_smith_replicator(x, quality, [t])[0]
    a, b = int(quality.argmax()), int(quality.argmin())
    s = (np.log(end[a] / x[a]) + t) / quality[a]
    terms = np.log(x) + quality * s
    assert np.log(np.exp(terms - terms.max()).sum()) + terms.max() == pytest.approx(t, rel=1e-11, abs=1e-11)
    if end[b] > 1e-200:
        assert np.log(end[b] / x[b]) + t == pytest.approx(quality[b] * s, rel=1e-9, abs=1e-9)


def test_closed_forms_equal_the_integrated_equations():
    t, nothing = [0.0, 0.5, 2.0, 10.0, 30.0], np.zeros((4, 4))
    for solve in (taylor_replicator, maynard_smith_replicator):
        np.testing.assert_allclose(solve(EQUAL, Q, t), solve(EQUAL, Q, t, interaction=nothing), atol=1e-10)


def test_paths_follow_their_fields():
    for solve, field in ((taylor_replicator, taylor_field), (maynard_smith_replicator, maynard_smith_field)):
        path = solve(EQUAL, Q, [3 - 1e-4, 3, 3 + 1e-4])
        np.testing.assert_allclose((path[2] - path[0]) / 2e-4, field(path[1], Q), atol=1e-7)


def test_times_may_come_in_any_order():
    shuffled = taylor_replicator(EQUAL, Q, [5.0, 0.0, 5.0, 1.0], interaction=np.zeros((4, 4)))
    np.testing.assert_allclose(shuffled[[1, 3, 0]], taylor_replicator(EQUAL, Q, [0, 1, 5]), atol=1e-10)
    np.testing.assert_allclose(shuffled[0], shuffled[2])


def test_unit_step_is_the_iterated_map():
    x = EQUAL
    path = unit_step_replicator(EQUAL, Q, 12)
    for step in range(13):
        np.testing.assert_allclose(path[step], x, atol=1e-14)
        x = x * Q / (x @ Q)
    assert unit_step_replicator([0.5, 0.5], [0.0, 0.4], 1).tolist() == [[0.5, 0.5], [0.0, 1.0]]
    assert unit_step_replicator(EQUAL, Q, 100_000)[-1].tolist() == [0, 0, 0, 1]


def test_options_nobody_holds_stay_unheld():
    for path in (
        taylor_replicator([0.5, 0.5, 0], [0.3, 0.4, 1], [9]),
        maynard_smith_replicator([0.5, 0.5, 0], [0.3, 0.4, 1], [9]),
    ):
        assert path[0, 2] == 0
    with pytest.raises(ValueError, match="quality 0"):
        maynard_smith_replicator([0.0, 1.0], [0.5, 0.0], [1])
    with pytest.raises(ValueError, match="quality 0"):
        unit_step_replicator([0.0, 1.0], [0.5, 0.0], 1)
    assert maynard_smith_field([0.0, 1.0], [0.5, 0.0]).tolist() == [0, 0]


def test_congestion_equalises():
    assert rest_point([0.5, 0.5], [0.1, 0.4]) == pytest.approx([0.8, 0.2])
    assert rest_point([0.9, 0.5, 0.2], [0.3, 0.3, 0.3]) == pytest.approx([1, 0, 0])
    for q, c in (([0.9, 0.5, 0.3], [0.6, 0.5, 0.2]), ([0.5, 0.4, 0.45], [0.2, 0.1, 0.4])):
        x = rest_point(q, c)
        left = np.array(q) - np.array(c) * x
        assert x.sum() == pytest.approx(1)
        assert np.ptp(left[x > 0]) < 1e-12
        assert (left[x == 0] <= left[x > 0].min() + 1e-12).all()
        for solve in (taylor_replicator, maynard_smith_replicator):
            end = solve(np.full(3, 1 / 3), q, [3000.0], interaction=congestion(c))[0]
            np.testing.assert_allclose(end, x, atol=1e-6)


def test_cross_inhibition_breaks_ties():
    points = cross_inhibition_rest_points([0.6, 0.6])
    assert [p.stable for p in points] == [False, True, True, False]
    symmetric = points[-1]
    assert symmetric.shares == pytest.approx([1 / 3, 1 / 3])
    assert sorted(symmetric.eigenvalues.real) == pytest.approx([-0.6, 0.2])
    end = cross_inhibition_path([0.34, 0.33], [0.6, 0.6], [200.0])[0]
    assert end == pytest.approx([1, 0], abs=1e-6)


@given(quality=st.lists(st.floats(0.05, 1.0), min_size=1, max_size=5).map(np.array))
def test_rest_points_rest_and_their_eigenvalues_are_those_of_the_field(quality):
    for point in cross_inhibition_rest_points(quality):
        assert np.abs(cross_inhibition_field(point.shares, quality)).max() < 1e-12
        assert (point.shares >= 0).all()
        assert point.shares.sum() <= 1 + 1e-12
        step, n = 1e-6, len(quality)
        columns = [
            (
                cross_inhibition_field(point.shares + step * e, quality)
                - cross_inhibition_field(point.shares - step * e, quality)
            )
            / (2 * step)
            for e in np.eye(n)
        ]
        numeric = np.linalg.eigvals(np.stack(columns, axis=1))
        np.testing.assert_allclose(np.sort(numeric.real), np.sort(point.eigenvalues.real), atol=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: taylor_replicator([0.5, 0.5], [0.5], [1]), "one number an option"),
        (lambda: taylor_replicator([0.5, 0.6], [0.5, 0.5], [1]), "sum to 1"),
        (lambda: taylor_replicator([0.5, 0.5], [0.5, -0.5], [1]), "at least 0"),
        (lambda: taylor_replicator([0.5, 0.5], [0.5, 0.5], [-1]), "at least 0"),
        (lambda: taylor_replicator([0.5, 0.5], [0.5, 0.5], [1], interaction=np.eye(3)), r"shape \(2, 2\)"),
        (lambda: rest_point([0.5, 0.5], [0.1]), "same length"),
        (lambda: rest_point([0.5, 0.5], [0.1, 0.0]), "above 0"),
        (lambda: cross_inhibition_rest_points([0.5, 0.0]), "quality above 0"),
        (lambda: cross_inhibition_path([0.7, 0.7], [0.5, 0.5], [1]), "at most 1"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
