"""Read a truth value out of the place where it should be, or out of what a reply says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from madsim.answers._choose import closes
from madsim.answers._options import folded
from madsim.answers._read_choice import REVISE
from madsim.answers._read_number import first_sentence
from madsim.answers._reading import NOT, Reading, failed, is_placeholder
from madsim.answers._stance import stance

_YES = (
    "yes|true|yeah|yep|correct|right(?! \\w)|affirmative|ja|wahr|richtig|stimmt|oui|vraie?|exacte?|sí|si|verdader[oa]|ciert[oa]|sim|"
    "verdadeir[oa]|sì|vero|vera|да|верно|правда|是的|是|对|對|正确|正確|真|はい|正しい|예|네|맞습니다|맞다|참|그렇습니다"
)
_NO = (
    "no|false|nope|incorrect|wrong(?! \\w)|untrue|negative|nein|falsch|unwahr|non|faux|fausse|fals[oa]|não|nao|нет|неверно|ложь|"
    "不是|否|不对|不對|错误|錯誤|错|錯|不正确|不正確|假|偽|いいえ|誤り|間違い|正しくない|違います|아니오|아니요|아닙니다|거짓|틀립니다|틀렸습니다"
)
_FIRST = "(?=[yntfcirjwosvaueдвпнл是对對正真は예네맞참그不否错錯假偽い誤間違아거틀])"  # a quick look before all the words are tried
_END = "(?![a-zA-ZÀ-ÿа-яё])"
_DETERMINER = (  # "no other case", but "no it is not"
    r"(?<=\bno)(?= (?!(?:because|since|as|it|it's|that|this|the|they|there|i|we|he|she|you|not|but|and|or|wait|"
    r"actually|"
    r"is|es|e|é|to|on|at|for|by|in|when|if|unless|his|her|my|our)\b)[a-z])"
)
_TRUTH = re.compile(rf"{_FIRST}(?<![\w\\])(?:(?P<no>{_NO})|(?P<yes>{_YES})){_END}(?!{_DETERMINER})", re.IGNORECASE)
_DRESS = r"[\s*_`\"'(\[{<$✅❌✔✓✗✘👍👎\ufe0f→>-]*+"
_LEAD = (
    r"(?:(?:it is|it's|that is|this is|the (?:statement|claim|answer) is|definitely|clearly|certainly|"
    r"absolutely|obviously|"
    r"probably|most likely|likely|still|therefore|so|a|ein|una|un|i (?:say|think|believe|vote|choose|answer|"
    r"go with)(?: that)?(?: it is| it's)?)[\s,:]+)"
)
_TRUTH_START = re.compile(
    rf"{_DRESS}(?:\\(?:text|textbf|mathrm|boxed)\{{\s?)*+{_LEAD}{{0,2}}[\s*_`\"'(]*+"
    rf"(?:(?P<no>{_NO})|(?P<yes>{_YES})){_END}(?!{_DETERMINER})(?! (?:clue|way to|one|answer|value|statement)\b)",
    re.IGNORECASE,
)
_OFFERED = re.compile(
    rf"[\s*_`\"'),\]]*(?:or|and|/|\||,|oder|ou|o|et|y|e|und|或|または|또는)[\s*_`\"'(]*(?:(?P<no>{_NO})|"
    rf"(?P<yes>{_YES})){_END}(?!{_DETERMINER})(?=[\s*_`\"')\]}}>.!]*(?:$|[,;/|]|or\b|and\b))",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:\bnot the case that(?: \w+){1,3}|\bcan(?:not|'t| not)|\bcould(?:n't| not)|n't|\bnot|\bnever|\bnicht|"
    r"\bn'est pas|\bno (?:es|puede ser)|"
    r"\bnão (?:é|pode ser)|"
    r"\bnon (?:è|può essere)|\bhardly|\bfar from|不|并非|并不|並不)(?: (?:be|is|at all|really|quite|actually|yet|"
    r"necessarily|the|a))*[\s*_\"'(]*$",
    re.IGNORECASE,
)
_AFFIRMS = (
    "y", "t", "definitely", "certainly", "absolutely", "of course", "indeed", "sure", "it is", "it does",
    "holds", "it holds",
    "the claim holds", "the statement holds", "i think so", "i believe so", "有", "能", "可以", "会", "會", "そうです",
    "natürlich", "bien sûr", "claro",
    "certamente", "certo",
)  # fmt: skip
_DENIES = (
    "n", "f", "never", "not at all", "definitely not", "certainly not", "absolutely not", "of course not",
    "it is not", "it isn't",
    "it does not", "it doesn't", "by no means", "does not hold", "it does not hold", "the claim does not hold",
    "the statement does not hold", "probably not", "likely not", "not likely", "i don't think so",
    "i do not think so", "impossible", "没有", "沒有", "没", "不", "不能", "不可以", "不会", "不會", "いや", "違う",
)  # fmt: skip
_WHOLE = {**dict.fromkeys(_AFFIRMS, "yes"), **dict.fromkeys(_DENIES, "no")}  # what counts where nothing else stands
_LONGEST_WHOLE = 40
_SUBJECT = (
    r"(?:statement|claim|assertion|hypothesis|proposition|conjecture|conclusion|answer|it|this|that|sentence|"
    r"theorem|argument|"
    r"aussage|behauptung|affirmation|énoncé|proposition|afirmaci[óo]n|enunciado|afirmação|affermazione|proposizione|"
    r"утверждение)"
)
_STATEMENT = re.compile(
    rf"(?:\b(?:the |die |l'|la |a )?{_SUBJECT}\s?(?:'s|is|was|seems|appears|must be|has to be|should be|"
    rf"would be|cannot be|can't be|"
    r"can not be|could not be|couldn't be|isn't|wasn't|ist|est|n'est pas|es|é|è)\s"
    r"(?:therefore |thus |indeed |clearly |definitely |certainly |always |also |actually |in fact |nicht |no |"
    r"não |non |pas )*(?:not )?|"
    r"(?:说法|說法|命题|命題|陈述|陳述|论断|主张|观点|这句话|主張|文|記述)(?:是|は|が)?)[\s*_\"'(]*$",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    rf"\b{_SUBJECT} (?P<no>does not |doesn't |cannot |can't |fails to |never )?(?:always )?(?:holds?|"
    rf"fails?(?P<fails>\b))\b(?! (?:only|if|when|water))",
    re.IGNORECASE,
)
_IT_IS = re.compile(
    r"\?\s+(?:it|they|this|that|he|she|there) (?:is|does|are|do|can|will|was|has|did)(?P<no>n't| not)?[\s.!*_]*$",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"\?\s+(?=[\s*_]*\w)")
_QUESTIONED = re.compile(r"[*_\"')]*(?:\?\s+|\s*(?:→|⇒|➡\ufe0f?|-+>|=>)\s*)")
_MOST_WORDS = 60
_FEW_WORDS = 4
_LETTERS = re.compile(r"[\W\d_]+")
_NAYS = frozenset({"no", "nope", "nein", "non"})  # between two numbers they take the first back; here they are values
_OF_CJK = re.compile(
    r"(?:说法|說法|命题|命題|陈述|陳述|论断|主张|观点|这句话|答案|主張|文|記述|주장|진술|명제)(?:是|为|は|が|은|는|이|가)?\s?(?P<not>不)?"
    r"(?:(?P<no>错误|錯誤|错|錯|不正确|不正確|不成立|假|誤り|間違|偽|正しくな|틀|거짓)|(?P<yes>正确|正確|对的|對的|成立|真|正し|맞|참))"
)


def read_boolean(text: str, start: int, stop: int, *, prose: bool = True) -> Reading:
    """``"yes"`` or ``"no"`` between `start` and `stop`."""
    whole = _WHOLE.get(folded(text[start:stop].strip(" \n*_"))) if stop - start <= _LONGEST_WHOLE else None
    if whole is not None:
        begin = start + len(text[start:stop]) - len(text[start:stop].lstrip())
        return Reading(whole, begin, start + len(text[start:stop].rstrip()), True)
    match = _TRUTH_START.match(text, start, stop)
    if match is None and (prose or len(text[start:stop].split()) <= _FEW_WORDS):
        end = first_sentence(text, start, stop)
        found = {
            _truth(text, start, item): item
            for item in _TRUTH.finditer(text, start, end)
            if not _is_former(text, start, item)
        }
        if len(found) > 1:
            return failed("hedge", start)
        if found:
            value, item = next(iter(found.items()))
            return Reading(value, item.start(), item.end(), False)
    if match is None:
        return failed("placeholder" if is_placeholder(text[start:stop]) else "unreadable", start)
    asked = _QUESTIONED.match(text, match.end(), stop)
    if asked is not None and (later := _TRUTH_START.match(text, asked.end(), stop)) is not None:
        match = later
    revised = REVISE.match(text, match.end(), stop)
    if (
        revised is not None
        and _LETTERS.sub("", revised[0]).lower() not in _NAYS
        and (later := _TRUTH_START.match(text, revised.end(), stop)) is not None
    ):
        match = later
    other = _OFFERED.match(text, match.end(), stop)
    if other is not None and (other["no"] is None) != (match["no"] is None):
        return failed("hedge", start)
    group = "no" if match["no"] else "yes"
    return Reading(group, *match.span(group), True)


def _is_former(text: str, start: int, item: re.Match[str]) -> bool:
    """Whether the word is what the speaker gives up, as in "from no to yes"."""
    return text[max(start, item.start() - 6) : item.start()].lower().endswith("from ")


def _truth(text: str, start: int, match: re.Match[str]) -> str:
    value = "no" if match["no"] else "yes"
    low = max(start, match.start() - 44)
    negated = NOT.search(text, low, match.start()) is not None or _NEGATED.search(text, low, match.start()) is not None
    return {"yes": "no", "no": "yes"}[value] if negated else value


def last_boolean(text: str) -> Reading:
    """The truth value that the reply opens with, ends on, states of the claim, or chooses."""
    edges = _edge_lines(text)
    for start, stop in edges:
        reading = read_boolean(text, start, stop, prose=False)
        if reading.value is not None or reading.problem == "hedge":
            return reading
    for start, stop in edges:
        for question in reversed(list(_ANSWERS.finditer(text, start, stop))):
            reading = read_boolean(text, question.end(), stop, prose=False)
            if reading.value is not None:
                return reading
        short = _IT_IS.search(text, start, stop)
        if short is not None:
            return Reading("no" if short["no"] else "yes", short.start() + 1, short.end(), False)
    for start, stop in reversed(edges):
        for reading in _stated(text, start, stop):
            return reading
    return failed("none", 0)


def _stated(text: str, start: int, stop: int) -> Iterator[Reading]:
    """What this line states of the claim or chooses, the last one first."""
    holds = list(_HOLDS.finditer(text, start, stop))
    if holds:
        denied = (holds[-1]["no"] is not None) != (holds[-1]["fails"] is not None)
        yield Reading("no" if denied else "yes", *holds[-1].span(), False)
    for match in reversed(list(_OF_CJK.finditer(text, start, stop)) if not text.isascii() else []):
        yield Reading("yes" if (match["no"] is None) != (match["not"] is not None) else "no", *match.span(), False)
    for match in reversed(list(_TRUTH.finditer(text, start, stop))[-_MOST_WORDS:]):
        begin, end = match.span()
        if (
            _OFFERED.match(text, end, stop)
            or text.startswith(" or ", end)
            or re.search(r"\b(?:or|whether|if)\s$", text[max(start, begin - 9) : begin])
        ):
            continue
        low = max(text.rfind(mark, start, begin) for mark in ".!?;\n") + 1 or start
        before = _STATEMENT.search(text, max(low, begin - 70), begin)
        chooses = stance(text, low, begin, end, min(stop, end + 90)) == "chosen" or (
            not text[end:].strip(" .!*_\"'`)") and closes(text, begin)
        )
        if before is not None or chooses:
            yield Reading(_truth(text, start, match), begin, end, False)


def _edge_lines(text: str) -> list[tuple[int, int]]:
    """The last and the first line that is not blank."""
    stripped = text.rstrip()
    last = stripped.rfind("\n") + 1
    first = len(text) - len(text.lstrip())
    end = text.find("\n", first)
    return [(last, min(len(stripped), last + 600)), (first, min(len(stripped) if end < 0 else end, first + 600))]
