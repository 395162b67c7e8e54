"""From replies to votes: answers of one sample are grouped, the target's group is 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim import answers
from madsim.tasks import Sample
from madsim.transcripts._early import recognise_early_stopping
from madsim.transcripts._rounding import rounded
from madsim.transcripts._run import Reply, Run, Transcript
from madsim.transcripts._votes import State, Votes

_MOST_EMPTY = 10_000  # places in the table of votes for each reply


def votes_of(run: Run, *, reextract: bool = False) -> Votes:
    """The votes of a run.

    Parameters
    ----------
    run
        transcripts of the same panel
    reextract
        read the answers out of the replies' texts again instead of taking the recorded ones (replies without a text keep theirs)

    Returns
    -------
    Votes
        One entry a transcript, in order; as many rounds as the longest debate had. Samples with the same question share a cluster.

    Raises
    ------
    ValueError
        If the run holds no reply, or so few for its highest round that the number of a round must be wrong; if a target is no answer
        of its type.
    """
    n_rounds = 1 + max((reply.round for transcript in run.transcripts for reply in transcript.replies), default=-1)
    if not n_rounds:
        raise ValueError(f"the run holds {len(run.transcripts)} transcripts and no reply; there is nothing to vote on")
    shape = (len(run.transcripts), n_rounds, len(run.agents))
    n_replies = sum(len(transcript.replies) for transcript in run.transcripts)
    if math.prod(shape) > _MOST_EMPTY * n_replies:
        raise ValueError(
            f"{n_replies} replies are spread over {shape[0]} debates of up to {n_rounds} rounds and {shape[2]} agents: "
            "a number of a round must be wrong"
        )
    indices = np.full(shape, -1, dtype=np.int32)
    state = np.full(shape, State.NOT_ASKED, dtype=np.int8)
    decimals = run.source.get("answer_decimals")
    if decimals is not None and (
        isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= 15
    ):
        raise ValueError(f"source['answer_decimals'] must be an integer from 0 to 15, got {decimals!r}")
    for number, transcript in enumerate(run.transcripts):
        _fill(indices[number], state[number], transcript, reextract=reextract, decimals=decimals)
    early = run.early_stopping
    if early is None:
        early = recognise_early_stopping(indices, state)
    return Votes(
        answers=indices,
        state=state,
        samples=_names(run.transcripts),
        cluster=_clusters(transcript.sample for transcript in run.transcripts),
        has_target=np.array([transcript.sample.target is not None for transcript in run.transcripts], dtype=np.bool_),
        agents=run.agents,
        early_stopping=early,
        protocol=run.protocol,
        n_answers=_n_answers(run.transcripts),
        source=str(run.source.get("file", run.source.get("format", ""))),
    )


def _fill(
    indices: NDArray[np.int32],
    state: NDArray[np.int8],
    transcript: Transcript,
    *,
    reextract: bool,
    decimals: int | None,
) -> None:
    sample = transcript.sample
    texts = [_answer(reply, sample, reextract=reextract) for reply in transcript.replies]
    kind = answer_type_of(sample, texts)
    if decimals is not None and kind == "number":
        texts = [rounded(text, decimals) for text in texts]
    different = list(dict.fromkeys([sample.target, *texts]))
    labels = dict(zip(different, answers.group(different, kind, choices=sample.choices), strict=True))
    target = labels[sample.target]
    if sample.target is not None and target is None:
        raise ValueError(f"sample {sample.id!r}: the target {sample.target!r} is no answer of type {kind}")
    others: dict[int, int] = {}
    for reply, text in zip(transcript.replies, texts, strict=True):
        place, label = (reply.round, reply.agent), labels[text]
        if reply.failed:
            state[place] = State.FAILED
        elif label is None:
            state[place] = State.UNPARSED
        else:
            state[place] = State.ANSWERED
            indices[place] = 0 if label == target else others.setdefault(label, len(others) + 1)


def _answer(reply: Reply, sample: Sample, *, reextract: bool) -> str | None:
    if reply.failed:
        return None
    if not reextract or reply.text is None:
        return reply.answer
    kind: Any = sample.answer_type
    return answers.extract(reply.text, kind, choices=sample.choices, finish_reason=reply.finish_reason).answer


def answer_type_of(sample: Sample, texts: Sequence[str | None]) -> Any:
    """The sample's answer type, else the one that its target (or, without one, most of the answers) suggests."""
    if sample.answer_type is not None:
        return sample.answer_type
    return answers.infer_type(texts if sample.target is None else sample.target, choices=sample.choices)


def _names(transcripts: Sequence[Transcript]) -> tuple[str, ...]:
    epochs = any(transcript.epoch for transcript in transcripts)
    return tuple(f"{one.sample.id}#{one.epoch}" if epochs else one.sample.id for one in transcripts)


def _clusters(samples: Iterable[Sample]) -> NDArray[np.int64]:
    number: dict[str, int] = {}
    keys = [sample.question.strip() or f"\0{sample.id}" for sample in samples]
    return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)


def _n_answers(transcripts: Sequence[Transcript]) -> int | None:
    sizes = {_size(transcript.sample) for transcript in transcripts}
    return sizes.pop() if len(sizes) == 1 else None


def _size(sample: Sample) -> int | None:
    if sample.answer_type == "boolean":
        return 2
    if sample.answer_type == "multichoice" or sample.choices is None:
        return None
    return len(sample.choices)
