"""How a debate ended and how its answer was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from madsim.llm._request import Usage

Status = Literal[
    "converged",
    "resolved",
    "max_rounds",
    "no_progress",
    "budget",
    "below_quorum",
    "degraded",
    "paused",
    "cancelled",
    "failed",
]
Method = Literal[
    "agreement",
    "majority",
    "majority_fallback",
    "judge",
    "weighted",
    "ranked",
    "approval",
    "longest",
    "one_agent",
    "consensus",
    "document",
    "custom",
    "none",
]
STATUSES: tuple[str, ...] = get_args(Status)
METHODS: tuple[str, ...] = get_args(Method)
UNFINISHED: frozenset[str] = frozenset({"budget", "paused"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An answer and how it came about, before the debate around it is described.

    Attributes
    ----------
    answer : None where there is none
    method : how it was chosen
    votes : agents behind it
    tie : whether another answer had as much behind it
    counts : votes (or weights) by answer
    abstentions : agents that replied without an answer
    round : the round whose answers it comes from
    agent : place in the panel of the reply that represents it, None where there is none
    details : what a judge, a ballot or a consensus left behind
    """

    answer: str | None
    method: Method
    votes: int = 0
    tie: bool = False
    counts: Mapping[str, float] = field(default_factory=dict)
    abstentions: int = 0
    round: int | None = None
    agent: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The typed end of one debate.

    Attributes
    ----------
    sample, epoch : which debate
    status : why it stopped, one of `STATUSES`
    decision : the answer and how it was chosen
    correct : whether the answer is the target's; False without an answer, None without a target
    rounds : the last round that was begun, None where none was
    failed : (name, round, code) of every reply that did not come
    calls, usage, cost : of this debate; calls are those that may be billed
    usage_by_role : tokens of debaters, and of those who coordinate them: moderator, summariser, judge, ballots
    reason : more about the status, where there is more to say
    """

    sample: str
    epoch: int
    status: Status
    decision: Decision
    correct: bool | None
    rounds: int | None
    failed: tuple[tuple[str, int, str], ...] = ()
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    usage_by_role: Mapping[str, Usage] = field(default_factory=dict)
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The ``outcome`` line of a record."""
        decision = self.decision
        plain: dict[str, Any] = {
            "sample": self.sample,
            "epoch": self.epoch,
            "status": self.status,
            "method": decision.method,
            "answer": decision.answer,
            "correct": self.correct,
            "tie": decision.tie,
            "votes": decision.votes,
            "counts": dict(decision.counts),
            "abstentions": decision.abstentions,
            "answer_from_round": decision.round,
            "agent": decision.agent,
            "stopped_after_round": self.rounds,
            "failed": [list(one) for one in self.failed],
            "calls": self.calls,
            "usage": self.usage.to_dict(),
            "cost": self.cost,
        }
        if set(self.usage_by_role) - {"debater"}:
            plain["usage_by_role"] = {role: usage.to_dict() for role, usage in self.usage_by_role.items()}
        if decision.details:
            plain["details"] = dict(decision.details)
        if self.reason is not None:
            plain["reason"] = self.reason
        return plain
