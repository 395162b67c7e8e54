"""Cross-type learners: one agent with a probability for every option."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, as_probabilities, readonly
from madsim._core.canonical import to_jsonable
from madsim.models._noise import Noise, NoiseFree
from madsim.models._options import Described, check_options, corner_qualities


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleBaseline:
    """The exact expected reward at the present probabilities. No bandit knows it; it is the theory's reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchMean:
    """Mean reward of the step's own samples. A batch of one divides a reward by itself and learns nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingAverage:
    """Average of the rewards so far, the present one included: b += rate (reward - b), then the reward is divided by b.

    Attributes
    ----------
    rate : in (0, 1]; the larger, the more the drift shrinks, because the baseline follows the reward that it divides
    start : value before the first reward, above 0; by default the expected reward at the start
    """

    rate: float
    start: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ValueError(f"the rate of a moving average must lie in (0, 1], got {self.rate!r}")
        if self.start is not None and not 0 < self.start <= 1:
            raise ValueError(f"the start of a moving average must lie in (0, 1], got {self.start!r}")


Baseline: TypeAlias = OracleBaseline | BatchMean | MovingAverage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learner(Described):
    """What every learner has; use one of the rules derived from it.

    Attributes
    ----------
    quality : float64 (option,); expected reward in [0, 1], before noise
    rate : step size, above 0 and at most `largest_rate`
    batch : samples a step, averaged (parallel environments)
    initial : float64 (option,); probabilities at the start, equal by default
    noise : how a reward scatters around quality
    interaction : float64 (option, option) or None; what a probability of 1 of the second option adds to the quality of the first
    clip : allow larger rates; a step that would leave the simplex is shortened to its edge and counted
    """

    quality: NDArray[np.float64]
    rate: float
    batch: int = 1
    initial: NDArray[np.float64] | None = None
    noise: Noise = field(default_factory=NoiseFree)
    interaction: NDArray[np.float64] | None = None
    clip: bool = False

    def __post_init__(self) -> None:
        quality, interaction = check_options(self.quality, self.interaction, self.noise)
        n = len(quality)
        initial = np.full(n, 1 / n) if self.initial is None else as_probabilities(self.initial, name="initial")
        if initial.shape != (n,):
            raise ValueError(f"initial must hold {n} probabilities, got shape {initial.shape}")
        object.__setattr__(self, "quality", quality)
        object.__setattr__(self, "interaction", interaction)
        object.__setattr__(self, "initial", readonly(initial))
        as_count(self.batch, name="batch", minimum=1, maximum=10_000_000)
        if isinstance(self.rate, bool) or not 0 < float(self.rate) < float("inf"):
            raise ValueError(f"rate must be finite and above 0, got {self.rate!r}")
        if self.rate > self.largest_rate * (1 + 1e-12) and not self.clip:
            raise ValueError(
                f"a rate of {self.rate:g} can step out of the simplex; the largest safe rate here is {self.largest_rate:.6g}. "
                "Take at most that, or clip=True to shorten such steps and count them"
            )

    @property
    def n_options(self) -> int:
        """Number of options."""
        return len(self.quality)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probabilities at the start, shape (option,)."""
        assert self.initial is not None
        return self.initial

    @property
    def largest_rate(self) -> float:
        """The largest rate with which no step can leave the simplex."""
        raise TypeError("use CrossLearner or MaynardCrossLearner")

    def _extremes(self) -> tuple[float, float]:
        corners = corner_qualities(self.quality, self.interaction)
        return float(self.noise.mean(corners).min()), float(self.noise.bounds(corners)[1].max())

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form, read back by :func:`population_from_dict`."""
        return {
            "type": type(self).__name__,
            **{item.name: to_jsonable(getattr(self, item.name)) for item in fields(self)},
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossLearner(Learner):
    """Cross learning: draw option k, then x += rate r_k (e_k - x), averaged over the batch. Mean field: the Taylor replicator."""

    @property
    def largest_rate(self) -> float:
        """The largest rate with which no step can leave the simplex: 1 over the largest reward."""
        largest = self._extremes()[1]
        return 1 / largest if largest > 0 else float("inf")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaynardCrossLearner(Learner):
    """Maynard-Cross learning: x += rate (r_k / baseline) (e_k - x), averaged over the batch. Mean field: Maynard Smith.

    With ``batch=N``, ``rate=1`` and :class:`BatchMean` it is the synchronous weighted voter of N agents, path by path.

    Attributes
    ----------
    baseline : OracleBaseline(), BatchMean() or MovingAverage(rate=...)
    """

    baseline: Baseline = field(default_factory=OracleBaseline)

    def __post_init__(self) -> None:
        if not isinstance(self.baseline, Baseline):
            raise TypeError(
                f"baseline must be OracleBaseline(), BatchMean() or MovingAverage(...), got {self.baseline!r}"
            )
        Learner.__post_init__(self)

    @property
    def largest_rate(self) -> float:
        """The largest rate with which no step can leave the simplex: the smallest baseline over the largest reward.

        A batch mean scales the rewards of a batch to mean 1, so that any rate up to 1 is safe.
        """
        if isinstance(self.baseline, BatchMean):
            return 1.0
        smallest, largest = self._extremes()
        if isinstance(self.baseline, MovingAverage) and self.baseline.start is not None:
            smallest = min(smallest, self.baseline.start)
        return smallest / largest if largest > 0 else float("inf")
