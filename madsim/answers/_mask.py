"""Blank out what is not the speaker's own answer: thinking, and what peers said. Every character keeps its place."""

from __future__ import annotations

import re
from typing import NamedTuple

_THINK = re.compile(
    r"<\s?(?P<close>/?)\s?(?:think(?:ing)?|thoughts?|reason(?:ing)?|scratchpad|reflection|analysis|seed:think)\s?>|\[(?P<close2>/?)think\]|"
    r"<\|(?P<side>begin|end)_of_(?:thought|thinking)\|>|◁(?P<close3>/?)think▷|<\|channel\|>(?P<channel>\w+)",
    re.IGNORECASE,
)
_PEER = (
    r"(?:(?:the |an? |some |all |both |most |my |each |one |any )?(?:other |another |first |second |third |two |three |remaining |opposing |previous |fellow )*"
    r"(?:ai |language )?(?:agents?|assistants?|debaters?|peers?|colleagues?|participants?|players?|opponents?|solvers?|experts?|panell?ists?|responders?|respondents?|models?|students?|"
    r"teammates?|proponents?|affirmative|negative side|user|friend)(?:\s?(?:\d+|#\d+|[A-Z]\b))?|the others|others|another one)"
)
_SAY = (
    r"(?:says?|said|saying|writes?|wrote|claims?|claimed|answers?|answered|thinks?|thought|suggests?|suggested|argues?|argued|states?|stated|proposes?|proposed|"
    r"believes?|believed|concludes?|concluded|chose|chooses|picks?|picked|gave|gives|gets?|got|replie[sd]|responds?|responded|reports?|reported|votes?|voted|insists?|insisted|"
    r"arrives? at|arrived at|calculates?|calculated|computes?|computed|found|finds|obtains?|obtained|went with|selected|selects)"
)
_GAP = r"[^.;:!?\n]{0,40}?"
_CLAIM = re.compile(
    rf"(?<![\w'])(?:{_PEER}(?:'s|s'|')\s(?:[\w-]+\s){{0,3}}?(?:answers?|solutions?|results?|conclusions?|response|reply|choice|value|vote|verdict|claim|guess|estimate)\b|"
    rf"{_PEER}\s(?:(?:has|have|had|both|all|also|first|initially|originally|incorrectly|wrongly|mistakenly)\s){{0,2}}{_SAY}\b|"
    rf"(?:their|his|her|your|[A-Z]\w+'s)\s(?:(?:own|final|first|previous|initial|last|correct)\s){{0,2}}(?:answers?|result|conclusion)\s(?:is|was|of|were|:)|"
    rf"(?:he|she|they|someone|somebody|[A-Z][a-z]+)\s(?:says|said|writes|wrote|claims|claimed|answered|argues|argued|replied|insists)\b|according to {_PEER})",
    re.IGNORECASE,
)
_NOT_NAMES = re.compile(
    r"(?:let|here|that|it|what|problem|question|today|there|who|how|he|she|one|i|we|you|the|this|which|if|so|thus|therefore|as|and|but|statement|theorem|rule|law|text|passage|author|article)\b",
    re.IGNORECASE,
)
_AGREE = re.compile(
    r"\b(?:agree|agreed|agreeing|concur|confirm|confirms|confirmed|confirming|correct|right|same|also get|also got|support|supports|align|aligns|consistent|consensus|unanimous|as well|valid|accurate|"
    r"similar|matches|stand by|join)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"(?:,|;|\bbut|\bwhile|\bwhereas|\bhowever|\byet|\band so|\bso|\bthough|\balthough|\band)\s(?:in my|my|i|mine|for me|our|we|the (?:correct|right|actual|real|final))\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?](?=\s|$|['\"])|[;\n]")
_SPEAKER = re.compile(
    r"^[ \t>*_#-]*(?:(?:the )?(?:other )?(?:agent|assistant|debater|peer|participant|player|opponent|solver|expert|panell?ist|model)s?\s?#?(?:\d+|[A-Z])?|one (?:other )?agent)"
    r"(?:\s?\([^)\n]{0,30}\))?(?:'s)?(?:\s(?:solution|answer|response|reply|said|says|wrote|writes|answered|replied|argued|claimed))?\s?[*_]*:",
    re.IGNORECASE | re.MULTILINE,
)
_SAID_LINE = re.compile(rf"\b(?:{_SAY}|answer|solution|response|reply)\b[^\n:]{{0,30}}:\s*$", re.IGNORECASE)
_HINTS = (
    "agent", "assistant", "debater", "peer", "colleague", "participant", "player", "opponent", "solver", "expert", "panel", "respon", "other", "model",
    "student", "teammate", "their", "his ", "her ", "your ", "'s ", "said", "says", "wrote", "writes", "claim", "replied", "insists", "argue", "user", "friend", "affirmative",
)  # fmt: skip


class Masked(NamedTuple):
    """The speaker's own words, and what was found on the way."""

    text: str
    unclosed: bool
    quotes: bool


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    parts, last = [], 0
    for start, stop in sorted(spans):
        start = max(start, last)
        if stop > start:
            parts += [text[last:start], "".join("\n" if char == "\n" else " " for char in text[start:stop])]
            last = stop
    return "".join([*parts, text[last:]])


def without_thinking(text: str) -> tuple[str, bool]:
    """`text` with its thinking blocks blanked, and whether it ends inside one."""
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for tag in _THINK.finditer(text):
        if tag["channel"]:
            final = tag["channel"].lower() == "final"
            if final and opened is not None:
                spans.append((opened, tag.end()))
                opened = None
            elif final:
                spans.append((tag.start(), tag.end()))
            elif opened is None:
                opened = tag.start()
        elif tag["close"] or tag["close2"] or tag["close3"] or (tag["side"] or "").lower() == "end":
            spans.append((0 if opened is None else opened, tag.end()))
            opened = None
        elif opened is None:
            opened = tag.start()
    if opened is not None:
        spans.append((opened, len(text)))
    return (_blank(text, spans) if spans else text), opened is not None


def without_peers(text: str, lowered: str) -> tuple[str, bool]:
    """`text` with block quotes and the words of peers blanked, and whether there were block quotes."""
    spans: list[tuple[int, int]] = []
    quotes = False
    if ">" in text:
        for match in re.finditer(r"^[ \t]{0,3}>(?![>=]).*$", text, re.MULTILINE):
            quotes = True
            spans.append(match.span())
    if any(hint in lowered for hint in _HINTS):
        spans += _spoken(text) + _claims(text)
    return (_blank(text, spans) if spans else text), quotes


def _spoken(text: str) -> list[tuple[int, int]]:
    """Blocks that a line such as ``Agent 2:`` gives to somebody else, up to the next blank line."""
    spans = []
    for match in _SPEAKER.finditer(text):
        line_end = text.find("\n", match.end())
        line_end = len(text) if line_end < 0 else line_end
        if text[match.end() : line_end].strip(" *_"):
            stop = line_end
        else:
            place = line_end
            while place < len(text) and text[place].isspace():
                place += 1
            if text.startswith("```", place):
                stop = text.find("```", place + 3)
                stop = len(text) if stop < 0 else stop + 3
            else:
                stop = text.find("\n\n", place)
                stop = len(text) if stop < 0 else stop
        spans.append((match.start(), stop))
    return spans


def _claims(text: str) -> list[tuple[int, int]]:
    """Clauses that report what somebody else answered; a sentence that agrees with it is the speaker's own."""
    spans = []
    place = 0
    while True:
        match = _CLAIM.search(text, place)
        if match is None:
            return spans
        place = match.end()
        if _NOT_NAMES.match(match[0]):
            continue
        opening = max(
            text.rfind(mark, max(0, match.start() - 200), match.start()) for mark in (".", "!", "?", "\n", ";")
        )
        end = _END.search(text, match.end(), match.end() + 400)
        while end is not None and text[end.start()] == "." and text[end.start() + 1 : end.start() + 2].isdigit():
            end = _END.search(text, end.end(), match.end() + 400)
        stop = end.start() if end else min(len(text), match.end() + 400)
        own = _OWN.search(text, match.end(), stop)
        if own is not None:
            stop = own.start()
        if (
            end is not None
            and own is None
            and text[end.start()] == "\n"
            and text[: end.start()].rstrip(" *_").endswith(":")
        ):
            after = text.find("\n\n", end.end() + 1)
            stop = len(text) if after < 0 else after
        if not _AGREE.search(text, opening + 1, stop):
            spans.append((match.start(), stop))
            place = max(place, stop)
