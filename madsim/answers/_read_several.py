"""Read several option letters out of the place where they should be."""

from __future__ import annotations

import re

from madsim.answers._options import Options, folded
from madsim.answers._read_choice import WRONG, letters_of, plausible
from madsim.answers._reading import NOT, Reading, failed, is_placeholder


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
