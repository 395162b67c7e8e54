"""How the answers of a run were read: reasons by round, the oddest replies, and what reading them again would change."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from madsim.cli._output import table
from madsim.cli._runs import printable, scores

if TYPE_CHECKING:
    from madsim.transcripts import Reply, Run

_ODDEST = 20
_SHOWN = 200
_CERTAIN = ("label", "box", "tag", "marker", "field", "bare")


def explanation(run: Run, new: Run) -> dict[str, Any]:
    """Reasons by round, the twenty oddest replies, and the scores before and after, in the keys of the command's JSON."""
    from madsim.answers import REASONS
    from madsim.transcripts import votes_of

    replies = [
        (before.sample.id, before.epoch, old, now)
        for before, after in zip(run.transcripts, new.transcripts, strict=True)
        for old, now in zip(before.replies, after.replies, strict=True)
        if old.text is not None and not old.failed
    ]
    by_round: dict[str, Counter[int]] = {}
    for _, _, _, now in replies:
        by_round.setdefault(now.reason or "none", Counter())[now.round] += 1
    n_rounds = 1 + max(now.round for _, _, _, now in replies)
    total = {reason: sum(counts.values()) for reason, counts in by_round.items()}

    def oddness(entry: tuple[str, int, Reply, Reply]) -> float:
        _, _, old, now = entry
        reason = now.reason or "none"
        rarity = math.log(len(replies) / total[reason])
        return 10 * (old.answer != now.answer) + 3 * (reason not in _CERTAIN) + rarity

    oddest = sorted(replies, key=oddness, reverse=True)[:_ODDEST]
    return {
        "reasons_by_round": {
            reason: [by_round[reason][step] for step in range(n_rounds)]
            for reason in sorted(total, key=total.get, reverse=True)  # type: ignore[arg-type]
        },
        "meaning": {reason: REASONS.get(reason, "recorded by another reader") for reason in total},
        "oddest": [
            {
                "sample": sample,
                "epoch": epoch,
                "round": now.round,
                "agent": run.agents[now.agent],
                "reason": now.reason,
                "recorded": old.answer,
                "answer": now.answer,
                "text": _around(now),
            }
            for sample, epoch, old, now in oddest
        ],
        "before": scores(votes_of(run)),
        "after": scores(votes_of(new)),
    }


def explanation_text(payload: dict[str, Any]) -> str:
    """The same for people."""
    rounds = range(len(next(iter(payload["reasons_by_round"].values()))))
    reasons = table(
        ["reason", *(f"round {step}" for step in rounds), "meaning"],
        [[reason, *counts, payload["meaning"][reason]] for reason, counts in payload["reasons_by_round"].items()],
    )
    odd = [
        f"{one['sample']}, round {one['round']}, {one['agent']}: {one['reason']}, "
        f"{_quoted(one['answer'])}{'' if one['answer'] == one['recorded'] else ' (recorded: ' + _quoted(one['recorded']) + ')'}\n"
        f"    {one['text']}"
        for one in payload["oddest"]
    ]
    changes = table(
        ["round", "accuracy before", "after", "vote before", "after", "unparsed before", "after"],
        [
            [step, *(_score(payload[when], name, step) for name in _SCORES for when in ("before", "after"))]
            for step in range(len(payload["before"]["unparsed_by_round"]))
        ],
    )
    parts = [reasons, f"the {len(odd)} oddest replies:", *odd, "what reading again changes:", changes]
    return printable("\n\n".join(parts))


_SCORES = ("accuracy_by_round", "vote_by_round", "unparsed_by_round")


def _score(found: dict[str, Any], name: str, step: int) -> float | None:
    if found[name] is None:
        return None
    value = found[name][step]
    return value["value"] if isinstance(value, dict) else value


def _quoted(answer: str | None) -> str:
    return "no answer" if answer is None else f"“{answer}”"


def _around(reply: Reply) -> str:
    """The part of a reply around its answer, on one line."""
    text = reply.text or ""
    if reply.span is None:
        start = max(0, len(text) - _SHOWN)
    else:
        start = max(0, (reply.span[0] + reply.span[1]) // 2 - _SHOWN // 2)
    part = " ".join(text[start : start + _SHOWN].split())
    return f"{'… ' if start else ''}{part}{' …' if start + _SHOWN < len(text) else ''}"
