"""Other people's words inside a prompt, so that they cannot pass for a turn, a heading or an instruction of ours."""

from __future__ import annotations

import re
import unicodedata

_BREAKS = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_MARK = "> "


def quote(text: str) -> str:
    """`text` with a mark before every line, whatever kind of line break it uses, and without control or direction characters."""
    return "\n".join(_MARK + _inert(line) for line in _BREAKS.split(text))


def one_line(text: str) -> str:
    """`text` on one line, for an answer inside a sentence."""
    return " ".join(_inert(part).strip() for part in _BREAKS.split(text)).strip()


def shorten(text: str, length: int) -> str:
    """At most about `length` characters of `text`: its beginning and its end, with a note of what is left out between them."""
    if len(text) <= length:
        return text
    head = max(0, length * 2 // 3)
    tail = max(0, length - head)
    left_out = len(text) - head - tail
    return f"{text[:head].rstrip()} [... {left_out} characters left out ...] {text[len(text) - tail :].lstrip() if tail else ''}".rstrip()


def _inert(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line
    return "".join(
        mark
        for mark in line
        if mark == "\t" or unicodedata.category(mark) not in ("Cc", "Cf", "Cs") or mark in "\u200c\u200d"
    )
