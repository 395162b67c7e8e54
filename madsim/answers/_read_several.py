"""Read several option letters out of the place where they should be."""

from __future__ import annotations

import re

from madsim.answers._choose import mentions_of
from madsim.answers._options import Options, folded
from madsim.answers._read_choice import WRONG, letters_of, plausible
from madsim.answers._reading import NOT, Reading, failed, is_placeholder
from madsim.answers._stance import stance


def read_multichoice(text: str, start: int, stop: int, options: Options | None, *, prose: bool = True) -> Reading:
    """The chosen letters, in alphabetical order, joined by commas."""
    labels = options.labels if options else None
    stop = _sentence_stop(text, start, stop)
    change = _CHANGE.search(text, start, stop)
    start = change.end() if change is not None else start
    start, stop = _without_remark(text, start, stop)
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
    but = _ALL_BUT.match(region) if options is not None else None
    if but is not None and options is not None:
        left = [label for label in options.labels if label not in _named(region[but.end() :].split(":")[0], options)]
        if 0 < len(left) < len(options.labels):
            return Reading(_joined(left, options), start, stop, True)
    if options is not None and _ALL.match(region):
        return Reading(",".join(options.labels), start, stop, True)
    pattern = letters_of(labels).any
    found: list[str] = []
    first = last = -1
    unknown, judged = False, 0
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
            judged += 1
            if judged <= _MOST_JUDGED and stance(text, start, begin, end, stop) in ("rejected", "former"):
                continue
            found.append(label)
        first, last = (begin if first < 0 else first), end
    if found and not unknown:
        exact = not re.search(
            r"[a-z]{3,}", re.sub(r"\b(?:and|und|options?|text|both|only)\b", "", text[start:first], flags=re.IGNORECASE)
        )
        return Reading(_joined(found, options), first, last, exact)
    if options is not None and options.texts:
        parts = [options.of_text(part) for part in re.split(r",\s*(?:and\s)?|;|\sand\s|/|\n", region) if folded(part)]
        if parts and None not in parts:
            return Reading(_joined(parts, options), start, stop, True, "option_text")
    return failed("out_of_range" if unknown else "unreadable", start)


_MOST_JUDGED = 60
_ALL = re.compile(
    r"[\W_]*(?:all of (?![(*]{0,3}(?-i:[A-Z])(?![A-Za-z]))|all (?:the|options|are)|all\b\W*$)",
    re.IGNORECASE,
)
_CHANGE = re.compile(r"\bfrom\s(?:[(*]{0,3}[A-Z][)*]{0,3}(?:,? and |, | & |,)?){1,10} to\s")
_REMARK = re.compile(
    r"(?<=[A-Z)*\]\w])\s\((?:[^()\n]{0,120}\b(?:wrong|false|incorrect|not|first|initially|originally|previously|earlier|before|had|"
    r"rejected|eliminated|excluded|don't|aren't|falsch|faux|incorrect[ao]s|errad[ao]s|sbagliat[ei])\b[^()\n]{0,120})\)",
    re.IGNORECASE,
)
_LETTER_LINE = re.compile(
    r"[ \t]*(?:[-*•+–]|\d{1,2}[.)])?[ \t]*(?:\[[xX✓]\]\s*)?[(\[*_`]{0,4}(?P<letter>[A-Za-z])[)\]*_`.,;]{0,4}[ \t]*"
)


def _without_remark(text: str, start: int, stop: int) -> tuple[int, int]:
    """The stretch up to a remark in brackets on what is wrong or was held before."""
    remark = _REMARK.search(text, start, stop)
    return start, stop if remark is None or not text[start : remark.start()].strip() else remark.start()


def letters_in_lines(text: str, lines: list[tuple[int, int]], options: Options | None) -> Reading | None:
    """The options of the last lines where each is nothing but one of them, and there are at least two."""
    found: list[tuple[str, int, int]] = []
    for start, stop in reversed(lines[-12:]):
        match = _LETTER_LINE.fullmatch(text, start, stop)
        label = (options.label(match["letter"]) if options else match["letter"].upper()) if match else None
        if match is None or label is None or any(label == other for other, *_ in found):
            break
        found.append((label, *match.span("letter")))
    if len(found) < 2:
        return None
    return Reading(_joined([label for label, *_ in found], options), found[-1][1], found[0][2], True)


_ALL_BUT = re.compile(
    r"[\W_]*(?:all|every\w*|each)(?: \w+){0,4}? (?:except|but|other than|besides|apart from|save)(?: for)?\b",
    re.IGNORECASE,
)


def _named(region: str, options: Options) -> set[str | None]:
    return {options.label(match["letter"]) for match in letters_of(options.labels).any.finditer(region)}


def chosen_several(text: str, options: Options | None) -> Reading:
    """The letters that the last choosing sentence names and does not reject, where no line is a list of letters."""
    mentions = mentions_of(text, options, 0)
    last: tuple[int, int] | None = None
    found: dict[str, tuple[int, int]] = {}
    for begin, end, _, low, high in mentions:
        if last is not None and (low, high) != last:
            break
        said = stance(text, low, begin, end, high)
        if said == "chosen":
            last = low, high
    if last is None:
        return failed("none", 0)
    for begin, end, label, low, high in mentions:
        if (low, high) == last and stance(text, low, begin, end, high) not in ("rejected", "former"):
            found.setdefault(label, (begin, end))
    places = found.values()
    return Reading(
        _joined(list(found), options), min(begin for begin, _ in places), max(end for _, end in places), False
    )


def _joined(letters: list, options: Options | None) -> str:
    order = {label: place for place, label in enumerate(options.labels)} if options else None
    unique = dict.fromkeys(str(letter) for letter in letters)
    return ",".join(sorted(unique, key=order.__getitem__ if order else None))


def _sentence_stop(text: str, start: int, stop: int) -> int:
    match = re.compile(r"(?<!\b[A-Z])\.(?=\s+[A-Z][a-z])|\b(?:because|since)\b").search(text, start, stop)
    return match.start() if match else stop
