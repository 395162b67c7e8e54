"""Numbers in Chinese, Japanese and Korean words: ``四十二``, ``三分之二``, ``사십이``, ``마흔둘``."""

from __future__ import annotations

import re
from fractions import Fraction

_DIGITS = {
    char: value
    for value, chars in enumerate(
        [
            "零〇영공",
            "一壱壹일",
            "二弐贰貳两兩이",
            "三参叁參삼",
            "四肆사",
            "五伍오",
            "六陆陸육륙",
            "七柒칠",
            "八捌팔",
            "九玖구",
        ]
    )
    for char in chars
}
_PLACES = {
    **dict.fromkeys("十拾십", 10),
    **dict.fromkeys("百佰백", 100),
    **dict.fromkeys("千仟천", 1000),
}
_SCALES = {
    **dict.fromkeys("万萬만", 10**4),
    **dict.fromkeys("亿億억", 10**8),
    **dict.fromkeys("兆조", 10**12),
}
_NATIVE = {
    word: value
    for words, step in (
        ("하나|한 둘|두 셋|세 넷|네 다섯 여섯 일곱 여덟 아홉", 1),
        ("열 스물|스무 서른 마흔 쉰 예순 일흔 여든 아흔", 10),
    )
    for place, spellings in enumerate(words.split(), start=1)
    for word in spellings.split("|")
    for value in [place * step]
}
_NATIVE_WORDS = re.compile("|".join(sorted(_NATIVE, key=len, reverse=True)))
_POINT = re.compile("[点點점]")
_SHARE = re.compile(r"(.+?)(?:分之|分の|분의\s?)(.+)")


def cjk_number(text: str) -> Fraction | None:
    """The value of a number in Chinese, Japanese or Korean words; None for anything else."""
    if text in ("半", "一半", "半分", "절반"):
        return Fraction(1, 2)
    share = _SHARE.fullmatch(text)
    if share is not None:
        bottom, top = _whole(share[1]), cjk_number(share[2])
        return None if not bottom or top is None else top / bottom
    parts = _POINT.split(text)
    if len(parts) == 2 and parts[1] and all(char in _DIGITS for char in parts[1]):
        whole = _whole(parts[0])
        return None if whole is None else Fraction(f"{whole}.{''.join(str(_DIGITS[char]) for char in parts[1])}")
    whole = _whole(text)
    return None if whole is None else Fraction(whole)


def _whole(text: str) -> int | None:
    text = text.replace(" ", "")
    if not text:
        return None
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    native = _native(text)
    if native is not None:
        return native
    total, part, digit = 0, 0, None
    for char in text:
        if char in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[char]
        elif char in _PLACES:
            if part and part % (_PLACES[char] * 10):
                return None
            part += (1 if digit is None else digit) * _PLACES[char]
            digit = None
        elif char in _SCALES:
            if total and total % (_SCALES[char] * 10**4):
                return None
            total += ((part + (digit or 0)) or 1) * _SCALES[char]
            part, digit = 0, None
        else:
            return None
    return total + part + (digit or 0)


def _native(text: str) -> int | None:
    """Native Korean numbers below a hundred."""
    values, place = [], 0
    while place < len(text):
        match = _NATIVE_WORDS.match(text, place)
        if match is None:
            return None
        values.append(_NATIVE[match[0]])
        place = match.end()
    if len(values) == 1 or (len(values) == 2 and values[0] >= 10 > values[1]):
        return sum(values)
    return None
