"""Read an option letter, or several, out of the place where they should be."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from madsim.answers._normal import normal
from madsim.answers._options import Options, folded
from madsim.answers._read_number import read_number
from madsim.answers._reading import NOT, Reading, failed, is_placeholder
from madsim.answers._stance import stance

_WRAP = (
    r"(?:\\(?:text|textbf|textit|mathbf|mathrm|mathit|mathsf|boldsymbol|bf|rm|mbox|left|boxed|fbox)\s?\{?|"
    r"\\[(\[]|(?-i:</?(?:b|strong|mark|i|em|u)>)|-+>|[\s*_`\"'«“(\[{<$#>:~=→⇒➡✅✔✓👉🏆∴•▶☑\ufe0f])*+"
)
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_ARTICLE = r"(?-i:(?:la|le|el|il|lo|die|der|das|den|l'|a|o|as)\s?(?=[\s(\[*_\"']{0,4}[A-Z](?![A-Za-z])))"
_WORD = (
    r"(?:(?:the |an? )?(?:correct |right |best |final |only |definitely |clearly |still |most \w+ )?(?:option|"
    r"choice|answer|letter|alternative|"
    r"statement|selection|alternativ[ae]|opci[oó]n|opç[aã]o|opzione|lettre|letra|lettera|buchstabe|antwort|réponse|"
    r"respuesta|resposta|risposta|选项|選項|選択肢|答案)s?(?:\s(?:is|choice|option))?|选择?|選[擇択]?|是|it is|"
    r"it's|it must be|"
    rf"i choose|i pick|i select|is|for|to|{_ARTICLE})\s*+"
)
_NOTHING = re.compile(r"[\s*_(\[]*n/?a\b[\s*_)\].]*$|[\s*_(\[]*n/a\b", re.IGNORECASE)
_NONE = re.compile(
    r"[\W_]*(?:it is |it's )?(?:none|no(?:ne)? of (?:the|these)|neither|no (?:correct )?(?:option|choice|"
    r"answer)|not (?:listed|given|any)|keine|aucune|ninguna|nenhuma|nessuna|以上都不|都不)\b",
    re.IGNORECASE,
)
WRONG = re.compile(
    r"[\s)\]*_\"'.:]*(?:\([^()\n]{0,60}\)|(?:(?!\b(?:[A-Z]|only|because|since|which|that)\b)[^.;,\n]){0,40}?)\s*"
    r"(?:is|are|was|seems|would be|can be|ist|est|es|é|è)\s(?:also |clearly |definitely |therefore |simply |too |the only |the one )?"
    r"(?:not\b(?! (?:only|wrong|incorrect|false|impossible)\b)|n't|wrong|incorrect|false|invalid|ruled out|"
    r"eliminated|excluded|rejected|"
    r"a (?:common )?(?:distractor|trap)|impossible|falsch|faux|incorrect[ao]|incorreta|errad[ao]|sbagliat[ao]|"
    r"fals[ao])|"
    r"[\s)\]*_\"']*(?:isn't|fails?\b|cannot|can't|doesn't|does not|不对|不正确|不正確|错|錯|不是|は間違|は誤)",
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
    r"follows|fits|matches|und\b|oder\b|et\b|ou\b|y\b|e\b|o\b|through|thru|to\b|sowie|ist\b|est\b|es\b|porque|"
    r"está\b|é\b|è\b|fica\b|parece\b|"
    r"weil|parce|perch|car\b|"
    r"pois|denn|with\b|in\b|over\b|instead|also\b|will\b|must\b|definitely|clearly)[A-Za-z]{2,}"
)
_PRONOUN_NEXT = re.compile(r"\s+[a-z]|'")
_AND = (
    r"(?:and(?:/or| also)?|or(?: else)?|und|oder|sowie|et|ou(?: bien)?|y|e|o|through|thru|"
    r"as well as|along with|plus|vs\.?|versus)\b|"
    r"和|与|或者?|还是|還是|以及|及|と|または|それとも|か(?!ら)|그리고|또는|혹은|거나|이나|아니면"
)
_JOIN = re.compile(
    rf"[\s)\]*_`\"'}}$.]*(?:[-–](?=[A-Z])|,\s*\b{_AND}|,|;|/|&|\+|\||\b(?:{_AND})|(?<=\))\s?(?=\())[\s(\[*_`\"'{{$]*"
    r"(?:options?\s|choices?\s|either\s|maybe\s|perhaps\s|possibly\s|both\s)?[\s(\[*_`\"'{$]*|\s{1,3}|\?\s*",
    re.IGNORECASE,
)
_ALSO_MARKED = re.compile(r"\)\s[^().;\n]{1,60},\s(?:and |or |as well as )?\((?P<letter>[A-Z])\)\s\w")
_LISTED = re.compile(
    rf"[\s*_`\"'$}}?]*(?:$|[.,;|/&+)\]]|(?:{_AND}|are|both|seem|look|could|might|may|all)(?!\w))", re.IGNORECASE
)
REVISE = re.compile(  # from one option to the one that the speaker puts in its place: "A? No, ", "A -> "
    r"[\s)\]*_`\"'}$.,;:!?…–—(-]*(?:\bbut\s)?(?:(?:→|⇒|➡\ufe0f?|-+>|=>)\s*|(?:\b(?:no|nope|wait|actually|sorry|"
    r"correction|corrected|"
    r"rather(?! than)|I mean|make that|scratch that|oops|hmm+|on second thoughts?|on reflection|changed to|(?-i:now)|"
    r"instead|nein|doch|vielmehr|pardon|plutôt|perdón|mejor dicho|aliás|anzi|scusa)\b|不对|更正|改为|改成|而是|"
    r"(?:ではなく|じゃなく)て?|[가이] ?아니라|sondern|sino|mas sim|e sim|bens[iì]|いや|訂正|아니)"
    r"[\s,.:;!?…–—-]*)++(?:(?:it(?:'s| is)|the (?:correct |right )?answer is|I (?:now )?(?:choose|mean|meant|"
    r"think)(?: it's| it is)?|"
    r"that's|should be|must be|is|to|make it|option|choice)\s)*[\s(\[*_`\"'{$]*",
    re.IGNORECASE,
)
_SETTLED = re.compile(  # after two options: "A or B, but probably "
    r"[)\]*_]*[,;.]?\s(?:but |though |and |so )?(?:I(?:'m|'d| am| would)? )?(?:probably|more likely|most likely|"
    r"likely|leaning(?: to(?:wards?)?)?|"
    r"lean(?: to(?:wards?)?)?|say|prefer(?:ably)?|pick|choose|going with|go with|mostly|finally|settle on|"
    r"ultimately)\s(?:it's |option )?[(\[*_]*",
    re.IGNORECASE,
)
_SETTLES = re.compile(
    r"[\s)\]*_`\"'}$]*(?:$|[.,;:!?–—(-]|because\b|since\b|as\b|is\b|it is\b|\w+ly\b|です|でしょう|だ|である|입니다|이다|예요|이에요)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s?[-–]\s?[A-Z](?![A-Za-z])")
_CLAUSE = re.compile(r"[.;!?](?:\s|$)|\n|\b(?:because|since|whereas|while)\b")


class Letters(NamedTuple):
    """Patterns for one set of labels."""

    start: re.Pattern[str]
    any: re.Pattern[str]
    letters: bool


@lru_cache(maxsize=128)
def letters_of(labels: tuple[str, ...] | None) -> Letters:
    """The patterns that find one of `labels` standing alone."""
    labels = None if labels is None else tuple(map(normal, labels))
    if labels is None or all(len(label) == 1 and label.isascii() and label.isalpha() for label in labels):
        label, letters = "[A-Za-z]", True
    else:
        label, letters = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True)), False
        if all(label.isdigit() for label in labels):
            label += r"|\d{1,3}"
    left = r"(?<![A-Za-z0-9À-ÿ\\])(?<![A-Za-z]')(?<![A-Za-z0-9}]_)"
    right = r"(?![A-Za-z0-9À-ÿ^]|_[A-Za-z0-9{]|'[a-z]|\.\d)"
    alone = rf"{left}(?P<letter>{label}){right}"
    return Letters(
        re.compile(rf"(?:\s*+(?:[-•+]|\d{{1,2}}[.)])\s+)?{_WRAP}(?:{_WORD})?{_WRAP}{alone}", re.IGNORECASE),
        re.compile(alone),
        letters,
    )


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
    start = _past_others(text, start, stop)
    match = patterns.start.match(text, start, stop)
    if match is not None and _stands_for_letter(text, match, options):
        start = match.end("letter") + (text[match.end("letter") : match.end("letter") + 1] in (")", "]"))
        match = patterns.start.match(text, start, stop)
        if match is None and not text[start:stop].strip(" )]*_.`$}\n"):
            return failed("placeholder", start)
    if match is not None:
        begin, end = match.span("letter")
        if plausible(text, begin, end, stop) and not WRONG.match(text, end, min(stop, end + 120)):
            reading = checked(text, begin, end, stop, options)
            if reading.problem != "rejected":
                return reading
    if is_placeholder(text[start:stop]):
        return failed("placeholder", start)
    if _NONE.match(text, start, stop):
        return failed("none_of_these", start)
    if not prose:
        return failed("unreadable", start)
    return _from_prose(text, start, stop, options, patterns)


_LETTER_LIST = r"[(*]{0,3}[A-Z][)*]{0,3}(?:(?:,? (?:and|or|nor|und|oder|et|ou|y|e|o)|,|/| &)\s[(*]{0,3}[A-Z][)*]{0,3})*"
_OTHERS = re.compile(
    rf"[\s*_]*(?:(?i:not|neither|nicht|pas|non?|n[ãa]o) {_LETTER_LIST}\s?[;:,.]\s(?i:but |so |thus |hence |"
    rf"therefore,? )?|"
    rf"(?i:of|out of|among|between|from) (?:(?:the )?(?:options|"
    rf"choices) )?{_LETTER_LIST}[,:]\s)(?=[(*]{{0,3}}[A-Z](?![A-Za-z]))"
)


def _past_others(text: str, start: int, stop: int) -> int:
    """Past the options that a stretch opens with but does not choose: "not A, C or D; ", "of A, B and C, "."""
    match = _OTHERS.match(text, start, stop)
    return start if match is None else match.end()


def _stands_for_letter(text: str, match: re.Match[str], options: Options | None) -> bool:
    """Whether an X stands where a letter should be, as in an instruction that was copied."""
    begin, end = match.span("letter")
    return (
        text[begin:end] in ("X", "x")
        and (options is None or options.label("X") is None)
        and (
            (text[begin - 1 : begin] in ("(", "[") and text[end : end + 1] in (")", "]"))
            or (text[begin:end] == "X" and (not text[end:].strip(" .*\n") or text[end:].lstrip()[:1] == "="))
        )
    )


_COMPARES = re.compile(r"[<>≤≥≠]|\\(?:[lg]eq?|neq?)\b")


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
    if not any(char.isdigit() for char in piece[:40]):
        return None
    number = read_number(text, start, stop, None, prose=False)
    if number.value is None or options.label(number.value) is not None or _COMPARES.search(text, start, number.start):
        return None
    unit_end = re.compile(r"\s?[^\s\d.,;()]{0,12}").match(text, number.stop, stop)
    ends = [unit_end.end()] if unit_end else []
    for end in [*ends, number.stop]:
        label = options.of_text(text[number.start : end])
        if label is not None:
            return Reading(label, number.start, end, True, "option_text")
    return None


_MOST_LETTERS = 60
_MOST_REVISIONS = 8


def checked(text: str, begin: int, end: int, stop: int, options: Options | None, revisions: int = 0) -> Reading:
    """The option at this place, unless another follows that is offered as well."""
    written = text[begin:end]
    label = options.label(written) if options else written.upper()
    if label is None:
        return failed("out_of_range", begin)
    letters = letters_of(options.labels if options else None).any
    revised = REVISE.match(text, end, stop)
    if revised is not None:
        later = letters.match(text, revised.end(), stop)
        if (
            later is not None
            and plausible(text, *later.span("letter"), stop)
            and not WRONG.match(text, later.end(), stop)
            and _SETTLES.match(text, later.end(), stop)
            and revisions < _MOST_REVISIONS
        ):
            return checked(text, *later.span("letter"), stop, options, revisions + 1)
    offered, last = False, end
    for _ in options.labels if options else "ABCDEFGHIJ":
        join = _JOIN.match(text, last, stop)
        other = letters.match(text, join.end(), stop) if join is not None else None
        if join is None or other is None or not plausible(text, *other.span("letter"), stop):
            break
        last = other.end("letter")
        second = options.label(other["letter"]) if options else other["letter"].upper()
        offered = offered or (second not in (None, label) and _offers(text, join, other, stop))
    if last == end and (listed := _ALSO_MARKED.match(text, end, stop)) is not None:
        second = options.label(listed["letter"]) if options else listed["letter"]
        offered = second not in (None, label) and not WRONG.match(text, listed.end(), stop)
    if last > end and WRONG.match(text, last, stop):  # "A, C and D are wrong"; but "B, and A is wrong" offers one
        return failed("rejected", begin) if offered else Reading(label, begin, end, True)
    if not offered:
        return Reading(label, begin, end, True)
    settled = _SETTLED.match(text, last, stop)
    final = letters.match(text, settled.end(), stop) if settled is not None else None
    if final is None or revisions >= _MOST_REVISIONS:
        return failed("hedge", begin)
    return checked(text, *final.span("letter"), stop, options, revisions + 1)


def _offers(text: str, join: re.Match[str], other: re.Match[str], stop: int) -> bool:
    """Whether a second option is offered beside the first, and no sentence about it begins."""
    between, end = join[0].strip(" *_`\"'"), other.end("letter")
    if WRONG.match(text, end, stop) and text[end:stop].lstrip()[:3] != "are":
        return False
    if between.startswith("?"):
        return text[end : end + 1] == "?"
    if not join[0].strip(" )("):  # "(C) (D)" and "A B" offer two, "(D) (A or B)" does not
        return text[end : end + 1] == ")" if join[0].strip() else not text[end:stop].strip(" *_`.)\"'")
    return re.search(r"[^\W_]", between) is not None or _LISTED.match(text, end, stop) is not None


def _from_prose(text: str, start: int, stop: int, options: Options | None, patterns: Letters) -> Reading:
    stop = min(stop, start + 2000)
    found: list[tuple[int, int, str, bool]] = []
    wavers: set[str] = set()
    picked: set[str] = set()
    for match in islice(patterns.any.finditer(text, start, stop), _MOST_LETTERS):
        begin, end = match.span("letter")
        small = text[begin:end].islower() and not (options is not None and options.labels[0].islower())
        if small and patterns.letters and text[begin - 1 : begin] != "(":
            continue
        label = options.label(match["letter"]) if options else match["letter"].upper()
        if label is None or not plausible(text, begin, end, stop):
            continue
        if _RANGE.match(text, end, stop):
            return failed("hedge", begin)
        if NOT.search(text, max(start, begin - 30), begin) or WRONG.match(text, end, min(stop, end + 80)):
            continue
        said = stance(text, start, begin, end, stop)
        if said in ("rejected", "former"):
            continue
        if said == "maybe":
            wavers.add(label)
        elif said == "chosen":
            picked.add(label)
        found.append((begin, end, label, _SAYS.search(text, max(start, begin - 40), begin) is not None))
    if options is not None and not found:
        by_text = _text_in_prose(text, start, stop, options)
        if by_text is not None:
            return by_text
    said = [item for item in found if item[3]] or found
    if not said:
        return failed("unreadable", start)
    if len(picked) == 1:
        said = [item for item in found if item[2] in picked][-1:]
    if len(wavers) > 1 and wavers == {item[2] for item in found}:
        return failed("hedge", start)
    clause = _CLAUSE.search(text, said[0][1], stop)
    near = {item[2] for item in said if item[0] < (clause.start() if clause else stop)}
    if len(near) > 1:
        return failed("hedge", start)
    begin, end, label, _ = said[0]
    return Reading(label, begin, end, False)


def _text_in_prose(text: str, start: int, stop: int, options: Options) -> Reading | None:
    """The only option whose text appears as whole words, where it is no part of the text of another that appears."""
    piece = folded(text[start:stop])
    found = [
        (match.start(), match.end(), label)
        for pattern, label in _whole_texts(options.texts)
        for match in pattern.finditer(piece)
        if not NOT.search(piece, max(0, match.start() - 30), match.start())
    ]
    hits = {
        label
        for low, high, label in found
        if not any(a <= low and high <= b and b - a > high - low for a, b, _ in found)
    }
    if len(hits) != 1:
        return None
    label = hits.pop()
    words = next(words for words, owner in options.texts if owner == label)
    place = text.casefold().find(words, start, stop)
    if place < 0:
        return Reading(label, start, stop, False, "option_text")
    return Reading(label, place, place + len(words), False, "option_text")


@lru_cache(maxsize=256)
def _whole_texts(texts: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """A pattern for each option text as whole words; a number is no part of a longer one, nor of a formula."""
    left, right = r"(?<![\w\\])", r"(?!\w)"
    numeric = r"(?<![\d}][.,/^*{+-])(?<![/^{<>=-])" + left, right + r"(?![.,]?\d|\s?[/^*{}<>=+])"
    return tuple(
        (
            re.compile(
                f"{numeric[0]}{re.escape(words)}{numeric[1]}"
                if any(map(str.isdigit, words))
                else f"{left}{re.escape(words)}{right}"
            ),
            label,
        )
        for words, label in texts
    )
