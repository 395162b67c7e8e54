"""Find the places that announce an answer: labels in many languages, boxes, tags, markers, fields, sentences."""

from __future__ import annotations

import re
from typing import NamedTuple

# stem: whether it announces an answer by itself; the others do so only where nothing but a value follows
_STEMS_ASCII = {
    "answer": True, "oxed": True, "####": True, "antwort": True, "reponse": True, "respuesta": True, "resposta": True, "risposta": True,
    "ans:": False, "ans.": False, "solution": False, "result": False, "conclusion": False, "choice": False, "option": False, "verdict": False,
    "ergebnis": False, "resultado": False, "solucion": False, "risultato": False, "soluzione": False,
}  # fmt: skip
_STEMS_OTHER = {
    "réponse": True, "lösung": False, "loesung": False, "résultat": False, "solución": False, "solução": False, "答案": True, "答え": True, "回答": True,
    "解答": True, "答:": True, "答：": True, "正解": True, "답": True, "结果": False, "結果": False, "结论": False, "結論": False, "결론": False, "결과": False,
}  # fmt: skip
_DRESS = r"[*_`\"')\]]{0,4}"
_COLON = re.compile(
    rf"(?:\s?(?:choice|option|letter|key|value|no|number)\b\.?)?{_DRESS}\s?(?:\([^()\n]{{1,40}}\))?{_DRESS}"
    rf"(?:\s(?:to|for|of|in)\b[^:\n.!?;=]{{1,60}}?{_DRESS})?\s?(?:is|ist|est|es)?\s?(?:::?|:=|=>?|->|→|⇒|—>|—|–\s|-\s)(?!=)",
    re.IGNORECASE,
)
_IS = re.compile(
    rf"(?:s|en|\s?(?:choice|option|letter|here|to this|value))?{_DRESS}(?:\s?\([^()\n]{{1,40}}\))?(?:,?\s(?:to|for|of|in|that|as|from|i|we|you|given|based|according|after|using)\b[^:\n.!?;]{{0,80}}?)?,?"
    r"(?:\s(?:therefore|thus|hence|then|still|indeed|also|so|actually),?)?"
    r"\s?(?:\b(?:is|was|are|were|remains?|becomes|equals|would be|should be|must be|will be|has to be|turns out to be|comes out to|works out to|came out to|comes to|"
    r"ist|lautet|wäre|beträgt|est|serait|reste|es|sería|seria|sarebbe|é|è|sei)\b|is:|应该是|应当是|应为|就是|是|为|為|は|が|은|는|이)\s?[:：]?",
    re.IGNORECASE,
)
_ALONE = re.compile(r"[*_`:\"')\]. \t]*(?:\(s\)|s)?[*_`: \t]*\n")
_DIRECT = re.compile(rf"{_DRESS}\s?,?\s?(?=[\s(\[*$\\-]*(?:\d|\(?[A-J]\)?(?:[\s.,)*]|$)|\\?boxed|\\\(|\$))")
_HEAD = re.compile(
    r"(?:^|\n)[ \t>*_#\-\d.)]*(?:the |my |our )?(?:(?:final|correct|best|own|ultimate|complete|overall|numerical|short|exact|direct) ){0,3}$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?P<value>[^\n]{1,160}?)[\s*_)\"'$`]*,?\s(?:which )?(?:(?:is|would be|must be|should be|remains|being|as|stands as|was|be|seems to be|appears to be)\s)"
    r"(?:indeed |therefore |thus |clearly |also |still |probably |likely |most likely |definitely )?(?:the |my |our |an? )?(?:(?:most |best |single |only |final |correct |right |appropriate |likely |accurate |"
    r"suitable |fitting |proper |valid |supported |definitive |plausible |ultimate |overall ){0,4})$",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"(?:\b(?:your|their|his|her|its|wrong|incorrect|previous|earlier|initial|first|another|other|any|no|each|every|which|what|whose|whether|if|possible|candidate|potential|tentative|old|sample|example|"
    r"expected answer format|not the|n't the|isn't the|different|alternative|original|intermediate|partial|likely wrong|false|peer's|user's|s')\s(?:(?:final|correct|right|best|own)\s){0,2}"
    r"|\b(?!let|here|that|it|what|today|problem|question)\w+'s\s(?:(?:final|correct|right|best|own|initial|first)\s){0,2}"
    r"|\b(?:if|whether|suppose|assuming|unless|until|once|when|because|know|check that|check if|verify that|verify if)\s(?:the|my|our)\s(?:(?:final|correct|right)\s){0,2})$",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(
    r"\b(?:this|that|these|those|such|same)\s(?:(?:final|correct|right|very)\s){0,2}$", re.IGNORECASE
)
_QUOTED = re.compile(
    r"(?:[\"'`]|\bform|\bformat|\bexample:?|\be\.g\.,?|\bi\.e\.,?|\blike|such as)\s?[*_#]*\s?(?:(?:the|my)\s)?(?:(?:final|correct)[ -]?)?$",
    re.IGNORECASE,
)
_INSTRUCTS = re.compile(
    r"\b(?:ends?|ending|end with|form|format|line|lines|write|state|provide|respond|put|example|e\.g|such as|begin|start|finish|conclude|template|instruction|asked|should|must|told|output|print|"
    r"wrote|said|says|claims|claimed|argue[sd]?|replied)\b",
    re.IGNORECASE,
)
_STRICT_WORDS = frozenset({"choice", "option"})


class Anchor(NamedTuple):
    """A stretch that should hold an answer.

    `kind` is the reason code; `strict`: only a value that fills the stretch counts; `back`: the value stands before the announcement.
    """

    place: int
    start: int
    stop: int
    kind: str
    strict: bool = False
    back: bool = False
    quoted: bool = False
    closed: bool = True


def anchors(text: str, lowered: str) -> list[Anchor]:
    """The announced stretches, the last one first.

    Parameters
    ----------
    text : in normal characters, without thinking and peers
    lowered : `text` in lower case, of the same length
    """
    places: list[tuple[int, str, bool]] = []
    stems = _STEMS_ASCII if text.isascii() else {**_STEMS_ASCII, **_STEMS_OTHER}
    for stem, strong in stems.items():
        place = lowered.find(stem)
        while place >= 0:
            places.append((place, stem, strong))
            place = lowered.find(stem, place + len(stem))
    places.sort(reverse=True)
    closes = _braces(text, places[-1][0]) if any(stem == "oxed" for _, stem, _ in places) else {}
    return [anchor for place in places[:400] if (anchor := _anchor(text, lowered, *place, closes)) is not None]


def _anchor(text: str, lowered: str, place: int, stem: str, strong: bool, closes: dict[int, int]) -> Anchor | None:
    end = place + len(stem)
    if stem == "oxed":
        return _box(text, place, end, closes)
    if stem == "####":
        if text[end : end + 1] == "#" or text[place - 1 : place] == "#":
            return None
        return Anchor(place, end, _line_end(text, end), "marker", strict=True)
    if stem == "answer" and (tag := _tag(text, lowered, place, end)) is not None:
        return tag if tag.kind else None
    if (
        stem.startswith("answer")
        and text[end : end + 2] in ("ed", "er")
        or (end > place and text[end : end + 3] == "ing")
    ):
        return None
    if stem.isascii() and stem[0].isalpha() and text[place - 1 : place].isalpha():
        return None
    before = text[max(0, place - 90) : place]
    quoted = False
    if before:
        if _FOREIGN.search(before):
            return None
        quote = _QUOTED.search(before)
        if quote is not None and text[end : end + 2] != '":' and text[end : end + 2] != "':":
            sentence = re.split(r"[.!?\n](?=\s|$)", before[: quote.start()])[-1]
            if _INSTRUCTS.search(sentence) or _INSTRUCTS.search(before[quote.start() :]):
                return None
            quoted = before[quote.start()] in "\"'`" and not re.search(r"[\"'`][\w\s-]*$", before[: quote.start()])
    if stem.endswith((":", "：", ".")):
        return _labelled(text, place, end, not strong, quoted)
    field = text[end : end + 1] in "\"'" and text[end + 1 : end + 4].lstrip().startswith(":")
    if field:
        return _field(text, place, end)
    colon = _COLON.match(text, end, end + 140)
    if colon is not None:
        strict = not strong
        return _labelled(text, place, colon.end(), strict, quoted)
    demonstrative = _DEMONSTRATIVE.search(before) is not None
    if strong or stem in ("choice", "option", "solution", "result", "conclusion"):
        said = None if demonstrative else _IS.match(text, end, end + 140)
        if said is not None:
            return Anchor(place, said.end(), _line_end(text, said.end()), "phrase", strict=not strong, quoted=quoted)
    if strong or stem in _STRICT_WORDS:
        back = None if demonstrative or text[end : end + 1] == "s" else _BEFORE.search(before)
        if back is not None and not quoted:
            return _backward(text, place, before, strong)
    head = _HEAD.search(before) if before else True
    if head:
        alone = _ALONE.match(text, end)
        if alone is not None:
            return _labelled(text, place, alone.end(), not strong, quoted)
        if not text[end:].strip(" *_\n:."):
            return Anchor(place, len(text), len(text), "label", strict=not strong)
    direct = _DIRECT.match(text, end, end + 30)
    if direct is not None and strong and not demonstrative:
        return Anchor(place, direct.end(), _line_end(text, direct.end()), "phrase", strict=True, quoted=quoted)
    return None


def _line_end(text: str, start: int, limit: int = 600) -> int:
    stop = text.find("\n", start, start + limit)
    return stop if stop >= 0 else min(len(text), start + limit)


_SKIP = re.compile(r"(?:[\s*_#]|```[a-zA-Z]*\s*\n|```|\\\[|\\\(|\$\$|\\begin\{(?:equation|align)\*?\})*")


def _labelled(text: str, place: int, start: int, strict: bool, quoted: bool) -> Anchor:
    skipped = _SKIP.match(text, start)
    begin = skipped.end() if skipped else start
    while begin > start and text[begin - 1] in "_#":
        begin -= 1
    return Anchor(place, begin, _line_end(text, begin), "label", strict=strict, quoted=quoted)


def _backward(text: str, place: int, before: str, strong: bool) -> Anchor | None:
    match = _BEFORE.search(before)
    if match is None:
        return None
    begin = place - len(before) + match.start("value")
    stop = place - len(before) + match.end("value")
    cut = max(text.rfind(mark, begin, stop) for mark in ("\n", ". ", "! ", "? ", ": ", "; "))
    if cut >= 0 and text[cut + 1 : stop].strip():
        begin = cut + 1
    return Anchor(place, begin, stop, "phrase", strict=not strong, back=True)


def _field(text: str, place: int, end: int) -> Anchor:
    start = text.index(":", end) + 1
    while start < len(text) and text[start] in " \t\n":
        start += 1
    if text[start : start + 1] in ('"', "'"):
        quote = text[start]
        stop = start + 1
        while stop < len(text) and text[stop] != quote:
            stop += 2 if text[stop] == "\\" else 1
        return Anchor(place, start + 1, min(stop, len(text)), "field", closed=stop < len(text))
    if text[start : start + 1] == "[":
        stop = text.find("]", start)
        return Anchor(place, start, stop + 1 if stop >= 0 else len(text), "field", closed=stop >= 0)
    found = re.compile(r"[,}\n]").search(text, start)
    return Anchor(place, start, found.start() if found else len(text), "field")


def _tag(text: str, lowered: str, place: int, end: int) -> Anchor | None:
    """The content of an answer tag; an anchor without kind for a closing tag; None where this is no tag."""
    opening = max(text.rfind("<", max(0, place - 12), place), text.rfind("[", max(0, place - 12), place))
    if opening < 0 or not re.fullmatch(r"[</\[ ]*(?:final|my)?[_ -]?", lowered[opening:place]):
        return None
    close = ">" if text[opening] == "<" else "]"
    if text[end : end + 1] != close:
        return None
    if "/" in text[opening:place]:
        return Anchor(place, end, end, "")
    name = lowered[opening + 1 : end]
    stop = lowered.find(f"{text[opening]}/{name}{close}", end)
    if stop < 0 and text[opening] == "[":
        return Anchor(place, end, end, "")
    return Anchor(place, end + 1, stop if stop >= 0 else len(text), "tag", closed=stop >= 0)


def _braces(text: str, start: int) -> dict[int, int]:
    """Place of the closing brace of each opening one, from `start` on."""
    closes: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"\\.|[{}]", text[start:], re.DOTALL):
        place = start + match.start()
        if match[0] == "{":
            opened.append(place)
        elif match[0] == "}" and opened:
            closes[opened.pop()] = place
    return closes


def _box(text: str, place: int, end: int, closes: dict[int, int]) -> Anchor | None:
    if text[place - 1 : place].lower() not in ("b", "f", "\x08", "\x0c"):
        return None
    start = end
    while text[start : start + 1] == " ":
        start += 1
    if text[start : start + 1] != "{":
        bare = re.compile(r"\s?(?:\d[\d.,]*|[A-Z]\b)").match(text, end)
        return Anchor(place, bare.start(), bare.end(), "box") if bare else None
    stop = closes.get(start)
    return Anchor(place, start + 1, len(text) if stop is None else stop, "box", closed=stop is not None)
