"""Who speaks in a round and what is new to whoever speaks: the running part of every schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from madsim.llm._said import Said
from madsim.llm._speakers import choose_speaker
from madsim.protocols import GroupChat, OneByOne, Phases, Pool

if TYPE_CHECKING:
    from madsim.llm._debate import Debate


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The agents of a round, at once or one after another."""

    agents: tuple[int, ...]
    together: bool = False


async def turns_of(debate: Debate) -> Turns:
    """The turns of the round that has just begun."""
    schedule, everybody = debate.setup.protocol.schedule, tuple(range(debate.n_agents))
    if isinstance(schedule, Phases):
        return Turns(agents=(speaker_of_phase(debate, schedule),))
    if isinstance(schedule, Pool):
        return Turns(agents=_with_news(debate, schedule), together=True)
    if debate.round == 0:
        return Turns(agents=everybody, together=True)
    if isinstance(schedule, GroupChat):
        return Turns(agents=(await choose_speaker(debate, schedule),))
    if isinstance(schedule, OneByOne):
        order = list(everybody)
        if schedule.order == "random":
            debate.random("order").shuffle(order)
        return Turns(agents=tuple(order))
    return Turns(agents=everybody, together=True)


def is_exhausted(debate: Debate) -> bool:
    """Whether the schedule has no further turn, whatever rounds are left."""
    schedule = debate.setup.protocol.schedule
    if isinstance(schedule, Phases):
        return len(debate.handed) == len(schedule.phases)
    if isinstance(schedule, Pool) and debate.board:
        return not _with_news(debate, schedule, after=True)
    return False


def new_to(debate: Debate, agent: int) -> tuple[Said, ...]:
    """Replies that `agent` may hear and has not been shown: the latest of each agent; in conversations all since its own last turn."""
    round, schedule = debate.round, debate.setup.protocol.schedule
    heard = debate.hears[agent] if debate.hears else []
    if debate.setup.placebo is not None:
        others = debate.setup.placebo.get(debate.sample.id, ())
        return tuple(said for said in others if said.agent in heard and said.round == round - 1 and can_be_shown(said))
    if isinstance(schedule, Phases):
        return _in_phase(debate, agent, schedule)
    if isinstance(schedule, Pool):
        return tuple(said for said in news_for(debate, agent, heard) if said.round < round)
    if isinstance(schedule, GroupChat):
        since = debate.log[debate.asked_at[agent] :]
        return tuple(said for said in since if said.agent in heard and can_be_shown(said))
    before, now = debate.standing(round - 1), debate.standing(round)
    in_turn = isinstance(schedule, OneByOne)
    latest = [now[other] if in_turn and other in debate.board[round] else before[other] for other in heard]
    return tuple(said for said in latest if said is not None and can_be_shown(said))


def can_be_shown(said: Said) -> bool:
    """Whether others may be shown a reply: it came, and has the form of what it is published as."""
    return said.text is not None and not said.problems


def news_for(debate: Debate, agent: int, heard: list[int]) -> list[Said]:
    """Documents of `heard` agents that came in since the last turn of `agent` began."""
    own = [said.round for said in debate.log if said.agent == agent]
    since = own[-1] if own else 0
    return [said for said in debate.log if said.agent in heard and said.round >= since and can_be_shown(said)]


def speaker_of_phase(debate: Debate, schedule: Phases) -> int:
    """Whose turn it is in the present phase."""
    phase = schedule.phases[len(debate.handed)]
    spoken = len(debate.log) - debate.phase_began
    return phase.first if spoken % 2 == 0 else phase.second


def _with_news(debate: Debate, schedule: Pool, *, after: bool = False) -> tuple[int, ...]:
    """Who speaks in the round that has begun, or (`after`) in the one that would follow."""
    everybody = range(debate.n_agents)
    coming = debate.round + after
    hears = debate.sources(max(coming, 1))
    if coming == 0:
        waiting_for_nobody = tuple(agent for agent in everybody if not hears[agent])
        return waiting_for_nobody if schedule.starts == "sources" and waiting_for_nobody else tuple(everybody)
    last = {said.agent: said for said in debate.log}
    return tuple(
        agent
        for agent in everybody
        if news_for(debate, agent, hears[agent]) or (agent in last and last[agent].problems)
    )


def _in_phase(debate: Debate, agent: int, schedule: Phases) -> tuple[Said, ...]:
    """What the speaker of a phase has not been shown yet: documents handed on before, then the partner's words in this phase."""
    types = debate.setup.panel[agent].subscribes
    begun = any(said.agent == agent for said in debate.log[debate.phase_began :])
    documents = [] if begun else [one for one in debate.handed if types is None or one.document in types]
    own = [place for place, said in enumerate(debate.log) if said.agent == agent and place >= debate.phase_began]
    since = own[-1] + 1 if own else debate.phase_began
    partner = [said for said in debate.log[since:] if said.text is not None]
    return (*documents, *partner)
