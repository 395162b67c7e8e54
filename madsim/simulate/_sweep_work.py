"""One block of a sweep: plain text in, integers out, the same on every machine."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from madsim._core.rng import Seed
from madsim.models import CrossInhibition, DebateModel, Learner, Swarm, debate_from_dict, population_from_dict
from madsim.simulate._block_file import Shapes, pack
from madsim.simulate._debate import check_size, run_trials, simulate_debate
from madsim.simulate._debate_plan import plan_debate
from madsim.simulate._debate_result import DebateResult, result_of
from madsim.simulate._debate_votes import votes_of_trials
from madsim.simulate._learner import run_learner
from madsim.simulate._shares_result import SharesResult, ShareTotals
from madsim.simulate._swarm import frozen, record_times, run_shares, warnings_of
from madsim.simulate._swarm_plan import plan_swarm
from madsim.simulate._totals import Totals

Arrays = dict[str, NDArray[Any]]

_BY_TRIAL = ("absorbed_at", "winner", "paths", "samples")


class Work(Protocol):
    """The trials of one point of a sweep.

    Attributes
    ----------
    totals : names of the arrays that are added up over blocks; all others are one row a trial
    updates : about how many agents are updated in one trial, to choose the size of blocks
    """

    totals: tuple[str, ...]
    updates: int

    def block(self, first: int, count: int) -> Arrays:
        """Totals and trials of one block."""
        ...

    def shapes(self, count: int) -> Shapes:
        """Type and shape of every array of a block of `count` trials."""
        ...

    def result(self, n_trials: int, arrays: Arrays) -> DebateResult | SharesResult:
        """What the plain verb gives for `n_trials`, from all blocks merged."""
        ...


def work_block(task: str, first: int, count: int) -> bytes:
    """The block's arrays as the bytes of its file."""
    return pack(work_of(task).block(first, count), task=task, first=first, count=count)


@lru_cache(maxsize=16)
def work_of(task: str) -> Work:
    """The work that a task's text describes (see :meth:`madsim.simulate.Sweep.tasks`)."""
    plain = json.loads(task)
    seed = Seed.from_hex(plain["seed"])
    if plain["command"] == "simulate_debate":
        model = debate_from_dict(plain["model"])
        return DebateWork(model, plain["n_rounds"], keep=plain["keep"], method=plain["method"], seed=seed)
    population = population_from_dict(plain["model"])
    times = record_times(None, plain["times"])
    return SharesWork(population, times, keep=plain["keep"], method=plain["method"], seed=seed)


class DebateWork:
    """Debates of one model."""

    def __init__(self, model: DebateModel, n_rounds: int, *, keep: Any, method: Any, seed: Seed) -> None:
        self._model, self._n_rounds, self._keep, self._method, self._seed = model, n_rounds, keep, method, seed
        self._plan = plan_debate(model, n_rounds, method=method, keep=keep)
        self.totals = tuple(field.name for field in fields(Totals))
        self.updates = model.n_agents * (n_rounds + 1)

    def block(self, first: int, count: int) -> Arrays:
        """See :class:`Work`."""
        totals, votes = run_trials(
            self._plan, self._model, self._seed, first, count, self._n_rounds, self._keep, 1, None
        )
        kept = {"votes": votes} if self._keep == "votes" else {}
        return {**{name: getattr(totals, name) for name in self.totals}, **kept}

    def shapes(self, count: int) -> Shapes:
        """See :class:`Work`."""
        empty = self._plan.new_totals()
        found: Shapes = {name: (np.dtype(np.int64), getattr(empty, name).shape) for name in self.totals}
        if self._keep == "votes":
            found["votes"] = (np.dtype(np.uint8), (count, self._n_rounds + 1, self._model.n_agents))
        return found

    def result(self, n_trials: int, arrays: Arrays) -> DebateResult:
        """See :class:`Work`."""
        check_size(self._model, n_trials, self._n_rounds, self._keep)
        one = simulate_debate(
            self._model,
            n_trials=1,
            n_rounds=self._n_rounds,
            rng=self._seed,
            keep=self._keep,
            method=self._method,
            threads=1,
        ).provenance
        return result_of(
            self._plan,
            Totals(**{name: arrays[name] for name in self.totals}),
            model=self._model,
            n_trials=n_trials,
            n_rounds=self._n_rounds,
            seed=self._seed,
            votes=votes_of_trials(self._model, arrays["votes"]) if self._keep == "votes" else None,
            provenance=replace(one, parameters={**one.parameters, "n_trials": n_trials}),
        )


class SharesWork:
    """Swarms or learners of one model."""

    def __init__(self, model: Swarm | Learner, times: NDArray[np.int64], *, keep: str, method: Any, seed: Seed) -> None:
        self._model, self._times, self._keep, self._method, self._seed = model, times, keep, method, seed
        self._swarm = isinstance(model, Swarm)
        self._n_types = model.n_options + isinstance(model, CrossInhibition)
        self.totals = tuple(field.name for field in fields(ShareTotals))
        rounds = type(model).__name__ == "SynchronousVoter"
        self.updates = max(1, int(times[-1])) * (model.n_agents if isinstance(model, Swarm) and rounds else 1)
        one = self._run(1, None, times=np.zeros_like(times))  # no step is taken: only kinds and shapes are looked at
        self._by_trial = tuple(name for name in _BY_TRIAL if getattr(one, name) is not None)
        nothing = {name: getattr(one, name)[:0] for name in self._by_trial}
        self._no_trials = replace(one, n_trials=0, times=times, totals=self._zeros(), **nothing)

    def block(self, first: int, count: int) -> Arrays:
        """See :class:`Work`."""
        found = self._run(first + count, replace(self._no_trials, n_trials=first))
        kept = {name: getattr(found, name) for name in self._by_trial}
        return {**{name: getattr(found.totals, name) for name in self.totals}, **kept}

    def shapes(self, count: int) -> Shapes:
        """See :class:`Work`."""
        zeros = self._zeros()
        found: Shapes = {name: (np.dtype(np.int64), getattr(zeros, name).shape) for name in self.totals}
        for name in self._by_trial:
            one = getattr(self._no_trials, name)
            found[name] = (one.dtype, (count, *one.shape[1:]))
        return found

    def result(self, n_trials: int, arrays: Arrays) -> SharesResult:
        """See :class:`Work`."""
        totals = ShareTotals(**{name: arrays[name] for name in self.totals})
        by_trial = {name: frozen(arrays[name]) for name in self._by_trial}
        merged = replace(self._no_trials, n_trials=n_trials, totals=totals, **by_trial)
        return replace(self._run(n_trials, merged), **by_trial)

    def _run(
        self, n_trials: int, before: SharesResult | None, *, times: NDArray[np.int64] | None = None
    ) -> SharesResult:
        """The trials that `before` lacks, merged with it and summed up by the verb's own code."""
        times = self._times if times is None else times
        shared: dict[str, Any] = {
            "n_trials": n_trials,
            "seed": self._seed,
            "keep": self._keep,
            "method": self._method,
            "threads": 1,
            "progress": None,
            "before": before,
        }
        if not isinstance(self._model, Swarm):
            return run_learner(self._model, times, **shared)
        plan = plan_swarm(self._model, times, self._method)
        return run_shares(plan, self._model, times, notes=warnings_of(self._model), **shared)

    def _zeros(self) -> ShareTotals:
        return ShareTotals.of_nothing(len(self._times), self._n_types)
