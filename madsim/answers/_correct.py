"""Where a speaker corrects itself within one stretch: ``41 → 42``, ``41? No, 42``, ``not 41 but 42``, ``from 41 to 42``."""

from __future__ import annotations

import re

_VALUE = r"[\s*_`\"'(\[{$]{0,8}(?:\\[a-z]*box(?:ed)?\{)?(?=[-+–]?[\s$€£¥]{0,2}[\d½⅓¼¾\\.])"
_RESUMES = (
    r"(?:(?:it|that|this|the (?:correct |right |actual |real |final |new |true )?(?:answer|value|number|result|total|one|sum))"
    r"(?:'s| is| was| should be| must be| would be| equals)\s|(?:should|must|would) be\s|is\s|i (?:get|mean|meant|now get)\s|"
    r"to\s|rather\s|in fact\s|actually\s|instead\s|es\s|ist\s|est\s|é\s|è\s|是|应该是|应为){0,3}"
)
_RESUME = r"(?:it|that|this|the|should|must|would|is|i|to|es|ist|est|é|è)\b"
# words that take something back by themselves, and words that do so with a mark after them or before a new statement
_OOPS = (
    r"(?:oh,? )?(?:(?:wait|hold on|hmm+|oops|sorry|scratch that|correction|corrected(?: to)?|correcting|revised(?: to)?|"
    r"updated(?: to)?|i mean|i meant|or rather|actually|make that|my mistake|on second thought|after (?:re)?checking|halt|"
    r"korrektur|korrigiert|besser gesagt|attends|pardon|plutôt|espera|perdón|corrección|mejor dicho|espere|correção|aliás|"
    r"aspetta|anzi|correzione|不对|等等|更正|修正|应该是|应为|いや|違う|訂正|아니|정정)|"
    rf"(?:no(?! one| other| more| less|\.)|now|edit|rather|nein|moment|non|não)(?=\s?[,.:;!?…—–-]|\s{_RESUME}))"
)
_BETWEEN = r"[\s*_`)\]}$\\]{0,6}"
_MARK = re.compile(
    # an arrow, or words that take back what was said
    rf"{_BETWEEN}(?:→|⇒|⟶|➜|➔|-+>|=>|\\(?:long)?(?:right)?arrow\b)\s{{0,3}}(?:{_OOPS}[,.:;!?\s]{{0,4}})?{_VALUE}|"
    rf"(?:[?!.,;:…(–—-]|\s-)[\s.*_]{{0,6}}{_OOPS}[,.:;!?…\s]{{0,6}}(?:{_OOPS}[,.:;!?…\s]{{0,6}})?{_RESUMES}{_VALUE}|"
    rf"(?:was|is|were|would be) (?:wrong|incorrect|mistaken|a mistake|a typo|off)[,;.:]{{0,2}}\s(?:and |but |so )?{_RESUMES}{_VALUE}",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:chang|updat|revis|switch|correct|modif|adjust|mov|shift|amend|rectif)\w*\b[^.\n]{0,40}?\b(?:from|de|von|da)\s"
    rf"[^.\n;]{{1,40}}?\s(?:to|into|a|à|auf|zu|para|in)\s{_VALUE}",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:i|i'm|i'll|i've|we|my|our|answer|vote|opinion|mind|antwort|réponse|respuesta|resposta|risposta)\b",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"(?:\bnot|\bnicht|\bno|\bnon|\bpas|\bnão|不是|并非|ではなく)\s?[^.\n;]{1,24}?,?\s?"
    r"(?:\bbut(?: rather| instead)?|\bsondern|\bsino|\bmais|\bma|\bbensì|\bmas(?: sim)?|而是)\s?"
    rf"{_VALUE}|\d[^\W\d_]{{0,2}}\s?(?:ではなく|じゃなくて?|[이가] 아니라)[、,\s]*{_VALUE}",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"[→⇒⟶➜➔>?!;:…(–—]|\\(?:long)?(?:right)?arrow|[.,]\s?[^\W\d]|\s-|wrong|incorrect|mista|from|\bde\b|"
    r"\bno[tn]?\b|nicht|pas|não|不|并|なく|아니라|\bda\b|\bvon\b",
    re.IGNORECASE,
)
_LONGEST = 600
_DIGIT = re.compile(r"[\d½⅓¼¾]")
_COUNTS = re.compile(r"[-+–\d.,\s$€£¥]+\s(?:of|more|other|others|fewer|less)\b", re.IGNORECASE)


def corrected(text: str, start: int, stop: int) -> int:
    """Where the corrected value begins in ``text[start:stop]``; `start` where nothing is corrected."""
    stop = min(stop, start + _LONGEST)
    if _HINT.search(text, start, stop) is None:
        return start
    place = start
    if (match := _NOT_BUT.search(text, place, stop)) is not None:
        place = match.end()
    match = _FROM.search(text, place, stop)
    if match is not None and _OWN.search(text, max(0, match.start() - 40), match.end()):
        place = match.end()
    for match in _MARK.finditer(text, place, stop):
        if _DIGIT.search(text, start, match.start()) and not _COUNTS.match(text, match.end(), stop):
            place = match.end()
    return place
