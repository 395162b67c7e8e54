"""Decide saved debates anew: by another reduction, or by another judge. The debaters are not asked again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from madsim._core.rng import RNG, resolve_seed
from madsim.llm._budget import Budget, Ledger, check_budget
from madsim.llm._debate import Debate
from madsim.llm._debater import Debater
from madsim.llm._decide import decide
from madsim.llm._door import run_sync
from madsim.llm._play import close
from madsim.llm._prices import Prices
from madsim.llm._prompts import Prompts
from madsim.llm._retry import Retry
from madsim.llm._run import RunPlan, open_caller
from madsim.llm._said import Said
from madsim.llm._scripted import ScriptedModel
from madsim.llm._setup import ReduceFunction, Setup
from madsim.llm._store import MemoryStore
from madsim.protocols import (
    Approval,
    Consensus,
    Judge,
    LastDocument,
    Majority,
    Protocol,
    Ranked,
    Reduction,
    protocol_from_dict,
)
from madsim.transcripts import Run, Transcript


def revote(
    run: Run, reduction: Reduction | None = None, *, reduce: ReduceFunction | None = None, rng: RNG = None
) -> Run:
    """The run with every debate decided anew from its replies, without one call.

    Parameters
    ----------
    run
        own, imported or cut
    reduction
        Majority (the default), Weighted, Longest or Custom (with `reduce`)
    rng
        seed of random ties

    Raises
    ------
    ValueError
        For a reduction that would have to ask somebody.
    """
    chosen = Majority() if reduction is None else reduction
    if isinstance(chosen, LastDocument):
        raise ValueError(
            "a saved reply does not tell as which document it was handed on; decide by the answers instead"
        )
    if isinstance(chosen, (Judge, Ranked, Approval, Consensus)):
        raise ValueError(f"{type(chosen).__name__} asks models; a revote makes no calls. Judges are asked by rejudge")
    return _decided(run, chosen, judge=None, reduce=reduce, rng=rng)


def rejudge(
    run: Run,
    judge: Debater,
    reduction: Judge | None = None,
    *,
    prompts: Prompts | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: Retry | None = None,
    concurrency: int = 8,
    rng: RNG = None,
) -> Run:
    """The run with every debate put before a judge; the judge's calls are all that is made.

    Raises
    ------
    ValueError
        If a money cap cannot be kept.
    """
    check_budget(budget, prices, [judge])
    options: dict[str, Any] = {"prices": prices, "retry": retry or Retry(), "concurrency": concurrency}
    return _decided(
        run,
        reduction or Judge(),
        judge=judge,
        prompts=prompts or Prompts(),
        rng=rng,
        ledger=Ledger(budget=budget or Budget()),
        **options,
    )


def _decided(
    run: Run,
    reduction: Reduction,
    *,
    judge: Debater | None,
    reduce: ReduceFunction | None = None,
    prompts: Prompts | None = None,
    rng: RNG = None,
    ledger: Ledger | None = None,
    **options: Any,
) -> Run:
    silent = ScriptedModel(replies=())
    known = Protocol() if run.protocol is None else protocol_from_dict(run.protocol)
    protocol = replace(known, reduction=reduction, convergence=None)
    setup = Setup(
        protocol=protocol,
        panel=tuple(Debater(name=name, model=silent) for name in run.agents),
        judge=judge,
        reduce=reduce,
        prompts=prompts or Prompts(),
        moderator=Debater(name="moderator", model=silent),
        summariser=Debater(name="summariser", model=silent),
        speaker=lambda turn: 0,
    )
    plan = RunPlan(
        setup=setup,
        jobs=[],
        open_store=lambda: MemoryStore(setup.describe()),
        seed=resolve_seed(rng),
        ledger=ledger or Ledger(),
        **options,
    )

    async def work() -> list[Transcript]:
        decided = []
        async with AsyncExitStack() as stack:
            caller = await open_caller(plan, stack)
            for index, one in enumerate(run.transcripts):
                debate = Debate(setup=setup, caller=caller, sample=one.sample, epoch=one.epoch, index=index, rounds=0)
                _fill(debate, one)
                outcome = close(debate, "max_rounds", await decide(debate, agreed=False), None)
                before = one.outcome or {}
                line = {**outcome.to_dict(), "redecided": True, "status_before": before.get("status")}
                decided.append(replace(one, outcome=line))
        return decided

    source: Mapping[str, Any] = {**run.source, "redecided_by": type(reduction).__name__}
    protocol_line = None if run.protocol is None else {**run.protocol, "reduction": protocol.to_dict()["reduction"]}
    return replace(run, transcripts=tuple(run_sync(work)), source=dict(source), protocol=protocol_line)


def _fill(debate: Debate, one: Transcript) -> None:
    """Put saved replies where played ones would be."""
    last = max((reply.round for reply in one.replies), default=-1)
    debate.board = [{} for _ in range(last + 1)]
    for reply in sorted(one.replies, key=lambda reply: (reply.round, reply.agent)):
        said = Said(
            round=reply.round,
            agent=reply.agent,
            text=reply.text,
            answer=reply.answer,
            reason=reply.reason,
            span=reply.span,
            failed=reply.failed,
            finish_reason=reply.finish_reason,
        )
        debate.board[reply.round][reply.agent] = said
        debate.log.append(said)
