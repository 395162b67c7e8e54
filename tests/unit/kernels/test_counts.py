"""What runs on counts: equal to plain twins on the same stream, and with the exact law."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from madsim._core.rng import Seed
from madsim.kernels.binomial import binomials, draw_multinomial
from madsim.kernels.debate_alike import debate_alike
from madsim.kernels.swarm_leap import swarm_leaps
from madsim.kernels.swarm_rounds import swarm_rounds
from tests.reference import counts as twin
from tests.reference.debate import Tally
from tests.unit.swarm._kernels import TAG, check_tallies, fixed, key_of, stream_of, tallies

seeds = st.integers(0, 2**128 - 1).map(Seed)
FEW = settings(max_examples=25, deadline=None)
SIZES = [
    (1, 0.5),
    (7, 0.3),
    (40, 0.2),
    (60, 0.9),
    (100, 0.5),
    (1000, 0.73),
    (10**6, 0.3),
    (10**6, 1e-6),
    (10**6, 1 - 1e-7),
]


@settings(max_examples=60, deadline=None)
@given(n=st.integers(0, 10**6), p=st.one_of(st.floats(0, 1), st.sampled_from([-0.1, 1.1, 1e-9, 0.5])), seed=seeds)
def test_binomials_equal_their_twin(n, p, seed):
    out = np.zeros(4, np.int64)
    binomials(key_of(seed), 5, n, p, out)
    assert out.tolist() == [twin.binomial(stream_of(seed, 5 + trial), n, p) for trial in range(4)]


def chi_square_of(numbers, n, p) -> float:
    """Chance of a larger chi-square against the binomial law, in up to 200 cells of at least five expected numbers."""
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], n, p).astype(int)
    edges = np.unique(np.linspace(low, high, min(200, high - low + 1)).astype(int))
    chance = np.diff(np.concatenate([[0.0], stats.binom.cdf(edges, n, p), [1.0]]))
    found = np.bincount(np.searchsorted(edges, numbers), minlength=len(chance))
    expected = chance * len(numbers)
    large = expected >= 5
    chi = ((found - expected)[large] ** 2 / expected[large]).sum()
    return float(stats.chi2.sf(chi, large.sum() - 1)) if large.sum() > 1 else 1.0


@pytest.mark.parametrize(("n", "p"), SIZES)
def test_binomials_have_the_binomial_law(n, p):
    # nine laws, each failed by a right generator once in 10,000 seeds
    out = np.zeros(200_000, np.int64)
    binomials(key_of(Seed(9)), 0, n, p, out)
    assert chi_square_of(out, n, p) > 1e-4


def test_a_slightly_wrong_chance_is_seen():
    out = np.zeros(200_000, np.int64)
    binomials(key_of(Seed(9)), 0, 1000, 0.731, out)
    assert chi_square_of(out, 1000, 0.73) < 1e-9


@FEW
@given(
    n=st.integers(0, 500), weights=st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=6), seed=seeds
)
def test_multinomials_equal_their_twin(n, weights, seed):
    if sum(weights) == 0:
        weights = [*weights, 1.0]
    counts = np.zeros(len(weights), np.int64)
    draw_multinomial(n, np.array(weights), counts, np.array(stream_of(seed, 3).state, np.uint32))
    assert counts.sum() == n
    assert counts.tolist() == twin.multinomial(stream_of(seed, 3), n, weights)


@FEW
@given(
    quality=st.lists(st.floats(0.05, 0.95), min_size=1, max_size=4), n=st.integers(2, 200), draws=st.integers(0, 2),
    noise=st.integers(0, 4), moving=st.booleans(), random_start=st.booleans(), seed=seeds, data=st.data(),
)  # fmt: skip
def test_rounds_equal_their_twin(quality, n, draws, noise, moving, random_start, seed, data):
    k = len(quality)
    noise = 1 if draws == 2 else noise
    spread = [0.0, 0.01, 0.05, 0.0, 2.0][noise]
    cuts = sorted(data.draw(st.lists(st.integers(0, n), min_size=k - 1, max_size=k - 1)))
    start, times = np.diff([0, *cuts, n]), fixed([0, 1, 4], np.int64)
    interaction = fixed(np.linspace(-0.04, 0.04, k * k).reshape(k, k) if moving else np.zeros((0, k)))
    out = tallies(3, 3, k)
    swarm_rounds(
        key_of(seed), 7, 3, fixed(start), n, random_start, draws, fixed(quality), interaction, noise, spread, times,
        *out.values(),
    )  # fmt: skip
    check_tallies(out, n)
    for trial in range(3):
        assert out["paths"][trial].tolist() == twin.rounds(
            stream_of(seed, 7 + trial), start.tolist(), n, random_start, ["agent", "option", "normal"][draws], quality,
            interaction.tolist() if moving else None, noise, spread, times.tolist(),
        )  # fmt: skip


@FEW
@given(
    rule=st.sampled_from(["voter", "imitation", "inhibition"]), noisy=st.booleans(), moving=st.booleans(), seed=seeds,
    n=st.integers(100, 10_000), leap=st.integers(1, 60), data=st.data(),
)  # fmt: skip
def test_leaps_equal_their_twin(rule, noisy, moving, seed, n, leap, data):
    quality = data.draw(st.lists(st.floats(0.05, 0.95), min_size=1, max_size=4))
    k = len(quality)
    kinds = k + (rule == "inhibition")
    cuts = sorted(data.draw(st.lists(st.integers(0, n), min_size=kinds - 1, max_size=kinds - 1)))
    start, times = np.diff([0, *cuts, n]), fixed([0, 1, 7, 200], np.int64)
    interaction = fixed(np.linspace(-0.04, 0.04, k * k).reshape(k, k) if moving else np.zeros((0, k)))
    mean, variance = np.array(quality), np.full(k, 0.2 if noisy and rule == "voter" and not moving else 0.0)
    out = tallies(2, 4, kinds)
    code = ["voter", "imitation", "inhibition"].index(rule)
    swarm_leaps(
        key_of(seed), 4, 2, fixed(start), n, code, leap, fixed(quality), interaction, 0, 0.0, mean, variance, times,
        *out.values(),
    )  # fmt: skip
    check_tallies(out, n)
    for trial in range(2):
        assert out["paths"][trial].tolist() == twin.leaps(
            stream_of(seed, 4 + trial), start, n, rule, leap, quality, interaction.tolist() if moving else None, mean,
            variance, times.tolist(),
        )  # fmt: skip


@FEW
@given(
    row=st.lists(st.floats(0.05, 5.0), min_size=2, max_size=5), n=st.integers(2, 3000), weight=st.sampled_from([0.0, 0.5, 1.0]),
    seed=seeds,
)  # fmt: skip
def test_debates_of_agents_alike_equal_their_twin(row, n, weight, seed):
    k, n_rounds, n_trials = len(row), 3, 4
    belief, share = np.zeros((n_rounds + 1, 1, 2), np.int64), np.zeros((n_rounds + 1, 2), np.int64)
    wins, spread = np.zeros((n_rounds + 1, k + 1), np.int64), np.zeros((n_rounds + 1, 2), np.int64)
    debate_alike(key_of(seed), 0, n_trials, np.array(row), n, weight, belief, share, wins, spread)
    counts = twin.debates_of_alike((int(seed.high), int(seed.low), TAG), n_trials, row, n, weight, n_rounds)
    tally = Tally(n_rounds, k)
    for debate in counts:
        for step, found in enumerate(debate):
            tally.add(step, [answer for answer in range(k) for _ in range(found[answer])], first=False)
    assert np.array_equal(share, tally.share)
    assert np.array_equal(wins[:, :-1], tally.wins[:, :-1])
    np.testing.assert_allclose(spread, tally.spread, rtol=1e-9, atol=4 * n_trials)
    heard = counts.cumsum(axis=1)[:, :-1, 0] / (n * np.arange(1, n_rounds + 1))
    np.testing.assert_allclose(belief[1:, 0, 0] * 2.0**-32, heard.sum(axis=0), atol=1e-8)
    np.testing.assert_allclose(belief[1:, 0, 1] * 2.0**-32, (heard**2).sum(axis=0), atol=1e-8)
