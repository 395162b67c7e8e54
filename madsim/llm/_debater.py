"""A debater: a frozen role and a model with its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from madsim.llm._request import Model, Settings
from madsim.llm._tools import Tool

Seat = Literal["never", "always", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Debater:
    """Somebody who answers and listens; also a judge, summariser or moderator where a protocol has one.

    Attributes
    ----------
    name : unique within a panel
    model : what answers
    system : the role, sent as the system message and never edited by task, peers or steering; None sends none
    temperature, top_p, max_tokens, seed, stop, logprobs, timeout, extra : see :class:`Settings`
    tools : functions that this debater may call; none by default (knowledge only)
    human : whether a person sits here: ``"never"``, ``"always"`` (instead of the model) or ``"end"`` (in the last round)
    side : the answer that this debater is assigned to defend: an answer, the letter of an option, or ``"first"`` or ``"second"`` for the
        sample's first or second option; None where it is free
    publishes : type of the documents that it writes (``"critique"``, ``"proof"``, ...)
    subscribes : types that it receives of those whom it may hear; None receives every type
    """

    name: str
    model: Model
    system: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | Literal["derived"] | None = None
    stop: tuple[str, ...] = ()
    logprobs: int | None = None
    timeout: float = 600.0
    extra: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
    human: Seat = "never"
    side: str | None = None
    publishes: str = "reply"
    subscribes: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError(f"a debater needs a name, got {self.name!r}")
        if any(ord(mark) < 32 for mark in self.name):
            raise ValueError(f"a debater's name must be one line without control characters, got {self.name!r}")
        if not isinstance(self.model, Model):
            raise TypeError(f"model must have name, open() and to_dict() (see madsim.llm.Model), got {self.model!r}")
        if self.human not in ("never", "always", "end"):
            raise ValueError(f"human must be 'never', 'always' or 'end', got {self.human!r}")
        if self.subscribes is not None:
            types = (self.subscribes,) if isinstance(self.subscribes, str) else tuple(self.subscribes)
            object.__setattr__(self, "subscribes", types)
        for type in (self.publishes, *(self.subscribes or ())):
            if not isinstance(type, str) or not type.strip() or any(ord(mark) < 32 for mark in type):
                raise ValueError(f"{self.name}: a type of documents must be a name on one line, got {type!r}")
        if len({tool.name for tool in self.tools}) != len(self.tools):
            raise ValueError(f"the tools of {self.name} must have different names")
        _ = self.settings

    @property
    def settings(self) -> Settings:
        """The generation settings on their own."""
        return Settings(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            seed=self.seed,
            stop=self.stop,
            logprobs=self.logprobs,
            timeout=self.timeout,
            extra=self.extra,
        )

    def to_dict(self) -> dict[str, Any]:
        """What a record says about the debater."""
        plain: dict[str, Any] = {
            "name": self.name,
            "system": self.system,
            "model": self.model.to_dict(),
            "settings": self.settings.to_dict(),
            "human": self.human,
        }
        if self.side is not None:
            plain["side"] = self.side
        if self.publishes != "reply":
            plain["publishes"] = self.publishes
        if self.subscribes is not None:
            plain["subscribes"] = list(self.subscribes)
        if self.tools:
            plain["tools"] = [tool.schema() for tool in self.tools]
        return plain


def check_panel(debaters: Sequence[Debater]) -> tuple[Debater, ...]:
    """The panel as a tuple, at least one debater, names unique."""
    panel = tuple(debaters)
    if not panel or any(not isinstance(one, Debater) for one in panel):
        raise TypeError(f"debaters must be a sequence of at least one Debater, got {debaters!r}")
    names = [debater.name for debater in panel]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"debaters need different names; {', '.join(twice)} occurs more than once")
    return panel
