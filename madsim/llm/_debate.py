"""One debate: its rounds, from the independent round 0 to its outcome."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from madsim._core.canonical import canonical_json
from madsim.answers import AnswerType, Extraction, extract
from madsim.llm._budget import Amount
from madsim.llm._call import STOPS, Answered, Caller, Place, record_line
from madsim.llm._debater import Debater
from madsim.llm._errors import AwayError, BudgetError
from madsim.llm._hand_over import ending_for, hand_over, present_phase, task_for
from madsim.llm._inner import spokesman
from madsim.llm._inner_turn import inner_bound
from madsim.llm._request import Context, Heard, Message, Request, Role, Usage
from madsim.llm._said import Exchange, Said
from madsim.llm._setup import Setup, Turn
from madsim.llm._speak import AWAY, speak
from madsim.llm._summaries import summarise
from madsim.llm._turn_taking import can_be_shown, new_to, turns_of
from madsim.protocols import Phases
from madsim.tasks import Sample

_T = TypeVar("_T")


@dataclass(slots=True, kw_only=True)
class Prepared:
    """One debater's call of a round, ready to be sent."""

    agent: int
    place: Place
    request: Request
    exchange: Exchange
    reserved: Amount | None = None


@dataclass(slots=True, kw_only=True)
class Debate:
    """The state of one debate while it runs.

    Attributes
    ----------
    path, outer : of an inner debate, where it stands in the outer one, and the call of its seat there
    limit : event-loop time at which the round of the outer debate ends
    board : by round, what each agent said; an agent that was not asked is absent
    log : everything in the order in which it could be heard
    past : by agent, its exchanges in which it replied
    told : by agent, round and speaker of everything that it was shown
    hears : by agent, whom it hears in the present round
    handed : what the phases so far have handed on
    phase_began : place in the log where the present phase began
    speakers : how many speakers the moderator named, and how many the fallback
    usage_by_role : tokens of debaters, judges, moderators, ...
    expected : what a round may take
    holds : whether reservations for later turns of this round are held
    """

    setup: Setup
    caller: Caller
    sample: Sample
    epoch: int
    index: int
    rounds: int
    grants: dict[int, str] = field(default_factory=dict)
    path: str = ""
    outer: Context | None = None
    limit: float | None = None
    board: list[dict[int, Said]] = field(default_factory=list)
    log: list[Said] = field(default_factory=list)
    past: list[list[Exchange]] = field(default_factory=list)
    heard: list[list[tuple[Heard, ...]]] = field(default_factory=list)
    own: list[list[str | None]] = field(default_factory=list)
    asked_at: list[int] = field(default_factory=list)
    told: list[set[tuple[int, int]]] = field(default_factory=list)
    hears: list[list[int]] = field(default_factory=list)
    handed: list[Said] = field(default_factory=list)
    phase_began: int = 0
    speakers: Counter[str] = field(default_factory=Counter)
    usage_by_role: dict[str, Usage] = field(default_factory=dict)
    turns: Counter[str | int] = field(default_factory=Counter)
    steps: Counter[Place] = field(default_factory=Counter)
    draws: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[str, int, str]] = field(default_factory=list)
    amount: Amount = field(default_factory=Amount)
    usage: Usage = field(default_factory=Usage)
    ends: float | None = None
    expected: Amount = field(default_factory=Amount)
    holds: bool = False

    def __post_init__(self) -> None:
        n = len(self.setup.panel)
        self.past = [[] for _ in range(n)]
        self.heard = [[] for _ in range(n)]
        self.own = [[] for _ in range(n)]
        self.told = [set() for _ in range(n)]
        self.asked_at = [0] * n

    @property
    def n_agents(self) -> int:
        """Size of the panel."""
        return len(self.setup.panel)

    @property
    def round(self) -> int:
        """The round that was begun last."""
        return len(self.board) - 1

    @property
    def answer_type(self) -> AnswerType:
        """The sample's answer type; where it names none, the one as which most replies were read."""
        if self.sample.answer_type is not None:
            return cast(AnswerType, self.sample.answer_type)
        if self.sample.choices:
            return "choice"
        found = Counter(said.type for said in self.log if said.answer is not None and said.type is not None)
        return cast(AnswerType, found.most_common(1)[0][0]) if found else "text"

    def read(self, text: str | None, finish_reason: str | None = None) -> Extraction:
        """The answer in a reply to this question."""
        kind = cast("AnswerType | None", self.sample.answer_type)
        found = extract(text, kind, choices=self.sample.choices, finish_reason=finish_reason)
        if (text or "").strip():
            return found
        reason = {"length": "truncated", "content_filter": "refused"}.get(finish_reason or "", found.reason)
        return replace(found, reason=reason)

    def place(self, role: str, agent: int = 0, step: int = 0) -> Place:
        """The place of a call in the present round."""
        return Place(self.sample.id, self.epoch, max(self.round, 0), agent, role, step, self.path)

    async def play_round(self) -> None:
        """The next round: everybody whose turn it is answers.

        Raises
        ------
        BudgetError
            If not all of the round can be paid for. In a round of several turns the replies that came before stay.
        AwayError
            If a seat's person is not there. What the others said in this round stays.
        HandOffError
            If a phase ends without the document that it should hand on.
        """
        self.caller.check_open()
        self.board.append({})
        round = self.round
        timeout = self.setup.round_timeout
        ends = None if timeout is None else asyncio.get_running_loop().time() + timeout
        self.ends = min((one for one in (ends, self.limit) if one is not None), default=None)
        self.caller.emit("round_opened", self.place("panel"))
        if round in self.setup.steer or round in self.grants:
            self.caller.emit("steer", self.place("panel"), text=self._note(round))
        if round > 0:
            self.hears = self.sources(round)
        try:
            turns = await turns_of(self)
            await (self._together(turns.agents) if turns.together else self._in_turn(turns.agents))
        except BudgetError:
            if not self.board[-1]:
                self.board.pop()
            raise
        for agent, said in self.board[-1].items():
            if said.failed and said.reason == AWAY:
                raise AwayError(self.setup.names[agent])
        answers = {agent: said.answer for agent, said in sorted(self.board[-1].items())}
        self.caller.emit("round_closed", self.place("panel"), answers=list(answers.values()))
        if any(said.failed and said.reason in STOPS for said in self.board[-1].values()):
            self.caller.check_open()
        await hand_over(self)

    def sources(self, round: int) -> list[list[int]]:
        """By agent, whom it may hear in a round, as far as it subscribes to what they publish."""
        graph = self.setup.protocol.graph(self.n_agents, round)
        return [
            [other for other in graph.hears(agent).tolist() if self._receives(agent, other)]
            for agent in range(self.n_agents)
        ]

    def expect(self) -> Amount:
        """What the whole debate may take, taking every round to be like the independent one."""
        empty = Exchange(round=0)
        rounds = [self.bound_of(at, self.place("debater", at), empty) for at in range(self.n_agents)]
        self.expected = sum(rounds, Amount())
        return self.expected.times(self.rounds + 1)

    def bound_of(self, agent: int, place: Place, exchange: Exchange) -> Amount:
        """What the turn of a seat may take: one call, or the whole inner debate of a seat that is one."""
        if agent in self.setup.inner:
            return inner_bound(self, agent, exchange, place)
        debater = self.setup.panel[agent]
        tools = tuple(tool.schema() for tool in debater.tools)
        return self.caller.bound(debater, self.messages(agent, exchange), tools)

    async def ask_helper(self, debater: Debater, role: Role, messages: tuple[Message, ...], agent: int = 0) -> Answered:
        """One call of a judge, summariser, moderator, or of a debater outside its turns; recorded, never shown to the panel.

        For a seat that is a debate its first debater answers."""
        debater = spokesman(debater)
        place = self.place(role, agent)
        self.steps[place] += 1
        place = place._replace(step=self.steps[place] - 1)
        context = Context(
            sample=self.sample,
            epoch=self.epoch,
            round=place.round,
            agent=agent if role in ("ballot", "proposal", "probe") else -1,
            role=role,
            turn=self.turns[role],
            path=self.path,
            outer=self.outer,
        )
        self.turns[role] += 1
        request = self.caller.request(debater, messages, context, place)
        answered = await self.caller.ask(
            debater,
            request,
            place,
            reserved=None,
            held=self.holds,
            priority=(self.index, place.round),
            deadline=self.ends,
            draw_index=self.draw_index(request),
        )
        self.account(answered, role)
        if answered.replayed is None:
            self.caller.store.call(record_line(place, debater, answered, request))
        return answered

    def standing(self, round: int | None = None) -> list[Said | None]:
        """By agent, the reply that counts at the end of `round` (the last one by default); of an agent that was not asked, its
        latest."""
        last = self.round if round is None else round
        carry = self.setup.protocol.on_missing == "carry"
        found: list[Said | None] = []
        for agent in range(self.n_agents):
            said = self.board[last].get(agent) if last >= 0 else None
            back = last - 1
            while back >= 0 and (said is None or (carry and said.failed)):
                said = self.board[back].get(agent)
                back -= 1
            found.append(None if said is None or said.failed else said)
        return found

    def turn(self, agent: int | None, messages: tuple[Message, ...] = ()) -> Turn:
        """What a function or a person is told."""
        return Turn(
            sample=self.sample,
            epoch=self.epoch,
            round=max(self.round, 0),
            agent=agent,
            panel=self.setup.names,
            replies=tuple(self.log),
            messages=messages,
        )

    async def _together(self, agents: Sequence[int]) -> None:
        ready = await gather([self._prepare(agent) for agent in agents])
        self._reserve_for(ready)
        amounts = [one.reserved for one in ready if one.reserved is not None]
        await self._reserve_round(amounts)
        replies = await gather([speak(self, one, held=False) for one in ready])
        for one, said in zip(ready, replies, strict=True):
            self._enter(one, said)

    async def _in_turn(self, agents: Sequence[int]) -> None:
        """One after another; what the later turns may take is set aside before the first one, as well as it can be known."""
        ahead = [await self._prepare(agent, rehearsal=True) for agent in agents]
        self._reserve_for(ahead)
        unheard = sum((self.setup.panel[agent].max_tokens or 0) for agent in agents[:-1])
        held = []
        for one in ahead:
            if one.reserved is not None:
                extra = self.caller.bound_of_tokens(self.setup.panel[one.agent], unheard if len(agents) > 1 else 0)
                held.append(one.reserved + extra)
        await self._reserve_round(held)
        self.holds = True
        try:
            for agent in agents:
                ready = await self._prepare(agent)
                self._reserve_for([ready])
                if ready.reserved is not None:
                    self.caller.ledger.release(held.pop(0))
                    await self.caller.ledger.reserve([ready.reserved], held=True)
                said = await speak(self, ready, held=True)
                self._enter(ready, said)
                if said.failed and said.reason == AWAY:
                    break  # the turns after it would be taken without having heard it
        finally:
            self.holds = False
            for amount in held:
                self.caller.ledger.release(amount)

    async def _reserve_round(self, amounts: Sequence[Amount]) -> None:
        await self.caller.ledger.reserve(amounts)
        self.caller.ledger.earmark(self.index, self.expected.times(max(0, self.rounds - self.round)))

    def _reserve_for(self, ready: Sequence[Prepared]) -> None:
        for one in ready:
            if not self.caller.is_past(one.place) and not self.is_seated(one.agent):
                one.reserved = self.bound_of(one.agent, one.place, one.exchange)

    def random(self, purpose: str) -> random.Random:
        """Random numbers for one purpose in the present round, the same whenever the run is repeated or resumed."""
        inside = f"{self.path}/" if self.path else ""
        return random.Random(f"{self.caller.seed.hex}/{self.sample.id}/{self.epoch}/{self.round}/{inside}{purpose}")

    async def _prepare(self, agent: int, *, rehearsal: bool = False) -> Prepared:
        """The messages of `agent` as things stand now; a rehearsal asks no summariser."""
        debater = self.setup.panel[agent]
        round = self.round
        shown = new_to(self, agent) if round > 0 else ()
        fresh = tuple(one for one in shown if one.agent != agent and (one.round, one.agent) not in self.told[agent])
        if self.setup.protocol.visibility.show == "all" and round > 0 and present_phase(self) is None:
            shown = self._everything_for(agent)
        exchange = Exchange(round=round, shown=shown, task=task_for(self, agent))
        if self.setup.protocol.visibility.show == "summary" and shown and not rehearsal:
            exchange = replace(exchange, summary=await summarise(self, agent, shown))
        place = self.place("debater", agent)
        now_heard = tuple(Heard(agent=said.agent, answer=said.answer) for said in fresh)
        context = Context(
            sample=self.sample,
            epoch=self.epoch,
            round=round,
            agent=agent,
            turn=self.turns[agent],
            own=tuple(self.own[agent]),
            heard=(*self.heard[agent], now_heard) if round > 0 else (),
            path=self.path,
            outer=self.outer,
        )
        messages = self.messages(agent, exchange)
        return Prepared(
            agent=agent, place=place, request=self.caller.request(debater, messages, context, place), exchange=exchange
        )

    def messages(self, agent: int, exchange: Exchange, shortened: int = 0) -> tuple[Message, ...]:
        """What `agent` is sent in the present round, arguments cut down further with every `shortened`."""
        longest = {} if not shortened else {"longest_argument": max(0, 4000 >> (2 * (shortened - 1)))}
        in_phase = isinstance(self.setup.protocol.schedule, Phases)
        past = [one for one in self.past[agent] if not in_phase or one.round >= self.phase_began]
        return self.setup.prompts.debater(
            self.sample,
            self.setup.panel[agent],
            self.setup.names,
            past,
            exchange if self.round > 0 or exchange.task is not None else None,
            show=self.setup.protocol.visibility.show,
            note=self._note(self.round, agent),
            ending=ending_for(self, agent),
            **longest,
        )

    def _note(self, round: int, agent: int | None = None) -> str | None:
        notes = [text for text in (self.setup.steer.get(round), self.grants.get(round)) if text]
        last = next((said for said in reversed(self.log) if said.agent == agent), None)
        ended = isinstance(self.setup.protocol.schedule, Phases) and last is not None and last.round < self.phase_began
        if last is not None and last.problems and not ended:
            notes.append(f"Your document '{last.document}' was not handed on: {'; '.join(last.problems)}.")
        return "\n".join(notes) or None

    def _receives(self, agent: int, other: int) -> bool:
        types = self.setup.panel[agent].subscribes
        return types is None or self.setup.panel[other].publishes in types

    def _everything_for(self, agent: int) -> tuple[Said, ...]:
        heard = {agent, *self.hears[agent]}
        last = next((said for said in reversed(self.log) if said.agent == agent and said.text is not None), None)
        return tuple(said for said in self.log if said.agent in heard and can_be_shown(said) and said is not last)

    def is_seated(self, agent: int) -> bool:
        """Whether a person answers for `agent` in the present round."""
        seat = self.setup.panel[agent].human
        schedule = self.setup.protocol.schedule
        is_last = isinstance(schedule, Phases) and len(self.handed) == len(schedule.phases) - 1
        return seat == "always" or (seat == "end" and (self.round == self.rounds or is_last))

    def _enter(self, ready: Prepared, said: Said) -> None:
        agent = ready.agent
        self.board[-1][agent] = said
        self.log.append(said)
        if self.round > 0 and not self.own[agent]:
            self.own[agent].append(None)  # it first spoke after it had heard somebody
        self.own[agent].append(said.answer)
        if self.round > 0:
            self.heard[agent].append(ready.request.context.heard[-1])
        self.told[agent].update((one.round, one.agent) for one in ready.exchange.shown)
        self.asked_at[agent] = len(self.log) if self.round > 0 else 0
        if not said.failed:
            shown = ready.exchange
            self.past[agent].append(replace(shown, reply=said))

    def account(self, answered: Answered, role: str = "debater") -> None:
        """Enter what a call took, its failed attempts included."""
        usage = answered.usage_before + answered.usage
        self.amount = self.amount + answered.before + answered.amount
        self.usage = self.usage + usage
        self.usage_by_role[role] = self.usage_by_role.get(role, Usage()) + usage

    def add_inner(self, amount: Amount, usages: dict[str, Usage]) -> None:
        """Enter what the inner debate of a seat took."""
        self.amount = self.amount + amount
        for role, usage in usages.items():
            self.usage = self.usage + usage
            self.usage_by_role[role] = self.usage_by_role.get(role, Usage()) + usage

    def draw_index(self, request: Request) -> int:
        """How many equal prompts this debate has already sent; only a cache needs to know."""
        if self.caller.cache is None:
            return 0
        key = canonical_json([list(request.messages), request.settings.to_dict()])
        count = self.draws[key]
        self.draws[key] += 1
        return count


async def apart(debate: Debate, work: Callable[..., _T], *arguments: Any) -> _T:
    """`work(debate, ...)`, in a thread of its own where answers are compared symbolically, which may take seconds."""
    if debate.answer_type in ("math", "quantity"):
        return await asyncio.to_thread(work, debate, *arguments)
    return work(debate, *arguments)


async def gather(jobs: Sequence[Coroutine[Any, Any, _T]]) -> list[_T]:
    """All results in order; the first exception ends the others before it goes on, so that nothing is left running."""
    if len(jobs) == 1:
        return [await jobs[0]]
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
