"""Take the dress off an answer: blanks, emphasis, quotes, code marks, dollars, commands that only set type."""

from __future__ import annotations

import re

_MOST_LAYERS = 24
_MONEY = re.compile(r"[-+]?[\d.,]+\s?\$")  # a sum, not the end of a formula
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mathsf|textrm|emph|mbox|boxed|fbox|operatorname|underline|num|ensuremath|boldsymbol|bm)\s?\{|"
    r"\\(?:textcolor|color)\s?\{[^{}]*\}\s?\{"
)


_END = re.compile(r"\s*\\end\{(?:align|equation|gather|aligned)\*?\}$")


def _closes_last(piece: str, place: int) -> bool:
    """Whether the brace that opens at `place` closes with the last character."""
    depth = 0
    for match in re.finditer(r"\\.|[{}]", piece[place:], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return place + match.end() == len(piece)
    return False


def undressed(text: str, start: int, stop: int, *, maths: bool = False) -> tuple[int, int]:
    """The stretch without blanks, emphasis, quotes, code marks, dollars and unmatched closing brackets around it."""
    for _ in range(_MOST_LAYERS):
        old = start, stop
        while start < stop and text[start] in " \t\r\n":
            start += 1
        while stop > start and text[stop - 1] in " \t\r\n":
            stop -= 1
        if stop <= start:
            return start, start
        piece = text[start:stop]
        for mark in ("**", "$$", "``", "$", "`", '"', "'", "*", "__"):
            width = len(mark)
            if mark in ("'", '"', "`") and piece.count(mark) == 1 and maths:
                continue
            if piece.startswith(mark) and piece.endswith(mark) and len(piece) > 2 * width:
                if mark == "__" and re.fullmatch(r"__\w+__", piece):
                    continue
                start, stop = start + width, stop - width
                break
            if mark in ("**", "$$", "$", "`", '"') and piece.count(mark) % 2:
                if piece.endswith(mark) and not piece.endswith("\\" + mark) and not _MONEY.fullmatch(piece):
                    stop -= width
                    break
                if piece.startswith(mark) and not (mark == "$" and re.match(r"\$\s?[\d.]", piece)):
                    start += width
                    break
        piece = text[start:stop]
        for left, right in (("\\(", "\\)"), ("\\[", "\\]"), ("```", "```")):
            if piece.startswith(left):
                start += len(left)
                stop -= len(right) if piece.endswith(right) and len(piece) >= len(left) + len(right) else 0
            elif piece.endswith(right) and left not in piece:
                stop -= len(right)
        piece = text[start:stop]
        if (
            (
                piece[-1:] in (".", ",", ";")
                and not piece.endswith("..")
                and not piece[:-1].endswith("\\")
                and not re.search(r"\b(?:[A-Za-z]\.){2,}$", piece)
            )
            or (not maths and re.search(r"[^\W\d_]{2}[\"'*)]*!$", piece[-8:]) is not None)
            or (piece[-1:] in _PAIRS and _PAIRS[piece[-1]] not in piece and not (maths and re.search(r"[\[(]", piece)))
        ):
            stop -= 1
        end = _END.search(piece) if maths else None
        if end is not None and stop == start + len(piece):
            stop -= len(piece) - end.start()
            piece = text[start:stop]
        command = _COMMAND.match(piece)
        if command is not None and piece.endswith("}") and _closes_last(piece, command.end() - 1):
            start, stop = start + command.end(), stop - 1
        elif maths and piece.startswith("{") and piece.endswith("}") and "|" not in piece and _closes_last(piece, 0):
            start, stop = start + 1, stop - 1
        if (start, stop) == old:
            break
    return start, stop
