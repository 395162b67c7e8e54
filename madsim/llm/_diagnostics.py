"""What a run of debates shows beside its answers: who moved, how alike the errors are, what it cost, and what a vote would have done."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.canonical import to_jsonable
from madsim._core.estimate import Estimate
from madsim.llm._context_growth import ContextGrowth, context_growth
from madsim.protocols import protocol_from_dict
from madsim.transcripts import (
    Flips,
    Run,
    State,
    Votes,
    accuracy_by_round,
    disagreement_by_round,
    entropy_by_round,
    flips,
    unparsed_by_round,
    vote_by_round,
    votes_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoChamber:
    """How far the errors of round 0 go together.

    Attributes
    ----------
    correlation : mean correlation of being wrong over pairs of agents, 0 for independent errors; None where nobody varies
    effective_voters : number of independent voters whose mean would vary as much, ``N / (1 + (N - 1) * correlation)``; None where
        errors cancel so well that no number of independent voters would do
    """

    correlation: float | None
    effective_voters: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """How often an agent took over the majority answer of those it heard, against the share of them that held it.

    Attributes
    ----------
    chances : agents and rounds in which a majority of those heard held another answer than the agent's own
    adopted : share that took it over
    linear : share that a linear law (adopt with the share heard, own answer counted once) would give
    """

    chances: int
    adopted: float | None
    linear: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """See the fields; estimates carry their standard error by question.

    Attributes
    ----------
    accuracy, vote : by round; the accuracy of round 0 is that of a single agent, the vote of round 0 the plain vote
    unparsed, disagreement, entropy : by round
    flips : first round to last round, all 0 where there is only one
    collapsed, corrected : debates whose vote went from right to wrong, and from wrong to right
    echo_chamber, adoption : see there
    matched_vote : accuracy of a plain vote with as many calls as the debates had, from a control run, or None
    input_tokens, output_tokens : by round, debaters alone; None where they were not reported
    growth : input tokens of the last round over those of round 0
    context : tokens read beyond the question by round, beside N * k * t * l
    helper_tokens : tokens of moderators, summarisers, judges and ballots, by role
    coordination : share of all tokens that was spent after round 0 and on those helpers
    judge_agrees : share of judged debates in which judge and vote agree, None without a judge
    """

    accuracy: tuple[Estimate, ...]
    vote: tuple[Estimate, ...]
    unparsed: tuple[float, ...]
    disagreement: tuple[Estimate, ...]
    entropy: tuple[Estimate, ...]
    flips: Flips
    collapsed: int
    corrected: int
    echo_chamber: EchoChamber
    adoption: Adoption
    matched_vote: Estimate | None
    input_tokens: tuple[int, ...] | None
    output_tokens: tuple[int, ...] | None
    growth: float | None
    context: ContextGrowth
    helper_tokens: dict[str, int]
    coordination: float | None
    judge_agrees: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        return to_jsonable({**plain, "flips": self.flips.to_dict()})


def diagnose(run: Run, *, vote_control: Run | None = None) -> Diagnostics:
    """The diagnostics of a run.

    Parameters
    ----------
    run
        debates, with targets
    vote_control
        a run of the control ``"vote"`` on the same questions: the plain vote with as many calls as the debates

    Raises
    ------
    ValueError
        If no sample has a target.
    """
    votes = votes_of(run)
    right_first, right_last = _vote_right(votes, 0), _vote_right(votes, votes.n_rounds)
    helpers = _helper_tokens(run)
    read, written = _tokens(run, "input", votes.n_rounds), _tokens(run, "output", votes.n_rounds)
    outcomes = [one.outcome for one in run.transcripts if one.outcome is not None]
    judged = [bool(one["details"]["agrees_with_vote"]) for one in outcomes if _was_judged(one)]
    return Diagnostics(
        accuracy=accuracy_by_round(votes),
        vote=vote_by_round(votes),
        unparsed=unparsed_by_round(votes),
        disagreement=disagreement_by_round(votes),
        entropy=entropy_by_round(votes),
        flips=flips(votes, first=0, last=votes.n_rounds)
        if votes.n_rounds
        else Flips(**dict.fromkeys(Flips.__slots__, 0)),
        collapsed=int((right_first & ~right_last).sum()),
        corrected=int((~right_first & right_last).sum()),
        echo_chamber=echo_chamber(votes),
        adoption=adoption(votes, run.protocol),
        matched_vote=None if vote_control is None else vote_by_round(votes_of(vote_control))[0],
        input_tokens=read,
        output_tokens=written,
        growth=read[-1] / read[0] if read and read[0] and len(read) > 1 else None,
        context=context_growth(run),
        helper_tokens=helpers,
        coordination=_coordination(read, written, sum(helpers.values())),
        judge_agrees=Estimate.of_mean(sum(judged), sum(judged), len(judged)) if judged else None,
    )


def echo_chamber(votes: Votes) -> EchoChamber:
    """Pairwise correlation of the errors of round 0, over samples with a target; an unparsed reply is an error."""
    wrong = (votes.answers[:, 0, :] != 0).astype(np.float64)[votes.has_target]
    asked = (votes.state[:, 0, :] != State.NOT_ASKED)[votes.has_target]
    n = votes.n_agents
    found = []
    for i in range(n):
        for j in range(i + 1, n):
            both = asked[:, i] & asked[:, j]
            a, b = wrong[both, i], wrong[both, j]
            if len(a) > 1 and a.std() > 0 and b.std() > 0:
                found.append(float(np.corrcoef(a, b)[0, 1]))
    if not found:
        return EchoChamber(correlation=None, effective_voters=None)
    mean = float(np.mean(found))
    spread = 1 + (n - 1) * mean
    return EchoChamber(correlation=mean, effective_voters=n / spread if spread > 0 else None)


def adoption(votes: Votes, protocol: dict[str, Any] | None = None) -> Adoption:
    """How often the majority heard was adopted; without a protocol everybody is taken to hear everybody."""
    known = None if protocol is None else protocol_from_dict(protocol)
    chances, adopted, linear = 0, 0, 0.0
    for round in range(1, votes.n_rounds + 1):
        graph = None if known is None else known.graph(votes.n_agents, round)
        for agent in range(votes.n_agents):
            heard = [j for j in range(votes.n_agents) if j != agent] if graph is None else graph.hears(agent).tolist()
            if not heard:
                continue
            mine, after = votes.answers[:, round - 1, agent], votes.answers[:, round, agent]
            peers = votes.answers[:, round - 1, :][:, heard]
            for own, then, others in zip(mine, after, peers, strict=True):
                counts = np.bincount(others[others >= 0]) if (others >= 0).any() else np.zeros(1, dtype=np.int64)
                top = int(counts.argmax())
                if own < 0 or then < 0 or top == own or 2 * counts[top] <= len(heard):
                    continue
                chances += 1
                adopted += int(then == top)
                linear += float(counts[top]) / (len(heard) + 1)
    if not chances:
        return Adoption(chances=0, adopted=None, linear=None)
    return Adoption(chances=chances, adopted=adopted / chances, linear=linear / chances)


def _vote_right(votes: Votes, round: int) -> NDArray[np.bool_]:
    """Whether the target alone has most votes, by sample with a target."""
    answers = votes.answers[votes.has_target, round, :]
    most = int(answers.max(initial=0)) + 1
    counts = np.stack([(answers == k).sum(axis=1) for k in range(most)], axis=1)
    others = counts[:, 1:].max(axis=1, initial=0)
    return np.asarray(counts[:, 0] > others, dtype=np.bool_)


def _tokens(run: Run, kind: str, n_rounds: int) -> tuple[int, ...] | None:
    totals = [0] * (n_rounds + 1)
    known = False
    for one in run.transcripts:
        for reply in one.replies:
            if reply.usage is not None and kind in reply.usage:
                totals[reply.round] += int(reply.usage[kind])
                known = True
    return tuple(totals) if known else None


def _helper_tokens(run: Run) -> dict[str, int]:
    totals: dict[str, int] = {}
    for one in run.transcripts:
        for role, usage in ((one.outcome or {}).get("usage_by_role") or {}).items():
            if role not in ("debater", "inner_debater") and isinstance(usage, dict):
                totals[role] = totals.get(role, 0) + int(usage.get("input") or 0) + int(usage.get("output") or 0)
    return totals


def _coordination(read: tuple[int, ...] | None, written: tuple[int, ...] | None, helpers: int) -> float | None:
    if read is None or written is None or not sum(read) + sum(written):
        return None
    return (sum(read[1:]) + sum(written[1:]) + helpers) / (sum(read) + sum(written) + helpers)


def _was_judged(outcome: dict[str, Any]) -> bool:
    return outcome.get("method") == "judge" and "agrees_with_vote" in (outcome.get("details") or {})
