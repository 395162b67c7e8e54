"""Single tests against definitions: exact values, enumeration, invariance."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim.theory import disagreement_floor
from madsim.verify import check
from madsim.verify._drift import _exact_pvalue, _flipped_sums, sign_flip_test
from madsim.verify._floor import disagreement_floor_test
from madsim.verify._held_out import held_out_answers, share_right
from madsim.verify._moments import held_out_moment_test, lag_moment_test, plurality_drift_test
from madsim.verify._panel import panel_of
from madsim.verify._permutation import _law_of_sum, common_belief_test
from tests.unit.verify._votes import drawn, votes_of_answers


def panel(answers, **options):
    return panel_of(votes_of_answers(answers, **options), carry=False)


def test_sign_flips_match_enumeration():
    totals = np.array([0.4, -0.4, 0.2, 0.0, 1.0])
    exact = sorted(float(np.dot(signs, totals)) for signs in itertools.product((-1, 1), repeat=5))
    found = np.sort(_flipped_sums(totals, 200_000, np.random.default_rng(1)))
    for value in np.unique(np.round(exact, 9)):
        share = np.isclose(found, value, atol=1e-9).mean()
        assert share == pytest.approx(np.isclose(exact, value, atol=1e-9).mean(), abs=5e-3)


@given(st.lists(st.integers(0, 7), min_size=1, max_size=9), st.data())
@settings(max_examples=60, deadline=None)
def test_exact_sign_flips_equal_enumeration(sizes, data):
    signed = [size * data.draw(st.sampled_from((-1, 1))) for size in sizes]
    found = abs(sum(signed))
    sums = [abs(np.dot(signs, sizes)) for signs in itertools.product((-1, 1), repeat=len(sizes))]
    exact = np.mean([one >= found for one in sums])
    assert _exact_pvalue(np.array(sizes), found) == pytest.approx(exact, abs=1e-12)


def test_sign_flip_pvalue_of_a_one_sided_run():
    answers = np.zeros((10, 2, 1), int)
    answers[:8, 0] = 1  # eight changes, all up: p = 2 / 2^8
    found = sign_flip_test(panel(answers))
    assert found.pvalue == pytest.approx(2 / 256, rel=1e-12)
    assert found.pvalue_holm is None
    many = np.zeros((400, 2, 1), int)
    many[:, 0] = 1
    assert 0 < sign_flip_test(panel(many)).pvalue < 1e-12


def test_panels_of_many_sizes_have_their_signs_drawn(monkeypatch):
    answers = np.array(drawn(40, seed=5).answers)
    exact = sign_flip_test(panel(answers)).pvalue
    monkeypatch.setattr("madsim.verify._drift._LARGEST_LATTICE", 0)
    assert sign_flip_test(panel(answers)).pvalue == pytest.approx(exact, abs=0.02)


def test_many_panels_of_unlike_sizes_share_no_lattice():
    """Sixty agents of whom a fifth does not reply: the least common multiple of 30 to 50 is beyond 64 bits."""
    rng = np.random.default_rng(4)
    answers = np.where(rng.random((200, 2, 60)) < 0.5, 0, 1)
    asked = rng.random((200, 2, 60)) < 0.8
    sizes = np.unique((asked[:, 0] & asked[:, 1]).sum(axis=1))
    assert math.lcm(*sizes.tolist()) > 2**63
    found = panel(np.where(asked, answers, -2))
    drawn = sign_flip_test(found)
    assert 10_000 * drawn.pvalue == pytest.approx(round(10_000 * drawn.pvalue), abs=1e-6)  # of 9999 flips and itself
    z = drawn.effect / math.sqrt(np.nanvar(found.change()) / 200)
    assert drawn.pvalue == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=0.03)


def test_lag_moment_conditions_one_round_further_back():
    shares = np.array([[1, 0, 0, 1], [0, 1, 1, 1]])  # of one agent: s = sum over t of (x_{t-1} - 1/2)(x_{t+1} - x_t)
    answers = (1 - shares)[:, :, None]
    belief = lag_moment_test(panel(answers), null="belief", level=0.05)
    assert belief.effect == pytest.approx(np.mean([0.5 * 0 + -0.5 * 1, -0.5 * 0 + 0.5 * 0]))
    share = lag_moment_test(panel(answers), null="share", level=0.05)
    assert share.effect == pytest.approx(np.mean([0.5 * -1 - 0.5 * 0 - 0.5 * 1, -0.5 * 1 + 0 + 0]))
    with pytest.raises(ValueError, match="two rounds"):
        lag_moment_test(panel(answers[:, :2]), null="belief", level=0.05)


def test_held_out_moment_is_the_mean_product():
    answers = np.array([[[0, 1], [0, 0]], [[1, 1], [1, 0]], [[0, 0], [1, 0]]])
    held = np.array([[0, 0, 1], [1, 1, -1], [2, 0, -2]])
    share = share_right(held)
    assert share.tolist() == pytest.approx([2 / 3, 0.0, 1 / 3])
    found = held_out_moment_test(panel(answers), share, level=0.05)
    assert found.effect == pytest.approx(np.mean([(2 / 3 - 0.5) * 0.5, -0.5 * 0.5, (1 / 3 - 0.5) * -0.5]))


def test_held_out_plurality_needs_no_target_and_splits_ties():
    answers = np.array([[[1, 2], [1, 1]], [[1, 2], [3, 3]]])
    held = np.array([[1, 1, 2], [1, 2, -1]])
    found = plurality_drift_test(panel(answers, has_target=[False, False]), held, level=0.05)
    assert found.effect == pytest.approx(np.mean([0.5, (-0.5 - 0.5) / 2]))


def test_held_out_votes_are_matched_by_name():
    votes = votes_of_answers([[[0, 1], [0, 0]], [[1, 1], [1, 0]]])
    other = votes_of_answers([[[0, 0]], [[2, -1]]])
    assert held_out_answers(votes, other).tolist() == [[0, 0], [-4, -2]]
    assert share_right(held_out_answers(votes, other)).tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="'q2'"):
        held_out_answers(votes_of_answers([[[0]], [[0]], [[1]]]), other)
    report = check(votes, held_out=other)
    assert "held-out-moment" in {one.name for one in report.tests}
    assert "numbered apart" in report.skipped["held-out-plurality"]


def permuted_pvalue(before, after):
    """All permutations of the next answers inside each question-round."""
    parts = []
    for old, new in zip(before, after, strict=True):
        sums = [sum(a * b for a, b in zip(old, order, strict=True)) for order in itertools.permutations(new)]
        parts.append(sums)
    totals = [sum(combination) for combination in itertools.product(*parts)]
    found = sum(sum(a * b for a, b in zip(old, new, strict=True)) for old, new in zip(before, after, strict=True))
    expected = sum(sum(old) * sum(new) / len(old) for old, new in zip(before, after, strict=True))
    return float(np.mean([abs(total - expected) >= abs(found - expected) - 1e-9 for total in totals]))


@given(st.lists(st.tuples(*[st.lists(st.booleans(), min_size=4, max_size=4)] * 2), min_size=1, max_size=3))
@settings(max_examples=40, deadline=None)
def test_common_belief_is_the_exact_permutation_test(pairs):
    answers = 1 - np.array(pairs, dtype=int)
    before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    mixed = [0 < sum(old) < 4 and 0 < sum(new) < 4 for old, new in zip(before, after, strict=True)]
    if not any(mixed):
        with pytest.raises(ValueError, match="nothing can be permuted"):
            common_belief_test(panel(answers))
        return
    kept = [(old, new) for old, new, use in zip(before, after, mixed, strict=True) if use]
    assert common_belief_test(panel(answers)).pvalue == pytest.approx(permuted_pvalue(*zip(*kept, strict=True)))


def test_law_of_a_sum_of_hypergeometrics():
    low, law = _law_of_sum(np.array([[5, 2, 3], [4, 2, 2]]), np.array([1, 2]))
    one = {k: math.comb(2, k) * math.comb(3, 3 - k) / math.comb(5, 3) for k in range(3)}
    two = {k: math.comb(2, k) ** 2 / math.comb(4, 2) for k in range(3)}
    exact = np.zeros(7)
    for a, b, c in itertools.product(range(3), repeat=3):
        exact[a + b + c] += one[a] * two[b] * two[c]
    assert low == 0
    assert law == pytest.approx(exact, abs=1e-12)


def test_common_belief_does_not_depend_on_the_order_of_agents():
    votes = drawn(20, seed=5, n_agents=5)
    turned = votes_of_answers(votes.answers[:, :, ::-1])
    assert common_belief_test(panel_of(votes, carry=False)) == common_belief_test(panel_of(turned, carry=False))


def test_disagreement_floor_statistic():
    answers = np.array([[[0, 1, 2], [0, 0, 1]], [[0, 0, 1], [0, 0, 0]]])
    found = disagreement_floor_test(panel(answers), level=0.05)
    floor = disagreement_floor(3, 1)
    assert found.effect == pytest.approx(np.mean([2 / 3 - floor * 1, 0 - floor * 2 / 3]))
    assert found.pvalue < 0.5


def test_collapse_of_disagreement_is_seen_and_its_absence_is_not():
    rng = np.random.default_rng(2)
    first = (rng.random((80, 5)) < 0.5).astype(int)
    majority = np.repeat((first.sum(axis=1) > 2).astype(int)[:, None], 5, axis=1)
    assert disagreement_floor_test(panel(np.stack([first, majority], axis=1)), level=0.05).pvalue < 1e-6
    again = (rng.random((80, 5)) < 0.5).astype(int)
    assert disagreement_floor_test(panel(np.stack([first, again], axis=1)), level=0.05).pvalue > 0.5


def test_vote_ceiling_is_seen():
    answers = np.ones((60, 2, 3), int)
    answers[:30, 0, 0] = 0
    answers[:30, 1] = 0  # the vote rises by one half, the ceiling of three agents is .096
    found = check(votes_of_answers(answers)).test("vote-ceiling")
    assert found.effect == pytest.approx(0.5)
    assert found.pvalue < 1e-6
    assert found.pvalue_holm is None
