"""Simulating debates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count
from madsim._core.provenance import provenance
from madsim._core.rng import RNG, Seed, resolve_seed
from madsim.models import DebateModel
from madsim.simulate._backend import Backend
from madsim.simulate._blocks import Progress, run_ranges
from madsim.simulate._debate_plan import DebatePlan, key_of, plan_debate
from madsim.simulate._debate_result import DebateResult, result_of
from madsim.simulate._debate_votes import votes_of_trials
from madsim.simulate._totals import Totals, most_trials

if TYPE_CHECKING:
    from madsim.transcripts import Votes

Keep = Literal["summary", "votes"]
MethodName = Literal["auto", "lanes", "counts", "general"]

_MOST_VOTES = 2**31


def simulate_debate(
    model: DebateModel,
    *,
    n_trials: int,
    n_rounds: int | None = None,
    rng: RNG = None,
    keep: Keep = "summary",
    method: MethodName = "auto",
    backend: Backend = "numba",
    threads: int | None = None,
    progress: Progress | None = None,
) -> DebateResult:
    """Mean beliefs, shares, votes and disagreement by round of many simulated debates.

    Trial r owns a stream made from the seed and r alone: the result does not depend on `threads`, and the first 1000 trials of a longer
    run are the shorter run.

    Parameters
    ----------
    model : what to simulate
    n_trials : number of debates, at least 1
    n_rounds : rounds after round 0; by default those of the model's protocol
    rng : None, an integer, a generator, or a `Seed`
    keep : ``"summary"`` keeps sums only, a few kilobytes for any number of trials; ``"votes"`` keeps every vote too
    method : ``"auto"`` takes the fastest kernel that the model allows; ``"lanes"`` runs many trials side by side, ``"counts"`` whole
        panels of agents who are alike, ``"general"`` every variant trial by trial. They agree in law, not in every trial; the result's
        `method` says which ran, why, and how exact it is
    backend : ``"numba"`` runs kernels on the processors; ``"jax"`` runs simultaneous debates in batches on the device that JAX finds (an
        accelerator, if there is one) with keys made from the same seed. They agree in law, not in any trial
    threads : by default one for every processor that this process may use
    progress : called now and then with (trials done, `n_trials`)

    Raises
    ------
    ValueError
        If the protocol has no graph for one of the rounds or a schedule that simulated agents do not have, or there are more trials
        or votes than can be held.
    """
    n_trials, n_rounds = check_size(model, n_trials, n_rounds, keep)
    seed = resolve_seed(rng)
    plan = plan_debate(model, n_rounds, method=method, keep=keep, backend=backend)
    threads = 1 if backend == "jax" else threads
    totals, answers = run_trials(plan, model, seed, 0, n_trials, n_rounds, keep, threads, progress)
    chosen = {"method": method, "backend": backend}
    return _result(plan, totals, answers, model=model, n_trials=n_trials, n_rounds=n_rounds, seed=seed, chosen=chosen)


def extend(
    result: DebateResult, n_trials: int, *, threads: int | None = None, progress: Progress | None = None
) -> DebateResult:
    """The result with `n_trials` more debates: the same bits as if all had been simulated at once."""
    more = as_count(n_trials, name="n_trials", minimum=1)
    keep: Keep = "summary" if result.votes is None else "votes"
    total, n_rounds = check_size(result.model, result.n_trials + more, result.n_rounds, keep)
    parameters = result.provenance.parameters
    chosen = {"method": parameters["method"], "backend": parameters.get("backend", "numba")}
    plan = plan_debate(result.model, n_rounds, keep=keep, **chosen)
    threads = 1 if chosen["backend"] == "jax" else threads
    totals, answers = run_trials(
        plan, result.model, result.seed, result.n_trials, more, n_rounds, keep, threads, progress
    )
    totals.add(result.totals)
    if result.votes is not None:
        answers = np.concatenate([_as_bytes(result.votes), answers])
    return _result(
        plan, totals, answers, model=result.model, n_trials=total, n_rounds=n_rounds, seed=result.seed, chosen=chosen
    )


def check_size(model: DebateModel, n_trials: int, n_rounds: int | None, keep: str) -> tuple[int, int]:
    """The numbers of trials and rounds, checked against what can be held."""
    if not isinstance(model, DebateModel):
        raise TypeError(f"model must be a DebateModel, got {type(model).__name__}")
    n_trials = as_count(n_trials, name="n_trials", minimum=1, maximum=most_trials(model.n_agents))
    n_rounds = model.protocol.rounds if n_rounds is None else as_count(n_rounds, name="n_rounds")
    if keep not in ("summary", "votes"):
        raise ValueError(f"keep must be 'summary' or 'votes', got {keep!r}")
    n_votes = n_trials * (n_rounds + 1) * model.n_agents
    if keep == "votes" and n_votes > _MOST_VOTES:
        raise ValueError(
            f"{n_votes} votes are too many to keep (at most {_MOST_VOTES}); keep='summary' needs no memory a trial"
        )
    return n_trials, n_rounds


def run_trials(
    plan: DebatePlan,
    model: DebateModel,
    seed: Seed,
    first_trial: int,
    n_trials: int,
    n_rounds: int,
    keep: str,
    threads: int | None,
    progress: Progress | None,
) -> tuple[Totals, NDArray[np.uint8]]:
    """Totals of the trials from `first_trial` on, and their votes, uint8 (trial, round, agent) (of no trial for ``"summary"``)."""
    key = key_of(seed)
    kept = n_trials if keep == "votes" else 0
    votes = np.zeros((kept, n_rounds + 1, model.n_agents), np.uint8)

    def work(totals: Totals, first: int, count: int) -> None:
        plan.run(key, totals, first_trial + first, count, votes[first : first + count] if kept else votes)

    parts = run_ranges(work, plan.new_totals, n_trials=n_trials, grain=plan.grain, threads=threads, progress=progress)
    totals = parts[0]
    for part in parts[1:]:
        totals.add(part)
    return totals, votes


def _result(
    plan: DebatePlan,
    totals: Totals,
    answers: NDArray[np.uint8],
    *,
    model: DebateModel,
    n_trials: int,
    n_rounds: int,
    seed: Seed,
    chosen: dict[str, str],
) -> DebateResult:
    kept = len(answers) > 0
    parameters = {
        "model": model.to_dict(),
        "n_trials": n_trials,
        "n_rounds": n_rounds,
        "keep": "votes" if kept else "summary",
        "method": chosen["method"],
    }
    if chosen["backend"] != "numba":
        parameters["backend"] = chosen["backend"]
    return result_of(
        plan,
        totals,
        model=model,
        n_trials=n_trials,
        n_rounds=n_rounds,
        seed=seed,
        votes=votes_of_trials(model, answers) if kept else None,
        provenance=provenance("simulate_debate", parameters, seed=seed.hex, packages=("numpy", chosen["backend"])),
    )


def _as_bytes(votes: Votes) -> NDArray[np.uint8]:
    return np.where(votes.answers < 0, 255, votes.answers).astype(np.uint8)
