"""Held-out answers from a run of their own: the same questions, answered once more by agents that no debater heard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim import answers
from madsim._core.arrays import readonly
from madsim.tasks import Sample
from madsim.transcripts import Reply, Run, State, Votes, votes_of

_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldOut:
    """A run and held-out answers to its questions, numbered alike.

    Attributes
    ----------
    votes : of the run
    answers : int32 (sample, held-out answer); 0 the target, 1, 2, ... the other answers as in `votes` and beyond, -2 a reply without
        an answer, -1 none
    """

    votes: Votes
    answers: NDArray[np.int32]


def match_held_out(run: Run, held_out: Run) -> HeldOut:
    """The round-0 answers of `held_out` as held-out answers for `run`, for ``check(votes, held_out=answers)``.

    Samples are matched by id, all epochs of one taken together. Answers of both runs are grouped as one set, so that those that are not
    the target are told apart alike, and the test without labels can be made too.

    Parameters
    ----------
    run
        the debates to check
    held_out
        a run on the same questions; its rounds after round 0 are not looked at

    Raises
    ------
    ValueError
        If a sample has no held-out answers; if samples of one id have different questions, targets or choices; if every round-0 reply
        of both runs is the same, which makes one a copy of the other.
    """
    wanted = {one.sample.id: one.sample for one in run.transcripts}
    given: dict[str, list[Reply]] = {}
    for one in held_out.transcripts:
        if one.sample.id in wanted:
            _same_question(wanted[one.sample.id], one.sample)
            given.setdefault(one.sample.id, []).extend(reply for reply in one.replies if reply.round == 0)
    missing = [name for name in wanted if not given.get(name)]
    if missing:
        raise ValueError(
            f"{len(missing)} of {len(wanted)} samples have no held-out answers (the first is {missing[0]!r}); "
            f"the held-out run has {len({one.sample.id for one in held_out.transcripts})} samples"
        )
    own: dict[str, list[Reply]] = {}
    for one in run.transcripts:
        own.setdefault(one.sample.id, []).extend(reply for reply in one.replies if reply.round == 0)
    if all(_said(own[name]) == _said(given[name]) for name in wanted):
        raise ValueError(
            "every round-0 reply of the held-out run is a reply of the run itself: a copy, or agents that always say the same; "
            "held-out answers must be drawn anew"
        )
    beyond = 1 + max((reply.round for one in run.transcripts for reply in one.replies), default=-1)
    most = max(len(replies) for replies in given.values())
    width = max(len(run.agents), most)
    joined = replace(
        run,
        agents=(*run.agents, *(f"held out {number}" for number in range(width - len(run.agents)))),
        transcripts=tuple(
            replace(one, replies=(*one.replies, *_moved(given[one.sample.id], beyond))) for one in run.transcripts
        ),
    )
    found = votes_of(joined)
    n = len(run.agents)
    votes = replace(
        votes_of(run), answers=found.answers[:, :beyond, :n], state=found.state[:, :beyond, :n]
    )  # equal but for answers that only a held-out one shows to be the same
    held, state = found.answers[:, beyond, :most], found.state[:, beyond, :most]
    without = np.where(state == State.NOT_ASKED, -1, -2)
    return HeldOut(votes=votes, answers=readonly(np.where(held >= 0, held, without).astype(np.int32)))


def _moved(replies: list[Reply], round: int) -> list[Reply]:
    """The replies as those of a round of their own, one seat each."""
    return [replace(reply, round=round, agent=seat) for seat, reply in enumerate(replies)]


def _said(replies: list[Reply]) -> list[str]:
    return sorted(str(reply.text or reply.answer) for reply in replies)


def _same_question(sample: Sample, other: Sample) -> None:
    """Refuse samples of one id that ask for different things; what is absent on one side is not compared."""

    def refuse(what: str, one: object, two: object) -> None:
        raise ValueError(
            f"sample {sample.id!r} is another question in the held-out run: its {what} is {_short(two)}, here it is {_short(one)}; "
            "held-out answers must be answers to the same questions"
        )

    texts = [" ".join(one.question.split()) for one in (sample, other)]
    if all(texts) and texts[0] != texts[1]:
        refuse("question", *texts)
    if sample.choices is not None and other.choices is not None and dict(sample.choices) != dict(other.choices):
        refuse("list of choices", dict(sample.choices), dict(other.choices))
    if sample.target is not None and other.target is not None and not _alike(sample, sample.target, other.target):
        refuse("target", sample.target, other.target)


def _alike(sample: Sample, target: str, other: str) -> bool:
    kind: Any = sample.answer_type or answers.infer_type(target, choices=sample.choices)
    one, two = answers.group([target, other], kind, choices=sample.choices)
    return target == other or (one is not None and one == two)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
