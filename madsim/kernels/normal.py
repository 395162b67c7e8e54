"""Standard normal numbers from two 32-bit words, by the transform of Box and Muller (1958), the same bits everywhere.

Only additions, products, one division-free square root and bit shifts in float32: no library whose last digit differs between machines,
and loops over lanes vectorise. Polynomials are Chebyshev interpolants made for these intervals; errors stay below 3e-7 of a unit.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_F = np.float32
_UNIT = _F(2.0**-32)
_ROOT_TWO = _F(2.0**0.5)
_HALF, _ONE, _TWO, _MINUS_TWO = _F(0.5), _F(1.0), _F(2.0), _F(-2.0)
_LN2 = _F(0.6931471805599453)

_L1, _L2, _L3, _L4 = _F(-0.4999999701976776), _F(0.33334192633628845), _F(-0.250013530254364), _F(0.19955933094024658)
_L5, _L6, _L7, _L8 = _F(-0.1657799333333969), _F(0.14977401494979858), _F(-0.14269258081912994), _F(0.08533313125371933)
_S0, _S1, _S2 = _F(3.1415927410125732), _F(-5.167712688446045), _F(2.5501632690429688)
_S3, _S4, _S5 = _F(-0.5992521643638611), _F(0.08205035328865051), _F(-0.007028304040431976)
_C1, _C2, _C3 = _F(-4.934802055358887), _F(4.058709144592285), _F(-1.335211992263794)
_C4, _C5 = _F(0.23493707180023193), _F(-0.024395931512117386)

_23, _127 = np.int32(23), np.int32(127)
_FRACTION, _EXPONENT_OF_ONE = np.int32(0x7FFFFF), np.int32(0x3F800000)
_LOWEST = np.uint32(1)


@njit(inline="always")
def radius(word):
    """sqrt(-2 ln u) with u uniform on (0, 1] from one uint32 word, as float32; at most 6.66."""
    u = _F(np.uint32(word | _LOWEST)) * _UNIT
    bits = np.float32(u).view(np.int32)
    exponent = _F((bits >> _23) - _127)
    m = np.int32((bits & _FRACTION) | _EXPONENT_OF_ONE).view(np.float32)
    big = m > _ROOT_TWO
    m = m * _HALF if big else m
    exponent = exponent + _ONE if big else exponent
    f = m - _ONE
    p = _L8
    p = p * f + _L7
    p = p * f + _L6
    p = p * f + _L5
    p = p * f + _L4
    p = p * f + _L3
    p = p * f + _L2
    p = p * f + _L1
    p = p * f + _ONE
    square = _MINUS_TWO * (p * f + exponent * _LN2)
    return np.sqrt(square if square > _F(0.0) else _F(0.0))


@njit(inline="always")
def cosine(word):
    """cos of an angle uniform on the circle, from one uint32 word, as float32."""
    t = _F(np.int32(word)) * _UNIT
    s = _sine_of_half(t)
    return _ONE - _TWO * s * s


@njit(inline="always")
def sine(word):
    """sin of the same angle."""
    t = _F(np.int32(word)) * _UNIT
    return _TWO * _sine_of_half(t) * _cosine_of_half(t)


@njit(inline="always")
def _sine_of_half(t):
    y = t * t
    p = _S5
    p = p * y + _S4
    p = p * y + _S3
    p = p * y + _S2
    p = p * y + _S1
    p = p * y + _S0
    return p * t


@njit(inline="always")
def _cosine_of_half(t):
    y = t * t
    p = _C5
    p = p * y + _C4
    p = p * y + _C3
    p = p * y + _C2
    p = p * y + _C1
    return p * y + _ONE


@njit(nogil=True, cache=True)
def normal_pairs(words, out):
    """Two normals from each pair of words; uint32 (n, 2) to float32 (n, 2). Shows the transform as it is, for tests."""
    for i in range(words.shape[0]):
        r = radius(words[i, 0])
        out[i, 0] = r * cosine(words[i, 1])
        out[i, 1] = r * sine(words[i, 1])
