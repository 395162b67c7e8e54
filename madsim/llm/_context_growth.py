"""How much more debaters read, round by round, than they did at the start, beside what the structure says: N * k * t * l."""

from __future__ import annotations

from dataclasses import dataclass

from madsim.protocols import OneByOne, Simultaneous, protocol_from_dict
from madsim.transcripts import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextGrowth:
    """Tokens read beyond the question, by round, over all debates.

    Attributes
    ----------
    measured : input tokens of a round less those that its calls would have taken in the first round; None where not reported
    expected : ``N * k * t * l``: each of N agents has been shown k replies of l tokens in each of t rounds (with whole replies and the
        whole conversation in its prompt); None where who hears whom depends on what is said
    """

    measured: tuple[int, ...] | None
    expected: tuple[int, ...] | None


def context_growth(run: Run) -> ContextGrowth:
    """The growth of the context of a run, in tokens as the models counted them.

    Examples
    --------
    >>> from madsim.llm import SimulatedModel, identical, run_debates
    >>> from madsim.models import DebateModel
    >>> from madsim.protocols import Protocol
    >>> from madsim.tasks import Sample
    >>> panel = identical(SimulatedModel(DebateModel.homogeneous(n_agents=3), rng=1), 3)
    >>> run = run_debates(Protocol(rounds=2), panel, [Sample(id="q", question="2 + 2?", target="4", answer_type="number")], rng=1)
    >>> found = context_growth(run)
    >>> found.measured[0], found.measured[1] < found.measured[2], len(found.expected)
    (0, True, 3)
    """
    read: dict[int, int] = {}
    calls: dict[int, int] = {}
    written = replies = 0
    for one in run.transcripts:
        for reply in one.replies:
            usage = reply.usage or {}
            if "input" not in usage:
                continue
            read[reply.round] = read.get(reply.round, 0) + int(usage["input"])
            calls[reply.round] = calls.get(reply.round, 0) + 1
            written, replies = written + int(usage.get("output") or 0), replies + 1
    if not calls.get(0):
        return ContextGrowth(measured=None, expected=None)
    rounds = range(max(read) + 1)
    first = read[0] / calls[0]
    measured = tuple(round(read.get(t, 0) - calls.get(t, 0) * first) for t in rounds)
    protocol = None if run.protocol is None else protocol_from_dict(run.protocol)
    if protocol is None or not isinstance(protocol.schedule, (Simultaneous, OneByOne)):
        return ContextGrowth(measured=measured, expected=None)
    n_agents, length = len(run.agents), written / replies
    heard = 0
    expected = [0]
    for t in rounds[1:]:
        heard += protocol.graph(n_agents, t).n_edges
        expected.append(round(heard * length * calls.get(t, 0) / n_agents))
    return ContextGrowth(measured=measured, expected=tuple(expected))
