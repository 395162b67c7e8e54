"""Words that say that there is no answer."""

from __future__ import annotations

from madsim.answers._options import folded

_NOTHING = frozenset(
    {
        "i don't know",
        "i do not know",
        "i dont know",
        "not sure",
        "i'm not sure",
        "i am not sure",
        "no idea",
        "n/a",
        "na",
        "unknown",
        "no answer",
        "none",
        "null",
        "nil",
        "-",
        "",
        "i cannot answer",
        "i can't answer",
        "cannot answer",
        "unsure",
        "undetermined",
        "no final answer",
        "not known",
        "idk",
        "weiß nicht",
        "je ne sais pas",
        "no lo sé",
        "不知道",
        "わかりません",
    }
)


def is_nothing(text: str) -> bool:
    """Whether `text` says in so many words that there is no answer."""
    return len(text) <= 60 and folded(text) in _NOTHING
