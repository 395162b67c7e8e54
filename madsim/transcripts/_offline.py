"""What can be done with a saved run without one call: read answers again, drop rounds, change the order of the panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from madsim import answers
from madsim.transcripts._run import Reply, Run, Transcript


def reextract(run: Run) -> Run:
    """The same run with every answer read out of its text again.

    Replies without a text keep their answers. Outcomes are dropped where an answer changed: they were decided on the old ones.
    """
    return replace(run, transcripts=tuple(_reextracted(one) for one in run.transcripts))


def _reextracted(transcript: Transcript) -> Transcript:
    kind: Any = transcript.sample.answer_type
    choices = transcript.sample.choices
    replies = []
    for reply in transcript.replies:
        if reply.failed or reply.text is None:
            replies.append(reply)
            continue
        found = answers.extract(reply.text, kind, choices=choices, finish_reason=reply.finish_reason)
        replies.append(replace(reply, answer=found.answer, reason=found.reason, span=found.span))
    same = [reply.answer for reply in replies] == [reply.answer for reply in transcript.replies]
    return replace(transcript, replies=tuple(replies), outcome=transcript.outcome if same else None)


def cut_rounds(run: Run, n_rounds: int) -> Run:
    """The same run as if it had ended after round `n_rounds` (0 keeps the independent round only).

    Outcomes of debates that went on longer are dropped, and the protocol's number of rounds is lowered.

    Raises
    ------
    ValueError
        If `n_rounds` is negative.
    """
    if isinstance(n_rounds, bool) or not isinstance(n_rounds, int) or n_rounds < 0:
        raise ValueError(f"n_rounds must be an integer of at least 0, got {n_rounds!r}")
    protocol = run.protocol
    if protocol is not None and isinstance(protocol.get("rounds"), int):
        protocol = {**protocol, "rounds": min(protocol["rounds"], n_rounds)}
    return replace(run, transcripts=tuple(_cut(one, n_rounds) for one in run.transcripts), protocol=protocol)


def _cut(transcript: Transcript, n_rounds: int) -> Transcript:
    kept = tuple(reply for reply in transcript.replies if reply.round <= n_rounds)
    whole = len(kept) == len(transcript.replies)
    return replace(transcript, replies=kept, outcome=transcript.outcome if whole else None)


def reorder_agents(run: Run, order: Sequence[int]) -> Run:
    """The same run with its panel in another declared order (which decides ties); ``order[k]`` is the present place of the k-th agent.

    Outcomes are dropped, and so is the protocol where its graph tells agents apart.

    Raises
    ------
    ValueError
        If `order` is not a permutation of the panel.
    """
    if sorted(order) != list(range(len(run.agents))):
        raise ValueError(f"order must hold each of 0 to {len(run.agents) - 1} once, got {list(order)}")
    place = {old: new for new, old in enumerate(order)}

    def moved(transcript: Transcript) -> Transcript:
        replies = (replace(reply, agent=place[reply.agent]) for reply in transcript.replies)
        return replace(transcript, replies=tuple(sorted(replies, key=_key)), outcome=None)

    return replace(
        run,
        agents=tuple(run.agents[old] for old in order),
        transcripts=tuple(moved(one) for one in run.transcripts),
        protocol=run.protocol if _is_complete(run.protocol) else None,
    )


def _key(reply: Reply) -> tuple[int, int]:
    return reply.round, reply.agent


def _is_complete(protocol: dict[str, Any] | None) -> bool:
    visibility = None if protocol is None else protocol.get("visibility")
    return isinstance(visibility, dict) and visibility.get("graph") is None
