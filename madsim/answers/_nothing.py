"""Words that say that there is no answer."""

from __future__ import annotations

import re

from madsim.answers._options import folded

_NOTHING = frozenset(
    {
        "i don't know",
        "i do not know",
        "i dont know",
        "not sure",
        "i'm not sure",
        "i am not sure",
        "no idea",
        "n/a",
        "na",
        "unknown",
        "no answer",
        "none",
        "null",
        "nil",
        "-",
        "",
        "i cannot answer",
        "i can't answer",
        "cannot answer",
        "unsure",
        "undetermined",
        "no final answer",
        "not known",
        "idk",
        "weiß nicht",
        "je ne sais pas",
        "no lo sé",
        "不知道",
        "わかりません",
    }
)


def is_nothing(text: str) -> bool:
    """Whether `text` says in so many words that there is no answer."""
    return len(text) <= 60 and folded(text) in _NOTHING


_KNOW = (
    r"(?:determin\w*|tell|say|know\w*|answer\w*|comput\w*|calculat\w*|solv\w*|find|found|conclu\w*|decid\w*|establish\w*|"
    r"infer\w*|deduc\w*|ascertain\w*|resolv\w*|provid\w*|giv\w*|stat\w*|specif\w*|estimat\w*|work\w* out|figur\w* out|identif\w*)"
)
_NO_VALUE = re.compile(
    r"[\W_]*(?:(?:therefore|thus|so|hence|unfortunately|sorry|i'm sorry|i am sorry|however|in conclusion|but),?\s){0,2}"
    r"(?:(?:it|this|that|there|the (?:\w+ ){0,3}"
    r"(?:answer|value|number|result|problem|question|quantity)|i|we)\s(?:(?:'m|am|is|are)\s)?)?"
    r"(?:'m\s|is\s|are\s|am\s)?(?:simply |still |currently |just |logically |mathematically )?(?:"
    rf"(?:cannot|can't|can not|could not|couldn't|unable to|impossible to|not possible to|not able to|no way to|"
    r"can never|hard to|failed to|"
    rf"difficult to|do(?:es)? not|don't|doesn't|did not|didn't)\s"
    rf"(?:be |definitively |reliably |really |uniquely |exactly |precisely )*{_KNOW}|"
    r"(?:not|in|un)[ -]?(?:determin(?:able|ate|ed)|answerable|known|knowable|computable|solvable|decidable|decided|resolved|given|"
    r"applicable|available|provided|specified|stated|sure|certain|clear|conclusive)\b|"
    r"(?:there (?:is|are) )?(?:not enough|insufficient|inadequate|too little|lacking|missing|incomplete|"
    r"no(?: (?:sufficient|relevant|such))?)\s"
    r"(?:\w+\s)?(?:information|data|info|context|details?|evidence|answer|idea|clue|consensus|conclusion)\b|"
    r"(?:none|neither) of (?:the|these|those)|(?:it )?depends\b|i (?:give up|pass|abstain|refuse|decline)|give up\b|abstain|skipped?\b|"
    r"pending\b|to be (?:determined|decided|computed|confirmed|announced|filled)|tb[dca]\b|n/?a\b|n(?:ull|an|"
    r"il)\W*$|unknown|unclear|undetermined|"
    r"unbekannt|unklar|nicht (?:eindeutig )?(?:bestimmbar|bekannt|lösbar|möglich)|"
    r"(?:kann|lässt sich) nicht|keine (?:antwort|angabe|ahnung)|"
    r"inconnue?\b|indéterminée?|impossible (?:à|de)|(?:on )?ne peut|pas (?:assez|de réponse)|"
    r"desconocid[oa]|indeterminad[oa]|no se (?:puede|sabe)|no (?:hay|es posible)|"
    r"desconhecid[oa]|não (?:é possível|se pode|há|sei)|sconosciut[oa]|indeterminat[oa]|non (?:è possibile|si può|ci sono|determinabile)|"
    r"无法|不能确定|不确定|未知|信息不足|不知道|没有答案|不明|分か?りません|わかりません|わからない|判断できない|決定できない|求められない|"
    r"알 수 없|모르|모름|정보(?:가)? 부족|결정할 수 없)",
    re.IGNORECASE,
)
_YET = re.compile(
    r"[;—]|answer(?:'s| is|:)|\b(?:but|however|though|although|if|"
    r"approximately|about|my (?:best )?guess|best guess|estimate[ds]?|unless|aber|mais|pero|mas|ma)\b",
    re.IGNORECASE,
)
_LONGEST = 240


def is_no_value(region: str) -> bool:
    """Whether the place of a number says that there is none: "cannot be determined from the 3 equations", "not enough
    data"; a guess that follows counts as a number.
    """
    match = _NO_VALUE.match(region[:_LONGEST])
    return match is not None and _YET.search(region, match.end()) is None
