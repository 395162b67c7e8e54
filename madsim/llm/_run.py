"""Run many debates: one record, one budget, one gate; resumable at any moment."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from madsim._core.provenance import provenance
from madsim._core.rng import RNG, Seed, resolve_seed
from madsim.llm._budget import Amount, Budget, Ledger, check_budget
from madsim.llm._cache import ReplyCache
from madsim.llm._call import Caller
from madsim.llm._debate import Debate, gather
from madsim.llm._debater import Debater
from madsim.llm._door import run_sync
from madsim.llm._events import Event
from madsim.llm._play import play
from madsim.llm._prices import Prices
from madsim.llm._prompts import Prompts
from madsim.llm._request import Model, Session, Usage
from madsim.llm._retry import Gate, Retry
from madsim.llm._said import Said
from madsim.llm._setup import HumanFunction, ReduceFunction, Setup, SpeakerFunction, Steer
from madsim.llm._store import MemoryStore, Store
from madsim.protocols import Protocol
from madsim.tasks import Sample
from madsim.transcripts import Run, RunWriter, read_run, record_of, run_of

Watcher = Callable[[Event], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One debate to be played: which question, which repeat, how many rounds, and comments that came with granted rounds."""

    index: int
    sample: Sample
    epoch: int
    rounds: int
    comments: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTotals:
    """What a run came to, without its replies.

    Attributes
    ----------
    debates : debates ended in this run
    statuses : how many ended how
    correct : how many have the right answer; debates without a target do not count
    spent, usage : everything that the record accounts for, earlier parts of a resumed run included
    maybe_paid_twice : calls that were in flight when an earlier part of the run was killed and were sent again
    broken_watchers : exceptions that the event callback raised
    """

    debates: int
    statuses: dict[str, int]
    correct: int
    spent: Amount
    usage: Usage
    maybe_paid_twice: int = 0
    broken_watchers: int = 0


def run_debates(
    protocol: Protocol,
    debaters: Sequence[Debater],
    samples: Iterable[Sample],
    *,
    record: str | PathLike[str] | None = None,
    judge: Debater | None = None,
    summariser: Debater | None = None,
    moderator: Debater | None = None,
    speaker: SpeakerFunction | None = None,
    reduce: ReduceFunction | None = None,
    person: HumanFunction | None = None,
    prompts: Prompts | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: Retry | None = None,
    cache: ReplyCache | None = None,
    steer: Sequence[Steer] = (),
    pause: bool = False,
    round_timeout: float | None = None,
    placebo: Mapping[str, tuple[Said, ...]] | None = None,
    probe: bool = False,
    control: str | None = None,
    epochs: int = 1,
    shard: tuple[int, int] | None = None,
    concurrency: int = 8,
    rng: RNG = None,
    on_event: Watcher | None = None,
) -> Run:
    """Debates of language models on every sample, and the run that their record tells.

    Works also where an event loop already runs (a notebook); in asynchronous code use :func:`run_debates_async`.

    Parameters
    ----------
    protocol
        who speaks when, who hears what, how answers become one
    debaters
        the panel, in declared order
    samples
        the questions; ids must be unique
    record
        a new file for the record, written as things happen; None keeps the record in memory. An existing file is an error: a record is
        never overwritten (see :func:`resume`).
    judge, summariser, moderator
        who does these jobs, where the protocol has them
    speaker, reduce, person
        functions that choose the next speaker, decide, or answer for a seat with a person (None: no reply; ``EOFError``: nobody is
        there, and the debate is paused until the run is resumed)
    prompts
        the words around questions and peers
    budget, prices
        caps for the whole run, reserved before every call; money needs prices
    retry
        how often a failed call is tried again
    cache
        replies of earlier runs
    steer
        comments to all debaters before a round
    pause
        whether a debate that reaches its last round undecided is kept open for :func:`accept`, :func:`terminate` or :func:`grant`
    round_timeout
        seconds for one round; who has not replied by then sits it out
    placebo
        replies to show in place of the peers' own, by sample id (see :func:`run_control`)
    probe
        ask every debater at the end which role it was given, and score what it says (role collapse; a call more a debater)
    control
        what the run is a control of, for the record (``"reask"``)
    epochs
        independent debates a question
    shard
        ``(2, 5)``: play only the second of five shards, every fifth question from the second one on; give every machine the same `samples`
        and `rng`, and put the records together with :func:`madsim.transcripts.merge_records`
    concurrency
        most calls at once, over all debates; adapts downwards where the endpoint says that they are too many
    rng
        seed of speaking orders, random ties and derived seeds; the seed really used is in the provenance
    on_event
        called with every :class:`Event`; what it raises is counted and never reaches the run

    Raises
    ------
    ValueError, TypeError
        Before anything is sent: wrong settings, a money cap with an unknown price, ids that occur twice.
    FileExistsError
        If `record` exists.

    Examples
    --------
    Simulated debaters speak through the same engine as models do, without any endpoint:

    >>> from madsim import llm
    >>> from madsim.models import DebateModel
    >>> from madsim.protocols import Protocol
    >>> from madsim.tasks import Sample
    >>> speaker = llm.SimulatedModel(DebateModel.homogeneous(n_agents=3, belief=0.9, mass=4.0), rng=1)
    >>> question = Sample(id="sum", question="What is 2 + 2?", target="4", answer_type="number")
    >>> run = llm.run_debates(Protocol(rounds=1), llm.identical(speaker, 3), [question], rng=1)
    >>> outcome = run.transcripts[0].outcome
    >>> outcome["answer"], outcome["votes"], outcome["status"]
    ('4', 3, 'max_rounds')
    """
    options = dict(locals())
    for name in ("protocol", "debaters", "samples"):
        options.pop(name)
    return run_sync(lambda: run_debates_async(protocol, debaters, samples, **options))


async def run_debates_async(
    protocol: Protocol,
    debaters: Sequence[Debater],
    samples: Iterable[Sample],
    *,
    record: str | PathLike[str] | None = None,
    **options: Any,
) -> Run:
    """:func:`run_debates` for asynchronous code; cancelling it cancels the calls in flight and keeps the record."""
    plan = begin(protocol, debaters, samples, record=record, **options)
    await drive(plan)
    return await asyncio.to_thread(run_of_plan, plan, None if record is None else Path(record))


def run_of_plan(plan: RunPlan, record: Path | None) -> Run:
    """The run that the record tells, read from its file or from memory."""
    if record is not None:
        return read_run(record)
    assert isinstance(plan.store, MemoryStore)
    return run_of(record_of(plan.store.entries), messages=True)


def record_debates(
    protocol: Protocol,
    debaters: Sequence[Debater],
    samples: Iterable[Sample],
    *,
    record: str | PathLike[str],
    **options: Any,
) -> RunTotals:
    """Debates of any number, written to their record and not held in memory; takes the options of :func:`run_debates`."""
    return run_sync(lambda: record_debates_async(protocol, debaters, samples, record=record, **options))


async def record_debates_async(
    protocol: Protocol,
    debaters: Sequence[Debater],
    samples: Iterable[Sample],
    *,
    record: str | PathLike[str],
    **options: Any,
) -> RunTotals:
    """:func:`record_debates` for asynchronous code."""
    return await drive(begin(protocol, debaters, samples, record=record, **options))


async def watch_debates(
    protocol: Protocol, debaters: Sequence[Debater], samples: Iterable[Sample], **options: Any
) -> AsyncIterator[Event]:
    """The events of :func:`run_debates` as they happen, for ``async for``; takes its options, without `on_event`.

    Leaving the loop early cancels the run and keeps its record.
    """
    queue: asyncio.Queue[Event | None] = asyncio.Queue()
    plan = begin(protocol, debaters, samples, **{"record": None, **options}, on_event=queue.put_nowait)
    task = asyncio.ensure_future(drive(plan))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@dataclass(slots=True, kw_only=True)
class RunPlan:
    """A run that is ready to go: what to play, with whom, and where its lines go.

    The record is opened after the models: what is wrong with them (a missing key) leaves no file behind.
    """

    setup: Setup
    jobs: list[Job]
    open_store: Callable[[], Store]
    seed: Seed
    ledger: Ledger
    store: Store | None = None
    prices: Prices | None = None
    retry: Retry = field(default_factory=Retry)
    cache: ReplyCache | None = None
    concurrency: int = 8
    on_event: Watcher | None = None
    past: dict[Any, dict[str, Any]] = field(default_factory=dict)
    owed: dict[Any, tuple[Amount, Usage]] = field(default_factory=dict)
    first_attempt: dict[Any, int] = field(default_factory=dict)
    tool_results: dict[Any, str] = field(default_factory=dict)
    maybe_paid_twice: int = 0
    on_reserved: Callable[[Amount], Any] | None = None


def begin(
    protocol: Protocol,
    debaters: Sequence[Debater],
    samples: Iterable[Sample],
    *,
    record: str | PathLike[str] | None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    prompts: Prompts | None = None,
    retry: Retry | None = None,
    cache: ReplyCache | None = None,
    steer: Sequence[Steer] = (),
    control: str | None = None,
    epochs: int = 1,
    shard: tuple[int, int] | None = None,
    concurrency: int = 8,
    rng: RNG = None,
    on_event: Watcher | None = None,
    **people: Any,
) -> RunPlan:
    """Check everything, then open the record."""
    notes: dict[int, str] = {}
    for one in steer:
        notes[one.before_round] = f"{notes[one.before_round]}\n{one.text}" if one.before_round in notes else one.text
    setup = Setup(protocol=protocol, panel=tuple(debaters), prompts=prompts or Prompts(), steer=notes, **people)
    questions = check_samples(samples)
    if shard is not None:
        questions = _shard_of(questions, shard)
    epochs = _count(epochs, "epochs")
    concurrency = _count(concurrency, "concurrency")
    check_budget(budget, prices, setup.everybody)
    seed = resolve_seed(rng)
    header = {
        **setup.describe(),
        **({} if shard is None else {"shard": {"of": shard[1], "parts": [shard[0]]}}),
        "epochs": epochs,
        "concurrency": concurrency,
        "budget": None if budget is None else {name: getattr(budget, name) for name in Budget.__slots__},
        "control": control,
        "source": {"kind": "language models" if record is not None else "language models, in memory"},
        "provenance": provenance(
            "run_debates", {"samples": len(questions)}, seed=seed.hex, packages=("openai", "numpy")
        ).to_dict(),
    }

    def open_store() -> Store:
        store: Store = MemoryStore(header) if record is None else RunWriter.create(Path(record), header)
        for sample in questions:
            store.sample(sample)
        return store

    if record is not None and Path(record).exists():
        raise FileExistsError(f"{record} exists; a record is never overwritten. Resume it, or name another file")
    pairs = [(sample, epoch) for epoch in range(epochs) for sample in questions]
    return RunPlan(
        setup=setup,
        jobs=[
            Job(index=index, sample=sample, epoch=epoch, rounds=protocol.rounds)
            for index, (sample, epoch) in enumerate(pairs)
        ],
        open_store=open_store,
        seed=seed,
        ledger=Ledger(budget=budget or Budget()),
        prices=prices,
        retry=retry or Retry(),
        cache=cache,
        concurrency=concurrency,
        on_event=on_event,
    )


async def drive(plan: RunPlan) -> RunTotals:
    """Play all jobs, at most as many debates at once as calls may be in flight; close the record whatever happens."""
    statuses: Counter[str] = Counter()
    correct = 0
    try:
        async with AsyncExitStack() as stack:
            caller = await open_caller(plan, stack)
            caller.emit("run_opened", debates=len(plan.jobs))
            todo: Iterator[Job] = iter(plan.jobs)

            async def worker() -> None:
                nonlocal correct
                for job in todo:
                    debate = Debate(
                        setup=plan.setup,
                        caller=caller,
                        sample=job.sample,
                        epoch=job.epoch,
                        index=job.index,
                        rounds=job.rounds,
                        grants=job.comments,
                    )
                    if plan.ledger.is_capped:
                        await plan.ledger.admit(job.index, debate.expect())
                    outcome = await play(debate)
                    plan.ledger.earmark(job.index, None)
                    line = outcome.to_dict()
                    caller.store.outcome(line)
                    statuses[outcome.status] += 1
                    correct += outcome.correct is True
                    caller.emit("debate_ended", debate.place("panel"), **line)

            await gather([worker() for _ in range(min(plan.concurrency, len(plan.jobs)))])
            caller.emit("run_ended", statuses=dict(statuses))
    except asyncio.CancelledError:
        if plan.store is not None:
            plan.store.event({"event": "interrupted"})
        raise
    finally:
        if plan.store is not None:
            plan.store.close()
    return RunTotals(
        debates=sum(statuses.values()),
        statuses=dict(statuses),
        correct=correct,
        spent=plan.ledger.spent,
        usage=plan.ledger.usage,
        maybe_paid_twice=plan.maybe_paid_twice,
        broken_watchers=caller.state.broken_watchers,
    )


async def open_caller(plan: RunPlan, stack: AsyncExitStack) -> Caller:
    """What the calls of the run share, every model opened until `stack` closes."""
    sessions: dict[int, Session] = {}
    gates: dict[int, Gate] = {}
    opened: list[Model] = []
    for debater in plan.setup.everybody:
        model = debater.model
        if id(model) in sessions:
            continue
        same = next((one for one in opened if one == model), None)  # equal descriptions share one session and one gate
        if same is None:
            opened.append(model)
            sessions[id(model)] = await stack.enter_async_context(model.open())
            gates[id(model)] = Gate(most=plan.concurrency)
        else:
            sessions[id(model)], gates[id(model)] = sessions[id(same)], gates[id(same)]
    seconds = plan.ledger.budget.max_seconds
    plan.store = plan.open_store()
    return Caller(
        store=plan.store,
        ledger=plan.ledger,
        retry=plan.retry,
        seed=plan.seed,
        sessions=sessions,
        gates=gates,
        total=Gate(most=plan.concurrency),
        prices=plan.prices,
        cache=plan.cache,
        on_event=plan.on_event,
        deadline=None if seconds is None else asyncio.get_running_loop().time() + seconds,
        past=plan.past,
        owed=plan.owed,
        first_attempt=plan.first_attempt,
        tool_results=plan.tool_results,
        on_reserved=plan.on_reserved,
    )


def check_samples(samples: Iterable[Sample]) -> list[Sample]:
    questions = list(samples)
    if not questions:
        raise ValueError("there is no question: samples is empty")
    seen: set[str] = set()
    for sample in questions:
        if not isinstance(sample, Sample):
            raise TypeError(f"samples must be madsim.tasks.Sample objects, got {sample!r}")
        if sample.id in seen:
            raise ValueError(f"sample ids must be unique; {sample.id!r} occurs twice (use epochs for repeats)")
        seen.add(sample.id)
    return questions


def _shard_of(questions: list[Sample], shard: tuple[int, int]) -> list[Sample]:
    number, of = (_count(value, "a shard's number") for value in shard)
    if number > of:
        raise ValueError(f"shard {number} of {of}: the number must be at most {of}")
    found = questions[number - 1 :: of]
    if not found:
        raise ValueError(f"shard {number} of {of} is empty: there are only {len(questions)} questions")
    return found


def _count(value: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, got {value!r}")
    return value
