"""Lists of options in prose, and what is said of them: "the true statements are A, C and D", "B and C apply"."""

from __future__ import annotations

import re
from functools import lru_cache

from madsim.answers._options import Options
from madsim.answers._reading import Reading

_RIGHT = (
    r"(?:correct|right|true|valid|accurate|applicable|appropriate|suitable|selected|chosen|final|best|relevant|fitting|"
    r"richtige?n?|korrekte?n?|wahre?n?|zutreffend\w*|bonnes?|correctes?|justes?|vraie?s?|exactes?|"
    r"correc?t[ao]s|verdader[ao]s|ciert[ao]s|cert[ao]s|corrett[ei]|giust[ei]|ver[ei]|esatt[ei])"
)
_THINGS = (
    r"(?:answers?|options?|choices?|statements?|ones?|letters?|picks?|selections?|items?|responses?|claims?|votes?|solutions?|"
    r"antworten|optionen|aussagen|l[öo]sungen|réponses|propositions|affirmations|respuestas|opciones|afirmaciones|"
    r"respostas|op[çc][õo]es|alternativas|afirma[çc][õo]es|risposte|opzioni|affermazioni|alternative)"
)
_ARE = r"(?:\s?(?:here |are|were|would be|must be|should be|sind|wären|lauten|sont|son|serían|s[ãa]o|seriam|sono|sarebbero|=)|:)"
_OPENS = r"[\s:*_(\[`\"']*$"
_CHOSEN_HEAD = re.compile(
    rf"(?:\b{_RIGHT}(?:\s{_THINGS})?(?:\s{_RIGHT})?{_ARE}|\b{_THINGS}\s{_RIGHT}{_ARE}|"
    r"\b(?:answers|picks|selections|votes|antworten|réponses|respuestas|respostas|risposte)(?: \w+){0,2}\s?(?:are|:|=)|"
    rf"\b(?:ones|those|{_THINGS}) (?:that|which|to (?:select|choose|pick)) [^.;:!?\n]{{0,40}}?{_ARE}|"
    r"\b(?:those|these|they|(?:the )?(?:two|three|four)(?: of them)?|that (?:leaves|gives)(?: us| me)?|leaving|leaves)(?: are)?:?|"
    r"[\"'](?:answers?|selected|selections?|choices|options|letters|correct|picks)[\"']\s?:|"
    r"\bfinal(?: answers?)?:|"
    r"\b(?:select|choose|pick|tick|check|mark|go with|going with|vote for|opt for|stick with|settle on|submit|keep|w[äa]hle|choisis|"
    r"elijo|escolho|scelgo|marco)(?: (?:the )?(?:options?|choices?|answers?|both|boxes|all of))?:?|"
    rf"(?:选|選|正确的是|答案(?:是|为|選|选)?|正解は|정답은))\s?(?:both |all of )?{_OPENS}",
    re.IGNORECASE,
)
_REJECTED_HEAD = re.compile(
    r"(?:\b(?:false|wrong|incorrect|untrue|invalid|not|neither|nor|except|but|excluding|without|reject|eliminate|discard|rule out|"
    rf"falsch|fausses?|incorrect[ao]s|fals[ao]s|errad[ao]s|sbagliat[ei])(?:\s{_THINGS})?(?:{_ARE})?|"
    r"(?:n't|\bnot|\bnever|\bor) (?:select|choose|pick|tick|check|mark|go with|vote for|apply to)|错误的是|不选|不選|\bfrom|\bthan)"
    rf"\s?{_OPENS}",
    re.IGNORECASE,
)
_CHOSEN_TAIL = re.compile(
    r"[\s)\]*_`\"'.]{0,4}\s(?:all |both |each |alone |only |also )?(?:apply|applies|hold|fit|work|qualify|satisfy|match|do(?=\W*$)|"
    r"(?:are|would be|seem|must be|sind|sont|son|s[ãa]o|sono)(?: (?:all|both|the|\w+ly|indeed|therefore))*"
    rf" {_RIGHT})\b|[\s)]*(?:都?是?(?:正确|正確|对的|對的)|が正し)",
    re.IGNORECASE,
)
_REJECTED_TAIL = re.compile(
    r"[\s)\]*_`\"'.]{0,4}\s(?:all |both |each )?(?:(?:are|is|were|sind|sont|son|s[ãa]o|sono)(?: (?:all|both|clearly|\w+ly))*"
    r" (?:not|wrong|false|incorrect|out|eliminated|excluded|ruled out|invalid|untrue|falsch|faux|fausses|incorrect[ao]s|fals[ao]s)\b|"
    r"don't|do not|aren't|fail|cannot|can't|won't|doesn't|does not)|[\s)]*(?:都?(?:不|错|錯))",
    re.IGNORECASE,
)
_COLON = re.compile(r"[^\W\d_]{1,}[)\]*_\"']*:\s*[*_(\[]*$")
_OFFERS = re.compile(r"\b(?:options?|choices?|among|between|of)\b[^.;\n]{0,20}:\s*[*_(\[]*$", re.IGNORECASE)
_END = re.compile(r"[\s)\]}*_`\"'.!]*(?:$|\n|[.!;]\s)")
_MOST_LISTS = 40


@lru_cache(maxsize=128)
def _lists(labels: tuple[str, ...] | None) -> re.Pattern[str]:
    """Two or more labels that a comma or a conjunction joins, or capital letters without anything between."""
    letters = "".join(label for label in labels or "ABCDEFGHIJ" if len(label) == 1 and label.isalpha())
    letter = f"[{re.escape(letters)}]" if letters else "(?!)"
    item = rf"(?:(?:option|choice)\s)?[(\[*_`\"']{{0,3}}{letter}(?![A-Za-z'])[)\]*_`\"']{{0,3}}"
    join = r"(?:\s?[,;/&+、]\s?(?:(?:and|und|et|y|e|as well as)\s)?|\s(?:and|und|et|y|e|plus|as well as)\s|\s?(?:和|与|及|と|와|과)\s?)"
    left = r"(?<![A-Za-z0-9À-ÿ])"
    return re.compile(rf"{left}(?P<list>{item}(?:{join}{item})+)|{left}(?P<joined>{letter}{{2,10}})(?![A-Za-z0-9À-ÿ])")


def last_list(text: str, options: Options | None) -> Reading | None:
    """The last list of options that its sentence chooses, or None."""
    labels = options.labels if options else None
    for match in reversed(list(_lists(labels).finditer(text))[-_MOST_LISTS:]):
        start, stop = match.span()
        before = text[max(0, start - 90) : start]
        if _REJECTED_HEAD.search(before) or _REJECTED_TAIL.match(text, stop, stop + 80):
            continue
        letters = re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])" if match["list"] else r"[A-Z]", match[0])
        if len(set(letters)) != len(letters):
            continue
        ends = _END.match(text, stop) is not None
        if (
            _CHOSEN_HEAD.search(before)
            or _CHOSEN_TAIL.match(text, stop, stop + 80)
            or (ends and _COLON.search(before) and not _OFFERS.search(before) and not text[stop:].strip(" .!*_)\n"))
        ):
            chosen = [str(options.label(letter) or letter) if options else letter for letter in letters]
            order = {label: place for place, label in enumerate(labels or "ABCDEFGHIJ")}
            return Reading(",".join(sorted(chosen, key=order.__getitem__)), start, stop)
    return None
