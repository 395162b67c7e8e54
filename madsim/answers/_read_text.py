"""Read a text out of the place where it should be."""

from __future__ import annotations

import json
import re

from madsim.answers._dress import undressed
from madsim.answers._nothing import is_nothing
from madsim.answers._reading import Reading, failed, is_placeholder

_TEXT_FILLER = re.compile(
    r"(?:\s*(?:therefore|thus|indeed|actually|simply|still|clearly|as follows:?|that|called|known as|:)\s+)*",
    re.IGNORECASE,
)
_TEXT_END = re.compile(
    r"\s+\((?:confidence|certainty|confident|i am|probability|~|approx)[^)\n]*\)|,?\s(?:because|since|which|"
    r"as it|as they|although|given that|due to|so that)\s|"
    r"(?<!\b(?:St|Mr|Dr|Ms|Mt|Ft|Jr|Sr|No|vs))(?<!\bMrs)(?<!\b[A-Z])[.!?](?=\s+(?:[A-Z]|$))|\n|。|"
    r"(?:です|でした|である|だ|입니다|이다|이에요|예요)(?=[.\s]|$)",
    re.IGNORECASE,
)
_JUDGEMENT = re.compile(
    r"[\s*_]*(?:(?:is|be|very|quite|most|likely|probably|definitely|indeed|also|now)\s)*(?:correct|right|"
    r"wrong|incorrect|true that|clear|the same|consistent|confirmed|supported|based on|as follows|not\b|"
    r"found|given|obtained|derived|final|in line|still|valid|accurate|sound|justified|unchanged|different|above|"
    r"below)\b",
    re.IGNORECASE,
)


_SLOT = re.compile(r"[<\[][a-z][a-z_ ]{0,30}[>\]]|\{[a-z_ ]*(?:answer|name|text)[a-z_ ]*\}|[\W_]*[-–—?.…_][\W_]*|X{2,}")
_NOT_KNOWN = re.compile(
    r"(?:it |this |the answer )?(?:cannot|can't|can not|could not) be (?:determined|answered|known|inferred|"
    r"established)\b.*|"
    r"(?:there is )?(?:not enough|insufficient) (?:information|data|context|evidence)\b.*|"
    r"impossible to (?:determine|say|tell|know)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_EMPHASIS = re.compile(r"\*\*(?=\S)([^*\n]+)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*\n]+)(?<=[^\s*])\*(?![\w*])")


def read_text(text: str, start: int, stop: int, *, kind: str) -> Reading:
    """The text between `start` and `stop`, without its dress."""
    region = text[start:stop]
    if is_placeholder(region):
        return failed("placeholder", start)
    if kind in ("phrase", "label"):
        filler = _TEXT_FILLER.match(text, start, stop)
        start = filler.end() if filler else start
    if kind == "phrase":
        if _JUDGEMENT.match(text, start, stop):
            return failed("unreadable", start)
        end = _TEXT_END.search(text, start, stop)
        stop = end.start() if end else stop
    elif kind == "label":
        end = re.compile(r"\s+\((?:confidence|certainty|probability|i am|~)[^)\n]*\)", re.IGNORECASE).search(
            text, start, stop
        )
        stop = end.start() if end else stop
    if text[start - 2 : start] == "**" and text.count("**", start, stop) % 2:
        start -= 2
    start, stop = undressed(text, start, stop)
    written = text[start:stop]
    if kind == "field" and "\\" in written:
        written = _unescaped(written)
    if "*" in written:
        written = _EMPHASIS.sub(lambda match: match[1] or match[2], written)
    if not written:
        return failed("unreadable", start)
    if _SLOT.fullmatch(written):
        return failed("placeholder", start)
    if is_nothing(written) or _NOT_KNOWN.fullmatch(written):
        return failed("none", start)
    if re.match(r"either\s.+\sor\s", written, re.IGNORECASE):
        return failed("hedge", start)
    return Reading(written, start, stop, True)


def _unescaped(written: str) -> str:
    """A JSON string's content without its escapes, or as it is where they are none."""
    try:
        value = json.loads(f'"{written}"', strict=False)
    except ValueError:
        return written
    return value if isinstance(value, str) else written
