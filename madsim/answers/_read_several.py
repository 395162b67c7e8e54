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
    but = _ALL_BUT.match(region) if options is not None else None
    if but is not None and options is not None:
        left = [label for label in options.labels if label not in _named(region[but.end() :], options)]
        if 0 < len(left) < len(options.labels):
            return Reading(_joined(left, options), start, stop, True)
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
        exact = not re.search(
            r"[a-z]{3,}", re.sub(r"\b(?:and|und|options?|text|both|only)\b", "", text[start:first], flags=re.IGNORECASE)
        )
        return Reading(_joined(found, options), first, last, exact)
    if options is not None and options.texts:
        parts = [options.of_text(part) for part in re.split(r",\s*(?:and\s)?|;|\sand\s|/|\n", region) if folded(part)]
        if parts and None not in parts:
            return Reading(_joined(parts, options), start, stop, True, "option_text")
    return failed("out_of_range" if unknown else "unreadable", start)


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
