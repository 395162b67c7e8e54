"""The stream of a trial: equal to its plain twin, known values, and no visible dependence between neighbours."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim._core.rng import Seed
from madsim.kernels import streams
from tests.reference.streams import Stream, splitmix_output

seeds = st.integers(0, 2**128 - 1).map(Seed)


def lane_words(seed: Seed, tag: int, first: int, n_trials: int, n_draws: int) -> np.ndarray:
    out = np.zeros((n_draws, n_trials), np.uint32)
    streams.words(streams.stream_key(int(seed.high), int(seed.low), tag), first, n_draws, out)
    return out


def test_published_values():
    # The generator from state (1, 2, 3, 4), and splitmix64 from state 0: values every implementation agrees on.
    stream = Stream.from_state([1, 2, 3, 4])
    assert [stream.word() for _ in range(4)] == [641, 1573767, 3222811527, 3517856514]
    assert splitmix_output(0x9E3779B97F4A7C15) == 0xE220A8397B1DCDAF


@settings(max_examples=25, deadline=None)
@given(seed=seeds, tag=st.integers(0, 2**31), first=st.integers(0, 2**62), n_trials=st.integers(1, 200))
def test_lanes_equal_the_plain_twin(seed, tag, first, n_trials):
    got = lane_words(seed, tag, first, n_trials, 7)
    for trial in {0, n_trials // 2, n_trials - 1}:
        twin = Stream(int(seed.high), int(seed.low), tag, first + trial)
        assert [twin.word() for _ in range(7)] == got[:, trial].tolist()


@settings(max_examples=25, deadline=None)
@given(seed=seeds, trial=st.integers(0, 2**62))
def test_one_trial_equals_its_lane(seed, trial):
    key = streams.stream_key(int(seed.high), int(seed.low), 5)
    state = np.empty(4, np.uint32)
    streams.seed_state(key, trial, state)
    twin = Stream(int(seed.high), int(seed.low), 5, trial)
    assert state.tolist() == twin.state
    assert lane_words(seed, 5, trial, 1, 1)[0, 0] == twin.word()


def test_all_zero_state_is_avoided():
    state = np.empty(4, np.uint32)
    key = np.array([-0x9E3779B97F4A7C15 % 2**64] * 2, np.uint64)
    streams.seed_state(key, 0, state)
    assert state.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("change", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_every_part_of_the_key_matters(change):
    base = streams.stream_key(3, 7, 11)
    other = streams.stream_key(3 + change[0], 7 + change[1], 11 + change[2])
    assert (base != other).all()


def test_neighbouring_trials_and_seeds_look_independent():
    # 2^17 words a table; each chi-square has 255 degrees of freedom: mean 255, sd 22.6. Bounds at 5 sd.
    for seed in (0, 1, 2**64):
        table = lane_words(Seed(seed), 1, 0, 1024, 128)
        across = table ^ np.roll(table, 1, axis=1)
        along = table ^ np.roll(table, 1, axis=0)
        for name, words in {"words": table, "neighbours": across, "successors": along}.items():
            for shift in (0, 8, 16, 24):
                counts = np.bincount((words.ravel() >> np.uint32(shift)) & np.uint32(255), minlength=256)
                chi = float(((counts - 512.0) ** 2 / 512.0).sum())
                assert 255 - 5 * 22.6 < chi < 255 + 5 * 22.6, (seed, name, shift, chi)
    first, second = lane_words(Seed(0), 1, 0, 1024, 128), lane_words(Seed(1), 1, 0, 1024, 128)
    bits = np.unpackbits((first ^ second).view(np.uint8)).mean()
    assert abs(bits - 0.5) < 5 * 0.5 / np.sqrt(2**22)
