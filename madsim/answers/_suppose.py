"""Answers that would hold in another case: "had the question asked for the least, the answer would be D"."""

from __future__ import annotations

import re

_WOULD = ("would", "könnte", "wäre", "serait", "sería", "seria", "sarebbe")
_PAST = (
    r"(?:were|was|had|did|could|meant|took|asked|wanted|counted|used|included|excluded|allowed|ignored|required|"
    r"read|chose|said|needed|started|treated|interpreted|considered|replaced|dropped|added|removed|defined|stated)"
)
# a condition contrary to fact, in a clause before the answer
_BEFORE = re.compile(
    rf"(?:\bif\b[^.;:!?\n]{{1,100}}?\b{_PAST}\b|(?:^|[(,;]|\bbut)[\s*_]*(?:had|were)\s(?:the|we|i|it|you|this|that|there|she|he|they|all|"
    rf"any|none|both|\w+ing|\w+s)\b|"
    r"\b(?:otherwise|under (?:that|this|the (?:other|stricter|looser|alternative|first|second|usual))|"
    r"on (?:that|the (?:other|stricter|looser|alternative|first|second)) (?:reading|interpretation|view)|"
    r"(?:wenn|falls)\b[^.;:!?\n]{1,80}?\b(?:wäre|hätte|würde)|"
    r"s(?:i|'il)\b[^.;:!?\n]{1,80}?\b(?:était|avait|fuera|hubiera|fuese)|se\b[^.;:!?\n]{1,80}?\b(?:fosse|tivesse|avesse)))"
    r"[^.;!?\n]*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[^.;!?\n]{{0,80}}?(?:\b(?:if|unless)\b[^.;!?\n]{{1,80}}?\b{_PAST}\b|,?\sbut\s(?:here|now|in (?:our|this)|since|because|as)\b)",
    re.IGNORECASE,
)
_WOULD_BE = re.compile(
    r"\b(?:answers?|results?|totals?|choices?|options?|averages?|values?|sums?|outcomes?|verdicts?|winner|antwort|ergebnis|"
    r"r[ée]ponse|r[ée]sultat|respuesta|resultado|resposta|risposta|risultato)\b[^.;!?\n]{0,40}?"
    r"(?:\bwould (?:then |also |still |instead |have )?(?:be|been|become|equal|follow)\b|\b(?:wäre|serait|sería|seria|sarebbe)\b)|"
    r"\b(?:wäre|würde) (?:dann )?die (?:richtige )?(?:antwort|lösung)\b|"
    r"\bwould (?:be|have been|become|make it) (?:the |an? )?(?:correct |right |best |better )*"
    r"(?:answer|option|choice|correct|right|true|better|result|winner)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?;](?=[\s)\"*_]|$)|\n")
_TURNS = re.compile(r",?\s(?:but|so here|whereas)\s", re.IGNORECASE)
_LONGEST = 240


def supposed(text: str, place: int) -> tuple[int, int] | None:
    """The clause at `place` that tells what would be the answer in another case than this one, or None.

    A reply whose first sentence states its answer in this mood answers a question that is put in it.
    """
    low = max(0, place - _LONGEST)
    window = text[low : place + _LONGEST]
    if not any(word in window for word in _WOULD):
        return None
    start = low
    for match in _SENTENCE.finditer(text, low, place):
        start = match.end()
    end = _SENTENCE.search(text, place, place + _LONGEST)
    stop = end.start() if end is not None else min(len(text), place + _LONGEST)
    turn = _TURNS.search(text, place, stop)
    said = _WOULD_BE.search(text, start, turn.start() if turn is not None else stop)
    if said is None or not (text[:start].strip() or turn is not None):
        return None
    if not _BEFORE.search(text[start : said.start()]) and not _AFTER.match(text, said.end(), stop):
        return None
    return start, turn.start() if turn is not None else stop
