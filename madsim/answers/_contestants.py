"""The sides that a judge can name: by their names, by the letters and numbers under which they were shown."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_uppercase
from typing import NamedTuple

from madsim.answers._options import folded

_ROLE = (
    r"(?:debater|agent|assistant|answer|option|response|argument|side|participant|candidate|model|solution|"
    r"speaker|team|player|"
    r"position|choice|reply|contestant|opponent|person|number|no\.|#|辩手|选手|回答|方案|討論者|토론자)"
)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "1st": 0, "2nd": 1, "3rd": 2}


_PROSE = re.compile(
    r"\s+(?!(?:as|the|more|most|over|rather|because|since|to be|by|and|or|for|on)\b)[a-z]|'[a-rt-z]"
)  # after an article or a pronoun


class Mention(NamedTuple):
    """One side, named from `begin` (its role included, as in "debater B") to `end`; `sure`: no article or pronoun."""

    begin: int
    end: int
    side: str
    sure: bool


class Contestants(NamedTuple):
    """The sides of a debate and the order in which the judge saw them; without such an order, as they are named."""

    sides: tuple[str, ...]
    shown: tuple[str, ...] | None

    def named(self, name: str) -> str | None:
        """The side with this name, letter or number. Where an order was shown, letters mean places in it."""
        key = folded(name)
        if not key:
            return None
        order = self.shown or self.sides
        letter = key.upper()
        by_place = (
            order[ascii_uppercase.index(letter)]
            if len(letter) == 1 and letter in ascii_uppercase[: len(order)]
            else None
        )
        by_name = {folded(side): side for side in self.sides}.get(key)
        if self.shown is not None and by_place is not None:
            return by_place
        if by_name is not None or by_place is not None:
            return by_name if by_name is not None else by_place
        if key.isdecimal() and 1 <= int(key[:9]) <= len(order) and not any(side.isdecimal() for side in self.sides):
            return order[int(key[:9]) - 1]
        place = _ORDINALS.get(key)
        return order[place] if place is not None and place < len(order) else None

    def mentions(self, text: str, start: int = 0, stop: int | None = None) -> list[Mention]:
        """Every side that is named from `start` to `stop`."""
        found = []
        for match in _pattern(self.sides).finditer(text, start, len(text) if stop is None else stop):
            name = match["name"] or match["ordinal"] or match["bare"]
            side = self.named(name)
            prose = name in ("a", "A", "I", "i") and _PROSE.match(text, match.end())
            if side is None or (prose and name.islower()):
                continue
            found.append(Mention(match.start(), match.end(), side, not prose or match["name"] is not None))
        return found

    def other(self, side: str) -> str | None:
        """The other one of two sides."""
        return next(other for other in self.sides if other != side) if len(set(self.sides)) == 2 else None


@lru_cache(maxsize=256)
def _pattern(sides: tuple[str, ...]) -> re.Pattern[str]:
    singles = "".join(sorted({side for side in sides if len(side) == 1} | set(ascii_uppercase[: len(sides)])))
    letter = f"[{re.escape(singles)}]"
    names = [re.escape(side) for side in sorted(sides, key=len, reverse=True) if len(side) > 1]
    words = "|".join([*names, f"(?-i:{letter})"])
    left, right = r"(?<![A-Za-z0-9À-ÿ_'])", r"(?![A-Za-z0-9À-ÿ_])"
    return re.compile(
        rf"{left}(?:the\s)?(?P<role>{_ROLE})\s?[\s(\[*_`\"'#]{{0,4}}(?P<name>{words}|{letter}|[1-9]\d?){right}|"
        rf"{left}(?:the\s)?(?P<ordinal>first|second|third|1st|2nd|3rd)(?:\s(?:one\b|{_ROLE}){right}|(?=\s(?:is|"
        rf"was|wins?|won|has|had|makes?|made)\b))|"
        rf"{left}(?P<bare>{words}){right}",
        re.IGNORECASE,
    )
