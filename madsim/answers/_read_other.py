"""Read a truth value, a text or several letters out of the place where it should be."""

from __future__ import annotations

import re

from madsim.answers._dress import undressed
from madsim.answers._nothing import is_nothing
from madsim.answers._options import Options, folded
from madsim.answers._read_choice import WRONG, letters_of, plausible
from madsim.answers._read_number import first_sentence
from madsim.answers._reading import NOT, Reading, failed, is_placeholder

_YES = (
    "yes|true|yeah|yep|correct|ja|wahr|richtig|oui|vrai|sí|si|verdadero|cierto|sim|verdadeiro|sì|vero|"
    "是的|是|对|正确|真|はい|正しい|예|네|맞습니다|참"
)
_NO = "no|false|nope|incorrect|nein|falsch|non|faux|falso|não|nao|不是|否|不对|错误|错|不正确|假|いいえ|誤り|아니오|아니요|거짓"
_FIRST = "(?=[yntfcirjwosv是对正真は예네맞참不否错假い誤아거])"  # a quick look before all the words are tried
_TRUTH = re.compile(rf"{_FIRST}(?<![\w\\])(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?![a-zA-ZÀ-ÿ])", re.IGNORECASE)
_TRUTH_START = re.compile(
    rf"[\s*_`\"'(\[{{$<]*+(?:\\(?:text|textbf|mathrm|boxed)\{{\s?)*+(?:(?:it is|it's|that is|this is|"
    rf"the (?:statement|claim|answer) is|definitely|clearly|probably|most likely|a|ein|una|un)\s)?[\s*_`\"'(]*+"
    rf"(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?![a-zA-ZÀ-ÿ])(?! (?:idea|clue|way to|one|answer|doubt))",
    re.IGNORECASE,
)
_TRUTH_HEDGE = re.compile(
    rf"[\s*_`\"'),]*(?:or|and|/|oder|ou|o|et|y|e)[\s*_`\"'(]+(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?![a-zA-ZÀ-ÿ])",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"\b(?:the )?(?:statement|claim|answer|assertion|hypothesis|it|this|that) (?:is|was|seems|"
    r"appears) (?:therefore |thus |indeed |clearly |definitely )?(?:not )?$",
    re.IGNORECASE,
)


def read_boolean(text: str, start: int, stop: int, *, prose: bool = True) -> Reading:
    """``"yes"`` or ``"no"`` between `start` and `stop`."""
    match = _TRUTH_START.match(text, start, stop)
    if match is None and prose:
        found = {
            _truth(text, start, item): item for item in _TRUTH.finditer(text, start, first_sentence(text, start, stop))
        }
        if len(found) > 1:
            return failed("hedge", start)
        if found:
            value, item = next(iter(found.items()))
            return Reading(value, item.start(), item.end(), False)
    if match is None:
        return failed("placeholder" if is_placeholder(text[start:stop]) else "unreadable", start)
    other = _TRUTH_HEDGE.match(text, match.end(), stop)
    if other is not None and (other["no"] is None) != (match["no"] is None):
        return failed("hedge", start)
    group = "no" if match["no"] else "yes"
    return Reading(group, *match.span(group), True)


def _truth(text: str, start: int, match: re.Match[str]) -> str:
    value = "no" if match["no"] else "yes"
    negated = NOT.search(text, max(start, match.start() - 20), match.start()) is not None
    return {"yes": "no", "no": "yes"}[value] if negated else value


def last_boolean(text: str) -> Reading:
    """The truth value that the reply opens with or ends on."""
    for start, stop in _edge_lines(text):
        reading = read_boolean(text, start, stop, prose=False)
        if reading.value is not None:
            return reading
    for start, stop in reversed(_edge_lines(text)):
        for match in reversed(list(_TRUTH.finditer(text, start, stop))):
            if _STATEMENT.search(text, max(start, match.start() - 60), match.start()):
                return Reading(_truth(text, start, match), match.start(), match.end(), False)
    return failed("none", 0)


def _edge_lines(text: str) -> list[tuple[int, int]]:
    """The last and the first line that is not blank."""
    stripped = text.rstrip()
    last = stripped.rfind("\n") + 1
    first = len(text) - len(text.lstrip())
    end = text.find("\n", first)
    return [(last, min(len(stripped), last + 600)), (first, min(len(stripped) if end < 0 else end, first + 600))]


def read_multichoice(text: str, start: int, stop: int, options: Options | None, *, prose: bool = True) -> Reading:
    """The chosen letters, in alphabetical order, joined by commas."""
    labels = options.labels if options else None
    stop = _sentence_stop(text, start, stop)
    region = text[start:stop]
    if is_placeholder(region):
        return failed("placeholder", start)
    joined = re.fullmatch(
        r"[\s*_`\"'(\[{$\\]*(?:\\?text\{)?(?P<letters>[A-Z]{2,10}|[a-z]{2,5})[\s*_`\"')\]}$.]*", region
    )
    if joined is not None and options is not None:
        letters = [options.label(letter) for letter in joined["letters"]]
        if (
            None not in letters
            and len(set(letters)) == len(letters)
            and (joined["letters"].isupper() or list(letters) == sorted(map(str, letters)))
        ):
            begin = start + joined.start("letters")
            return Reading(_joined(letters, options), begin, start + joined.end("letters"), True)
    if re.match(r"[\W_]*(?:none|no option|neither)\b", region, re.IGNORECASE) and not re.search(
        r"[(\[][A-Z][)\]]", region
    ):
        return failed("none_of_these", start)
    if options is not None and re.match(r"[\W_]*(?:all (?:of|the|options|are)|all\b\W*$)", region, re.IGNORECASE):
        return Reading(",".join(options.labels), start, stop, True)
    pattern = letters_of(labels).any
    found: list[str] = []
    first = last = -1
    unknown = False
    lower = (
        re.fullmatch(r"[\s*_`(\[]*[a-j](?:[\s,;/&()\[\]]|and|or)*(?:[a-j](?:[\s,;/&()\[\].]|and|or)*)*", region)
        is not None
    )
    for match in pattern.finditer(text, start, stop):
        begin, end = match.span("letter")
        written = match["letter"]
        if written.islower() and not lower and not (text[begin - 1 : begin] == "(" and text[end : end + 1] == ")"):
            continue
        label = options.label(written) if options else written.upper()
        if label is None:
            unknown = unknown or written.isupper()
            continue
        if (
            not lower
            and not plausible(text, begin, end, stop)
            and not re.match(r"\s(?:and|or|und|et|y|e|ou|o)\s", text[end : end + 6])
        ):
            continue
        if NOT.search(text, max(start, begin - 30), begin) or WRONG.match(text, end, min(stop, end + 80)):
            continue
        if label not in found:
            found.append(label)
        first, last = (begin if first < 0 else first), end
    if found and not unknown:
        exact = not re.search(r"[a-z]{3,}", re.sub(r"\band\b|\bund\b|\boptions?\b|\btext\b", "", text[start:first]))
        return Reading(_joined(found, options), first, last, exact)
    if options is not None and options.texts:
        parts = [options.of_text(part) for part in re.split(r",\s*(?:and\s)?|;|\sand\s|/|\n", region) if folded(part)]
        if parts and None not in parts:
            return Reading(_joined(parts, options), start, stop, True, "option_text")
    return failed("out_of_range" if unknown else "unreadable", start)


def _joined(letters: list, options: Options | None) -> str:
    order = {label: place for place, label in enumerate(options.labels)} if options else None
    unique = dict.fromkeys(str(letter) for letter in letters)
    return ",".join(sorted(unique, key=order.__getitem__ if order else None))


def _sentence_stop(text: str, start: int, stop: int) -> int:
    match = re.compile(r"\.(?=\s+[A-Z][a-z])|\b(?:because|since)\b").search(text, start, stop)
    return match.start() if match else stop


_TEXT_FILLER = re.compile(
    r"(?:\s*(?:therefore|thus|indeed|actually|simply|still|clearly|as follows:?|that|called|known as|:)\s+)*",
    re.IGNORECASE,
)
_TEXT_END = re.compile(
    r"\s+\((?:confidence|certainty|confident|i am|probability|~|approx)[^)\n]*\)|,?\s(?:because|since|which|"
    r"as it|as they|although|given that|due to|so that)\s|[.!?](?=\s+(?:[A-Z]|$))|\n|。",
    re.IGNORECASE,
)
_JUDGEMENT = re.compile(
    r"[\s*_]*(?:(?:is|be|very|quite|most|likely|probably|definitely|indeed|also|now)\s)*(?:correct|right|"
    r"wrong|incorrect|true that|clear|the same|consistent|confirmed|supported|based on|as follows|not\b|"
    r"found|given|obtained|derived|final|in line|still|valid|accurate|sound|justified|unchanged|different|above|below)\b",
    re.IGNORECASE,
)


def read_text(text: str, start: int, stop: int, *, kind: str) -> Reading:
    """The text between `start` and `stop`, without its dress."""
    region = text[start:stop]
    if is_placeholder(region):
        return failed("placeholder", start)
    if kind in ("phrase", "label"):
        filler = _TEXT_FILLER.match(text, start, stop)
        start = filler.end() if filler else start
    if kind == "phrase":
        if _JUDGEMENT.match(text, start, stop):
            return failed("unreadable", start)
        end = _TEXT_END.search(text, start, stop)
        stop = end.start() if end else stop
    elif kind == "label":
        end = re.compile(r"\s+\((?:confidence|certainty|probability|i am|~)[^)\n]*\)", re.IGNORECASE).search(
            text, start, stop
        )
        stop = end.start() if end else stop
    start, stop = undressed(text, start, stop)
    written = text[start:stop]
    if not written:
        return failed("unreadable", start)
    if is_nothing(written):
        return failed("none", start)
    if re.match(r"either\s.+\sor\s", written, re.IGNORECASE):
        return failed("hedge", start)
    return Reading(written, start, stop, True)
