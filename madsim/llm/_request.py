"""What goes to a model and what comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from madsim.tasks import Sample

Role = Literal["debater", "judge", "summary", "speaker", "ballot", "proposal", "probe"]
Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or more calls; `cached` of the `input` tokens were read from the provider's cache."""

    input: int = 0
    cached: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        """Input and output tokens together."""
        return self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input=self.input + other.input, cached=self.cached + other.cached, output=self.output + other.output
        )

    def to_dict(self) -> dict[str, int]:
        """Plain JSON form."""
        return {"input": self.input, "cached": self.cached, "output": self.output}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Usage:
        """Read back what :meth:`to_dict` wrote; missing counts are 0."""
        return cls(**{name: int(plain.get(name) or 0) for name in ("input", "cached", "output")})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Generation settings; None leaves a setting to the model's own default.

    Attributes
    ----------
    temperature, top_p, stop : as usual; an omitted temperature is *not* 0
    max_tokens : most output tokens of one reply; budgets in tokens or money need it
    seed : a fixed integer, or ``"derived"`` for one that the run derives from its own seed and the call (equal prompts then stay
        separate draws and the run can be repeated on a server that honours seeds)
    logprobs : number of alternatives a token whose log-probabilities are asked for, 0 for the chosen token's alone
    timeout : seconds for one attempt
    extra : further fields of the request body, as the server documents them
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | Literal["derived"] | None = None
    stop: tuple[str, ...] = ()
    logprobs: int | None = None
    timeout: float = 600.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("temperature", "top_p", "timeout"):
            value = getattr(self, name)
            unset = value is None and name != "timeout"
            if not unset and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise TypeError(f"{name} must be a number, got {value!r}")
        if self.temperature is not None and not 0 <= self.temperature <= 10:
            raise ValueError(f"temperature must lie in [0, 10], got {self.temperature!r}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must lie in (0, 1], got {self.top_p!r}")
        for name in ("max_tokens", "logprobs"):
            value = getattr(self, name)
            least = 1 if name == "max_tokens" else 0
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise ValueError(f"{name} must be an integer of at least {least} or None, got {value!r}")
        if self.seed is not None and self.seed != "derived" and (isinstance(self.seed, (bool, str)) or self.seed < 0):
            raise ValueError(f"seed must be a non-negative integer, 'derived' or None, got {self.seed!r}")
        if not self.timeout > 0:
            raise ValueError(f"timeout must be above 0 seconds, got {self.timeout!r}")
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)
        object.__setattr__(self, "stop", stop)

    @property
    def deterministic(self) -> bool:
        """Whether equal prompts must give equal replies: only at a stated temperature of 0."""
        return self.temperature == 0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form without what is left to the default."""
        plain = {name: getattr(self, name) for name in ("temperature", "top_p", "max_tokens", "seed", "logprobs")}
        plain = {name: value for name, value in plain.items() if value is not None}
        if self.stop:
            plain["stop"] = list(self.stop)
        if self.extra:
            plain["extra"] = dict(self.extra)
        return {**plain, "timeout": self.timeout}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One answer that an agent was shown: whose, and the answer as it was extracted (None where there was none)."""

    agent: int
    answer: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Which call this is and what the caller has given and heard so far, for models that are simulated, scripted or your own.

    Attributes
    ----------
    sample, epoch, round, agent, role : the call; `agent` is -1 for a judge, summariser or moderator, who sit outside the panel
    turn : how often this agent (or role) was asked before in this debate
    own : the agent's own answers by earlier round, None where it gave none
    heard : by exchange so far, what it was shown of others
    path, outer : in an inner debate, where it stands (``"1.2"``: seat 2 in round 1 of the outer debate) and the call of its seat there
    """

    sample: Sample
    epoch: int = 0
    round: int = 0
    agent: int = 0
    role: Role = "debater"
    turn: int = 0
    own: tuple[str | None, ...] = ()
    heard: tuple[tuple[Heard, ...], ...] = ()
    path: str = ""
    outer: Context | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call: the messages, the settings (a derived seed already filled in), the tools on offer, and which call it is."""

    messages: tuple[Message, ...]
    settings: Settings
    context: Context
    tools: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One reply.

    Attributes
    ----------
    text : the reply; None where the model sent none
    finish_reason : as reported (``"stop"``, ``"length"``, ``"content_filter"``, ``"tool_calls"``, ...)
    usage : tokens as reported, None where the model did not say
    logprobs : plain JSON form of the reported log-probabilities, None where not asked for
    tool_calls : plain JSON form of the calls that the model asks for
    model : the model's name as the server reported it
    """

    text: str | None
    finish_reason: str | None = "stop"
    usage: Usage | None = None
    logprobs: Any = None
    tool_calls: tuple[dict[str, Any], ...] = ()
    model: str | None = None


class Session(Protocol):
    """A model that is open for calls."""

    async def complete(self, request: Request) -> Completion:
        """The reply to one request; a :class:`ModelError` says why there is none."""
        ...


@runtime_checkable
class Model(Protocol):
    """The description of a model: opened once a run, never holding a connection itself."""

    @property
    def name(self) -> str:
        """Name under which prices are looked up."""
        ...

    def open(self) -> AbstractAsyncContextManager[Session]:
        """A session for one run; leaving it closes every connection."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """What a record says about the model: never a key."""
        ...


@asynccontextmanager
async def always_open(session: Session) -> AsyncIterator[Session]:
    """A session that needs no opening or closing."""
    yield session
