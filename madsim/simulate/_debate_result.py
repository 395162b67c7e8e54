"""What simulated debates came to, with the uncertainty of every number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.estimate import Estimate
from madsim._core.provenance import Provenance
from madsim._core.rng import Seed
from madsim.models import DebateModel
from madsim.protocols import OneAgent
from madsim.simulate._debate_plan import DebatePlan, counts_order, order_matters
from madsim.simulate._method import Method
from madsim.simulate._totals import UNIT, Totals, mean_and_sd
from madsim.transcripts import Votes

if TYPE_CHECKING:
    import pandas
    import xarray

Ties = Literal["first", "random", "fail"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DebateResult:
    """Simulated debates, summed up by round.

    Attributes
    ----------
    model : what was simulated
    n_trials : number of debates
    n_rounds : rounds after round 0
    belief_mean, belief_sd : float64 (round, agent); mean and standard deviation over trials of the belief in the target with which an
        agent answers in a round
    method : which kernel ran, and why
    seed : the seed really used
    totals : the integer sums behind every number
    votes : every vote, where they were kept; one sample a trial
    provenance : what is needed to make the result again
    """

    model: DebateModel
    n_trials: int
    n_rounds: int
    belief_mean: NDArray[np.float64]
    belief_sd: NDArray[np.float64]
    method: Method
    seed: Seed
    totals: Totals
    votes: Votes | None
    provenance: Provenance

    @property
    def belief(self) -> tuple[tuple[Estimate, ...], ...]:
        """Mean belief in the target with its standard error, by round and agent."""
        error = math.sqrt(self.n_trials)
        return tuple(
            tuple(
                Estimate(
                    value=float(m), standard_error=float(s) / error if self.n_trials > 1 else None, n=self.n_trials
                )
                for m, s in zip(means, sds, strict=True)
            )
            for means, sds in zip(self.belief_mean, self.belief_sd, strict=True)
        )

    @property
    def share(self) -> tuple[Estimate, ...]:
        """Share of agents that are right, by round."""
        n = self.model.n_agents
        return tuple(
            Estimate.of_mean(int(total) / n, int(squares) / n**2, self.n_trials) for total, squares in self.totals.share
        )

    @property
    def vote_accuracy(self) -> tuple[Estimate, ...]:
        """How often the panel's answer is right, by round, under the protocol's reduction.

        Random ties count with their expected value; under `OneAgent` the answer is that agent's. Reductions that read texts (a judge, the
        longest reply) do not exist for simulated agents; the vote with random ties stands in for them.
        """
        reduction = self.model.protocol.reduction
        if isinstance(reduction, OneAgent):
            return self.accuracy_of(reduction.agent)
        return self.vote(getattr(reduction, "ties", "random"))

    @property
    def disagreement(self) -> tuple[Estimate, ...]:
        """Share of pairs of agents whose answers differ, by round; 0 for a single agent."""
        return tuple(
            Estimate.of_mean(int(total) * UNIT, int(squares) * UNIT, self.n_trials)
            for total, squares in self.totals.spread
        )

    def vote(self, ties: Ties) -> tuple[Estimate, ...]:
        """How often the target has the most votes, by round, under a rule for ties.

        Raises
        ------
        ValueError
            For ``"first"`` where the protocol does not ask for it and agents differ: who came first was not looked at.
        """
        if ties not in ("first", "random", "fail"):
            raise ValueError(f"ties must be 'first', 'random' or 'fail', got {ties!r}")
        wins, n = self.totals.wins, self.n_trials
        if ties == "first" and order_matters(self.model):
            if not counts_order(self.model):
                raise ValueError(
                    "ties='first' depends on the order of unlike agents, which was not looked at; "
                    "simulate with Majority(ties='first') as the reduction"
                )
            return tuple(Estimate.of_mean(int(won), int(won), n) for won in wins[:, -1])
        if ties == "fail":
            return tuple(Estimate.of_mean(int(won), int(won), n) for won in wins[:, 0])
        among = np.arange(1, self.model.n_answers + 1)
        return tuple(
            Estimate.of_mean(float((row / among).sum()), float((row / among**2).sum()), n) for row in wins[:, :-1]
        )

    def accuracy_of(self, agent: int) -> tuple[Estimate, ...]:
        """How often one agent is right, by round; with a star graph and its hub, the accuracy of a centralised debate.

        Where the kernel counts no single agent's answers (the lanes), the agent's mean belief stands for it, which has the same
        expectation and less noise: in the plain model an agent is right with the probability that it believes.
        """
        agent = as_count(agent, name="agent", maximum=self.model.n_agents - 1)
        if self.totals.right.shape[1] == 0:
            return tuple(row[agent] for row in self.belief)
        return tuple(Estimate.of_mean(int(right), int(right), self.n_trials) for right in self.totals.right[:, agent])

    def save(self, path: str | Path) -> Path:
        """Write everything to one ``.npz`` file; `madsim.simulate.load_result` reads it back."""
        from madsim.simulate._store import save_result

        return save_result(self, path)

    def __str__(self) -> str:
        lines = [f"{self.n_trials} debates of {self.model.n_agents} agents, {self.n_rounds} rounds ({self.method})"]
        lines.append("round  mean belief  share right            vote right             disagreement")
        rows = zip(self.belief_mean.mean(axis=1), self.share, self.vote_accuracy, self.disagreement, strict=True)
        for step, (belief, share, vote, apart) in enumerate(rows):
            cells = (f"{e.value:.4f} +- {e.standard_error or 0:.4f}" for e in (share, vote, apart))
            lines.append(f"{step:5d}  {belief:11.4f}  " + "       ".join(cells))
        return "\n".join(lines)

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a round: mean belief, and share right, vote and disagreement with their standard errors.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe, finite

        scores = {"share": self.share, "vote": self.vote_accuracy, "disagreement": self.disagreement}
        columns: dict[str, object] = {
            "round": np.arange(self.n_rounds + 1),
            "belief": self.belief_mean.mean(axis=1),
        }
        for name, found in scores.items():
            columns[name] = [one.value for one in found]
            columns[f"{name}_error"] = [finite(one.standard_error) for one in found]
        return dataframe(columns)

    def to_xarray(self) -> xarray.Dataset:
        """Beliefs by round and agent, and share right, vote and disagreement by round, each with its standard error.

        Raises
        ------
        ImportError
            If xarray is not installed.
        """
        from madsim._core.tables import dataset, finite

        both, one = ("round", "agent"), ("round",)
        variables: dict[str, tuple[tuple[str, ...], NDArray[np.float64]]] = {
            "belief_mean": (both, self.belief_mean),
            "belief_sd": (both, self.belief_sd),
        }
        for name, found in (("share", self.share), ("vote", self.vote_accuracy), ("disagreement", self.disagreement)):
            variables[name] = (one, np.array([estimate.value for estimate in found]))
            variables[f"{name}_error"] = (one, np.array([finite(estimate.standard_error) for estimate in found]))
        places = {"round": np.arange(self.n_rounds + 1), "agent": np.arange(self.model.n_agents)}
        return dataset(variables, places, n_trials=self.n_trials, method=self.method)

    def _repr_html_(self) -> str:
        """What a notebook shows: beliefs, shares, vote and disagreement by round."""
        from madsim._core.html import table

        beliefs = self.belief_mean.mean(axis=1)
        rows = [
            [step, f"{belief:.4f}", *(f"{one.value:.4f} ± {one.standard_error or 0:.4f}" for one in scores)]
            for step, (belief, *scores) in enumerate(
                zip(beliefs, self.share, self.vote_accuracy, self.disagreement, strict=True)
            )
        ]
        caption = f"{self.n_trials} debates of {self.model.n_agents} agents (± one standard error)"
        return table(["round", "mean belief", "share right", "vote right", "disagreement"], rows, caption=caption)


def result_of(
    plan: DebatePlan,
    totals: Totals,
    *,
    model: DebateModel,
    n_trials: int,
    n_rounds: int,
    seed: Seed,
    votes: Votes | None,
    provenance: Provenance,
) -> DebateResult:
    """A result from the totals of a plan."""
    for array in (totals.belief, totals.right, totals.share, totals.wins, totals.spread):
        array.setflags(write=False)
    mean, sd = mean_and_sd(totals.belief[..., 0], totals.belief[..., 1], n_trials, plan.unit)
    return DebateResult(
        model=model,
        n_trials=n_trials,
        n_rounds=n_rounds,
        belief_mean=readonly(plan.offset + plan.slope * mean),
        belief_sd=readonly(plan.slope * sd),
        method=plan.method,
        seed=seed,
        totals=totals,
        votes=votes,
        provenance=provenance,
    )
