"""Values of a debate by round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from madsim._core.arrays import as_count
from madsim._core.estimate import Estimate
from madsim._core.rng import RNG
from madsim.evaluate._choice import Way, check_way, exact_values
from madsim.models import DebateModel
from madsim.simulate import DebateResult, Method, simulate_debate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DebateValues:
    """What a debate comes to, round by round, round 0 first.

    Attributes
    ----------
    model : what was evaluated
    mean_belief : mean belief in the target over agents
    share : share of agents that are right
    vote : chance that the panel's answer is right
    disagreement : chance that two agents answer differently
    methods : by quantity, what computed it, why, and how exact it is
    simulated : the simulation that gave the quantities that theory does not have; None where theory has all
    """

    model: DebateModel
    mean_belief: tuple[Estimate, ...]
    share: tuple[Estimate, ...]
    vote: tuple[Estimate, ...]
    disagreement: tuple[Estimate, ...]
    methods: Mapping[str, Method]
    simulated: DebateResult | None

    def __str__(self) -> str:
        columns = ("mean_belief", "share", "vote", "disagreement")
        lines = ["round  " + "  ".join(f"{name.replace('_', ' '):<24}" for name in columns)]
        for step, row in enumerate(zip(*(getattr(self, name) for name in columns), strict=True)):
            cells = (
                f"{e.value:.4f} exact" if e.exact else f"{e.value:.4f} +- {e.standard_error or 0:.4f}" for e in row
            )
            lines.append(f"{step:5d}  " + "  ".join(f"{cell:<24}" for cell in cells))
        lines += [f"{name.replace('_', ' ')}: {method}" for name, method in self.methods.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows: every quantity by round, and how it was computed."""
        from madsim._core.html import table

        columns = ("mean_belief", "share", "vote", "disagreement")
        rows = [
            [step, *(f"{e.value:.4f}" if e.exact else f"{e.value:.4f} ± {e.standard_error or 0:.4f}" for e in row)]
            for step, row in enumerate(zip(*(getattr(self, name) for name in columns), strict=True))
        ]
        caption = "; ".join(f"{name.replace('_', ' ')}: {method.name}" for name, method in self.methods.items())
        return table(["round", *(name.replace("_", " ") for name in columns)], rows, caption=caption)


def debate_values(
    model: DebateModel,
    n_rounds: int | None = None,
    *,
    method: Way = "auto",
    n_trials: int = 100_000,
    rng: RNG = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> DebateValues:
    """Belief, share, vote and disagreement by round: exact where theory has them within about a second, simulated where not.

    Parameters
    ----------
    model : what to evaluate
    n_rounds : rounds after round 0; by default those of the model's protocol
    method : ``"auto"``; ``"exact"`` refuses what has no exact value; ``"simulated"`` uses no theory
    n_trials, rng, threads, progress : of the simulation, where one is needed

    Raises
    ------
    ValueError
        With ``method="exact"``, if theory does not have a quantity; the message says why.

    Examples
    --------
    >>> values = debate_values(DebateModel.homogeneous(n_agents=5, belief=0.7, mass=2.0), 1)
    >>> [round(estimate.value, 4) for estimate in values.vote], values.simulated is None
    ([0.8369, 0.7923], True)
    """
    check_way(method)
    if not isinstance(model, DebateModel):
        raise TypeError(f"model must be a DebateModel, got {type(model).__name__}")
    rounds = model.protocol.rounds if n_rounds is None else as_count(n_rounds, name="n_rounds")
    values, methods, refused = exact_values(_routes(model, rounds), method)
    found: dict[str, tuple[Estimate, ...]] = {
        quantity: tuple(Estimate.of_exact(value) for value in series) for quantity, series in values.items()
    }
    result = None
    if refused:
        result = simulate_debate(model, n_trials=n_trials, n_rounds=rounds, rng=rng, threads=threads, progress=progress)
        for quantity in refused:
            found[quantity] = _simulated(result, quantity)
            methods[quantity] = result.method
    return DebateValues(model=model, methods=MappingProxyType(methods), simulated=result, **found)


def _routes(model: DebateModel, rounds: int) -> dict[str, dict[str, Callable[[], Any]]]:
    from madsim import theory

    def moments() -> Any:
        return theory.debate_moments(model, rounds).pooled_mean

    def panel(name: str) -> Callable[[], Any]:
        def compute() -> Any:
            values = getattr(theory.panel_by_round(model, rounds), name)
            return values[:, 0] if values.ndim == 2 else values

        return compute

    counts = "recursion over the counts of a panel"
    return {
        "mean_belief": {"recursion of moments": moments},
        "share": {"recursion of moments": moments, counts: panel("share")},
        "vote": {
            "dynamic programming or enumeration": lambda: theory.vote_by_round(model, rounds),
            counts: panel("vote"),
        },
        "disagreement": {"recursion of moments": lambda: theory.disagreement(model, rounds)},
    }


def _simulated(result: DebateResult, quantity: str) -> tuple[Estimate, ...]:
    if quantity == "share":
        return result.share
    if quantity == "vote":
        return result.vote_accuracy
    if quantity == "disagreement":
        return result.disagreement
    means, errors = result.belief_mean.mean(axis=1), np.sqrt((result.belief_sd**2).mean(axis=1) / result.n_trials)
    # at most that: agents of one trial may move together, so that their number does not divide the variance
    return tuple(
        Estimate(value=float(m), standard_error=float(e) if result.n_trials > 1 else None, n=result.n_trials)
        for m, e in zip(means, errors, strict=True)
    )
