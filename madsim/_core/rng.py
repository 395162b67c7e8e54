"""One seed a run: drawn once at the boundary, recorded, and the only source of every stream.

The ``rng`` keyword follows Scientific Python SPEC 7. From it one 128-bit :class:`Seed` is drawn; every trial then owns a stream
hashed from (seed, kernel tag, trial index), so results do not depend on threads, chunks or machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

_MASK64 = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Seed:
    """A 128-bit seed, printed and stored as 32 hexadecimal digits."""

    value: int

    def __post_init__(self) -> None:
        if not isinstance(self.value, int) or not 0 <= self.value < 1 << 128:
            raise ValueError(f"a seed is an integer in [0, 2**128), got {self.value!r}")

    @property
    def high(self) -> np.uint64:
        """The upper 64 bits."""
        return np.uint64(self.value >> 64)

    @property
    def low(self) -> np.uint64:
        """The lower 64 bits."""
        return np.uint64(self.value & _MASK64)

    @property
    def hex(self) -> str:
        """The seed as 32 hexadecimal digits; :meth:`from_hex` reads them back."""
        return f"{self.value:032x}"

    @classmethod
    def from_hex(cls, text: str) -> Seed:
        """Read a seed back from the digits that :attr:`hex` wrote."""
        try:
            return cls(int(text, 16))
        except (TypeError, ValueError) as error:
            raise ValueError(f"expected a seed of up to 32 hexadecimal digits, got {text!r}") from error

    def generator(self, *key: int) -> np.random.Generator:
        """A NumPy generator for slow paths, independent for every distinct `key` of non-negative integers."""
        return np.random.default_rng(np.random.SeedSequence(self.value, spawn_key=key))

    def __repr__(self) -> str:
        return f"Seed.from_hex('{self.hex}')"


RNG: TypeAlias = "int | Seed | np.random.Generator | np.random.BitGenerator | np.random.SeedSequence | Any | None"


def resolve_seed(rng: RNG = None) -> Seed:
    """The seed that a run really uses.

    Parameters
    ----------
    rng
        Anything that `numpy.random.default_rng` takes (None, an integer, a SeedSequence, a Generator, ...), from which one seed is
        drawn; or a :class:`Seed`, which is used as it is (this is how a recorded run is repeated).

    Raises
    ------
    TypeError, ValueError
        If `rng` is none of these; legacy ``RandomState`` objects and booleans are refused.
    """
    if isinstance(rng, Seed):
        return rng
    if isinstance(rng, (bool, np.random.RandomState)):
        raise TypeError(f"rng must be None, an integer, a Seed, or a NumPy Generator; got {rng!r}")
    try:
        generator = np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        message = f"rng must be None, a non-negative integer, a Seed, or a NumPy Generator; got {rng!r}"
        raise type(error)(message) from error
    high, low = (int(word) for word in generator.integers(0, 1 << 64, size=2, dtype=np.uint64))
    return Seed((high << 64) | low)
