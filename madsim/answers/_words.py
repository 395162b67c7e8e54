"""Numbers in words, in nine languages: ``forty-two``, ``zweiundvierzig``, ``quatre-vingt-dix``, ``three quarters``, ``四十二``."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from madsim.answers._words_cjk import cjk_number
from madsim.answers._words_latin import LANGUAGES, Language

SCALES = {
    "k": 10**3,
    "thousand": 10**3,
    "tausend": 10**3,
    "mille": 10**3,
    "mila": 10**3,
    "mil": 10**3,
    "dozen": 12,
    "lakh": 10**5,
    "crore": 10**7,
    **dict.fromkeys(("million", "millions", "millionen", "millón", "millones", "milhão", "milhões"), 10**6),
    **dict.fromkeys(("milione", "milioni", "mio", "mn", "mln"), 10**6),
    **dict.fromkeys(("billion", "billions", "milliard", "milliards", "milliarde", "milliarden", "mrd", "bn"), 10**9),
    **dict.fromkeys(("bilhão", "bilhões", "miliardo", "miliardi"), 10**9),
    **dict.fromkeys(("trillion", "trillions", "billón", "billones"), 10**12),
    **dict.fromkeys("千천", 10**3),
    **dict.fromkeys("万萬만", 10**4),
    **dict.fromkeys("亿億억", 10**8),
}
MINUS_WORD = r"(?:(?:minus|negative|moins|menos|meno|negativ|negativo|negativa|négatif|マイナス|마이너스)(?=[\s\d.])|[负負](?=\d))"
_MINUS = re.compile(r"(?:minus|negative|moins|menos|meno)[\s-]+|マイナス|마이너스\s?|[负負]")
_LONGEST = 120
_LATIN = re.compile(r"[a-zß-ÿ]+(?:[\s'-]+[a-zß-ÿ]+)*")
_RUN = re.compile(r"[^\W\d_]+(?:(?:[ '-]|, (?=and ))[^\W\d_]+){0,11}")
_FOUR_SCORE = re.compile(r"quatre[\s-]vingts?")
_SPLIT = re.compile(r"[\s'-]+")


@lru_cache(maxsize=2048)
def word_number(text: str) -> Fraction | None:
    """The value of a number in words, or None where the text is anything else."""
    if not text[:1].isalpha() or len(text) > _LONGEST:
        return None
    text = _FOUR_SCORE.sub("quatrevingt", text.lower().replace(", and ", " and ")).strip()
    sign = 1
    minus = _MINUS.match(text)
    if minus is not None:
        text, sign = text[minus.end() :], -1
    if not text:
        return None
    if ord(text[0]) > 0x3000:
        value = cjk_number(text)
    elif _LATIN.fullmatch(text) is None:
        return None
    else:
        value = next((found for language in LANGUAGES if (found := _value(text, language)) is not None), None)
    return None if value is None else sign * value


def opening_words(text: str, start: int, stop: int) -> tuple[Fraction, int] | None:
    """The number in words that opens a stretch, and where it ends; the longest one."""
    run = _RUN.match(text, start, min(stop, start + _LONGEST))
    if run is None:
        return None
    if ord(text[start]) > 0x3000:
        return _opening_cjk(text, start, run.end())
    end = run.end()
    while end > start:
        written = text[start:end]
        value = word_number(written)
        if value is not None and (written.lower() not in _ARTICLES or end == run.end()):
            return value, end
        end = max(written.rfind(mark) for mark in " -'") + start
        if end < start:
            return None
    return None


_ARTICLES = frozenset({"a", "an", "un", "una", "une", "uno", "ein", "eine", "einen", "um", "uma", "once", "sei", "mil"})
_AFTER_CJK = re.compile(r"です|である|だ|입니다|이다|이에요|예요|[个個つ本枚人点元円원개명年日天岁歳倍次]|$")


def _opening_cjk(text: str, start: int, stop: int) -> tuple[Fraction, int] | None:
    for end in range(min(stop, start + 24), start, -1):
        value = word_number(text[start:end])
        if value is not None and (end - start > 2 or _AFTER_CJK.match(text, end, stop)):
            return value, end
    return None


def _value(text: str, language: Language) -> Fraction | None:
    """The value of a text in one language: a whole number, a decimal, a fraction, or a whole number and a fraction."""
    words = _SPLIT.split(text)
    if words[-1] in language.parts:
        return _fraction(words, language)
    for place, word in enumerate(words):
        if word in language.points and place:
            whole = _whole(words[:place], language)
            digits = [_whole([part], language) for part in words[place + 1 :]]
            if whole is None or not digits or any(digit is None or digit > 99 for digit in digits):
                return None
            if len(digits) > 1 and any(digit is None or digit > 9 for digit in digits):
                return None
            return Fraction(f"{whole}.{''.join(map(str, digits))}")
    whole = _whole(words, language)
    return None if whole is None else Fraction(whole)


def _fraction(words: list[str], language: Language) -> Fraction | None:
    """``half``, ``two thirds``, ``one and a half``, ``half a dozen`` is none."""
    part = Fraction(1, language.parts[words[-1]])
    before = words[:-1]
    for place in range(len(before) - 1, 0, -1):
        if before[place] in language.ands:
            whole, top = _whole(before[:place], language), _top(before[place + 1 :], language)
            return None if whole is None or top is None or top * part >= 1 else whole + top * part
    top = _top(before, language)
    return None if top is None else top * part


def _top(words: list[str], language: Language) -> int | None:
    if not words or (len(words) == 1 and words[0] in language.articles):
        return 1
    return _whole(words, language)


def _whole(words: list[str], language: Language) -> int | None:
    """The value of the words of a whole number; None where they do not make one."""
    total, part, joined, seen = 0, 0, False, False
    for word in words:
        for piece in _pieces(word, language):
            if piece in language.ands:
                joined = True
                continue
            value = language.numbers.get(piece)
            if value is not None:
                if not _fits(part, value, joined, language):
                    return None
                part += value
            elif piece in language.hundreds and part < 100:
                part = max(part, 1) * 100
            elif piece in language.dozens and part < 100:
                part = max(part, 1) * 12
            elif piece in language.scales:
                scale = language.scales[piece]
                if total and total % (scale * 1000):
                    return None
                total, part = total + max(part, 1) * scale, 0
            elif piece in language.articles and not seen:
                continue
            else:
                return None
            joined, seen = False, True
    return total + part if seen and not joined else None


def _fits(part: int, value: int, joined: bool, language: Language) -> bool:
    """Whether `value` may be added: where the number so far has zeros, or as the tens after "and" in German."""
    low = part % 100
    if value >= 100:
        return part == 0
    if value < 10:
        return low == 0 or (low % 10 == 0 and low >= 20)
    if low == 0:
        return True
    if language.tens_last and joined:
        return low < 10 and value % 10 == 0
    return language.by_scores and low in (60, 80) and value < 20


def _pieces(word: str, language: Language) -> list[str]:
    """A compound such as ``zweiundvierzig`` in its parts; the word itself where it is none."""
    if word in language.words or not language.compounds:
        return [word]
    pieces, place = [], 0
    while place < len(word):
        match = language.pattern.match(word, place)
        if match is None:
            return [word]
        pieces.append(match[0])
        place = match.end()
    return pieces
