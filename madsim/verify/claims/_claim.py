"""A claim: a statement, what it assumes, what it is held against, and a verdict with the size of the difference."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import NormalDist
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from madsim._core.estimate import Estimate, Interval
from madsim._core.html import Printed
from madsim._core.rng import RNG, Seed, resolve_seed

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

    from madsim.models import DebateModel, Learner, Swarm
    from madsim.simulate import DebateResult, SharesResult

Suite = Literal["quick", "full"]
Verdict = Literal["holds", "fails", "inconclusive"]

FALSE_ALARM = 1e-6  # chance that a true claim is called failed
_OUTSIDE = 1e-3  # chance that some interval of a result misses its true difference
_DEFAULT_SEED = 20250817


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """What a claim is tried on: simulators and the exact theory. Replace a part to see a claim fail.

    Attributes
    ----------
    simulate : as `madsim.simulate.simulate_debate`
    theory : the module `madsim.theory`, or anything with the same names
    simulate_swarm, simulate_learner : as in `madsim.simulate`, which stands in for None
    """

    simulate: Callable[..., DebateResult]
    theory: ModuleType | Any
    simulate_swarm: Callable[..., SharesResult] | None = None
    simulate_learner: Callable[..., SharesResult] | None = None

    @classmethod
    def real(cls) -> System:
        """The simulator and the theory of this package."""
        from madsim import theory
        from madsim.simulate import simulate_debate

        return cls(simulate=simulate_debate, theory=theory)


@dataclass(slots=True, kw_only=True)
class Lab:
    """What a claim measures with: the system, the size of the suite, and seeds of its own (`stream` tells claims apart)."""

    system: System
    suite: Suite
    seed: Seed
    stream: int = 0
    _runs: int = field(default=0, init=False)

    @property
    def theory(self) -> Any:
        """The exact theory under trial."""
        return self.system.theory

    def size(self, quick: int, full: int) -> int:
        """A number that depends on the suite."""
        return quick if self.suite == "quick" else full

    def generator(self, key: int) -> np.random.Generator:
        """A generator that belongs to this claim and `key`."""
        return self.seed.generator(self.stream, key)

    def simulators(self) -> tuple[Callable[..., SharesResult], Callable[..., SharesResult]]:
        """The simulators of swarms and of learners under trial."""
        from madsim.simulate import simulate_learner, simulate_swarm

        return self.system.simulate_swarm or simulate_swarm, self.system.simulate_learner or simulate_learner

    def swarm(self, model: Swarm, *, quick: int, full: int, **options: Any) -> SharesResult:
        """Simulated swarms, from a seed of their own."""
        run = self.simulators()[0]
        return run(model, n_trials=self.size(quick, full), rng=self._next_seed(), **options)

    def learner(self, model: Learner, *, quick: int, full: int, **options: Any) -> SharesResult:
        """Simulated learners, from a seed of their own."""
        run = self.simulators()[1]
        return run(model, n_trials=self.size(quick, full), rng=self._next_seed(), **options)

    def _next_seed(self) -> Seed:
        self._runs += 1
        return resolve_seed(self.generator(self._runs))

    def simulate(
        self, model: DebateModel, n_rounds: int, *, quick: int = 100_000, full: int = 2_000_000, keep: str = "summary"
    ) -> DebateResult:
        """Simulated debates, from a seed of their own."""
        seed = self._next_seed()
        return self.system.simulate(model, n_trials=self.size(quick, full), n_rounds=n_rounds, rng=seed, keep=keep)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One number found beside the number expected.

    Attributes
    ----------
    label : what it is
    found, expected : the two numbers
    standard_error : of `found`; 0 for exact computations
    tolerance : largest difference that still counts as agreement; None for the claim's own
    relation : ``"equal"``, or whether `found` may at most, or must at least, be `expected`
    """

    label: str
    found: float
    expected: float
    standard_error: float = 0.0
    tolerance: float | None = None
    relation: Literal["equal", "at most", "at least"] = "equal"

    @classmethod
    def of_estimate(cls, label: str, estimate: Estimate, expected: float, **options: Any) -> Comparison:
        """From a simulated estimate."""
        error = estimate.standard_error or 0.0
        return cls(label=label, found=estimate.value, expected=float(expected), standard_error=error, **options)

    @property
    def difference(self) -> float:
        """Found minus expected; 0 where an inequality is respected."""
        gap = self.found - self.expected
        if self.relation == "at most":
            return max(0.0, gap)
        return min(0.0, gap) if self.relation == "at least" else gap

    @property
    def pvalue(self) -> float | None:
        """Two-sided, of no difference; None for exact numbers."""
        if self.standard_error == 0:
            return None
        return math.erfc(abs(self.difference) / self.standard_error / math.sqrt(2))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult(Printed):
    """What trying a claim came to.

    Attributes
    ----------
    name : of the claim
    verdict : ``"fails"`` (a difference that chance or rounding does not explain), ``"holds"`` (every difference lies within the tolerance,
        its interval included), else ``"inconclusive"``
    effect : the difference nearest to, or farthest beyond, its tolerance
    interval : its interval; all intervals of the result hold together with probability .999
    tolerance : its tolerance
    pvalue : of no difference anywhere (Bonferroni over the simulated comparisons); None where nothing was simulated
    comparisons : every number
    suite : ``"quick"`` or ``"full"``
    seed : of the simulations
    """

    name: str
    verdict: Verdict
    effect: float
    interval: Interval
    tolerance: float
    pvalue: float | None
    comparisons: tuple[Comparison, ...]
    suite: Suite
    seed: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form, without the single comparisons."""
        return {
            "name": self.name,
            "verdict": self.verdict,
            "effect": self.effect,
            "interval": [self.interval.low, self.interval.high],
            "tolerance": self.tolerance,
            "pvalue": self.pvalue,
            "comparisons": len(self.comparisons),
            "suite": self.suite,
            "seed": self.seed,
        }

    def __str__(self) -> str:
        chance = "exact" if self.pvalue is None else f"p = {self.pvalue:.2g}"
        return (
            f"{self.name}: {self.verdict} ({len(self.comparisons)} comparisons, largest difference {self.effect:+.2g} "
            f"[{self.interval.low:+.2g}, {self.interval.high:+.2g}], tolerance {self.tolerance:.2g}, {chance})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement of the theory that can be tried.

    Attributes
    ----------
    name : short, for the command line
    statement : what is claimed
    assumptions : what it needs
    source : where it comes from
    truth : what it is held against
    tolerance : largest difference that counts as agreement
    measure : takes a `Lab`, gives the comparisons
    """

    name: str
    statement: str
    assumptions: str
    source: str
    truth: str
    tolerance: float
    measure: Callable[[Lab], Iterable[Comparison]]

    def run(self, suite: Suite = "quick", *, rng: RNG = None, system: System | None = None) -> ClaimResult:
        """Try the claim.

        Parameters
        ----------
        suite
            ``"quick"`` or ``"full"``: how much is simulated.
        rng
            Seeds the simulations; None takes a fixed seed, so that verdicts can be repeated.
        system
            What is tried; by default this package's simulator and theory.
        """
        if suite not in ("quick", "full"):
            raise ValueError(f"suite must be 'quick' or 'full', got {suite!r}")
        seed = resolve_seed(_DEFAULT_SEED if rng is None else rng)
        lab = Lab(system=system or System.real(), suite=suite, seed=seed, stream=zlib.crc32(self.name.encode()))
        return self._judged(tuple(self.measure(lab)), suite, seed)

    def _judged(self, comparisons: tuple[Comparison, ...], suite: Suite, seed: Seed) -> ClaimResult:
        if not comparisons:
            raise ValueError(f"the claim {self.name!r} compared nothing")
        simulated = [one for one in comparisons if one.standard_error > 0]
        reach = NormalDist().inv_cdf(1 - _OUTSIDE / (2 * max(1, len(simulated))))

        def tolerance(one: Comparison) -> float:
            return self.tolerance if one.tolerance is None else one.tolerance

        def farthest(one: Comparison) -> float:
            return abs(one.difference) + reach * one.standard_error

        pvalues = [one.pvalue for one in simulated if one.pvalue is not None]
        pvalue = min(1.0, len(simulated) * min(pvalues)) if pvalues else None
        wrong = [one for one in comparisons if one.standard_error == 0 and not abs(one.difference) <= tolerance(one)]
        if wrong or (pvalue is not None and pvalue < FALSE_ALARM):
            verdict: Verdict = "fails"
        elif all(farthest(one) <= tolerance(one) for one in comparisons):
            verdict = "holds"
        else:
            verdict = "inconclusive"
        worst = max(comparisons, key=lambda one: farthest(one) / tolerance(one))
        half = reach * worst.standard_error
        return ClaimResult(
            name=self.name,
            verdict=verdict,
            effect=worst.difference,
            interval=Interval(worst.difference - half, worst.difference + half),
            tolerance=tolerance(worst),
            pvalue=pvalue,
            comparisons=comparisons,
            suite=suite,
            seed=seed.hex,
        )

    def draw(self, result: ClaimResult, axes: Axes) -> None:
        """Draw every difference with its interval, and the tolerance, on given axes."""
        from madsim.verify.claims._figure import draw_claim

        draw_claim(self, result, axes)
