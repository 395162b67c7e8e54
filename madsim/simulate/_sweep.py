"""Many models, many trials: what is to be simulated, described before anything runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, Literal, TypeAlias

from madsim._core.arrays import as_count
from madsim._core.canonical import canonical_json, to_jsonable
from madsim._core.rng import RNG, Seed, resolve_seed
from madsim.models import CrossInhibition, DebateModel, Learner, Swarm
from madsim.simulate._block_file import MOST_BYTES
from madsim.simulate._debate import check_size
from madsim.simulate._debate_plan import plan_debate
from madsim.simulate._executors import Block
from madsim.simulate._learner import check_method
from madsim.simulate._swarm import check_keep, record_times
from madsim.simulate._swarm_plan import plan_swarm
from madsim.simulate._sweep_work import Work, work_of
from madsim.simulate._totals import most_trials

Model: TypeAlias = DebateModel | Swarm | Learner
Times: TypeAlias = "Sequence[int] | Callable[[Any], Sequence[int]]"

_MOST_POINTS = 100_000
_UPDATES_A_BLOCK = 100_000_000
_LANES = 256
_MOST_LEARNERS = 2**30
_MOST_IN_BLOCK = 2**20
_BYTES_A_BLOCK = 2**27  # kept by trial


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One model of a sweep, and the values that tell it from the others."""

    values: Mapping[str, Any]
    model: Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Models by parameter values, each simulated in `n_trials` trials; :func:`simulate_sweep` runs it anywhere.

    Made by :meth:`grid` or :meth:`of`. Every point's result is what the plain verb gives for that model and the point's seed, bit for bit.

    Attributes
    ----------
    points : the models, all debates, all swarms, or all learners
    n_trials : trials of every point
    n_rounds : rounds after round 0 of debates; None takes those of each model's protocol
    times : steps at which swarms and learners are recorded: whole numbers, or a function that gives them for a model
    keep, method : as for the plain verb
    seed : of the whole sweep
    streams : ``"common"``: every point uses `seed` itself, so that points differ by their parameters more than by chance (common random
        numbers; their errors are not independent). ``"independent"``: every point has its own seed, made from `seed` and its values, so
        that more points change nothing for the others
    block : trials in one piece of work; by default about a tenth of a second of it. No number depends on it
    """

    points: tuple[SweepPoint, ...]
    n_trials: int
    n_rounds: int | None = None
    times: Times | None = None
    keep: Literal["summary", "votes", "paths"] = "summary"
    method: str = "auto"
    seed: Seed = field(default_factory=resolve_seed)
    streams: Literal["common", "independent"] = "common"
    block: int | None = None

    @classmethod
    def grid(
        cls,
        make: Callable[..., Model],
        parameters: Mapping[str, Sequence[Any] | Mapping[str, Any]],
        *,
        n_trials: int,
        rng: RNG = None,
        **options: Any,
    ) -> Sweep:
        """Every combination of parameter values, the last parameter changing fastest.

        Parameters
        ----------
        make : ``make(**values)`` gives the model of one combination
        parameters : the values of every parameter by name; a mapping names values that have no short plain form (graphs, protocols)
        n_trials, options : fields of the sweep
        rng : None, an integer, a generator, or a `Seed`

        Examples
        --------
        >>> from madsim.models import DebateModel
        >>> sweep = Sweep.grid(
        ...     DebateModel.homogeneous, {"belief": [0.6, 0.7], "n_agents": [3, 5]}, n_trials=1000, rng=1
        ... )
        >>> [dict(point.values) for point in sweep.points][:2]
        [{'belief': 0.6, 'n_agents': 3}, {'belief': 0.6, 'n_agents': 5}]
        """
        if not callable(make):
            raise TypeError(
                f"make must be a function that gives a model, such as DebateModel.homogeneous; got {make!r}"
            )
        if not parameters:
            raise ValueError("a grid needs at least one parameter; for given models use Sweep.of")
        axes = {name: _named(name, values) for name, values in parameters.items()}
        size = prod(len(values) for values in axes.values())
        if size > _MOST_POINTS:
            raise ValueError(f"this grid has {size} points, more than {_MOST_POINTS}; take fewer values a parameter")
        points = []
        for combination in product(*axes.values()):
            labels = dict(zip(axes, (label for label, _ in combination), strict=True))
            model = make(**dict(zip(axes, (value for _, value in combination), strict=True)))
            points.append(SweepPoint(values=labels, model=model))
        return cls(points=tuple(points), n_trials=n_trials, seed=resolve_seed(rng), **options)

    @classmethod
    def of(
        cls, models: Mapping[str, Model], *, n_trials: int, rng: RNG = None, name: str = "model", **options: Any
    ) -> Sweep:
        """Given models by label; `name` is what the labels are values of."""
        points = tuple(SweepPoint(values={name: label}, model=model) for label, model in models.items())
        return cls(points=points, n_trials=n_trials, seed=resolve_seed(rng), **options)

    def __post_init__(self) -> None:
        if not 1 <= len(self.points) <= _MOST_POINTS:
            raise ValueError(f"a sweep has 1 to {_MOST_POINTS} points, got {len(self.points)}")
        kinds = {_command(point.model) for point in self.points}
        if len(kinds) > 1:
            raise ValueError(f"the models of a sweep are all debates, all swarms or all learners; got {sorted(kinds)}")
        debates = kinds == {"simulate_debate"}
        if debates and self.times is not None:
            raise ValueError("times are for swarms and learners; give n_rounds for debates")
        if not debates and (self.n_rounds is not None or self.times is None):
            raise ValueError("give times, and no n_rounds, for swarms and learners")
        names = {tuple(point.values) for point in self.points}
        labels = [canonical_json(point.values) for point in self.points]
        if len(names) > 1 or len(set(labels)) < len(labels):
            raise ValueError("every point needs values of its own for the same parameters")
        if self.streams not in ("common", "independent"):
            raise ValueError(f"streams must be 'common' or 'independent', got {self.streams!r}")
        if not isinstance(self.seed, Seed):
            raise TypeError(f"seed must be a Seed (give rng= to Sweep.grid or Sweep.of), got {self.seed!r}")
        if self.times is not None and not callable(self.times):
            object.__setattr__(self, "times", tuple(record_times(None, self.times).tolist()))
        if self.block is not None:
            as_count(self.block, name="block", minimum=1, maximum=2**31 - 1)
        as_count(self.n_trials, name="n_trials", minimum=1)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what tells the points apart."""
        return tuple(self.points[0].values)

    def seed_of(self, point: SweepPoint) -> Seed:
        """The seed that the plain verb would need to give the result of this point."""
        if self.streams == "common":
            return self.seed
        text = f"{self.seed.hex} {canonical_json(point.values)}"
        return Seed(int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16], "big"))

    def tasks(self) -> tuple[str, ...]:
        """What every point is to do, as canonical JSON: all that a worker is sent beside the numbers of the trials.

        Raises
        ------
        ValueError
            If a point's model, method or size is one that the plain verb refuses; the message names the point.
        """
        return tuple(self._task(point) for point in self.points)

    def _task(self, point: SweepPoint) -> str:
        model, shared = point.model, {"keep": self.keep, "method": self.method, "seed": self.seed_of(point).hex}
        try:
            if isinstance(model, DebateModel):
                _, n_rounds = check_size(model, self.n_trials, self.n_rounds, self.keep)
                plan_debate(model, n_rounds, method=self.method, keep=self.keep)
                size: dict[str, Any] = {"n_rounds": n_rounds}
            else:
                most = most_trials(model.n_agents) if isinstance(model, Swarm) else _MOST_LEARNERS
                as_count(self.n_trials, name="n_trials", minimum=1, maximum=most)
                times = record_times(None, self.times(model) if callable(self.times) else self.times)
                check_keep(self.keep, self.n_trials, len(times), model.n_options + isinstance(model, CrossInhibition))
                if isinstance(model, Swarm):
                    plan_swarm(model, times, self.method)  # type: ignore[arg-type]
                else:
                    check_method(self.method)
                size = {"times": times.tolist()}
        except (ValueError, TypeError) as error:
            raise type(error)(f"{shown_values(point.values)}: {error}") from error
        return canonical_json({"command": _command(model), "model": model.to_dict(), **size, **shared})

    def blocks(self, tasks: tuple[str, ...]) -> Iterator[Block]:
        """Every piece of work."""
        for number, task in enumerate(tasks):
            size = self.block or _block_size(work_of(task))
            _check_block(work_of(task), min(size, self.n_trials))
            for first in range(0, self.n_trials, size):
                yield Block(number, first, min(size, self.n_trials - first))

    def describe(self, tasks: Iterable[str]) -> dict[str, Any]:
        """What partial results belong to: everything but the number of trials, which may grow, and the size of blocks."""
        from madsim import __version__

        return {
            "version": __version__,
            "seed": self.seed.hex,
            "streams": self.streams,
            "points": [to_jsonable(point.values) for point in self.points],
            "tasks": [hashlib.sha256(task.encode("utf-8", "surrogatepass")).hexdigest() for task in tasks],
        }

    def __repr__(self) -> str:
        kind = _command(self.points[0].model).removeprefix("simulate_")
        return f"<Sweep: {len(self.points)} {kind} models by {', '.join(self.parameters)}, {self.n_trials} trials each>"


def shown_values(values: Mapping[str, Any]) -> str:
    """``belief=0.7, n_agents=5``."""
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _named(name: str, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, Any]]:
    if isinstance(values, Mapping):
        pairs = list(values.items())
    elif isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"the values of {name} must be a list or a mapping of labels, got {values!r}")
    else:
        try:
            pairs = [(to_jsonable(value), value) for value in values]
        except TypeError as error:
            raise TypeError(
                f"a value of {name} has no plain form ({error}); give a mapping of labels to values"
            ) from error
    if not pairs:
        raise ValueError(f"{name} has no values")
    return pairs


def _command(model: Any) -> str:
    if isinstance(model, DebateModel):
        return "simulate_debate"
    if isinstance(model, Swarm):
        return "simulate_swarm"
    if isinstance(model, Learner):
        return "simulate_learner"
    raise TypeError(f"a sweep holds debates, swarms or learners of madsim.models, got {type(model).__name__}")


def _block_size(work: Work) -> int:
    trials = min(_MOST_IN_BLOCK, _UPDATES_A_BLOCK // max(1, work.updates), _BYTES_A_BLOCK // max(1, _bytes_of(work)))
    return max(1, trials // _LANES * _LANES) if trials >= _LANES else max(1, trials)


def _check_block(work: Work, count: int) -> None:
    if _bytes_of(work) * count > MOST_BYTES // 2:
        raise ValueError(
            f"a block of {count} trials that keep {_bytes_of(work)} bytes each is too large for one file; take a smaller block="
        )


def _bytes_of(work: Work) -> int:
    """What is kept of one trial."""
    return sum(kind.itemsize * prod(shape) for name, (kind, shape) in work.shapes(1).items() if name not in work.totals)
