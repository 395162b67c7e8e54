"""Several runs as one: panels of different size on the same questions, clustered by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from madsim.transcripts import Run, State, Votes, votes_of


def pool_runs(runs: Sequence[Run]) -> Votes:
    """The votes of several runs, in order; samples with the same question share a cluster across runs.

    Panels are filled up to the largest with agents that were never asked. The protocol is kept where all runs have the same.

    Raises
    ------
    ValueError
        If there is no run, or the runs differ in their number of rounds (`madsim.transcripts.cut_rounds` shortens them).
    """
    if not runs:
        raise ValueError("there is no run to pool")
    parts = [votes_of(run) for run in runs]
    rounds = {part.n_rounds for part in parts}
    if len(rounds) > 1:
        raise ValueError(f"the runs have {sorted(rounds)} rounds after round 0; cut them to the same number first")
    size = max(part.n_agents for part in parts)
    number: dict[str, int] = {}
    cluster = [
        number.setdefault(one.sample.question.strip() or f"\0{index}\0{one.sample.id}", len(number))
        for index, run in enumerate(runs)
        for one in run.transcripts
    ]
    stopping = {part.early_stopping for part in parts}
    options = {part.n_answers for part in parts}
    protocols = [part.protocol for part in parts]
    wide = [_widened(part, size) for part in parts]
    return Votes(
        answers=np.concatenate([part.answers for part in wide]),
        state=np.concatenate([part.state for part in wide]),
        samples=tuple(f"{index}/{name}" for index, part in enumerate(parts) for name in part.samples),
        cluster=np.array(cluster, dtype=np.int64),
        has_target=np.concatenate([part.has_target for part in parts]),
        agents=tuple(f"agent {place}" for place in range(1, size + 1)),
        early_stopping=True if True in stopping else stopping.pop() if len(stopping) == 1 else None,
        protocol=protocols[0] if all(one == protocols[0] for one in protocols) else None,
        n_answers=options.pop() if len(options) == 1 else None,
        source=f"{len(runs)} runs: {', '.join(part.source for part in parts if part.source)}",
    )


def _widened(part: Votes, size: int) -> Votes:
    more = ((0, 0), (0, 0), (0, size - part.n_agents))
    return replace(
        part,
        answers=np.pad(part.answers, more, constant_values=-1),
        state=np.pad(part.state, more, constant_values=State.NOT_ASKED),
        agents=part.agents + tuple(f"absent {place}" for place in range(size - part.n_agents)),
    )
