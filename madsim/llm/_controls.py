"""Runs that tell what of a debate's effect is due to debate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from madsim import graphs
from madsim.llm._debater import Debater, check_panel
from madsim.llm._panels import copies
from madsim.llm._run import run_debates
from madsim.llm._said import Said
from madsim.protocols import Majority, Protocol, Simultaneous
from madsim.tasks import Sample
from madsim.transcripts import Run

ControlKind = Literal["reask", "vote", "placebo", "replicate", "held_out"]
CONTROLS: tuple[str, ...] = get_args(ControlKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A run to set beside a debate.

    Attributes
    ----------
    kind : what it controls for
    protocol, debaters : as for :func:`run_debates`
    placebo : replies of other questions by sample id, None where peers' own are shown
    """

    kind: ControlKind
    protocol: Protocol
    debaters: tuple[Debater, ...]
    placebo: Mapping[str, tuple[Said, ...]] | None = None


def control(
    kind: ControlKind, protocol: Protocol, debaters: Sequence[Debater], *, debate: Run | None = None
) -> Control:
    """The control of this kind for a debate.

    ``reask``: the same agents answer as often and hear nobody (what a second look alone does). ``vote``: a plain vote with as many calls
    as the debate, rounds times agents more voters (what the compute alone does). ``placebo``: the replies shown come from the `debate` on
    another question (what hearing anything at all does). ``replicate``: the same debate again (what chance does). ``held_out``: independent
    answers that no debater ever saw (what later rounds may be compared with).

    Raises
    ------
    ValueError
        For an unknown kind, and for a placebo without the run whose words are shown.
    """
    panel = check_panel(debaters)
    if kind not in CONTROLS:
        raise ValueError(f"kind must be one of {', '.join(CONTROLS)}; got {kind!r}")
    plain = replace(protocol, convergence=None)
    if kind == "reask":
        visibility = replace(protocol.visibility, graph=graphs.empty(len(panel)), show="last")
        return Control(
            kind=kind, protocol=replace(plain, visibility=visibility, schedule=Simultaneous()), debaters=panel
        )
    vote = Protocol(rounds=0, reduction=Majority(ties=getattr(protocol.reduction, "ties", "first")))
    if kind == "vote":
        return Control(kind=kind, protocol=vote, debaters=tuple(copies(panel, len(panel) * (protocol.rounds + 1))))
    if kind == "held_out":
        return Control(kind=kind, protocol=vote, debaters=panel)
    if kind == "replicate":
        return Control(kind=kind, protocol=protocol, debaters=panel)
    if debate is None:
        raise ValueError(
            "a placebo shows the words of an earlier debate: give debate=, a run of at least two questions"
        )
    return Control(
        kind=kind,
        protocol=replace(plain, schedule=Simultaneous()),
        debaters=panel,
        placebo=replies_of_others(debate),
    )


def run_control(
    kind: ControlKind,
    protocol: Protocol,
    debaters: Sequence[Debater],
    samples: Iterable[Sample],
    *,
    debate: Run | None = None,
    **options: Any,
) -> Run:
    """Run a control; takes the options of :func:`run_debates`, and its record says what it is a control of."""
    made = control(kind, protocol, debaters, debate=debate)
    extra = {} if made.placebo is None else {"placebo": made.placebo}
    return run_debates(made.protocol, made.debaters, samples, control=kind, **extra, **options)


def replies_of_others(debate: Run) -> dict[str, tuple[Said, ...]]:
    """For each question of a debate, the replies to the next one (the first one's for the last).

    Raises
    ------
    ValueError
        If the run has fewer than two questions.
    """
    transcripts = [one for one in debate.transcripts if one.epoch == 0]
    if len(transcripts) < 2:
        raise ValueError(f"a placebo needs a debate on at least two questions, this run has {len(transcripts)}")
    following = [*transcripts[1:], transcripts[0]]
    return {
        one.sample.id: tuple(
            Said(round=reply.round, agent=reply.agent, text=reply.text, answer=reply.answer, reason=reply.reason)
            for reply in other.replies
        )
        for one, other in zip(transcripts, following, strict=True)
    }
