"""The cell that a word in a Markdown table announces: the one beside it, or the last one below it."""

from __future__ import annotations

import re

_RULE = re.compile(r"[ \t]*\|?[ \t:|-]*-[ \t:|-]*$")
_MOST_ROWS = 60
_OF_PEERS = re.compile(
    r"agent|debater|assistant|model|peer|participant|expert|solver|player|name\b|\bwho\b", re.IGNORECASE
)


def announced_cell(text: str, place: int, end: int) -> tuple[int, int] | None:
    """Where the cell stands that the word from `place` to `end` announces; None where the word stands in no table.

    In a heading row that is the last cell of its column, else the cell to the right. A table with a row for each agent
    is not the speaker's.
    """
    start = text.rfind("\n", 0, place) + 1
    stop = _line_stop(text, start)
    if stop - start > 2000 or not text[start:stop].lstrip().startswith("|") or "|" not in text[end:stop]:
        return None
    if _OF_PEERS.search(text, start, stop):
        return None
    following = _line_stop(text, stop + 1) if stop < len(text) else stop
    if stop < len(text) and _RULE.fullmatch(text, stop + 1, following):
        column = text.count("|", start, place)
        return None if column == 1 and _has_rows(text, following) else _last_below(text, column, following)
    begin = text.index("|", end, stop) + 1
    close = text.find("|", begin, stop)
    cell = begin, close if close >= 0 else stop
    return cell if text[cell[0] : cell[1]].strip() else None


def _has_rows(text: str, rule: int) -> bool:
    """Whether at least two rows of several columns stand below the rule: the first column then names what they tell of."""
    stop, rows = rule, 0
    while rows < 2 and stop < len(text):
        start, stop = stop + 1, _line_stop(text, stop + 1)
        if text[start:stop].count("|") < 3:
            return False
        rows += 1
    return rows == 2


def _last_below(text: str, column: int, rule: int) -> tuple[int, int] | None:
    """The last filled cell of a column, below the rule that ends at `rule`."""
    found, stop = None, rule
    for _ in range(_MOST_ROWS):
        start = stop + 1
        stop = _line_stop(text, start)
        if start >= len(text) or not text[start:stop].lstrip().startswith("|"):
            break
        bars = [match.start() for match in re.finditer(r"\|", text[start:stop])]
        if column <= len(bars) and column > 0:
            begin = start + bars[column - 1] + 1
            close = start + bars[column] if column < len(bars) else stop
            found = (begin, close) if text[begin:close].strip() else found
    return found


def _line_stop(text: str, start: int) -> int:
    stop = text.find("\n", start)
    return len(text) if stop < 0 else stop
