"""Swarms: agents that hold one option each and take over one another's."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from madsim._core.arrays import as_count, readonly
from madsim._core.canonical import to_jsonable
from madsim.models._hearing import Everybody, HearGraph, HearGroup, Hearing, check_hearing
from madsim.models._noise import Noise, NoiseFree
from madsim.models._options import Described, check_options

MAX_AGENTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Swarm(Described):
    """What every swarm has; use one of the rules derived from it.

    Attributes
    ----------
    quality : float64 (option,); expected conviction of a holder, in [0, 1], before noise
    n_agents : 2 to 1,000,000
    initial : int64 (option,); holders at the start. By default as equal as whole agents allow, the remainder to the first options
    noise : how a reward scatters around quality
    interaction : float64 (option, option) or None; what a share of 1 of the second option adds to the quality of the first
    """

    quality: NDArray[np.float64]
    n_agents: int
    initial: NDArray[np.int64] | None = None
    noise: Noise = field(default_factory=NoiseFree)
    interaction: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        quality, interaction = check_options(self.quality, self.interaction, self.noise)
        n_agents = as_count(self.n_agents, name="n_agents", minimum=2, maximum=MAX_AGENTS)
        object.__setattr__(self, "quality", quality)
        object.__setattr__(self, "interaction", interaction)
        object.__setattr__(self, "n_agents", n_agents)
        object.__setattr__(self, "initial", self._counts(self.initial))

    @property
    def n_options(self) -> int:
        """Number of options."""
        return len(self.quality)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Holders of every option at the start, shape (option,)."""
        assert self.initial is not None
        return self.initial

    def _counts(self, initial: ArrayLike | None) -> NDArray[np.int64]:
        if initial is None:
            return readonly(equal_split(self.n_agents, self.n_options))
        counts = _whole_numbers(initial)
        if counts.shape != (self.n_options,) or (counts < 0).any():
            raise ValueError(
                f"initial must hold {self.n_options} counts of at least 0, got {np.asarray(initial).tolist()}"
            )
        if counts.sum() != self.n_agents:
            raise ValueError(f"initial counts sum to {counts.sum()}, but there are {self.n_agents} agents")
        return readonly(counts)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form, read back by :func:`population_from_dict`."""
        plain: dict[str, Any] = {"type": type(self).__name__}
        for item in fields(self):
            value = getattr(self, item.name)
            plain[item.name] = (
                {"type": "HearGraph", "graph": value.graph.to_dict(), "self_weight": value.self_weight}
                if isinstance(value, HearGraph)
                else to_jsonable(value)
            )
        return plain


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImitationOfSuccess(Swarm):
    """One event: a random agent meets one random other and takes over its option with probability equal to the other's reward.

    Mean field: the Taylor replicator, one unit of time every `n_agents` events.
    """


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AsynchronousVoter(Swarm):
    """Weighted voter, one at a time: a random agent settles on an option in proportion to all the reward it hears for it.

    Mean field: the Maynard Smith replicator, one unit of time every `n_agents` events.

    Attributes
    ----------
    rewards
        ``"agent"``: every agent draws its own reward. ``"option"``: one draw an option and event, shared by all its holders; this biases
        the dynamics however large the swarm is, and simulators warn of it.
    hearing
        whom the agent hears: Everybody(), HearSome(...) or HearGraph(...)
    """

    rewards: Literal["agent", "option"] = "agent"
    hearing: Hearing = field(default_factory=Everybody)

    def __post_init__(self) -> None:
        Swarm.__post_init__(self)
        check_rewards(self.rewards)
        check_hearing(self.hearing, self.n_agents)
        if isinstance(self.hearing, HearGroup):
            raise ValueError("disjoint groups need rounds in which everybody decides; use SynchronousVoter")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SynchronousVoter(Swarm):
    """Weighted voter in rounds: all draw rewards, then all settle at once in proportion to the reward they hear.

    Mean field: one step x -> x q / v of the Maynard Smith replicator a round.

    Attributes
    ----------
    rewards
        as for :class:`AsynchronousVoter`
    hearing
        whom an agent hears
    n_votes
        draws from what is heard; the agent takes the most frequent of them, ties broken at random (1: the draw itself)
    accept
        whether the agent takes the option picked: ``"always"``; ``"reward"``, with probability equal to the reward of one holder heard;
        ``"better"``, only where that reward is above its own. The holder is picked among those heard in proportion to its reward.
    start
        ``"fixed"``: exactly `initial`; ``"random"``: every agent draws its first option with the shares of `initial`
    """

    rewards: Literal["agent", "option"] = "agent"
    hearing: Hearing = field(default_factory=Everybody)
    n_votes: int = 1
    accept: Literal["always", "reward", "better"] = "always"
    start: Literal["fixed", "random"] = "fixed"

    def __post_init__(self) -> None:
        Swarm.__post_init__(self)
        check_rewards(self.rewards)
        check_hearing(self.hearing, self.n_agents)
        as_count(self.n_votes, name="n_votes", minimum=1, maximum=100_000)
        if self.start not in ("fixed", "random"):
            raise ValueError(f"start must be 'fixed' or 'random', got {self.start!r}")
        if self.accept not in ("always", "reward", "better"):
            raise ValueError(f"accept must be 'always', 'reward' or 'better', got {self.accept!r}")
        if self.accept != "always" and self.n_votes > 1:
            raise ValueError(
                "a majority of several votes names no single holder to judge; use accept='always' or n_votes=1"
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossInhibition(Swarm):
    """One event: a random agent meets one random other, which speaks up with probability equal to its reward.

    An uncommitted listener adopts the speaker's option; a listener holding another option becomes uncommitted.

    Attributes
    ----------
    initial : int64 (option,); holders at the start, the rest is uncommitted. By default an equal split over options and uncommitted
    """

    def _counts(self, initial: ArrayLike | None) -> NDArray[np.int64]:
        if initial is None:
            return readonly(equal_split(self.n_agents, self.n_options + 1)[:-1])
        counts = _whole_numbers(initial)
        if counts.shape != (self.n_options,) or (counts < 0).any() or counts.sum() > self.n_agents:
            raise ValueError(
                f"initial must hold {self.n_options} counts of at least 0 that sum to at most {self.n_agents}, got "
                f"{np.asarray(initial).tolist()}"
            )
        return readonly(counts)


def equal_split(total: int, parts: int) -> NDArray[np.int64]:
    """`total` in whole numbers as equal as they can be, the remainder to the first parts, shape (parts,)."""
    counts = np.full(parts, total // parts, dtype=np.int64)
    counts[: total % parts] += 1
    return counts


def check_rewards(rewards: str) -> None:
    """Refuse anything but the two ways of drawing rewards."""
    if rewards not in ("agent", "option"):
        raise ValueError(f"rewards must be 'agent' or 'option', got {rewards!r}")


def _whole_numbers(values: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise TypeError(f"initial must hold whole numbers of agents, got {array.tolist()}")
    return array.astype(np.int64)
