"""A run: many debates, each with every reply of every round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from madsim.tasks import Sample

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one agent gave in one round.

    Attributes
    ----------
    round, agent : counted from 0; `agent` is the place in the run's panel
    text : the reply; None where none came (failed) or only the answer was kept (imported tables)
    answer : the extracted answer, None where there is none
    reason : reason code of the extraction, or why there is no reply
    span : where in `text` the answer stands
    failed : True where the agent was asked and no reply came
    finish_reason, usage, messages : as the model interface reported and was given them, where known
    """

    round: int
    agent: int
    text: str | None = None
    answer: str | None = None
    reason: str | None = None
    span: tuple[int, int] | None = None
    failed: bool = False
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    messages: tuple[dict[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One debate on one sample: its replies (by round, then agent; an agent that was not asked has none) and its outcome."""

    sample: Sample
    epoch: int = 0
    replies: tuple[Reply, ...] = ()
    outcome: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Many debates under one protocol and panel.

    Attributes
    ----------
    agents : names of the panel, in declared order
    transcripts : one a sample and epoch
    protocol : plain form of the protocol (`madsim.protocols.protocol_from_dict` reads it), None where unknown
    early_stopping : whether debates could stop before the last round; None where unknown
    control : None for a debate, ``"reask"`` for agents that answer again without peers
    source : where it came from (format, file, models), for people
    provenance : plain form of the provenance
    notes : what the reader or importer counted (torn lines, skipped records), by name
    """

    agents: tuple[str, ...]
    transcripts: tuple[Transcript, ...]
    protocol: dict[str, Any] | None = None
    early_stopping: bool | None = None
    control: str | None = None
    source: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] | None = None
    notes: dict[str, int] = field(default_factory=dict)

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a reply: sample, epoch, round, agent, answer, target, reason, failed, finish_reason, tokens in and out, text.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from madsim._core.tables import dataframe

        names = (
            "sample", "epoch", "round", "agent", "answer", "target", "reason", "failed", "finish_reason", "input_tokens",
            "output_tokens", "text",
        )  # fmt: skip
        rows = [
            (
                transcript.sample.id, transcript.epoch, reply.round, self.agents[reply.agent], reply.answer,
                transcript.sample.target, reply.reason, reply.failed, reply.finish_reason, (reply.usage or {}).get("input"),
                (reply.usage or {}).get("output"), reply.text,
            )
            for transcript in self.transcripts
            for reply in transcript.replies
        ]  # fmt: skip
        columns = zip(*rows, strict=True) if rows else ([] for _ in names)
        return dataframe({name: list(column) for name, column in zip(names, columns, strict=True)})

    def _repr_html_(self) -> str:
        """What a notebook shows: the panel, and how many replies came, failed, or hold no readable answer, by round."""
        from madsim._core.html import table

        counts: dict[int, list[int]] = {}
        for transcript in self.transcripts:
            for reply in transcript.replies:
                row = counts.setdefault(reply.round, [0, 0, 0])
                row[0] += 1
                row[1] += reply.failed
                row[2] += reply.answer is None and not reply.failed
        rows = [[number, *counts[number]] for number in sorted(counts)]
        caption = f"Run: {len(self.transcripts)} debates of {', '.join(self.agents)}"
        return table(["round", "replies", "failed", "no readable answer"], rows, caption=caption)
