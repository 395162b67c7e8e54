"""What the parts of the lane kernels cost by themselves: the floors under their speed, in nanoseconds a lane."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numba import njit

from madsim.kernels.debate_shared import _count_four
from madsim.kernels.debate_tally import tally_round
from madsim.kernels.learner_tally import tally_shares
from madsim.kernels.normal import cosine, radius
from madsim.kernels.streams import LANES, next_four24, next_uniforms24, next_uniforms32, next_words

_CALLS = 20_000


def floors() -> list[dict[str, Any]]:
    """Each part with its cost: the fastest of seven runs of some millions of lanes, because anything else that runs only adds."""
    rng = np.random.default_rng(0)
    state = [rng.integers(0, 2**32, LANES, dtype=np.uint32) for _ in range(4)]
    points = [rng.random(LANES).astype(np.float32) for _ in range(4)]
    heard, cumulative = rng.random((3, LANES)).astype(np.float32), rng.random((4, 3)).astype(np.float32)
    lanes = {kind: np.zeros(LANES, kind) for kind in (np.uint32, np.float32, np.float64)}
    parts = [
        ("a word of 32 random bits", _words, (*state, lanes[np.uint32]), 1),
        ("a uniform of 24 bits", _uniforms24, (*state, lanes[np.float32]), 1),
        ("a uniform of 24 bits, four together and scaled", _four24, (*state, *points), 4),
        ("a uniform of 32 bits", _uniforms32, (*state, lanes[np.float64]), 1),
        ("a normal number", _normals, (*state, lanes[np.uint32], lanes[np.float32]), 1),
        ("an answer among four, compared", _compare, (*points, cumulative, heard, np.zeros((3, LANES), np.float32)), 4),
        ("statistics of a round of a debate, four answers", _tally, _tally_arrays(), 1),
        ("statistics of a step of a learner, four options", _shares, _share_arrays(), 1),
    ]
    return [{"part": name, "ns": _fastest(run, arrays) / each * 1e9} for name, run, arrays, each in parts]


def _fastest(run: Any, arrays: tuple[Any, ...]) -> float:
    """Seconds a call and lane."""
    run(1, *arrays)
    times = []
    for _ in range(7):
        begin = time.process_time()
        run(_CALLS, *arrays)
        times.append(time.process_time() - begin)
    return min(times) / _CALLS / LANES


def _tally_arrays() -> tuple[Any, ...]:
    counts = np.random.default_rng(1).multinomial(20, [0.25] * 4, LANES).cumsum(axis=1).T[:3].astype(np.float32).copy()
    scratch = [np.zeros(LANES, np.float32) for _ in range(3)]
    return (
        counts,
        np.zeros((1, LANES), np.float32),
        np.zeros(2, np.int64),
        np.zeros(5, np.int64),
        np.zeros(2, np.int64),
        *scratch,
    )


def _share_arrays() -> tuple[Any, ...]:
    return np.full((4, LANES), 0.25), np.zeros((1, 4), np.int64), np.zeros((1, 4), np.int64), np.zeros((0, 1, 4))


@njit(nogil=True)
def _words(calls, s0, s1, s2, s3, out):
    for _ in range(calls):
        next_words(s0, s1, s2, s3, out)


@njit(nogil=True)
def _uniforms24(calls, s0, s1, s2, s3, out):
    for _ in range(calls):
        next_uniforms24(s0, s1, s2, s3, out)


@njit(nogil=True)
def _four24(calls, s0, s1, s2, s3, p0, p1, p2, p3):
    one = np.float32(1.0)
    for _ in range(calls):
        next_four24(s0, s1, s2, s3, one, one, one, one, p0, p1, p2, p3)


@njit(nogil=True)
def _uniforms32(calls, s0, s1, s2, s3, out):
    for _ in range(calls):
        next_uniforms32(s0, s1, s2, s3, out)


@njit(nogil=True)
def _normals(calls, s0, s1, s2, s3, word, out):
    for _ in range(calls):
        next_words(s0, s1, s2, s3, word)
        for lane in range(LANES):
            out[lane] = radius(word[lane])
        next_words(s0, s1, s2, s3, word)
        for lane in range(LANES):
            out[lane] *= cosine(word[lane])


@njit(nogil=True)
def _compare(calls, p0, p1, p2, p3, cumulative, heard, counts):
    for _ in range(calls):
        _count_four(p0, p1, p2, p3, cumulative, 0, heard, counts)


@njit(nogil=True)
def _tally(calls, counts, given, share, wins, spread, most, tied, agreeing):
    for _ in range(calls):
        tally_round(counts, 20, LANES, False, given, share, wins, spread, most, tied, agreeing)


@njit(nogil=True)
def _shares(calls, x, sums, squares, paths):
    for _ in range(calls):
        tally_shares(x, LANES, 0, sums, squares, paths, 0)
