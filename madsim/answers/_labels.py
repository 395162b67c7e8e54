"""The words that announce an answer, and whose answer they announce."""

from __future__ import annotations

import re
from typing import NamedTuple

_DRESS = r"[*_`\"')\]]{0,4}"
_ADJECTIVE = (
    r"(?:correcta?|correcte|correta|corretta|final|finale|definitiva|définitive|richtige|korrekte|juste|exacte|"
    r"exacta|esatta|giusta|certa|buena)"
)
_COLON = re.compile(
    rf"(?:\s?(?:choice|option|letter|key|value|"
    rf"number)\b\.?)?(?:\s{_ADJECTIVE})?{_DRESS}\s?(?:\([^()\n]{{1,40}}\))?{_DRESS}"
    rf"(?:\s(?:to|for|of|in)\b[^:\n.!?;=]{{1,60}}?{_DRESS})?\s?(?:is|ist|est|es)?\s?"
    r"(?::-(?=\s)|::?|:=|=>?|->|→|⇒|—>|—|–\s|-\s|\((?=[\"'])|;(?=\s[(*_]{0,3}(?:[A-Z]\b|-?\d)))(?!=)",
    re.IGNORECASE,
)
_IS = re.compile(
    rf"(?:s|en|\s?(?:الصحيحة|الصحيح|النهائية|النهائي|הנכונה|הסופית|choice|option|letter|here|to this|"
    rf"value))?(?:\s{_ADJECTIVE})?{_DRESS}(?:\s?\([^()\n]{{1,40"
    rf"}}\))?(?:,?\s(?:to|for|of|in|that|as|from|i|we|you|given|based|according|after|"
    rf"using)\b[^:\n.!?;]{{0,80}}?)?,?"
    r"(?:\s(?:therefore|thus|hence|then|still|indeed|also|so|actually),?)?"
    r"\s?(?:\b(?:هي|هو|היא|הוא|is|was|are|were|remains?|becomes|equals|would be|should be|must be|will be|"
    r"has to be|can only be|could only be|"
    r"turns out to be|comes out to|works out to|came out to|comes to|"
    r"ist|lautet|wäre|beträgt|est|serait|reste|es|sería|seria|sarebbe|é|è|sei)\b|is:|应该是|应当是|应为|就是|是|"
    r"为|為|は|が|은|는|이)\s?[:：]?",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(?:\(s\)|s)?[*_`:\"')\]. \t]{0,12}\n")
_DIRECT = re.compile(rf"{_DRESS}\s?,?\s?(?=[\s(\[*$\\-]*(?:\d|\(?[A-J]\)?(?:[\s.,)*]|$)|\\?boxed|\\\(|\$))")
_HEAD = re.compile(
    r"(?:^|\n)[ \t>*_#\-\d.)]*(?:the |my |our )?(?:(?:final|correct|best|own|ultimate|complete|overall|"
    r"numerical|short|exact|direct) ){0,3}$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"[\s*_)\"'$`,](?:which )?(?:(?:is|would be|must be|should be|remains|being|as|stands as|was|be|"
    r"seems to be|appears to be|making|makes it)\s)"
    r"(?:indeed |therefore |thus |clearly |also |still |probably |likely |most likely |definitely )?(?:the |my |"
    r"our |an? )?"
    r"(?:(?:most |best |single |only |final |correct |right |appropriate |likely |accurate |suitable |"
    r"fitting |proper |valid |supported |definitive |plausible |ultimate |overall ){0,4})$",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"(?:\b(?:your|their|his|her|its|wrong|incorrect|previous|earlier|initial|first|another|other|any|no|each|"
    r"every|which|what|whose|whether|if|possible|candidate|potential|tentative|old|sample|example|"
    r"expected answer format|not the|n't the|isn't the|different|alternative|original|intermediate|partial|"
    r"likely wrong|false|peer's|user's|s')\s(?:(?:final|correct|right|best|own)\s){0,2}"
    r"|\b(?:second|third|next|backup|runner-up|2nd|3rd|last|least)(?: best)?\s"
    r"|\b(?!let|here|that|it|what|today|problem|question)\w+'s\s(?:(?:final|correct|right|best|own|initial|"
    r"first)\s){0,2}"
    r"|\b(?:score|rating|confidence|grade|explanation|reason|reasoning|justification|rationale|comments?|"
    r"points?)\s(?:for|of|to|in|behind|about|on)\s(?:\w+\s){0,2}"
    r"|\b(?:if|whether|suppose|assuming|unless|until|once|when|because|know|check that|check if|verify that|"
    r"verify if)\s(?:the|my|our)\s(?:(?:final|correct|right)\s){0,2})$",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(
    r"\b(?:this|that|these|those|such|same)\s(?:(?:final|correct|right|very)\s){0,2}$", re.IGNORECASE
)
_QUOTED = re.compile(
    r"(?:[\"'`]|\bform|\bformat|\bexample:?|\be\.g\.,?|\bi\.e\.,?|\blike|such as)\s?[*_#]*\s?(?:(?:the|"
    r"my)\s)?(?:(?:final|correct)[ -]?)?$",
    re.IGNORECASE,
)
_INSTRUCTS = re.compile(
    r"\b(?:ends?|ending|end with|form|format|line|lines|write|state|provide|respond|put|example|e\.g|such as|"
    r"begin|start|finish|conclude|template|instruction|asked|should|must|told|output|print|"
    r"wrote|said|says|claims|claimed|argue[sd]?|replied)\b",
    re.IGNORECASE,
)
_STRICT_WORDS = frozenset({"choice", "option"})


class Anchor(NamedTuple):
    """A stretch that should hold an answer.

    `kind` is the reason code; `strict`: only a value that fills the stretch counts; `back`: the value stands before
    the announcement.
    """

    place: int
    start: int
    stop: int
    kind: str
    strict: bool = False
    back: bool = False
    quoted: bool = False
    closed: bool = True


def line_end(text: str, start: int, limit: int = 600) -> int:
    """End of the line that holds `start`, or of as much of it as is read."""
    stop = text.find("\n", start, start + limit)
    return stop if stop >= 0 else min(len(text), start + limit)


def labelled(text: str, place: int, end: int, stem: str, strong: bool) -> Anchor | None:
    """The stretch that the word at `place` announces, or None.

    Parameters
    ----------
    text : in normal characters
    place, end : where the word stands
    stem : the word
    strong : whether the word announces an answer by itself, or only where nothing but a value follows
    """
    found = _forward(text, place, end, stem, strong)
    demonstrative = False
    before = text[max(0, place - 48) : place]
    if found is None or found.kind == "phrase":
        demonstrative = _DEMONSTRATIVE.search(before) is not None
        if demonstrative:
            return None
    if found is None:
        if (
            (strong or stem in _STRICT_WORDS)
            and text[end : end + 1] != "s"
            and _backs(before)
            and _NAMES_ONE.match(text, end) is None
        ):
            found = _backward(text, place, strong)
        if found is None:
            return None
    if not before:
        return found
    sentence = max(before.rfind("\n"), before.rfind(". ")) + 1
    if _FOREIGN.search(before, sentence) and not (found.kind == "label" and stem in _RANKED and _FIRST.search(before)):
        return None
    if found.back or not _quotes(before):
        return found
    return _if_own_quote(text, place, end, found)


def _forward(text: str, place: int, end: int, stem: str, strong: bool) -> Anchor | None:
    if stem.endswith((":", "：", ".")):
        return _stretch(text, place, end, not strong)
    colon = _COLON.match(text, end, end + 140)
    if colon is not None:
        return _stretch(text, place, colon.end(), not strong)
    if strong or stem not in _UNSTATED:
        said = _IS.match(text, end, end + 140)
        if said is not None:
            start = said.end()
            if not text[start : line_end(text, start)].strip(" *_:`$\\["):
                return _stretch(text, place, start, not strong)
            return Anchor(place, start, line_end(text, start), "phrase", strict=not strong)
    alone = _ALONE.match(text, end)
    if (alone is not None or not text[end : end + 40].strip(" *_\n:.")) and _heads_line(text, place):
        if alone is not None:
            return _stretch(text, place, alone.end(), not strong)
        return Anchor(place, len(text), len(text), "label", strict=not strong)
    if strong:
        direct = _DIRECT.match(text, end, end + 30)
        if direct is not None:
            return Anchor(place, direct.end(), line_end(text, direct.end()), "phrase", strict=True)
    return None


def _heads_line(text: str, place: int) -> bool:
    line = max(0, text.rfind("\n", 0, place))
    return place - line <= 60 and _HEAD.search(text, line, place) is not None


_FIRST = re.compile(
    r"(?:^|[\n.;,(*])[\s*_]*(?:my )?(?:first|1st) $", re.IGNORECASE
)  # "First choice: C. Second choice: A."
_RANKED = frozenset({"choice", "pick", "vote", "preference"})
_NAMES_ONE = re.compile(r"\s\(?[A-Z]\)?(?![A-Za-z'])")  # "option (C)" tells of C, not of what stands before it
_UNSTATED = frozenset({"ergebnis", "resultado", "risultato", "vote", "correction", "response"})
_BACK_WORDS = ("is ", "as ", "be ", "mains ", "eing ", "was ", "the ", "king ")


def _backs(before: str) -> bool:
    """Whether a statement such as "... is the correct answer" may end here."""
    return before[-1:] == " " and any(word in before for word in _BACK_WORDS)


def _quotes(before: str) -> bool:
    return any(mark in before for mark in "\"'`") or any(
        word in before for word in ("form", "xample", "e.g", "i.e", "like", "such as")
    )


def _if_own_quote(text: str, place: int, end: int, found: Anchor) -> Anchor | None:
    """The anchor unless it is quoted from an instruction or from somebody else."""
    before = text[max(0, place - 90) : place]
    quote = _QUOTED.search(before)
    if quote is None:
        return found
    sentence = re.split(r"[.!?\n](?=\s|$)", before[: quote.start()])[-1]
    if _INSTRUCTS.search(sentence) or _INSTRUCTS.search(before[quote.start() :]):
        return None
    quoted = before[quote.start()] in "\"'`" and not re.search(r"[\"'`][\w\s-]*$", before[: quote.start()])
    return found._replace(quoted=quoted)


_SKIP = re.compile(
    r"(?:\s|\*\*+|[*_]+(?=\s)|#+(?=\s)|```[a-zA-Z]*\s*\n|```|\\\[|\\\(|\$\$|\\begin\{(?:equation|align)\*?\})*"
)


# a bullet, or the number of a first item before a value; ``-42`` is a value, and so is ``1.5``
_LIST_MARK = re.compile(r"(?:[-*•+–>]|\(?1[.)](?=\s+[*_`$\\(]*[-+]?[\s$€£]?\d))\s+[*_`]*")


def _stretch(text: str, place: int, start: int, strict: bool) -> Anchor:
    skipped = _SKIP.match(text, start)
    begin = skipped.end() if skipped else start
    if "\n" in text[start:begin] and (item := _LIST_MARK.match(text, begin)) is not None:
        begin = item.end()
    return Anchor(place, begin, line_end(text, begin), "label", strict=strict)


def _backward(text: str, place: int, strong: bool) -> Anchor | None:
    low = max(text.rfind("\n", 0, place) + 1, place - 200)
    match = _BEFORE.search(text, low, place)
    if match is None:
        return None
    begin, stop = low, match.start()
    cut = max(text.rfind(mark, begin, stop) for mark in (". ", "! ", "? ", ": ", "; "))
    if cut >= 0 and text[cut + 1 : stop].strip():
        begin = cut + 1
    return Anchor(place, begin, stop, "phrase", strict=not strong, back=True)
