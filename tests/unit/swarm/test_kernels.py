"""Kernels of swarms and learners: equal to their plain twins, trial by trial, for drawn sizes, qualities, noise and seeds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import graphs
from madsim._core.rng import Seed
from madsim.kernels.learner_lanes import learner_steps
from madsim.kernels.learner_walk import learner_batches
from madsim.kernels.normal import normal_pairs
from madsim.kernels.swarm_agents import swarm_agents
from madsim.kernels.swarm_pairwise import pairwise_events
from madsim.kernels.swarm_voter import voter_events
from madsim.kernels.swarm_walk import swarm_events
from tests.reference import swarm as twin
from tests.unit.swarm._kernels import check_tallies, fixed, key_of, stream_of, tallies

seeds = st.integers(0, 2**128 - 1).map(Seed)
quality_lists = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=5)
FEW = settings(max_examples=20, deadline=None)
F = np.float32
NOISE = {0: 0.0, 1: 0.4, 2: 0.2, 3: 0.0, 4: 1.5}


@st.composite
def populations(draw, *, uncommitted: int = 0, n_agents: st.SearchStrategy[int] | None = None):
    quality = draw(quality_lists)
    n = draw(n_agents if n_agents is not None else st.integers(2, 30))
    cuts = sorted(draw(st.lists(st.integers(0, n), min_size=len(quality) + uncommitted - 1, max_size=8)))
    cuts = cuts[: len(quality) + uncommitted - 1]
    return quality, n, np.diff([0, *cuts, n]).tolist()


def test_normals_equal_their_twin_and_the_textbook():
    words = np.random.default_rng(0).integers(0, 2**32, size=(20_000, 2), dtype=np.uint64).astype(np.uint32)
    words[:6] = [[0, 0], [1, 2**31], [2**32 - 1, 2**32 - 1], [2**31, 1], [0, 2**30], [5, 3 * 2**30]]
    out = np.zeros(words.shape, np.float32)
    normal_pairs(words, out)
    for (first, second), pair in zip(words[:500].tolist(), out[:500], strict=True):
        assert twin.normals(first, second) == tuple(pair)
    radius = np.sqrt(-2 * np.log((words[:, 0] | np.uint32(1)) * 2.0**-32))
    angle = 2 * np.pi * words[:, 1].astype(np.int32) * 2.0**-32
    near = radius > 0.01
    assert np.abs(out[near] - (radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1))[near]).max() < 5e-6
    assert out.max() < 6.67


def test_normals_have_the_right_law():
    # 2^18 numbers in 64 cells of equal chance: chi-square of 63 degrees of freedom, mean 63, sd 11.2; bounds at 5 sd
    from scipy.special import ndtri

    words = np.random.default_rng(1).integers(0, 2**32, size=(2**17, 2), dtype=np.uint64).astype(np.uint32)
    out = np.zeros(words.shape, np.float32)
    normal_pairs(words, out)
    edges = ndtri(np.arange(1, 64) / 64)
    counts = np.bincount(np.searchsorted(edges, out.ravel()), minlength=64)
    chi = float(((counts - 2**12) ** 2 / 2**12).sum())
    assert 63 - 5 * 11.2 < chi < 63 + 5 * 11.2
    assert abs(np.corrcoef(out.T)[0, 1]) < 5 / np.sqrt(2**17)
    assert abs(np.corrcoef((out**2).T)[0, 1]) < 5 / np.sqrt(2**17)


@FEW
@given(population=populations(), seed=seeds, first=st.integers(0, 2**40), shared=st.booleans(), draw=st.integers(0, 2))
def test_voter_lanes_equal_their_twin(population, seed, first, shared, draw):
    quality, n_agents, start = population
    mean = np.array(quality, np.float32) if draw != 1 else np.array(quality, np.float32) * F(0.5) + F(0.4)
    variance = np.full(len(quality), [0.0, 0.003, 0.09][draw], np.float32)
    times = fixed([0, 1, 7, 40], np.int64)
    out = tallies(300, 4, len(quality))
    voter_events(
        key_of(seed),
        first,
        300,
        np.array(start, np.int32),
        n_agents,
        draw,
        shared,
        mean,
        variance,
        times,
        *out.values(),
    )
    check_tallies(out, n_agents)
    for trial in (0, 255, 299):
        stream = stream_of(seed, first + trial)
        expected = twin.voter(stream, start, n_agents, draw, shared, mean.tolist(), variance.tolist(), times.tolist())
        assert out["paths"][trial].tolist() == expected


@FEW
@given(inhibit=st.booleans(), seed=seeds, first=st.integers(0, 2**40), data=st.data())
def test_pairwise_lanes_equal_their_twin(inhibit, seed, first, data):
    quality, n_agents, start = data.draw(populations(uncommitted=int(inhibit)))
    mean = np.array(quality, np.float32)
    times = fixed([0, 1, 9, 50], np.int64)
    out = tallies(130, 4, len(start))
    pairwise_events(key_of(seed), first, 130, np.array(start, np.int32), n_agents, inhibit, mean, times, *out.values())
    check_tallies(out, n_agents)
    for trial in (0, 64, 129):
        expected = twin.pairwise(
            stream_of(seed, first + trial), start, n_agents, inhibit, mean.tolist(), times.tolist()
        )
        assert out["paths"][trial].tolist() == expected


@FEW
@given(
    rule=st.sampled_from(["voter", "imitation", "inhibition"]), by_option=st.booleans(), noise=st.sampled_from(sorted(NOISE)),
    moving=st.booleans(), seed=seeds, data=st.data(),
)  # fmt: skip
def test_event_walk_equals_its_twin(rule, by_option, noise, moving, seed, data):
    quality, n_agents, start = data.draw(
        populations(uncommitted=int(rule == "inhibition"), n_agents=st.integers(2, 15))
    )
    if noise == 4:
        quality = [0.1 + 0.8 * q for q in quality]
    n = len(quality)
    interaction = fixed(np.linspace(-0.05, 0.05, n * n).reshape(n, n) if moving else np.zeros((0, n)))
    times = fixed([0, 1, 5, 30], np.int64)
    out = tallies(3, 4, len(start))
    code = ["voter", "imitation", "inhibition"].index(rule)
    swarm_events(
        key_of(seed), 5, 3, fixed(start), n_agents, code, int(by_option), fixed(quality), interaction, noise,
        NOISE[noise], np.array(quality), np.zeros(n), times, *out.values(),
    )  # fmt: skip
    check_tallies(out, n_agents)
    for trial in range(3):
        expected = twin.events(
            stream_of(seed, 5 + trial), start, n_agents, rule, by_option, quality, interaction.tolist() if moving else None,
            noise, NOISE[noise], times.tolist(),
        )  # fmt: skip
        assert out["paths"][trial].tolist() == expected


@pytest.mark.parametrize("n_agents", [2896, 2897, 65_000])
def test_lanes_hold_large_swarms(n_agents):
    # squares beyond 32 bits, and counts at the edge of what float32 thresholds resolve
    quality, times = [0.3, 0.9, 0.5], fixed([0, 3, 25], np.int64)
    for start in ([n_agents - 2, 1, 1], [n_agents // 3, n_agents // 3, n_agents - 2 * (n_agents // 3)]):
        mean, counts = np.array(quality, np.float32), np.array(start, np.int32)
        out = tallies(260, 3, 3)
        voter_events(
            key_of(Seed(1)), 0, 260, counts, n_agents, 0, False, mean, np.zeros(3, np.float32), times, *out.values()
        )
        check_tallies(out, n_agents)
        for trial in (0, 129):
            stream = stream_of(Seed(1), trial)
            expected = twin.voter(stream, start, n_agents, 0, False, mean.tolist(), [0.0] * 3, times.tolist())
            assert out["paths"][trial].tolist() == expected
        out = tallies(260, 3, 3)
        pairwise_events(key_of(Seed(1)), 0, 260, counts, n_agents, False, mean, times, *out.values())
        check_tallies(out, n_agents)
        assert out["paths"][7].tolist() == twin.pairwise(
            stream_of(Seed(1), 7), start, n_agents, False, quality, times.tolist()
        )


@st.composite
def hearings(draw, n_agents: int):
    kind = draw(st.sampled_from(["all", "some", "group", "graph"]))
    if kind == "some":
        return ("some", draw(st.integers(1, n_agents - 1)))
    if kind == "group":
        return ("group", draw(st.sampled_from([m for m in range(1, n_agents + 1) if n_agents % m == 0])))
    if kind == "graph":
        matrix = draw(st.lists(st.sampled_from([0.0, 1.0, 0.5]), min_size=n_agents**2, max_size=n_agents**2))
        rows = np.array(matrix).reshape(n_agents, n_agents) * (1 - np.eye(n_agents))
        return ("graph", rows, draw(st.sampled_from([0.0, 1.0])))
    return ("all",)


@settings(max_examples=40, deadline=None)
@given(rounds=st.booleans(), by_option=st.booleans(), noise=st.sampled_from([0, 1, 2, 3]), seed=seeds, data=st.data())
def test_agents_equal_their_twin(rounds, by_option, noise, seed, data):
    quality, n_agents, start = data.draw(populations(n_agents=st.integers(2, 12)))
    hears = data.draw(hearings(n_agents).filter(lambda h: rounds or h[0] != "group"))
    n_votes = data.draw(st.sampled_from([1, 1, 2, 3])) if rounds else 1
    accept = data.draw(st.sampled_from(["always", "reward", "better"])) if rounds and n_votes == 1 else "always"
    random_start, moving, n = data.draw(st.booleans()), data.draw(st.booleans()), len(quality)
    interaction = fixed(np.linspace(-0.05, 0.05, n * n).reshape(n, n) if moving else np.zeros((0, n)))
    times = fixed([0, 1, 2, 6], np.int64)
    out = tallies(2, 4, len(quality))
    graph = graphs.from_array(hears[1]) if hears[0] == "graph" else graphs.empty(1)
    code = ["all", "some", "group", "graph"].index(hears[0])
    size = hears[1] if hears[0] in ("some", "group") else 0
    swarm_agents(
        key_of(seed), 9, 2, fixed(start), n_agents, rounds, random_start, by_option, code, size, graph.offsets, graph.heard,
        graph.weights, hears[2] if hears[0] == "graph" else 0.0, n_votes, ["always", "reward", "better"].index(accept),
        fixed(quality), interaction, noise, NOISE[noise], times, *out.values(),
    )  # fmt: skip
    check_tallies(out, n_agents)
    for trial in range(2):
        expected = twin.agents(
            stream_of(seed, 9 + trial), start, rounds=rounds, random_start=random_start, by_option=by_option,
            hears=(hears[0], hears[1].tolist(), hears[2]) if hears[0] == "graph" else hears, n_votes=n_votes, accept=accept,
            quality=quality, interaction=interaction.tolist() if moving else None, noise=noise, spread=NOISE[noise],
            times=times.tolist(),
        )  # fmt: skip
        assert out["paths"][trial].tolist() == expected


BASELINES = ["none", "oracle", "average", "own"]


@FEW
@given(
    quality=quality_lists, noise=st.sampled_from([0, 1, 2, 3]), baseline=st.sampled_from(BASELINES), seed=seeds,
    rate=st.floats(0.001, 0.9), first=st.integers(0, 2**40),
)  # fmt: skip
def test_learner_lanes_equal_their_twin(quality, noise, baseline, seed, rate, first):
    n = len(quality)
    start, times = fixed([1 / n] * n), fixed([0, 1, 5, 30], np.int64)
    sums, squares, clipped = np.zeros((4, n), np.int64), np.zeros((4, n), np.int64), np.zeros(1, np.int64)
    paths = np.zeros((130, 4, n))
    code = BASELINES.index(baseline)
    learner_steps(
        key_of(seed), first, 130, start, rate, fixed(quality), np.array(quality), noise, NOISE[noise], code, 0.1, 0.5, times,
        sums, squares, clipped, paths,
    )  # fmt: skip
    assert (paths >= 0).all()
    np.testing.assert_allclose(paths.sum(axis=2), 1, atol=1e-12)
    np.testing.assert_array_equal(sums, (paths * 2.0**32 + 0.5).astype(np.int64).sum(axis=0))
    for trial in (0, 129):
        expected = twin.learner(
            stream_of(seed, first + trial), start.tolist(), rate, quality, quality, noise, NOISE[noise], baseline, 0.1, 0.5,
            times.tolist(),
        )  # fmt: skip
        assert paths[trial].tolist() == expected


@FEW
@given(
    quality=quality_lists, noise=st.sampled_from([0, 2, 3, 4]), baseline=st.sampled_from(BASELINES), seed=seeds,
    rate=st.floats(0.01, 1.0), batch=st.integers(1, 9), moving=st.booleans(),
)  # fmt: skip
def test_learner_walk_equals_its_twin(quality, noise, baseline, seed, rate, batch, moving):
    if noise == 4:
        quality = [0.1 + 0.8 * q for q in quality]
    n, n_steps = len(quality), 12
    interaction = fixed(np.linspace(-0.05, 0.05, n * n).reshape(n, n) if moving else np.zeros((0, n)))
    times = fixed(range(n_steps + 1), np.int64)
    paths, samples = np.zeros((2, n_steps + 1, n)), np.zeros((2, n_steps + 1, n), np.int32)
    sums, clipped = np.zeros((n_steps + 1, n), np.int64), np.zeros(1, np.int64)
    learner_batches(
        key_of(seed), 3, 2, fixed([1 / n] * n), rate, batch, fixed(quality), interaction, np.array(quality), noise,
        NOISE[noise], BASELINES.index(baseline), 0.1, 0.5, times, sums, sums.copy(), clipped, paths, samples,
    )  # fmt: skip
    assert (samples.sum(axis=2) == batch).all()
    for trial in range(2):
        expected, drawn = twin.batches(
            stream_of(seed, 3 + trial), [1 / n] * n, rate, batch, quality, interaction.tolist() if moving else None, quality,
            noise, NOISE[noise], baseline, 0.1, 0.5, n_steps,
        )  # fmt: skip
        assert samples[trial].tolist() == drawn
        assert paths[trial].tolist() == expected


def test_one_event_has_the_right_law():
    # exact chances as fractions; 600,000 events, chi-square over 12 moves and staying: 12 degrees of freedom, 0.9999 quantile 39.1
    counts, quality = [3, 5, 1, 2], [3, 5, 4, 7]
    law = twin.one_event_law(counts, quality)
    n_trials = 600_000
    out = tallies(n_trials, 1, 4)
    voter_events(
        key_of(Seed(5)), 0, n_trials, np.array(counts, np.int32), 11, 0, False, np.array(quality, np.float32) / F(10),
        np.zeros(4, np.float32), fixed([1]), *out.values(),
    )  # fmt: skip
    change = out["paths"][:, 0].astype(int) - counts
    source, target = change.argmin(axis=1), change.argmax(axis=1)
    chi, moved = 0.0, 0
    for (a, b), chance in law.items():
        found = int(((source == a) & (target == b) & (change[:, a] == -1)).sum())
        moved += found
        expected = float(chance) * n_trials
        assert expected > 1000
        chi += (found - expected) ** 2 / expected
    stay = (1 - float(sum(law.values()))) * n_trials
    chi += (n_trials - moved - stay) ** 2 / stay
    assert chi < 39.1
