"""maj@n, wrong splits, bounds, laws of debates: against enumeration and exact theory."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import graphs
from madsim.models import DebateModel
from madsim.planning import maj_at_n, right_counts, vote_bounds_from_pilot, vote_value, wrong_split
from madsim.planning._difficulty import LOGITS, beta_weights, draw_difficulty
from madsim.planning._maj import _chance
from madsim.planning._values import Draws, debate_law, final_judge, final_vote, vote_accuracy
from madsim.simulate import draw_beliefs, simulate_questions
from madsim.theory import plurality, vote_by_round
from tests.unit.verify._votes import drawn, votes_of_answers


def counted(answers, n):
    """Mean credit over all ways to choose n answers."""
    credits = []
    for chosen in itertools.combinations(answers, n):
        counts = np.bincount([one for one in chosen if one >= 0], minlength=1)
        top = counts.max()
        credits.append((counts[0] == top and top > 0) / (counts == top).sum())
    return float(np.mean(credits))


@given(st.lists(st.integers(-1, 4), min_size=2, max_size=8), st.data())
@settings(max_examples=60, deadline=None)
def test_maj_at_n_equals_enumeration(answers, data):
    n = data.draw(st.integers(1, len(answers)))
    rivals = tuple(sorted(answers.count(k) for k in set(answers) if k > 0))
    found = _chance(answers.count(0), rivals, answers.count(-1), n)
    assert found == pytest.approx(counted(answers, n), abs=1e-12)


def test_maj_at_n_of_a_run():
    votes = drawn(30, seed=2, n_agents=5, n_answers=4)
    found = maj_at_n(votes, 3)
    exact = [counted(row.tolist(), 3) for row in votes.answers[:, 0]]
    assert found.value == pytest.approx(np.mean(exact), abs=1e-12)
    assert found.standard_error == pytest.approx(np.std(exact, ddof=1) / math.sqrt(30))
    with pytest.raises(ValueError, match="needs at least 6"):
        maj_at_n(votes, 6)


def urn_values(n, tau, n_others):
    """Credit by number of right answers, over all sequences of wrong answers of Polya's urn."""
    values = np.zeros(n + 1)
    for m in range(1, n + 1):
        for sequence in itertools.product(range(n_others), repeat=n - m):
            counts, chance = [0] * n_others, 1.0
            for number, k in enumerate(sequence):
                chance *= (tau / n_others + counts[k]) / (tau + number)
                counts[k] += 1
            if max(counts) <= m:
                values[m] += chance / (1 + counts.count(m))
    return values


@pytest.mark.parametrize(("n", "tau", "n_others"), [(5, 1.3, 3), (6, 0.2, 2), (4, 30.0, 4), (5, 2.0, 1)])
def test_wrong_splits_equal_enumeration(n, tau, n_others):
    assert vote_value(n, tau=tau, n_others=n_others) == pytest.approx(urn_values(n, tau, n_others), abs=1e-12)


def test_open_answers_are_the_limit_of_many_options():
    assert vote_value(7, tau=1.3, n_others=None) == pytest.approx(vote_value(7, tau=1.3, n_others=20_000), abs=1e-3)
    assert vote_value(7, tau=1e6, n_others=None)[2:] == pytest.approx(1, abs=1e-4)  # wrong answers never agree
    assert vote_value(7, tau=1e-6, n_others=None) == pytest.approx([0, 0, 0, 0, 1, 1, 1, 1], abs=1e-4)


def test_agreement_of_wrong_answers_is_learnt():
    agree = votes_of_answers([[[1, 1, 1, 0]]] * 40, n_answers=5)
    differ = votes_of_answers([[[1, 2, 3, 0]]] * 40, n_answers=None)
    low, high = wrong_split(agree), wrong_split(differ)
    assert low.tau @ low.weights < 1
    assert high.tau @ high.weights > 20
    assert wrong_split(votes_of_answers([[[0, 1]]], n_answers=2)).n_others == 1


def same(n_draws=1, *, mean=0.7, kappa=300.0, mass=2.0, n_others=1, tau=1.0, conformity=1.0, correction=0.0):
    one = np.ones(n_draws)
    law = beta_weights(mean * one, kappa * one)
    return Draws(
        difficulty=law, debated=law, mass=mass * one, conformity=conformity * one, correction=correction * one,
        tau_first=tau * one, tau_last=tau * one, n_others=n_others,
    )  # fmt: skip


def averaged(function, mean=0.7, kappa=300.0):
    """Mean of a function of the difficulty over its Beta law, by Gauss-Jacobi nodes."""
    from scipy.special import roots_jacobi

    nodes, weights = roots_jacobi(40, (1 - mean) * kappa - 1, mean * kappa - 1)
    p = (1 + nodes) / 2
    return sum(w * function(float(x)) for x, w in zip(p, weights / weights.sum(), strict=True))


def test_votes_equal_the_averaged_plurality():
    found = vote_accuracy(same(mean=0.6, kappa=4.0), 5)[0]
    assert found == pytest.approx(averaged(lambda p: plurality([p, 1 - p], 5), 0.6, 4.0), abs=1e-10)


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_debates_equal_the_exact_vote(rounds):
    draws = same(mean=0.6, kappa=4.0)
    found = final_vote(debate_law(draws, 5, rounds, None, generator=np.random.default_rng(0)), draws)[0]

    def exact(p):
        return vote_by_round(DebateModel.homogeneous(n_agents=5, belief=p, mass=2.0), rounds)[-1]

    assert found == pytest.approx(averaged(exact, 0.6, 4.0), abs=1e-6)


def test_other_graphs_are_simulated():
    draws = same(40, mean=0.6, kappa=4.0)
    ring = debate_law(draws, 3, 2, graphs.ring(3), generator=np.random.default_rng(0))
    line = debate_law(draws, 3, 2, graphs.line(3), generator=np.random.default_rng(0))
    whole = debate_law(draws, 3, 2, None, generator=np.random.default_rng(0))
    assert ring == pytest.approx(whole)  # a ring of three is complete
    spread = math.sqrt(0.25 / 80_000)
    assert (line.mean(axis=0) @ np.arange(4) / 3) == pytest.approx(whole[0] @ np.arange(4) / 3, abs=5 * spread * 2)
    assert final_vote(line, draws).mean() > final_vote(whole, draws).mean()  # fewer ears, more independence


def test_judge():
    law = np.array([[0.2, 0.3, 0.5]])
    assert final_judge(law, 0.0)[0] == pytest.approx(0.65)
    assert final_judge(law, 1.0)[0] == pytest.approx(0.8)


def test_posterior_of_difficulty_surrounds_the_truth():
    beliefs = draw_beliefs(400, accuracy=0.72, kappa=3.6, rng=1)
    counts = right_counts(simulate_questions(beliefs, n_rounds=0, rng=2).votes)
    laws = draw_difficulty(counts, 1000, np.random.default_rng(0))
    chances = 1 / (1 + np.exp(-LOGITS))
    mean = laws @ chances
    spread = laws @ chances**2 - mean**2
    assert laws.sum(axis=1) == pytest.approx(1)
    for values, truth in ((mean, 0.72), (spread, 0.72 * 0.28 / 4.6)):
        assert np.quantile(values, 0.001) < truth < np.quantile(values, 0.999)
    seen = counts.right.sum() / counts.asked.sum()
    assert mean.mean() == pytest.approx(seen, abs=0.01)
    by_question = counts.right / counts.asked
    assert mean.std() == pytest.approx(by_question.std() / 20, rel=0.15)  # the error of a mean over 400 questions


def test_particles_reach_the_posterior():
    """Against the posterior by weighted draws from the prior, where few counts make that possible."""
    from madsim.planning._difficulty import _tempered

    right, wrong = np.array([5, 4, 1]), np.array([0, 1, 4])
    repeats = np.array([6, 3, 3])

    def log_likelihood(laws):
        from scipy.special import betaln

        parts = []
        for i in (1, 2):
            kappa = np.exp(laws[:, i + 2 : i + 3])
            a, b = laws[:, i : i + 1] * kappa, (1 - laws[:, i : i + 1]) * kappa
            parts.append(betaln(a + right, b + wrong) - betaln(a, b))
        weight = laws[:, :1]
        return np.logaddexp(np.log(weight) + parts[0], np.log1p(-weight) + parts[1]) @ repeats

    rng = np.random.default_rng(2)
    prior = rng.uniform([1e-4] * 3 + [0.0] * 2, [1 - 1e-4] * 3 + [math.log(1000)] * 2, (200_000, 5))
    logs = log_likelihood(prior)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    found = np.concatenate([_tempered(log_likelihood, np.random.default_rng(seed)) for seed in range(4)])

    def summary(laws):
        mean = laws[:, 0] * laws[:, 1] + (1 - laws[:, 0]) * laws[:, 2]
        return np.column_stack([mean, mean**2, np.abs(laws[:, 1] - laws[:, 2]), laws[:, 3:].max(axis=1)])

    assert summary(found).mean(axis=0) == pytest.approx(weights @ summary(prior), rel=0.05)


def test_bounds_hold_the_truth_and_stay_wide_beyond_the_pilot():
    rng = np.random.default_rng(3)
    chance = np.where(np.arange(400) % 2 == 0, 0.9, 0.4)
    votes = votes_of_answers((rng.random((400, 1, 5)) > chance[:, None, None]).astype(int), n_answers=2)
    counts, split = right_counts(votes), wrong_split(votes)
    for n in (1, 5, 25):
        truth = np.mean([plurality([p, 1 - p], n) for p in (0.9, 0.4)])
        bounds = vote_bounds_from_pilot(counts, split, n)
        assert bounds.low < truth < bounds.high
    near, far = (vote_bounds_from_pilot(counts, split, n) for n in (3, 101))
    assert far.high - far.low > near.high - near.low > 0.02
