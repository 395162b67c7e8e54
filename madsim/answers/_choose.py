"""The option that a reply chooses in its sentences, where it announces no answer."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque

from madsim.answers._options import Options
from madsim.answers._read_choice import checked, letters_of, plausible
from madsim.answers._reading import Reading, failed
from madsim.answers._stance import stance

_MOST_MENTIONS = 24
_MOST_LETTERS = 120
_BOUND = re.compile(r"[.!?;](?=[\s*_\"')\]]|$|[^\x00-\x7f])|(?<=[^\x00-\x7f])[.!?;]|\n")
_LABEL_POINT = re.compile(r"(?:^|[\s(*_])[A-Z]$")
_LEAD = re.compile(
    r"(?:^|[\n.!?;])[\s*_#>-]*(?:(?:and|so|thus|hence|therefore|then|definitely|clearly|probably|most|likely|"
    r"obviously|certainly|"
    r"surely|still|maybe|perhaps|yes|ok|okay|only|just|finally|again|choosing|picking|selecting|voting(?: for)?|"
    r"switch(?:ing|ed) to|chang(?:ing|ed)(?: my \w+)? to|"
    r"(?:sticking|going|staying) with|must be|has to be|can only be|could only be|overall|me|it's|it is|it|this|"
    r"that|also|"
    r"deshalb|daher|somit|donc|"
    r"ainsi|por lo tanto|por tanto|entonces|as[ií] que|es|portanto|logo|ent[ãa]o|[ée]|quindi|dunque|perci[òo]|è|"
    r"因此|所以|故|是|"
    r"よって|したがって|따라서|그러므로|option|choice|answer|the|letter|alternativa|letra|opci[óo]n|option|lettre|"
    r"la|l')[\s,:]{0,3})+"
    r"[\s(\[*_`\"'$\\{<]*$",
    re.IGNORECASE,
)
_SENTENCE_BEFORE = re.compile(r"(?:[^\W\d_]{2,}|\b[Nn](?:ot|ein|on|ão|o) [A-Z])[)\]\"'*]*[.!?…]+\s+[(\[*_`\"'$\\{<]*$")
_CLOSING = re.compile(
    r"(?:[:,]|[,;–—-]\s?(?:but|so|thus|therefore|hence)(?: now| still)?(?=\s)|\s[-–—]|\.\.\.|…)\s*[(\[*_`\"'$\\{<]*$"
)
_NO_CLOSING = re.compile(
    r"(?-i:[(\[*_\s][A-Z])[)\]*_]*\s?(?:,|;|/|and|or|&)\s*[(\[*_]*$|"
    r"\b(?:not|n't|wrong|incorrect|reject\w*|eliminat(?:ed|e|ing)|exclud\w*|ruled? out|except|options?|choices|"
    r"among|between|from|"
    r"either|could|might|example|format|for instance|such as|compare\w*|first|initially|see|regarding|"
    r"take)\b[^.;!?\n]*$",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"[)\]*_`\"'$}.]{0,4}(?:,?\s(?:but also|and|or|und|oder|et|ou|y|o|e|nor)\s|\s?[&/]\s?|"
    r"[和或与と])[(\[*_`\"'$]{0,4}(?:option )?"
)
_TO_THE_END = re.compile(r"[\s\\)\]*_`\"'$}>.!。]*")


def chosen(text: str, options: Options | None, start: int = 0) -> tuple[Reading, str]:
    """The option that the last choosing sentence from `start` on chooses, with the reason code.

    A reply that only wavers between several options hedges.
    """
    wavers: dict[str, tuple[int, int]] = {}
    mentions = mentions_of(text, options, start)
    for at, (begin, end, label, low, high) in enumerate(mentions):
        said = stance(text, low, begin, end, high)
        if said == "chosen":
            reading = checked(text, begin, end, high, options)
            if reading.value is not None:
                beside = mentions[at + 1] if at + 1 < len(mentions) else None
                if beside is not None and beside[2] != label and _ALSO.fullmatch(text, beside[1], begin):
                    return failed("hedge", beside[0]), "hedge"
                return reading, "phrase"
            if reading.problem == "hedge":
                return reading, "hedge"
        elif said == "maybe":
            if checked(text, begin, end, high, options).problem == "hedge":
                return failed("hedge", begin), "hedge"
            wavers.setdefault(label, (begin, end))
    if len(wavers) > 1:
        return failed("hedge", min(wavers.values())[0]), "hedge"
    return failed("none", start), "none"


_TURNS = (
    "now", "instead", "actually", "wait", "correct", "chang", "switch", "revis", "updat", "reflection", "second thought",
    "jetzt", "doch", "ände", "maintenant", "finalement", "ahora", "cambi", "agora", "mud", "adesso", "改", "现在", "現在", "변경", "바꾸",
)  # fmt: skip
_REVISION = re.compile(
    r"\b(?:(?:I|is|but|am|I'm) now|now (?:I|my|it|the|choos|think|believ|agree|go|pick|vot)\w*|instead|actually|"
    r"wait|correction|chang(?:e|ed|ing)|switch(?:ed|ing)?|revis(?:e|ed|ing)|updat(?:e|ed|ing)|on reflection|"
    r"on second thoughts?|jetzt|doch|ändere|maintenant|finalement|ahora|cambio|agora|mudo|adesso)\b|改|现在|現在|"
    r"변경|바꾸",
    re.IGNORECASE,
)


def revised(text: str, options: Options | None, before: Reading) -> Reading | None:
    """The option to which the speaker changes after an announced one, or None where nothing after it says so."""
    rest = text[before.stop :].lower()
    was = text[max(0, before.start - 8) : before.start].lower().split()[-1:] == ["was"]
    if not was and not any(word in rest for word in _TURNS):
        return None
    for begin, end, label, low, high in mentions_of(text, options, before.stop):
        if stance(text, low, begin, end, high) == "chosen":
            later = checked(text, begin, end, high, options)
            changed = later.value is not None and (was or _REVISION.search(text, low, begin) is not None)
            return later if changed and label != before.value else None
    last = closing_word(text, options)
    if (
        last.value not in (None, before.value)
        and last.start > before.stop
        and _REVISION.search(text, before.stop, last.start)
    ):
        return last
    return None


def closing_word(text: str, options: Options | None) -> Reading:
    """The option that is the last word of the reply, set off by a colon, a comma, or a word such as "therefore"."""
    stripped = len(text.rstrip())
    for match in letters_of(options.labels if options else None).any.finditer(text, max(0, stripped - 16)):
        begin, end = match.span("letter")
        if not _TO_THE_END.fullmatch(text, end) or not (match["letter"].isupper() or match["letter"].isdigit()):
            continue
        label = options.label(match["letter"]) if options else match["letter"]
        if label is not None and closes(text, begin):
            return Reading(label, begin, end, True)
    return failed("none", 0)


def closes(text: str, begin: int) -> bool:
    """Whether the reply's last word, at `begin`, is set off as its answer."""
    before = text[max(0, begin - 160) : begin]
    turn = before.rfind(", but ")
    if _NO_CLOSING.search(before, turn if turn >= 0 else 0):
        return False
    if _LEAD.search(before) or _SENTENCE_BEFORE.search(before):
        return True
    return _CLOSING.search(before) is not None and re.search(r"[^\W\d_]{2}", before) is not None


_OPENS_SMALL = re.compile(
    r"(?:^|\n)\s*$|\b(?:option|choice|answer|"
    r"letter)\s$",
    re.IGNORECASE,
)  # "option b", "b is correct"


def mentions_of(text: str, options: Options | None, start: int) -> list[tuple[int, int, str, int, int]]:
    """The named options with their sentences, the last one first: begin, end, label, sentence from, to."""
    bounds = [
        place for place in (match.end() for match in _BOUND.finditer(text, start)) if not _abbreviates(text, place)
    ]
    found: list[tuple[int, int, str]] = []
    letters = deque(letters_of(options.labels if options else None).any.finditer(text, start), maxlen=_MOST_LETTERS)
    for match in reversed(letters):
        begin, end = match.span("letter")
        label = options.label(match["letter"]) if options else match["letter"].upper()
        small = match["letter"].islower() and label is not None and label.isupper()
        if label is None or (small and not _is_marked(text, begin, end)):
            if label is None or match["letter"] in "aio" or not _OPENS_SMALL.search(text, max(0, begin - 12), begin):
                continue
            found.append((begin, end, label))
            continue
        if plausible(text, begin, end, min(len(text), end + 40)):
            found.append((begin, end, label))
            if len(found) == _MOST_MENTIONS:
                break
    mentions = []
    for begin, end, label in found:
        at = bisect_left(bounds, begin + 1)
        low, high = bounds[at - 1] if at else start, bounds[at] if at < len(bounds) else len(text)
        mentions.append((begin, end, label, low, high))
    return mentions


def _abbreviates(text: str, place: int) -> bool:
    """Whether the point before `place` belongs to an option's letter, as in "B. Paris"."""
    return (
        text[place - 1] == "."
        and _LABEL_POINT.search(text, max(0, place - 4), place - 1) is not None
        and (text[place : place + 1] == " " and text[place - 3 : place - 2] in ("", "\n", "*", "(", "_"))
    )


def _is_marked(text: str, begin: int, end: int) -> bool:
    return text[begin - 1 : begin] in ("(", "[", "*", '"') and text[end : end + 1] in (")", "]", "*", '"')
