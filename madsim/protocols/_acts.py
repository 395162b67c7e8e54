"""A conversation as a list of acts: who speaks, and which earlier acts it has newly heard; the influence that a structure induces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madsim.protocols._phases import Phases
from madsim.protocols._pool import Pool
from madsim.protocols._protocol import Protocol
from madsim.protocols._schedule import GroupChat, OneByOne


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One answer of one agent.

    Attributes
    ----------
    round, agent : whose answer, and when
    hears : places in the list of the earlier acts of others that the agent is shown now and was not shown before
    own : place of the agent's own last act, None for its first
    """

    round: int
    agent: int
    hears: tuple[int, ...] = ()
    own: int | None = None


def acts_of(
    protocol: Protocol,
    n_agents: int,
    *,
    publishes: Sequence[str] | None = None,
    subscribes: Sequence[Sequence[str] | None] | None = None,
) -> tuple[Act, ...]:
    """Everything that is said under `protocol`, in order, if every reply comes, is valid and ends nothing early.

    Parameters
    ----------
    protocol
        any whose turns do not depend on what is said
    n_agents
        size of the panel
    publishes, subscribes
        by agent, the type of its documents and the types that it receives (None: every type)

    Raises
    ------
    ValueError
        If who speaks depends on what is said (a speaker chosen by a model or a function) or on chance (a random order).
    """
    types = tuple(publishes or ("reply",) * n_agents)
    wanted = tuple(subscribes or (None,) * n_agents)
    if len(types) != n_agents or len(wanted) != n_agents:
        raise ValueError(f"publishes and subscribes need one entry for each of {n_agents} agents")
    schedule = protocol.schedule
    if isinstance(schedule, Phases):
        return _phases(schedule, n_agents, wanted)
    if isinstance(schedule, GroupChat) and schedule.speaker != "round_robin":
        raise ValueError(f"who speaks is chosen by a {schedule.speaker}: the turns are not known beforehand")
    if isinstance(schedule, OneByOne) and schedule.order == "random":
        raise ValueError("a random order has no one list of turns; debate_moments averages over the orders")

    def heard(agent: int, round: int) -> list[int]:
        sources = protocol.graph(n_agents, max(round, 1)).hears(agent).tolist()
        return [one for one in sources if wanted[agent] is None or types[one] in (wanted[agent] or ())]

    acts: list[Act] = []
    last: dict[int, int] = {}
    seen: dict[int, set[int]] = {agent: set() for agent in range(n_agents)}

    def speak(round: int, agent: int, known: int) -> None:
        """The act of an agent that knows the first `known` acts."""
        hears: list[int] = []
        if round > 0:
            sources = heard(agent, round)
            if isinstance(schedule, (GroupChat, Pool)):
                hears = [place for place in range(known) if acts[place].agent in sources and place not in seen[agent]]
            else:
                latest = {act.agent: place for place, act in enumerate(acts[:known])}
                hears = [latest[one] for one in sources if one in latest]
        seen[agent].update(hears)
        acts.append(Act(round=round, agent=agent, hears=tuple(hears), own=last.get(agent)))
        last[agent] = len(acts) - 1

    everybody = range(n_agents)
    sources = [agent for agent in everybody if not heard(agent, 1)]
    starting = sources if isinstance(schedule, Pool) and schedule.starts == "sources" and sources else everybody
    for agent in starting:
        speak(0, agent, 0)
    for round in range(1, protocol.rounds + 1):
        known = len(acts)
        if isinstance(schedule, GroupChat):
            speak(round, (round - 1) % n_agents, known)
        elif isinstance(schedule, OneByOne):
            for agent in everybody:
                speak(round, agent, len(acts))
        elif isinstance(schedule, Pool):
            news = [
                agent
                for agent in everybody
                if any(acts[p].agent in heard(agent, round) and p not in seen[agent] for p in range(known))
            ]
            if not news:
                break
            for agent in news:
                speak(round, agent, known)
        else:
            for agent in everybody:
                speak(round, agent, known)
    return tuple(acts)


def _phases(schedule: Phases, n_agents: int, wanted: Sequence[Sequence[str] | None]) -> tuple[Act, ...]:
    if schedule.n_agents > n_agents:
        raise ValueError(f"these phases have seats up to {schedule.n_agents - 1}, the panel has {n_agents} agents")
    acts: list[Act] = []
    last: dict[int, int] = {}
    seen: dict[int, set[int]] = {agent: set() for agent in range(n_agents)}
    handed: list[tuple[str, int]] = []
    for phase in schedule.phases:
        began = len(acts)
        for turn in range(phase.turns):
            agent = phase.first if turn % 2 == 0 else phase.second
            known = [place for kind, place in handed if wanted[agent] is None or kind in (wanted[agent] or ())]
            known += range(began, len(acts))
            hears = [place for place in known if acts[place].agent != agent and place not in seen[agent]]
            seen[agent].update(hears)
            acts.append(Act(round=len(acts), agent=agent, hears=tuple(hears), own=last.get(agent)))
            last[agent] = len(acts) - 1
        back = 2 if phase.turns > 1 and phase.turns % 2 else 1  # the second seat writes, unless the first is alone
        handed.append((phase.publishes or phase.name, len(acts) - back))
    return tuple(acts)
