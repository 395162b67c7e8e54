"""Scores of votes: exact small cases, twins written from the definitions, and what must not matter."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from madsim.transcripts import (
    Flips,
    State,
    Votes,
    accuracy_by_round,
    carry_forward,
    clustered_mean,
    disagreement_by_round,
    entropy_by_round,
    flips,
    plurality_credit,
    recognise_early_stopping,
    unparsed_by_round,
    vote_by_round,
)

NOT_ASKED, FAILED = -3, -2


def votes(codes, *, cluster=None, has_target=None, **more):
    """Votes from integers: an answer, -1 unparsed, -2 failed, -3 not asked."""
    codes = np.asarray(codes)
    state = np.select(
        [codes >= 0, codes == -1, codes == FAILED], [State.ANSWERED, State.UNPARSED, State.FAILED], State.NOT_ASKED
    )
    n = len(codes)
    return Votes(
        answers=np.maximum(codes, -1),
        state=state,
        samples=tuple(map(str, range(n))),
        cluster=np.arange(n) if cluster is None else np.asarray(cluster),
        has_target=np.ones(n, bool) if has_target is None else np.asarray(has_target),
        agents=tuple(map(str, range(codes.shape[2]))),
        **more,
    )


def values(estimates):
    return [estimate.value for estimate in estimates]


def test_an_unparsed_answer_is_wrong_in_accuracy_and_abstains_in_a_vote():
    v = votes([[[0, -1, 1]], [[0, 0, -1]]])
    assert values(accuracy_by_round(v)) == [pytest.approx((1 / 3 + 2 / 3) / 2)]
    assert values(vote_by_round(v)) == [pytest.approx((0.5 + 1) / 2)]
    assert unparsed_by_round(v) == (pytest.approx(2 / 6),)


@pytest.mark.parametrize(
    ("row", "split", "first", "fail"),
    [
        ([0, 0, 1], 1, 1, 1),
        ([1, 1, 0], 0, 0, 0),
        ([0, 1, 2], 1 / 3, 1, 0),
        ([1, 0, 2], 1 / 3, 0, 0),
        ([1, 1, 0, 0], 0.5, 0, 0),
        ([0, 1, 1, 0], 0.5, 1, 0),
        ([-1, -1, 0], 1, 1, 1),
        ([-1, -1, -1], 0, 0, 0),
        ([2, 2, 1, 1, 0], 0, 0, 0),
        ([2, 1, 1, 0, 0], 0.5, 0, 0),
    ],
)
def test_the_tie_rules(row, split, first, fail):
    v = votes([[row]])
    assert values(vote_by_round(v, "split")) == [pytest.approx(split)]
    assert values(vote_by_round(v, "first")) == [first]
    assert values(vote_by_round(v, "fail")) == [fail]


def test_the_vote_equals_its_twin_on_every_panel_of_four():
    for row in product((-1, 0, 1, 2), repeat=4):
        counts = Counter(answer for answer in row if answer >= 0)
        top = max(counts.values(), default=0)
        winners = [answer for answer in row if answer >= 0 and counts[answer] == top]
        split = (0 in winners) / len(set(winners)) if winners else 0.0
        assert plurality_credit(np.array(row, np.int32)) == pytest.approx(split)
        assert plurality_credit(np.array(row, np.int32), "first") == float(bool(winners) and winners[0] == 0)
        assert plurality_credit(np.array(row, np.int32), "fail") == float(set(winners) == {0})


def test_a_debate_that_ended_keeps_its_last_answers():
    v = votes([[[0, 0], [NOT_ASKED] * 2], [[0, 1], [1, 1]]])
    assert values(accuracy_by_round(v)) == [0.75, 0.5]
    assert values(accuracy_by_round(v, carry=False)) == [0.75, 0.0]
    assert values(vote_by_round(v)) == [0.75, 0.5]
    assert values(vote_by_round(v, carry=False)) == [0.75, 0.0]
    carried = carry_forward(v)
    assert carried.answers[0].tolist() == [[0, 0], [0, 0]]
    assert v.answers[0].tolist() == [[0, 0], [-1, -1]]


def test_carrying_keeps_failures_and_never_fills_backwards():
    v = carry_forward(votes([[[NOT_ASKED, -1, FAILED], [0, NOT_ASKED, NOT_ASKED]]]))
    assert v.state[0].tolist() == [
        [State.NOT_ASKED, State.UNPARSED, State.FAILED],
        [State.ANSWERED, State.UNPARSED, State.FAILED],
    ]


def test_a_sample_that_was_never_asked_is_left_out():
    v = votes([[[0, 0]], [[NOT_ASKED] * 2]])
    (accuracy,) = accuracy_by_round(v)
    (vote,) = vote_by_round(v)
    assert (accuracy.value, accuracy.n, vote.value, vote.n) == (1.0, 1, 1.0, 1)


def test_samples_without_a_target_are_left_out_and_none_at_all_is_an_error():
    v = votes([[[0, 1]], [[1, 1]]], has_target=[True, False])
    assert values(accuracy_by_round(v)) == [0.5]
    assert values(vote_by_round(v)) == [0.5]
    blind = votes([[[1, 1]]], has_target=[False])
    for score in (accuracy_by_round, vote_by_round, flips):
        with pytest.raises(ValueError, match="has a target"):
            score(blind)
    assert values(disagreement_by_round(blind)) == [0.0]


def test_the_error_is_clustered_by_question():
    x = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    alone = clustered_mean(x, np.arange(6))
    assert alone.standard_error == pytest.approx(x.std(ddof=1) / math.sqrt(6))
    assert alone.n == 6
    # three questions, each value twice: the repeats add nothing
    twice = clustered_mean(np.repeat([1.0, 0.0, 1.0], 2), np.repeat([7, 3, 9], 2))
    once = clustered_mean(np.array([1.0, 0.0, 1.0]), np.arange(3))
    assert twice.standard_error == pytest.approx(once.standard_error)
    assert twice.n == 3
    assert clustered_mean(x, np.zeros(6, int)).standard_error is None
    with pytest.raises(ValueError, match="every value is missing"):
        clustered_mean(np.array([math.nan]), np.array([0]))


def test_clustered_errors_cover():
    """With repeats of the same questions the clustered interval covers, the naive one does not."""
    random = np.random.default_rng(20261201)
    hits = naive = 0
    for _ in range(400):
        difficulty = random.beta(2, 2, size=60)
        x = (random.random((60, 5)) < difficulty[:, None]).astype(float).ravel()
        estimate = clustered_mean(x, np.repeat(np.arange(60), 5))
        error = estimate.standard_error
        assert error is not None
        hits += abs(estimate.value - 0.5) < 1.96 * error
        naive += abs(estimate.value - 0.5) < 1.96 * x.std(ddof=1) / math.sqrt(300)
    # binomial sd at .95 of 400 is 4.4: 5 sd below and above (false alarm below 1e-6)
    assert 358 <= hits <= 398
    assert naive < 350


def test_disagreement_and_entropy_of_small_panels():
    v = votes([[[0, 0, 1]], [[0, 1, 2]], [[0, 0, 0]], [[-1, 0, 1]], [[-1, -1, 1]]])
    assert values(disagreement_by_round(v)) == [pytest.approx((2 / 3 + 1 + 0 + 1) / 4)]
    h = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert values(entropy_by_round(v)) == [pytest.approx((h + math.log(3) + 0 + math.log(2) + 0) / 5)]
    silent = votes([[[-1, -1]]])
    assert math.isnan(values(disagreement_by_round(silent))[0])
    assert disagreement_by_round(silent)[0].n == 0


def test_flips_are_a_partition_with_unparsed_as_its_own_state():
    v = votes([[[0, 1, 1, 0, 1, -1, -1, 0, 2, -1], [1, 0, 2, 0, 1, 0, 1, -1, -1, -1]]])
    table = flips(v)
    assert table == Flips(
        right_to_wrong=1,
        wrong_to_right=1,
        wrong_to_wrong=1,
        kept_right=1,
        kept_wrong=1,
        found_right=1,
        found_wrong=1,
        lost_right=1,
        lost_wrong=1,
        kept_none=1,
    )
    assert table.total == 10
    assert table.moved == pytest.approx(3 / 5)
    assert set(table.to_dict()) > {"right_to_wrong", "wrong_to_right", "kept_right", "moved"}


def test_flips_count_consecutive_rounds_or_two_named_ones():
    v = votes([[[0], [1], [0]], [[1], [NOT_ASKED], [NOT_ASKED]]])
    assert (flips(v).right_to_wrong, flips(v).wrong_to_right, flips(v).total) == (1, 1, 2)
    assert (flips(v, first=0, last=2).kept_right, flips(v, first=0, last=2).total) == (1, 1)
    for wrong in ({"first": 0}, {"first": 1, "last": 1}, {"first": 0, "last": 3}, {"first": -1, "last": 1}):
        with pytest.raises(ValueError, match="first < last"):
            flips(v, **wrong)
    assert flips(votes([[[-1], [-1]]])).moved is None


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([[[0, 0], [-3, -3]], [[0, 1], [1, 1]]], True),
        ([[[0, -1], [-3, -3]], [[0, 1], [1, 1]]], True),  # who did not answer does not object
        ([[[0, 1], [-3, -3]], [[0, 1], [1, 1]]], None),  # cut off for another reason
        ([[[-1, -1], [-3, -3]], [[0, 1], [1, 1]]], None),
        ([[[0, 0], [0, 1]], [[0, 1], [1, 1]]], False),  # agreed, and went on
        ([[[0, 1], [0, 1]], [[0, 1], [1, 1]]], None),  # never agreed: cannot be told
        ([[[0, 1], [1, 1]], [[-3, -3], [-3, -3]]], None),  # never started
        ([[[0, 0], [-3, -3]], [[1, 1], [0, 1]]], True),
    ],
)
def test_stopping_at_agreement_is_recognised(codes, expected):
    v = votes(codes)
    assert recognise_early_stopping(v.answers, v.state) is expected


codes = hnp.arrays(np.int64, hnp.array_shapes(min_dims=3, max_dims=3, max_side=5), elements=st.integers(-3, 4))


@given(codes=codes, seed=st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_relabelling_wrong_answers_and_reordering_agents_change_no_score(codes, seed):
    random = np.random.default_rng(seed)
    relabelled = np.where(codes > 0, 10 - codes, codes)
    shuffled = relabelled[:, :, random.permutation(codes.shape[2])]
    for score in (accuracy_by_round, vote_by_round, disagreement_by_round, entropy_by_round):
        np.testing.assert_allclose(values(score(votes(codes))), values(score(votes(shuffled))), equal_nan=True)


@given(codes=codes)
@settings(max_examples=80, deadline=None)
def test_scores_stay_in_range(codes):
    v = votes(codes)
    for estimate in (*accuracy_by_round(v), *vote_by_round(v), *disagreement_by_round(v)):
        assert math.isnan(estimate.value) or -1e-12 <= estimate.value <= 1 + 1e-12


def test_large_panels_and_many_answers_are_counted_in_blocks():
    random = np.random.default_rng(5)
    big = random.integers(0, 3000, size=(40, 1, 3000)).astype(np.int32)
    twin = []
    for row in big[:, 0]:
        counts = np.bincount(row)
        twin.append((counts[0] == counts.max()) / (counts == counts.max()).sum())
    np.testing.assert_allclose(plurality_credit(big)[:, 0], twin)


def test_an_unknown_tie_rule_is_refused():
    with pytest.raises(ValueError, match="ties must be"):
        vote_by_round(votes([[[0]]]), "random")  # type: ignore[arg-type]
