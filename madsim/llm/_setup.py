"""What all debates of one run have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from madsim.llm._debater import Debater, check_panel
from madsim.llm._inner import InnerDebate, check_seats, leaves
from madsim.llm._outcome import Decision
from madsim.llm._prompts import Prompts
from madsim.llm._request import Message
from madsim.llm._said import Said
from madsim.protocols import Custom, GroupChat, Judge, OneAgent, Phases, Protocol, Weighted
from madsim.tasks import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a function that chooses the next speaker, or a person at the table, is told.

    Attributes
    ----------
    sample, epoch, round : which debate and turn
    agent : whose turn it is; None where that is the question
    panel : names
    replies : everything said so far, in order
    messages : what a model would be given, empty where the question is who speaks
    """

    sample: Sample
    epoch: int
    round: int
    agent: int | None
    panel: tuple[str, ...]
    replies: tuple[Said, ...]
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Steer:
    """A comment that reaches every debater of one round as a turn of its own, and no later round."""

    before_round: int
    text: str

    def __post_init__(self) -> None:
        if isinstance(self.before_round, bool) or not isinstance(self.before_round, int) or self.before_round < 1:
            raise ValueError(f"before_round must be an integer of at least 1, got {self.before_round!r}")
        if not isinstance(self.text, str) or not self.text.strip():
            raise ValueError(f"a steering comment needs text, got {self.text!r}")


SpeakerFunction = Callable[[Turn], int]
HumanFunction = Callable[[Turn], "str | Awaitable[str | None] | None"]
ReduceFunction = Callable[[Sample, Sequence[Said]], "str | Decision | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Protocol, people and functions of a run; checked once, before anything is sent.

    Attributes
    ----------
    judge, summariser, moderator : who does these jobs where the protocol has them
    speaker : chooses the next speaker of a group chat
    reduce : decides, where the reduction is :class:`madsim.protocols.Custom`
    person : answers for seats with a person
    steer : comments by round
    pause : whether a debate that reaches its last round undecided waits for a person
    round_timeout : seconds for one round, None for no limit
    probe : whether debaters are asked at the end which role they were given
    inner : by seat, the setup of seats that are debates themselves
    placebo : by sample id, replies of a debate on another question that are shown in place of the peers' own
    """

    protocol: Protocol
    panel: tuple[Debater, ...]
    prompts: Prompts = field(default_factory=Prompts)
    judge: Debater | None = None
    summariser: Debater | None = None
    moderator: Debater | None = None
    speaker: SpeakerFunction | None = None
    reduce: ReduceFunction | None = None
    person: HumanFunction | None = None
    steer: Mapping[int, str] = field(default_factory=dict)
    pause: bool = False
    round_timeout: float | None = None
    placebo: Mapping[str, tuple[Said, ...]] | None = None
    probe: bool = False
    inner: Mapping[int, Setup] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        protocol = self.protocol
        if not isinstance(protocol, Protocol):
            raise TypeError(f"protocol must be a madsim.protocols.Protocol, got {protocol!r}")
        object.__setattr__(self, "panel", check_panel(self.panel))
        check_seats(self.panel, (one for one in (self.judge, self.summariser, self.moderator) if one is not None))
        object.__setattr__(
            self,
            "inner",
            {at: self._inner(one.model) for at, one in enumerate(self.panel) if isinstance(one.model, InnerDebate)},
        )
        if isinstance(protocol.reduction, Weighted):
            object.__setattr__(self, "prompts", replace(self.prompts, confidence=True))
        for round in range(1, protocol.rounds + 1):
            protocol.graph(len(self.panel), round)
        needed = (
            (isinstance(protocol.reduction, Judge), self.judge, "judge", "the reduction is Judge"),
            (protocol.visibility.show == "summary", self.summariser, "summariser", "agents are shown a summary"),
            (_carries_summary(protocol), self.summariser, "summariser", "a phase hands on a summary"),
            (_speaker(protocol) == "model", self.moderator, "moderator", "a model chooses the speaker"),
            (_speaker(protocol) == "function", self.speaker, "speaker", "a function chooses the speaker"),
            (isinstance(protocol.reduction, Custom), self.reduce, "reduce", "the reduction is Custom"),
            (any(one.human != "never" for one in self.panel), self.person, "person", "a seat has a person"),
        )
        if isinstance(protocol.reduction, OneAgent) and protocol.reduction.agent >= len(self.panel):
            raise ValueError(
                f"the reduction names agent {protocol.reduction.agent}, the panel has agents 0 to {len(self.panel) - 1}"
            )
        if isinstance(protocol.schedule, Phases) and protocol.schedule.n_agents > len(self.panel):
            raise ValueError(
                f"the phases have seats up to {protocol.schedule.n_agents - 1}, the panel has only {len(self.panel)} debaters"
            )
        _check_types(protocol, self.panel)
        for wanted, given, name, because in needed:
            if wanted and given is None:
                raise ValueError(f"{name} is missing: {because}, so somebody must do it")
        if isinstance(protocol.reduction, Custom) and getattr(self.reduce, "__name__", None) is None:
            raise TypeError("reduce must be a function")
        quorum = None if protocol.convergence is None else protocol.convergence.quorum
        if quorum is not None and quorum > len(self.panel):
            raise ValueError(f"the quorum is {quorum}, the panel has only {len(self.panel)} debaters")
        if self.round_timeout is not None and not self.round_timeout > 0:
            raise ValueError(f"round_timeout must be above 0 seconds, got {self.round_timeout!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the panel, in declared order."""
        return tuple(debater.name for debater in self.panel)

    @property
    def everybody(self) -> tuple[Debater, ...]:
        """Everybody who is really asked: the panel and its helpers, and in place of seats that are debates their own."""
        helpers = (self.judge, self.summariser, self.moderator)
        return leaves((*self.panel, *(one for one in helpers if one is not None)))

    @property
    def quorum(self) -> int:
        """Least number of answers for a consensus."""
        stated = None if self.protocol.convergence is None else self.protocol.convergence.quorum
        return len(self.panel) // 2 + 1 if stated is None else stated

    def _inner(self, model: InnerDebate) -> Setup:
        """The setup of an inner debate; words and persons are those of the run."""
        return Setup(
            protocol=model.protocol,
            panel=model.debaters,
            prompts=self.prompts,
            judge=model.judge,
            summariser=model.summariser,
            moderator=model.moderator,
            person=self.person,
        )

    def describe(self) -> dict[str, Any]:
        """What a record's header says."""
        plain: dict[str, Any] = {
            "agents": list(self.names),
            "protocol": self.protocol.to_dict(),
            "early_stopping": self.protocol.convergence is not None or _asks_each_round(self.protocol),
            "debaters": [debater.to_dict() for debater in self.panel],
            "prompts": self.prompts.to_dict(),
            "pause": self.pause,
            "steer": {str(round): text for round, text in self.steer.items()},
            "round_timeout": self.round_timeout,
            "placebo": self.placebo is not None,
            "probe": self.probe,
        }
        for name in ("judge", "summariser", "moderator"):
            helper: Debater | None = getattr(self, name)
            if helper is not None:
                plain[name] = helper.to_dict()
        return plain


def _check_types(protocol: Protocol, panel: Sequence[Debater]) -> None:
    """Refuse a subscription to documents that nobody publishes: whoever holds it would hear nothing, and nobody would notice."""
    schedule = protocol.schedule
    types = [one.publishes for one in (schedule.phases if isinstance(schedule, Phases) else panel)]
    for one in panel:
        unknown = [type for type in one.subscribes or () if type not in types]
        if unknown:
            raise ValueError(
                f"{one.name} subscribes to {unknown[0]!r}, which nobody publishes; published are {', '.join(sorted(set(map(str, types))))}"
            )


def _speaker(protocol: Protocol) -> str | None:
    return protocol.schedule.speaker if isinstance(protocol.schedule, GroupChat) else None


def _carries_summary(protocol: Protocol) -> bool:
    return isinstance(protocol.schedule, Phases) and any(one.carry == "summary" for one in protocol.schedule.phases)


def _asks_each_round(protocol: Protocol) -> bool:
    return isinstance(protocol.reduction, Judge) and protocol.reduction.each_round
