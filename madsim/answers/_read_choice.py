"""Read an option letter, or several, out of the place where they should be."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from madsim.answers._options import Options, folded
from madsim.answers._reading import NOT, Reading, failed, is_placeholder

_WRAP = (
    r"(?:\\(?:text|textbf|textit|mathbf|mathrm|mathit|mathsf|boldsymbol|bf|rm|mbox|left|boxed|fbox)\s?\{?|"
    r"\\[(\[]|[\s*_`\"'(\[{<$#>:~=])*+"
)
_WORD = (
    r"(?:(?:the |an? )?(?:correct |right |best |final |most \w+ )?(?:option|choice|answer|letter|alternative|"
    r"statement|selection|alternativ[ae]|opci[oó]n|opç[aã]o|opzione|lettre|letra|lettera|buchstabe|antwort|选项|"
    r"選項|選択肢)s?(?:\s(?:is|choice|option))?|选|選|it is|it's|it must be|i choose|i pick|i select|is|option)\s*"
)
_NOTHING = re.compile(r"[\s*_(\[]*n/?a\b[\s*_)\].]*$|[\s*_(\[]*n/a\b", re.IGNORECASE)
_NONE = re.compile(
    r"[\W_]*(?:it is |it's )?(?:none|no(?:ne)? of (?:the|these)|neither|no (?:correct )?(?:option|choice|"
    r"answer)|not (?:listed|given|any)|keine|aucune|ninguna|nenhuma|nessuna|以上都不|都不)\b",
    re.IGNORECASE,
)
WRONG = re.compile(
    r"[\s)\]*_\"'.:]*(?:\([^()\n]{0,60}\)|(?:(?!\b[A-Z]\b)[^.;,\n]){0,40}?)\s*(?:is|are|was|seems|would be|"
    r"can be|ist|est|es)\s(?:also |clearly |definitely |therefore )?"
    r"(?:not\b|n't|wrong|incorrect|false|invalid|ruled out|eliminated|excluded|rejected|"
    r"a (?:common )?(?:distractor|trap)|impossible|falsch|faux)|[\s)\]*_\"']*(?:isn't|fails|cannot|can't|"
    r"doesn't|does not)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:\b(?:is|as|answer|answers?|choose|chose|pick|picked|select|selected|choice|option|gives?|be|with|for|"
    r"to|therefore|thus|so|hence|yields?|support|supports|vote|ist|lautet|est|es|é|è)|是|为|選|选|は)"
    r"(?: (?:the |an? |clearly |likely |most likely |probably |definitely |therefore |thus |option |choice |"
    r"answer |letter ))*[\s*_`\"'($\\{:,]*$",
    re.IGNORECASE,
)
_ARTICLE_NEXT = re.compile(
    r"\s+(?!because|since|as\b|is\b|and\b|or\b|but\b|for\b|due|given|by\b|here|only|seems|was\b|would|which|"
    r"follows|fits|matches|with\b|in\b|over\b|instead|also\b|will\b|must\b|definitely|clearly)[A-Za-z]{2,}"
)
_PRONOUN_NEXT = re.compile(r"\s+[a-z]|'")
_JOIN = re.compile(
    r"[\s)\]*_`\"'}$.]*(?:,|;|/|&|\+|\band\b|\bor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\be\b|\bo\b|和|与|或|と|"
    r"그리고|,\s*and\b|,\s*or\b|、|(?<=\))\s?(?=\())[\s(\[*_`\"'{$]*(?:options?\s|choices?\s|either\s|maybe\s|"
    r"perhaps\s|possibly\s|both\s)?[\s(\[*_`\"'{$]*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;!?](?:\s|$)|\n|\b(?:because|since|whereas|while)\b")


class Letters(NamedTuple):
    """Patterns for one set of labels."""

    start: re.Pattern[str]
    any: re.Pattern[str]
    letters: bool


@lru_cache(maxsize=128)
def letters_of(labels: tuple[str, ...] | None) -> Letters:
    """The patterns that find one of `labels` standing alone."""
    if labels is None or all(len(label) == 1 and label.isascii() and label.isalpha() for label in labels):
        label, letters = "[A-Za-z]", True
    else:
        label, letters = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True)), False
        if all(label.isdigit() for label in labels):
            label += r"|\d{1,3}"
    left, right = r"(?<![A-Za-z0-9À-ÿ_\\])(?<![A-Za-z]')", r"(?![A-Za-z0-9À-ÿ_]|'[a-z]|\.\d)"
    alone = rf"{left}(?P<letter>{label}){right}"
    return Letters(re.compile(rf"{_WRAP}(?:{_WORD})?{_WRAP}{alone}", re.IGNORECASE), re.compile(alone), letters)


def plausible(text: str, begin: int, end: int, stop: int) -> bool:
    """Whether a letter that stands alone is an option and no article, pronoun or variable."""
    letter = text[begin:end]
    marked = text[begin - 1 : begin] in ("(", "[", "{", "*", '"', "$") and text[end : end + 1] in (
        ")",
        "]",
        "}",
        "*",
        '"',
        "$",
    )
    if marked:
        return True
    if (
        letter in ("a", "I", "i", "o", "e", "y", "u")
        and end < stop
        and re.match(r"\s+[A-Za-z]|'", text[end : min(stop, end + 12)])
    ):
        return letter == "I" and not _PRONOUN_NEXT.match(text, end, stop)
    if letter == "A" and _ARTICLE_NEXT.match(text, end, stop):
        return False
    return not (letter.islower() and end < stop and re.match(r"\s+[a-z]", text[end:stop]))


def read_choice(text: str, start: int, stop: int, options: Options | None, *, prose: bool = True) -> Reading:
    """The one option between `start` and `stop`.

    Parameters
    ----------
    text : in normal characters
    options : the offered options; None where they are not known
    prose : whether a letter may be picked out of a sentence, or has to open the stretch
    """
    labels = options.labels if options else None
    by_text = _by_text(text, start, stop, options)
    if by_text is not None:
        return by_text
    if _NOTHING.match(text, start, stop):
        return failed("none", start)
    patterns = letters_of(labels)
    match = patterns.start.match(text, start, stop)
    if match is not None and _stands_for_letter(text, match, options):
        start = match.end("letter") + (text[match.end("letter") : match.end("letter") + 1] in (")", "]"))
        match = patterns.start.match(text, start, stop)
        if match is None and not text[start:stop].strip(" )]*_.`$}\n"):
            return failed("placeholder", start)
    if match is not None:
        begin, end = match.span("letter")
        if plausible(text, begin, end, stop) and not WRONG.match(text, end, min(stop, end + 120)):
            return checked(text, begin, end, stop, options)
    if is_placeholder(text[start:stop]):
        return failed("placeholder", start)
    if _NONE.match(text, start, stop):
        return failed("none_of_these", start)
    if not prose:
        return failed("unreadable", start)
    return _from_prose(text, start, stop, options, patterns)


def _stands_for_letter(text: str, match: re.Match[str], options: Options | None) -> bool:
    """Whether an X stands where a letter should be, as in an instruction that was copied."""
    begin, end = match.span("letter")
    return (
        text[begin:end] == "X"
        and (options is None or options.label("X") is None)
        and (text[begin - 1 : begin] in ("(", "[") or not text[end:].strip(" .*\n"))
    )


def _by_text(text: str, start: int, stop: int, options: Options | None) -> Reading | None:
    if options is None or not options.texts:
        return None
    piece = text[start:stop]
    end = piece.find("\n")
    for candidate in (piece, piece[:end] if end >= 0 else piece):
        label = options.of_text(candidate)
        if label is not None and options.label(candidate.strip(" *().")) is None:
            begin = start + len(piece) - len(piece.lstrip())
            return Reading(label, begin, start + len(candidate.rstrip()), True, "option_text")
    return None


def checked(text: str, begin: int, end: int, stop: int, options: Options | None) -> Reading:
    """The option at this place, unless another follows that is offered as well."""
    written = text[begin:end]
    label = options.label(written) if options else written.upper()
    if label is None:
        return failed("out_of_range", begin)
    join = _JOIN.match(text, end, stop)
    if join is not None:
        other = letters_of(options.labels if options else None).any.match(text, join.end(), stop)
        if other is not None and plausible(text, *other.span("letter"), stop):
            second = options.label(other["letter"]) if options else other["letter"].upper()
            bare = not text[end : join.end()].strip(" )(")  # "(C) (D)" offers two, "(D) (A or B)" does not
            if bare and text[other.end("letter") : other.end("letter") + 1] != ")":
                second = None
            if second is not None and second != label and not WRONG.match(text, other.end(), stop):
                return failed("hedge", begin)
    return Reading(label, begin, end, True)


def _from_prose(text: str, start: int, stop: int, options: Options | None, patterns: Letters) -> Reading:
    stop = min(stop, start + 2000)
    found: list[tuple[int, int, str, bool]] = []
    for match in patterns.any.finditer(text, start, stop):
        begin, end = match.span("letter")
        if text[begin:end].islower() and patterns.letters and text[begin - 1 : begin] != "(":
            continue
        label = options.label(match["letter"]) if options else match["letter"].upper()
        if label is None or not plausible(text, begin, end, stop):
            continue
        if NOT.search(text, max(start, begin - 30), begin) or WRONG.match(text, end, min(stop, end + 80)):
            continue
        found.append((begin, end, label, _SAYS.search(text, max(start, begin - 40), begin) is not None))
    if options is not None and not found:
        by_text = _text_in_prose(text, start, stop, options)
        if by_text is not None:
            return by_text
    said = [item for item in found if item[3]] or found
    if not said:
        return failed("unreadable", start)
    clause = _CLAUSE.search(text, said[0][1], stop)
    near = {item[2] for item in said if item[0] < (clause.start() if clause else stop)}
    if len(near) > 1:
        return failed("hedge", start)
    begin, end, label, _ = said[0]
    return Reading(label, begin, end, False)


def _text_in_prose(text: str, start: int, stop: int, options: Options) -> Reading | None:
    """The only option whose text appears as whole words."""
    piece = folded(text[start:stop])
    hits = {label for words, label in options.texts if re.search(rf"(?<!\w){re.escape(words)}(?!\w)", piece)}
    if len(hits) != 1 or NOT.search(piece):
        return None
    label = hits.pop()
    words = next(words for words, owner in options.texts if owner == label)
    place = text.casefold().find(words, start, stop)
    if place < 0:
        return Reading(label, start, stop, False, "option_text")
    if NOT.search(text, max(start, place - 30), place):
        return None
    return Reading(label, place, place + len(words), False, "option_text")
