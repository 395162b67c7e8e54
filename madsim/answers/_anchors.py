"""Find the places that announce an answer: labels in many languages, boxes, tags, markers, fields, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from madsim.answers._labels import Anchor, labelled, line_end
from madsim.answers._tables import announced_cell

# stem: whether it announces an answer by itself; the others do so only where nothing but a value follows
_COMMON = {"answer": True, "oxed": True, "####": True}
_OTHER = {
    "ans": False,
    "solution": False,
    "result": False,
    "conclusion": False,
    "correction": False,
    "corrected:": False,
    "choice": False,
    "option": False,
    "verdict": False,
    "decision": False,
    "selection": False,
    "response": False,
    "guess": False,
    "pick": False,
    "vote": False,
    "antwort": True,
    "reponse": True,
    "respuesta": True,
    "resposta": True,
    "risposta": True,
    "ergebnis": False,
    "loesung": False,
    "resultado": False,
    "solucion": False,
    "risultato": False,
    "soluzione": False,
    "alternativa": False,
    "opcion": False,
    "opzione": False,
    "eleccion": False,
    "escolha": False,
    "scelta": False,
    "gabarito": False,
    "choix": False,
    "wahl": False,
    "antwoord": True,
    "svar:": False,
    "jawaban": True,
    "cevap": True,
}
_ACCENTED = {
    "réponse": True,
    "lösung": False,
    "résultat": False,
    "solución": False,
    "solução": False,
    "opción": False,
    "opção": False,
    "elección": False,
    "odpowied": True,
    "đáp án": True,
    "ответ": True,
    "उत्तर": True,
    "الإجابة": True,
    "答案": True,
    "答え": True,
    "回答": True,
    "解答": True,
    "答:": True,
    "答：": True,
    "正解": True,
    "正答": True,
    "الجواب": True,
    "התשובה": True,
    "답변": True,
    "답": True,
    "结果": False,
    "結果": False,
    "结论": False,
    "結論": False,
    "결론": False,
    "결과": False,
    "选项": False,
    "選項": False,
    "选择": False,
    "選擇": False,
    "選択": False,
    "선택": False,
}
_FIELD_SUFFIX = re.compile(r"(?:[_ ]?(?:letter|option|choice|label|key|value)|s)?(?=[\"']\s{0,3}:)")
_ANS = re.compile(r"\s?=|[:.]|\s-\s")
_ENDINGS = ("ed", "er", "in")  # answered, answers' author, answering: no announcement


def anchors(text: str, lowered: str) -> Iterator[Anchor]:
    """The announced stretches, the last one first.

    Parameters
    ----------
    text : in normal characters, without thinking
    lowered : `text` in lower case, of the same length
    """
    common = _places(lowered, _COMMON, 0, len(text))
    last = max(common)[0] if common else 0
    budget = _MOST_PLACES
    # what stands after the last common word is looked at first
    for low, high in ((last, len(text)), (0, last)) if last else ((0, len(text)),):
        places = [spot for spot in common if low <= spot[0] < high] + _places(lowered, _OTHER, low, high)
        if not text.isascii():
            places += _places(lowered, _ACCENTED, low, high)
        places.sort(reverse=True)
        yield from _anchors_at(text, lowered, places[:budget])
        budget -= min(budget, len(places))


def _places(lowered: str, stems: dict[str, bool], low: int, high: int) -> list[tuple[int, str, bool]]:
    """Where the stems start, from `low` on and before `high`."""
    found = []
    for stem, strong in stems.items():
        place = lowered.find(stem, low, high + len(stem) - 1)
        while place >= 0:
            found.append((place, stem, strong))
            place = lowered.find(stem, place + len(stem), high + len(stem) - 1)
    return found


def _anchors_at(text: str, lowered: str, places: list[tuple[int, str, bool]]) -> Iterator[Anchor]:
    closes: dict[int, int] | None = None
    for place, stem, strong in places:
        if stem == "oxed":
            if closes is None:
                closes = _braces(text, next(at for at, name, _ in reversed(places) if name == "oxed"))
            anchor = _box(text, place, place + 4, closes)
        else:
            anchor = _anchor(text, lowered, place, stem, strong)
        if anchor is not None:
            yield anchor


_MOST_PLACES = 60


def _anchor(text: str, lowered: str, place: int, stem: str, strong: bool) -> Anchor | None:
    end = place + len(stem)
    if stem == "####":
        if text[end : end + 1] == "#" or text[place - 1 : place] == "#":
            return None
        return Anchor(place, end, line_end(text, end), "marker", strict=True)
    if stem == "ans":
        found = _ANS.match(text, end)
        return (
            labelled(text, place, found.end(), "ans:", strong)
            if found and not text[place - 1 : place].isalpha()
            else None
        )
    if stem == "answer" and lowered[end : end + 2] in _ENDINGS:
        return None
    if text[end : end + 1] in (">", "]") and (tag := _tag(text, lowered, place, end)) is not None:
        return tag if tag.kind else None
    if stem.isascii() and stem[0].isalpha() and place and (text[place - 1].isalpha() and text[place - 1].isascii()):
        return None
    suffix = _FIELD_SUFFIX.match(lowered, end)
    if suffix is not None:
        return _field(text, place, suffix.end())
    line = text.rfind("\n", 0, place) + 1
    if text[line : line + 1] in ("|", " ") and (cell := announced_cell(text, place, end)) is not None:
        return Anchor(place, *cell, "label", strict=True)
    return labelled(text, place, end, stem, strong)


def _field(text: str, place: int, end: int) -> Anchor:
    start = text.index(":", end) + 1
    while start < len(text) and text[start] in " \t\n":
        start += 1
    if text[start : start + 1] in ('"', "'"):
        quote = text[start]
        stop = start + 1
        while stop < len(text) and text[stop] != quote:
            stop += 2 if text[stop] == "\\" else 1
        return Anchor(place, start + 1, min(stop, len(text)), "field", closed=stop < len(text))
    if text[start : start + 1] == "[":
        stop = text.find("]", start)
        return Anchor(place, start, stop + 1 if stop >= 0 else len(text), "field", closed=stop >= 0)
    found = re.compile(r"[,}\n]").search(text, start)
    return Anchor(place, start, found.start() if found else len(text), "field")


def _tag(text: str, lowered: str, place: int, end: int) -> Anchor | None:
    """The content of an answer tag; an anchor without kind for a closing tag; None where this is no tag."""
    opening = max(text.rfind("<", max(0, place - 12), place), text.rfind("[", max(0, place - 12), place))
    if opening < 0 or not re.fullmatch(r"[</\[ ]*(?:final|my)?[_ -]?", lowered[opening:place]):
        return None
    close = ">" if text[opening] == "<" else "]"
    if text[end : end + 1] != close:
        return None
    if "/" in text[opening:place]:
        return Anchor(place, end, end, "")
    name = lowered[opening + 1 : end]
    stop = lowered.find(f"{text[opening]}/{name}{close}", end)
    if stop < 0 and text[opening] == "[":  # "【答案】B" in normal characters
        return (
            Anchor(place, end, end, "") if name.isascii() else Anchor(place, end + 1, line_end(text, end + 1), "label")
        )
    return Anchor(place, end + 1, stop if stop >= 0 else len(text), "tag", closed=stop >= 0)


def _braces(text: str, start: int) -> dict[int, int]:
    """Place of the closing brace of each opening one, from `start` on."""
    closes: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"\\.|[{}]", text[start:], re.DOTALL):
        place = start + match.start()
        if match[0] == "{":
            opened.append(place)
        elif match[0] == "}" and opened:
            closes[opened.pop()] = place
    return closes


def _box(text: str, place: int, end: int, closes: dict[int, int]) -> Anchor | None:
    if text[place - 1 : place].lower() not in ("b", "f", "\x08", "\x0c"):
        return None
    start = end
    while text[start : start + 1] == " ":
        start += 1
    if text[start : start + 1] != "{":
        bare = re.compile(r"\s?(?:\d[\d.,]*|[A-Z]\b)").match(text, end)
        return Anchor(place, bare.start(), bare.end(), "box") if bare else None
    stop = closes.get(start)
    return Anchor(place, start + 1, len(text) if stop is None else stop, "box", closed=stop is not None)
