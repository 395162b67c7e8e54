"""One random stream a trial: xoshiro128++ in lanes, seeded by splitmix64 from (seed, kernel tag, trial index).

A trial draws the same numbers whatever the threads, the chunks or the machine. Sources: Blackman and Vigna (2021), "Scrambled linear
pseudorandom number generators" (xoshiro128++ 1.0); Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators"
(splitmix64).

A state is four uint32 words: arrays ``s0, s1, s2, s3`` of one word a lane in the lane kernels, one array of four words in the kernels
that walk trial by trial. Both give the same numbers. Key and state are all there is: draw number n of trial r is a pure function.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 256
"""Trials in one block of a lane kernel. Results do not depend on it."""

SCALE_24 = np.float32(2.0**-24)
SCALE_32 = 2.0**-32

_MASK64 = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_TAG_STEP = 0xD1B54A32D192ED03

_U7, _U9, _U11, _U21, _U25, _U8 = (np.uint32(bits) for bits in (7, 9, 11, 21, 25, 8))
_W27, _W30, _W31, _W32 = (np.uint64(bits) for bits in (27, 30, 31, 32))
_M1, _M2, _G = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(_GOLDEN)
_ONE, _NONE = np.uint64(1), np.uint32(0)


def stream_key(high: int, low: int, tag: int) -> np.ndarray:
    """The two uint64 words from which every trial's state is made, shape (2,).

    For one `tag` (a number that each kernel family owns) the map from the 128-bit seed is one to one: a three-round Feistel network
    over splitmix64's finaliser.
    """
    high, low = int(high), int(low)
    low ^= _finalise(high + (2 * tag + 1) * _TAG_STEP)
    high ^= _finalise(low + _GOLDEN)
    low ^= _finalise(high + 2 * _GOLDEN)
    return np.array([high, low], dtype=np.uint64)


def _finalise(z: int) -> int:
    z &= _MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK64
    return z ^ (z >> 31)


@njit(inline="always")
def _finalise64(z):
    z = (z ^ (z >> _W30)) * _M1
    z = (z ^ (z >> _W27)) * _M2
    return z ^ (z >> _W31)


@njit(nogil=True, cache=True)
def seed_state(key, trial, state):
    """Write the state of one `trial` into `state`, uint32 (4,)."""
    step = (np.uint64(trial) + _ONE) * _G
    first = _finalise64(key[0] + step)
    second = _finalise64(key[1] + step)
    state[0] = np.uint32(first)
    state[1] = np.uint32(first >> _W32)
    state[2] = np.uint32(second)
    state[3] = np.uint32(second >> _W32)
    if first == np.uint64(0) and second == np.uint64(0):
        state[0] = np.uint32(1)


@njit(nogil=True, cache=True)
def new_states(lanes):
    """Arrays for the states of so many trials: ``s0, s1, s2, s3``, uint32 (lanes,), not yet seeded."""
    return (
        np.empty(lanes, np.uint32),
        np.empty(lanes, np.uint32),
        np.empty(lanes, np.uint32),
        np.empty(lanes, np.uint32),
    )


@njit(nogil=True, cache=True)
def seed_lanes(key, first_trial, s0, s1, s2, s3):
    """Write the states of the trials ``first_trial, first_trial + 1, ...``, one a lane."""
    state = np.empty(4, np.uint32)
    for lane in range(s0.shape[0]):
        seed_state(key, first_trial + lane, state)
        s0[lane], s1[lane], s2[lane], s3[lane] = state[0], state[1], state[2], state[3]


@njit(inline="always")
def advance(a, b, c, d):
    """The next word of the state (a, b, c, d), and the state after it: the one place where xoshiro128++ is written down."""
    sum_of_two = np.uint32(a + d)
    word = np.uint32(np.uint32((sum_of_two << _U7) | (sum_of_two >> _U25)) + a)
    t = np.uint32(b << _U9)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    return word, a, b, c, np.uint32((d << _U11) | (d >> _U21))


@njit(inline="always")
def unit24(word):
    """A word's upper 24 bits as a float32 in [0, 1)."""
    return np.float32(np.int32(word >> _U8)) * SCALE_24


@njit(inline="always")
def next_words(s0, s1, s2, s3, out):
    """One 32-bit word a lane into `out`, uint32 (lanes,)."""
    for lane in range(out.shape[0]):
        out[lane], s0[lane], s1[lane], s2[lane], s3[lane] = advance(s0[lane], s1[lane], s2[lane], s3[lane])


@njit(inline="always")
def next_uniforms24(s0, s1, s2, s3, out):
    """One uniform of 24 bits a lane, in [0, 1), into `out`, float32 (lanes,)."""
    for lane in range(out.shape[0]):
        word, s0[lane], s1[lane], s2[lane], s3[lane] = advance(s0[lane], s1[lane], s2[lane], s3[lane])
        out[lane] = unit24(word)


@njit(inline="always")
def next_uniforms32(s0, s1, s2, s3, out):
    """One uniform of 32 bits a lane, in [0, 1), into `out`, float64 (lanes,)."""
    for lane in range(out.shape[0]):
        word, s0[lane], s1[lane], s2[lane], s3[lane] = advance(s0[lane], s1[lane], s2[lane], s3[lane])
        out[lane] = np.float64(word) * SCALE_32


@njit(nogil=True, cache=True, error_model="numpy")
def next_four24(s0, s1, s2, s3, scale0, scale1, scale2, scale3, p0, p1, p2, p3):
    """Four uniforms of 24 bits a lane, each times its scale, into `p0` to `p3`, float32 (lanes,); the state moves through memory once."""
    for lane in range(p0.shape[0]):
        a, b, c, d = s0[lane], s1[lane], s2[lane], s3[lane]
        word, a, b, c, d = advance(a, b, c, d)
        p0[lane] = unit24(word) * scale0
        word, a, b, c, d = advance(a, b, c, d)
        p1[lane] = unit24(word) * scale1
        word, a, b, c, d = advance(a, b, c, d)
        p2[lane] = unit24(word) * scale2
        word, a, b, c, d = advance(a, b, c, d)
        p3[lane] = unit24(word) * scale3
        s0[lane], s1[lane], s2[lane], s3[lane] = a, b, c, d


@njit(inline="always")
def next_word(state):
    """The next 32-bit word of one trial; `state` is uint32 (4,)."""
    word, state[0], state[1], state[2], state[3] = advance(state[0], state[1], state[2], state[3])
    return word


@njit(inline="always")
def next_uniform(state):
    """The next uniform of one trial, 32 bits, in [0, 1), as float64."""
    return np.float64(next_word(state)) * SCALE_32


@njit(nogil=True, cache=True)
def words(key, first_trial, n_draws, out):
    """The first `n_draws` words of ``out.shape[1]`` trials, drawn in lanes; `out` is uint32 (n_draws, trials).

    Shows the stream as it is, for tests of the generator and of the kernels.
    """
    s0, s1, s2, s3 = new_states(LANES)
    block = np.empty(LANES, np.uint32)
    for start in range(0, out.shape[1], LANES):
        seed_lanes(key, first_trial + start, s0, s1, s2, s3)
        kept = min(LANES, out.shape[1] - start)
        for draw in range(n_draws):
            next_words(s0, s1, s2, s3, block)
            for lane in range(kept):
                out[draw, start + lane] = block[lane]
