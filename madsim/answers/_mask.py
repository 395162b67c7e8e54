"""Blank out what is not the speaker's own answer: thinking, and what peers said. Every character keeps its place."""

from __future__ import annotations

import re

from madsim.answers._suppose import supposed

_THINK = re.compile(
    r"<\s?(?P<close>/?)\s?(?:think(?:ing)?|thoughts?|reason(?:ing)?|scratchpad|reflection|analysis|"
    r"seed:think)\s?>|\[(?P<close2>/?)think\]|"
    r"<\|(?P<side>begin|end)_of_(?:thought|thinking)\|>|◁(?P<close3>/?)think▷|<\|channel\|>(?P<channel>\w+)",
    re.IGNORECASE,
)
_PEER = (
    r"(?:(?:the |an? |some |all |both |most |my |each |one |any )?(?:other |another |first |second |third |"
    r"two |three |remaining |opposing |previous |fellow )*"
    r"(?:ai |language )?(?:agents?|assistants?|debaters?|peers?|colleagues?|participants?|players?|opponents?|"
    r"solvers?|experts?|panell?ists?|responders?|respondents?|models?|students?|"
    r"teammates?|proponents?|affirmative|negative side|user|friend)(?:\s(?:solutions?|answers?|"
    r"responses?))?(?:(?:\s?#?\d+|\s[A-Z]\b)(?:(?:,|,? and|,? or|\s?&)\s(?:agents? )?#?(?:\d+|[A-Z]\b))*)?|"
    r"(?:the |a |most |one |some |many |several |two |three )?(?:majority|minority|others?|of (?:them|us|"
    r"the others))(?: of \w+(?: \w+)?)?|another one)"
)
_SAY = (
    r"(?:says?|said|saying|writes?|wrote|claims?|claimed|answers?|answered|thinks?|thought|suggests?|"
    r"suggested|argues?|argued|states?|stated|proposes?|proposed|"
    r"believes?|believed|concludes?|concluded|chose|chooses|picks?|picked|gave|gives|gets?|got|replie[sd]|"
    r"responds?|responded|reports?|reported|votes?|voted|insists?|insisted|"
    r"arrives? at|arrived at|calculates?|calculated|computes?|computed|found|finds|obtains?|obtained|went with|"
    r"selected|selects)"
)
_CLAIM = re.compile(
    rf"(?<![\w'])(?:{_PEER}(?:'s|s'|')\s(?:[\w-]+\s){{0,3}}?(?:answers?|solutions?|results?|conclusions?|"
    rf"response|reply|choice|value|vote|verdict|claim|guess|estimate)\b|"
    rf"{_PEER}(?:'s|s'|')\s\$?\\(?:boxed|fbox)\b|"
    rf"{_PEER}\s(?:(?:has|have|had|both|all|also|first|initially|originally|incorrectly|wrongly|"
    rf"mistakenly)\s){{0,2}}{_SAY}\b|"
    rf"(?:their|his|her|your|(?P<name>[A-Z]\w+)'s)\s(?:(?:own|final|first|previous|initial|last|"
    rf"correct)\s){{0,2}}(?:answers?|result|conclusion)\s(?:is|was|of|were|:)|"
    rf"(?:he|she|they|someone|somebody|(?P<other>[A-Z][a-z]+))\s(?:says|said|writes|wrote|claims|claimed|"
    rf"answered|argues|argued|replied|insists)\b(?=:|,? [\"']|[^.\n]{{0,30}}\banswer\b)|according to {_PEER})",
    re.IGNORECASE,
)
_NOT_NAMES = re.compile(
    r"(?:let|here|that|it|what|problem|question|today|there|who|how|he|she|one|i|we|you|the|this|which|if|so|"
    r"thus|therefore|as|and|but|statement|theorem|rule|law|text|passage|author|article)\b",
    re.IGNORECASE,
)
_AGREE = re.compile(
    r"\b(?:agree|agreed|agreeing|concur|confirm|confirms|confirmed|confirming|correct|right|same|also get|"
    r"also got|support|supports|align|aligns|consistent|consensus|unanimous|as well|valid|accurate|"
    r"similar|matches|stand by|join)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"(?:,|;|\bbut|\bwhile|\bwhereas|\bhowever|\byet|\band so|\bso|\bthough|\balthough|\band)\s(?:in my|my|i|"
    r"mine|for me|our|we|therefore|thus|hence|so the|the (?:correct|right|actual|real|final)|\$?\\(?:boxed|fbox))\b|"
    r"(?<=[,;\s])(?:but|however|yet|whereas),?\s(?!(?:the |an? |all |both |most )*(?:other |"
    r"another )?(?:agents?|debaters?|assistants?|peers?|"
    r"others?|they|he|she|then|also|later|now|their|his|her|only|not)\b)",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    r"[\s*_>#-]*(?:so |and |but )?(?:after|given|having|based on|despite|unlike|considering|in light of|"
    r"looking at|upon|contrary to|"
    r"with|in view of|reviewing|comparing|taking|while)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?](?=\s|$|['\"])|[;\n]")
_SPEAKER = re.compile(
    r"[ \t>*_#-]*(?:(?:the )?(?:other )?(?:agent|assistant|debater|peer|participant|player|opponent|solver|"
    r"expert|panell?ist|model)s?\s?#?(?:\d+|[A-Z])?|one (?:other )?agent)"
    r"(?:\s?\((?!(?:me|myself|mine|self|i)\b)[^)\n]{0,30}\))?(?:'s)?(?:\s(?:solution|answer|response|reply|said|"
    r"says|wrote|writes|answered|"
    r"replied|argued|claimed))?\s?[*_]*:",
    re.IGNORECASE,
)
_LONGEST_SPEAKER = 90
_BLOCK_QUOTE = re.compile(r"(?:^[ \t]{0,3}>(?![>=]).*(?:\n|\Z))+", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^[ \t]{0,3}>", re.MULTILINE)
_ANSWER_LINE = re.compile(
    r"[ \t*_#-]*(?:(?:my|the|our|so) )*(?:final |correct )*(?:answer|antwort|réponse|respuesta|resposta|"
    r"risposta|答案|答え|답)"
    r"(?: is)?[\s*_:：]*",
    re.IGNORECASE,
)
_STRUCK = re.compile(
    r"~~(?=\S)[^~\n]{1,200}~~|<(?P<tag>s|del|strike)>[^<\n]{1,200}</(?P=tag)>|\\(?:sout|st)\s?\{[^{}\n]{1,200}\}",
    re.IGNORECASE,
)


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


def without_struck(text: str) -> str:
    """`text` with what is struck through blanked."""
    spans = [match.span() for match in _STRUCK.finditer(text)]
    return _blank(text, spans) if spans else text


def _is_own_quote(text: str, start: int, stop: int, last: int) -> bool:
    """Whether a block quote sets off the speaker's own answer: right after a label, or with a label at the `last` place
    of the text and nobody announced.
    """
    end = start
    while end and text[end - 1].isspace():
        end -= 1
    line = text.rfind("\n", 0, end) + 1
    if _ANSWER_LINE.fullmatch(text, line, end):
        return True
    if stop < last or text[line:end].rstrip("*_ ").endswith(":"):
        return False
    return "answer" in text[start:stop].lower() or "boxed" in text[start:stop]


_HINTS = (
    "agent",
    "assistant",
    "debater",
    "peer",
    "colleague",
    "participant",
    "player",
    "opponent",
    "solver",
    "expert",
    "panel",
    "respon",
    "model",
    "student",
    "teammate",
    "proponent",
    "affirmative",
    "negative",
    "other",
    "user",
    "friend",
    "their",
    "his",
    "her",
    "your",
    "'s",
    "s'",
    "said",
    "says",
    "wrote",
    "writes",
    "claim",
    "answered",
    "argue",
    "replied",
    "insists",
)


def without_quotes(text: str) -> tuple[str, bool]:
    """`text` with block quotes and the turns of other speakers blanked, and whether there were block quotes."""
    spans: list[tuple[int, int]] = []
    quotes = False
    if ">" in text:
        last = len(text.rstrip())
        for match in _BLOCK_QUOTE.finditer(text):
            if _is_own_quote(text, *match.span(), last):
                spans += [mark.span() for mark in _QUOTE_MARK.finditer(text, *match.span())]
            else:
                spans.append(match.span())
                quotes = True
    colon = text.find(":")
    while colon >= 0:
        line = text.rfind("\n", 0, colon) + 1
        match = _SPEAKER.match(text, line) if colon - line < _LONGEST_SPEAKER else None
        if match is not None and not _own_prefix(text, line, match.end()):
            spans.append((line, _turn_end(text, match.end())))
        end = text.find("\n", colon)
        colon = text.find(":", end) if end >= 0 else -1
    return (_blank(text, spans) if spans else text), quotes


_ROLE = re.compile(
    r"[ \t>*_#-]*(?:assistant|(?:agent|model|expert|solver|debater|participant)(?=[\s*_]*:))[\s*_]*:", re.IGNORECASE
)
_INLINE = re.compile(
    r"\b(?:agent|assistant|debater|peer|participant|player|solver|expert)s? ?#?(?:\d+|[A-Z])\b[^:\n]{0,20}:",
    re.IGNORECASE,
)
_OWN_LABEL = re.compile(
    r"[.;]\s+(?=[*_]*(?:(?:so |thus |therefore,? |hence )?(?:my |the )?(?:final )?answer\b|"
    r"[^.;:\n]{0,120}?(?-i:\bI)(?:'ll|'d| will| would| now| therefore| also| still)? (?:go with|choose|pick|select|side|stick|"
    r"keep|stay|vote|opt|answer)\b))",
    re.IGNORECASE,
)


def _own_prefix(text: str, line: int, end: int) -> bool:
    """Whether the line is headed by the speaker's own role, without a number: anywhere "assistant:", others at the start."""
    role = _ROLE.match(text, line, end)
    return role is not None and (role[0].strip(" \t>*_#-:").lower() == "assistant" or not text[:line].strip())


def _turn_end(text: str, start: int) -> int:
    """End of the turn that a line such as ``Agent 2:`` opens: of its line, its code block or its paragraph."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    if text[start:end].strip(" *_"):
        own = _OWN_LABEL.search(text, start, end) if _INLINE.search(text, start, end) else None
        return own.start() + 1 if own else end
    place = end
    while place < len(text) and text[place].isspace():
        place += 1
    if text.startswith("```", place):
        stop = text.find("```", place + 3)
        return len(text) if stop < 0 else stop + 3
    stop = text.find("\n\n", place)
    return len(text) if stop < 0 else stop


def without_claims(text: str) -> str:
    """`text` with the clauses blanked that report what somebody else answered, or what would be in another case."""
    spans = claims(text, 0, len(text)) + _supposals(text)
    return _blank(text, spans) if spans else text


def is_claim(text: str, place: int) -> bool:
    """Whether the announcement at `place` is part of what somebody else answered, or of what would be in another case."""
    if supposed(text, place) is not None:
        return True
    low = max(text.rfind(mark, max(0, place - 240), place) for mark in (". ", "! ", "? ", "\n"))
    if low >= 0 and text[low] == "\n" and not text[low + 1 : place].strip(" *_$\\[(#"):
        earlier = text.rfind("\n", max(0, place - 240), len(text[:low].rstrip()))
        if text[: low + 1].rstrip().endswith(":"):
            low = earlier
    low = max(low + 1, place - 240)
    window = text[low : place + 24].lower()
    if not any(hint in window for hint in _HINTS):
        return False
    return any(start <= place < stop for start, stop in claims(text, low, min(len(text), place + 24)))


_WOULD = re.compile(r"\b(?:would|könnte|wäre|serait|sería|seria|sarebbe)\b")
_MOST_SUPPOSALS = 20


def _supposals(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for match in _WOULD.finditer(text):
        span = supposed(text, match.end())
        if span is not None:
            spans.append(span)
            if len(spans) == _MOST_SUPPOSALS:
                break
    return spans


_COMMA = re.compile(r",\s")


def _past_introduction(text: str, opening: int, claim: re.Match[str], stop: int) -> re.Match[str] | None:
    """Where the speaker goes on after an introduction such as "after considering the other agents' answers,"."""
    if _INTRODUCES.match(text, opening, claim.start()) is None:
        return None
    return _COMMA.search(text, claim.end(), stop)


def claims(text: str, low: int, high: int) -> list[tuple[int, int]]:
    """Clauses that report what somebody else answered; a sentence that agrees with it is the speaker's own."""
    spans: list[tuple[int, int]] = []
    place = low
    while True:
        match = _CLAIM.search(text, place, high)
        if match is None:
            return spans
        place = match.end()
        if (name := match["name"] or match["other"]) and _NOT_NAMES.match(name):
            continue
        opening = max(
            max(0, match.start() - 200) - 1,
            *(text.rfind(mark, max(0, match.start() - 200), match.start()) for mark in (".", "!", "?", "\n", ";")),
        )
        end = _END.search(text, match.end(), match.end() + 400)
        while end is not None and text[end.start()] == "." and text[end.start() + 1 : end.start() + 2].isdigit():
            end = _END.search(text, end.end(), match.end() + 400)
        stop = end.start() if end else min(len(text), match.end() + 400)
        own = _OWN.search(text, match.end(), stop) or _past_introduction(text, opening + 1, match, stop)
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
