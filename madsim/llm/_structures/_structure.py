"""A way to let models work together, ready to run: a protocol, a panel, and whoever helps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from madsim.llm._debater import Debater
from madsim.llm._plan import Plan, plan
from madsim.llm._request import Model
from madsim.llm._run import run_debates
from madsim.protocols import Protocol
from madsim.tasks import Sample
from madsim.transcripts import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """What :func:`madsim.llm.run_debates` needs: a protocol, a panel and helpers (``judge``, ``summariser``, ``moderator``) by name."""

    protocol: Protocol
    debaters: tuple[Debater, ...]
    helpers: Mapping[str, Debater] = field(default_factory=dict)

    def run(self, samples: Iterable[Sample], **options: Any) -> Run:
        """The run of this arrangement; takes the options of :func:`madsim.llm.run_debates`."""
        return run_debates(self.protocol, self.debaters, samples, **{**self.helpers, **options})

    def plan(self, samples: Iterable[Sample], **options: Any) -> Plan:
        """What that run would take; takes the options of :func:`madsim.llm.plan`. Nothing is sent."""
        return plan(self.protocol, self.debaters, samples, **{**self.helpers, **options})


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """A named way to let models work together.

    Attributes
    ----------
    name : as ``--structure`` and ``--option`` know it
    about : one sentence: who speaks when, who hears what, how answers become one
    build : the arrangement for a model, a number of agents, a number of rounds and settings of :class:`madsim.llm.Debater`
    n_agents, rounds : what is usual
    least_agents, most_agents, least_rounds : what is possible; None for no limit
    answers : whether it answers a question with a short answer, which can be scored
    """

    name: str
    about: str
    build: Callable[..., Arrangement]
    n_agents: int = 3
    rounds: int = 2
    least_agents: int = 1
    most_agents: int | None = None
    least_rounds: int = 0
    answers: bool = True

    def arrange(
        self, model: Model, *, n_agents: int | None = None, rounds: int | None = None, **settings: Any
    ) -> Arrangement:
        """The structure with this model in every seat.

        Parameters
        ----------
        n_agents, rounds
            by default what is usual; a round is one turn of everybody, one turn of one speaker (chats), or one exchange of both
            seats of a dialogue (phases)
        settings
            fields of :class:`madsim.llm.Debater` for everybody who is asked

        Raises
        ------
        TypeError
            If a number is not an integer.
        ValueError
            If there are too few or too many agents, or too few rounds.
        """
        n_agents = self.n_agents if n_agents is None else n_agents
        rounds = self.rounds if rounds is None else rounds
        for name, value in (("n_agents", n_agents), ("rounds", rounds)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} must be an integer, got {value!r}")
        most = "" if self.most_agents is None else f" and at most {self.most_agents}"
        if n_agents < self.least_agents or (self.most_agents is not None and n_agents > self.most_agents):
            raise ValueError(f"structure {self.name!r} needs at least {self.least_agents} agents{most}, got {n_agents}")
        if rounds < self.least_rounds:
            raise ValueError(f"structure {self.name!r} needs at least {self.least_rounds} rounds, got {rounds}")
        return self.build(model, n_agents, rounds, **settings)
