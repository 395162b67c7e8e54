"""A summariser between the agents, and agents that do not listen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from madsim._core.arrays import as_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All agents hear one summary of the last round, its majority answer, instead of each other.

    Attributes
    ----------
    weight : what the summary adds to a concentration; None: as much as all agents' answers together would
    noise : probability that the summary names another answer than the majority, each other one equally likely
    ties : ``"random"`` one of the tied answers, the same for all agents; ``"none"`` a tie leaves nothing to hear
    """

    weight: float | None = None
    noise: float = 0.0
    ties: Literal["random", "none"] = "random"

    def __post_init__(self) -> None:
        if self.weight is not None and not 0 < self.weight < float("inf"):
            raise ValueError(f"weight must be finite and above 0, or None; got {self.weight!r}")
        if not 0 <= self.noise <= 1:
            raise ValueError(f"noise must lie in [0, 1], got {self.noise!r}")
        if self.ties not in ("random", "none"):
            raise ValueError(f"ties must be 'random' or 'none', got {self.ties!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stubborn:
    """Agents whose belief never moves.

    Attributes
    ----------
    agents : their places in the panel
    repeats : True: they repeat their first answer for ever; False: they draw anew from their first belief each round
    """

    agents: tuple[int, ...]
    repeats: bool = False

    def __post_init__(self) -> None:
        agents = tuple(as_count(agent, name="a stubborn agent") for agent in self.agents)
        if not agents or len(set(agents)) != len(agents):
            raise ValueError(f"stubborn agents must be named once each, at least one; got {self.agents!r}")
        object.__setattr__(self, "agents", agents)
