"""What a sentence says of a number in it: that it names somebody, is denied, asked about, or one of several candidates."""

from __future__ import annotations

import re

from madsim.answers._nothing import is_nothing

_DRESS = r"[\s*_`\"'(\[{$\\]*"
_NAMED = re.compile(
    r"(?:\b(?:agents?|debaters?|assistants?|participants?|players?|solvers?|experts?|models?|peers?|points?|steps?|"
    r"questions?|problems?|equations?|agente|agent|étape|schritt|paso|passo)\s?#?(?:\d+(?:,? and |, | & |,? or ))?|"
    rf"第|智能体|代理|エージェント|에이전트|\b(?:theirs|yours|his|hers)\s(?:is|was)\s){_DRESS}$",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    rf"\b(?:(?:cannot|can't|can not|couldn't|could not|shouldn't|should not) be|doubt(?: that)?(?: it(?:'s| is))?|"
    rf"disagree with(?: (?:agent|debater|assistant) \w+(?:'s)?)?(?: the| an?)?(?: (?:answer|value|result)(?: of)?)?)\s{_DRESS}$",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"[\s*_`\"')\]}$%\\]*(?:\s?[^\W\d_]+)??[\s*_]*(?:"
    r"(?:(?:is|was|are|seems|looks)(?: not|n't)|(?:cannot|can't|can not|couldn't|could not) be) "
    r"(?:the |a |quite |entirely )*(?:correct|right|accurate|final answer|answer|true|possible)\b|"
    r"(?:is|was|seems|looks|must be) (?:clearly |simply |also )?(?:wrong|incorrect|mistaken|false|impossible|"
    r"too (?:high|low|large|small))\b|"
    r"\s?(?:ではなく|ではない|ではありません|じゃない|[이가] 아니|不对|不正确|是错))",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"可能是\s?$|\b(?:could|might|may)\s(?:also |well |still |just )?be\s(?:either |about |around )?[\s*_`(\[$]*$",
    re.IGNORECASE,
)
_OR = re.compile(
    r"[\s*_`)\]}$%\\]*(?:[^\W\d_]+\s){0,2}[,(]?\s?"
    r"(?:\b(?:or(?: else)?|oder(?: auch)?|ou|o|vs\.?|versus)\b|または|もしくは|か|或者?|还是|還是|아니면|또는)\s?"
    r"(?:(?:maybe|perhaps|possibly|even|else|it's|it is)\s)*[\s*_`(\[$\\]*",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:somewhere|around|between|roughly|ballpark|in the range|probably)\b[^.;:\d]{0,24}$", re.IGNORECASE
)
_SPAN = re.compile(r"\s?(?:to|and|-|–)\s?[$]?", re.IGNORECASE)
_FORMULA = re.compile(r"(?<![^\W\d_])[a-zA-Z]\s?[+−-]\s$")
_COEFFICIENT = re.compile(r"[a-zA-Z]\s?[-+−]\s?\d")
_ASKS = re.compile(r"\?[\s*_\"')]*$")
_EXPLAINS = re.compile(
    r"[\s*_(]*(?:this is (?:so )?because|that is because|that's because|it is because|because|note that|note:|the reason is)\b",
    re.IGNORECASE,
)
_KNOW = r"(?:determin|calculat|comput|find|give|provid|settl|pin|establish|solv|know|deduc|infer)\w*"
_REFUSES = re.compile(
    rf"\b(?:(?:cannot|can't|can not|could not|couldn't|unable to|impossible to|not possible to|not able to|no way to)\s"
    rf"(?:be )?(?:\w+ly )?{_KNOW}|(?:is|are) not (?:\w+ly )?(?:calculated|determined|known|determinable|calculable))"
    r"(?=$|[\s.,;])(?:\s(?:it|which|what|how|the|an?|this|one|for|from|by|with|without|down|out|of|exact\w*|precise\w*|specific|numerical|"
    r"final|total|correct|actual|answer|value|number|cost|price|amount|distance|figure|[a-z]+)){0,8}",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(?:but|however|therefore|thus|hence|so|assum\w+|estimate|if|instead|approximately|nevertheless|still|let's|answer|"
    r"i get|we get|(?:total|result|sum|value|it|difference|product|number) (?:is|was|equals|comes to))\b[^\d]{0,200}\d",
    re.IGNORECASE,
)
_NEGATIONS = ("not", "n't", "unable", "mpossible", "no way")
_FIRST = re.compile(r"\s*(?P<said>[^.!?\n\d]{2,40})[.!?]\s")
_LAST = 500


def is_no_candidate(text: str, start: int, begin: int, end: int, stop: int) -> bool:
    """Whether the number at ``text[begin:end]`` of the sentence from `start` to `stop` is a name, denied, or part of a formula."""
    while begin < end and text[begin] in "+-–—− ":
        begin += 1
    before = text[max(start, begin - 60) : begin]
    return (
        _NAMED.search(before) is not None
        or _DOUBTED.search(before) is not None
        or _FORMULA.search(before[-8:]) is not None
        or _COEFFICIENT.match(text, end, stop) is not None
        or _DENIED.match(text, end, min(stop, end + 60)) is not None
    )


def are_alternatives(text: str, start: int, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two numbers that follow one another in a sentence are offered one beside the other: "116 or 118"."""
    between = text[first[1] : second[0]]
    if len(between) > 60:
        return False
    if _OR.fullmatch(between) is not None:
        return True
    if _SPAN.fullmatch(between) is not None:
        return _ABOUT.search(text, max(start, first[0] - 60), first[0]) is not None
    return (
        _MAY.search(text, max(start, first[0] - 40), first[0]) is not None
        and _MAY.search(text, max(start, second[0] - 40), second[0]) is not None
    )


def asks(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return _ASKS.search(sentence) is not None


def explains(sentence: str) -> bool:
    """Whether a sentence only gives the reason of what was said before it."""
    return _EXPLAINS.match(sentence) is not None


def gives_up(text: str) -> bool:
    """Whether the reply opens with no answer, or its last paragraph says that the value cannot be found, and it goes on to none."""
    ended = text.rstrip()
    paragraph = ended[max(0, len(ended) - _LAST) :].rsplit("\n\n", 1)[-1]
    opened = _FIRST.match(text)
    if opened is not None and is_nothing(opened["said"]) and _GOES_ON.search(text, opened.end()) is None:
        return True
    if not any(word in paragraph for word in _NEGATIONS):
        return False
    found = list(_REFUSES.finditer(paragraph))
    return bool(found) and _GOES_ON.search(paragraph, found[-1].end()) is None
