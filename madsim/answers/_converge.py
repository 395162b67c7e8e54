"""Whether a panel agrees."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from madsim.answers._extract import extract
from madsim.answers._group import group
from madsim.answers._infer import infer_type
from madsim.answers._normal import normal
from madsim.answers._types import AnswerType, Extraction

_WORD = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*|[-+]\d+(?:[.,]\d+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|false|incorrect|wrong|nicht|kein|keine|keinen|nie|ne|"
    r"pas|jamais|non|nunca|não|jamás|falsch|faux|falso)\b|n't\b|[不没非无未]|ない|ません|않|아니|안 ",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?<![\w'])[A-Z](?![\w'])")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)*%?")


def converged(
    replies: Sequence[str | None],
    type: AnswerType | None = None,
    *,
    choices: Sequence[str] | Mapping[str, str] | None = None,
    quorum: int | None = None,
    similarity: float = 0.85,
    extractions: Sequence[Extraction] | None = None,
    tolerance: float = 0.0,
    locale: str | None = None,
) -> bool:
    """Whether every debater that answered gave the same final answer, and enough did.

    Where a reply has no final answer, whole replies are compared instead: every pair must share at least
    `similarity` of its words (Jaccard), and the numbers,
    negations and option letters of both must be the same. Empty replies never agree.

    Parameters
    ----------
    replies : texts, None for no reply
    type : one of `ANSWER_TYPES`; None infers one type from all replies
    choices : option letters, or a mapping from letter to option text
    quorum : how many must agree; by default more than half of the panel
    similarity : share of words that agreeing replies have in common, above 0 and at most 1; 1 asks for equal texts,
        blanks aside
    extractions : what `extract` gave for each reply, where that is known
    tolerance, locale : as in `equivalent`

    Raises
    ------
    ValueError
        If `quorum` is outside 1 to the size of the panel, `similarity` outside (0, 1], or `extractions` of another length.

    Examples
    --------
    >>> converged(["Final answer: 42", "So \\\\boxed{42.0}"], "number")
    True
    """
    if isinstance(replies, str):
        raise TypeError(f"replies must be a sequence of texts, got the text {replies!r}")
    panel = len(replies)
    if not panel:
        return False
    needed = panel // 2 + 1 if quorum is None else quorum
    if not 1 <= needed <= panel:
        raise ValueError(f"quorum must be between 1 and the panel's size {panel}, got {quorum!r}")
    if not 0 < similarity <= 1:
        raise ValueError(f"similarity must be above 0 and at most 1, got {similarity!r}")
    if extractions is not None and len(extractions) != panel:
        raise ValueError(f"one extraction a reply: {panel} replies, {len(extractions)} extractions")
    if type is None:
        type = extractions[0].type if extractions else infer_type(replies, choices=choices)
    found = extractions or [extract(reply, type, choices=choices, locale=locale) for reply in replies]
    given = [(reply, item) for reply, item in zip(replies, found, strict=True) if reply is not None]
    if len(given) < needed:
        return False
    labels = set(group([item.answer for _, item in given], type, choices=choices, tolerance=tolerance, locale=locale))
    if None not in labels:
        return len(labels) == 1
    if len(labels) > 2:
        return False
    texts = [reply for reply, _ in given]
    return all(text.strip() for text in texts) and _all_alike(texts, similarity)


def _all_alike(texts: Sequence[str], similarity: float) -> bool:
    if len(texts) < 2:
        return False
    blank_free = [" ".join(normal(text).split()) for text in texts]
    if similarity == 1:
        return len(set(blank_free)) == 1
    marks = {_marks(text) for text in blank_free}
    if len(marks) > 1:
        return False
    bags = [_words(text) for text in blank_free]
    return all(_jaccard(bags[i], bags[j]) >= similarity for i in range(len(bags)) for j in range(i))


def _marks(text: str) -> tuple:
    """What may not differ between two texts that say the same."""
    return (
        tuple(_NUMBER.findall(text)),
        tuple(sorted(word.casefold() for word in _NEGATION.findall(text))),
        tuple(letter for letter in _LETTER.findall(text) if letter not in ("I", "A")),
    )


def _words(text: str) -> frozenset[str]:
    words = _WORD.findall(text.casefold())
    return frozenset(part for word in words for part in (word if _CJK.search(word) else (word,)))


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    both = left | right
    return len(left & right) / len(both) if both else 0.0
