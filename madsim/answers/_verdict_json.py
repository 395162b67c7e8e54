"""The judge's own JSON objects: whole, cut off after the verdict, or not quite JSON. Nothing is evaluated."""

from __future__ import annotations

import json
import re

from madsim.answers._contestants import Contestants
from madsim.answers._judging import opening_side

NOT_SAID = "\0"
_KEYS = (
    "winner", "verdict", "decision", "choice", "better", "best", "preferred", "preference", "vote", "selected", "selection",
    "final_verdict", "final verdict", "final_answer", "final answer", "answer", "result", "winning_debater", "winning answer",
    "winning_side", "judgment", "judgement", "pick",
)  # fmt: skip
_FIELD = re.compile(
    r"(?P<quote>[\"']?)\b(?P<key>[A-Za-z_ ]{3,20})(?P=quote)\s*:\s*(?:\"(?P<text>(?:[^\"\\\n]|\\.){0,2000})\"|"
    r"'(?P<single>[^'\n]{0,2000})'|(?P<number>-?\d{1,9})(?=\s*[,}\s]|$)|(?P<null>null|true|false)\b|"
    r"(?P<bare>[A-Za-z]\w{0,40})(?=\s*[,}]))"
)
_QUOTED_BEFORE = re.compile(r"[\"'`“‘]\s*$")
_REPORTING = (
    r"\b(?:wrote|writes|written|said|says|claims?|claimed|argues?|argued|quotes?|quoted|replied|stated|"
    r"instructs?|instructed|"
    r"asked|tries|tried|told|output|sway|example|format|form|such as|like|inject|insert(?:ed)?|contain(?:s|ed)|"
    r"includ(?:es|ed)|"
    r"respond|return|reply|produce)\b"
)
_REPORTED_DIRECT = re.compile(
    rf"{_REPORTING}(?: (?:that|me|to|us|the|with|this|is|was|be|either|as|of|an?|object|json|string))*[\s:,]*$|"
    rf"\b(?:e\.g|i\.e)\.,?\s*$",
    re.IGNORECASE,
)
_REPORTED_QUOTE = re.compile(
    rf"(?:{_REPORTING}|\b(?:debater|agent|assistant|participant)\b)[^\n\"'`]{{0,60}}[\"'`](?P<inside>[^\"'`\n]*)$",
    re.IGNORECASE,
)
_OFFERED = re.compile(r"\||(?<=\w)/(?=\w)|\s/\s|\s(?:or|vs\.?)\s")  # the choices of an instruction: "A|B|tie"
_REJECTED = re.compile(
    r"\s*(?:would be|would have been|is|was|seems) (?:wrong|incorrect|not|false|"
    r"unfair)\b",
    re.IGNORECASE,
)
_MOST_OBJECTS = 50


def is_reported(text: str, place: int) -> bool:
    """Whether what stands here is told of somebody else, or inside a quotation that was opened on the same line."""
    line = max(text.rfind("\n", max(0, place - 200), place) + 1, place - 120)
    before = text[line:place]
    return _REPORTED_DIRECT.search(before) is not None or _REPORTED_QUOTE.search(before) is not None


def is_quoted(text: str, place: int) -> bool:
    """Whether a quotation mark opens right before this place."""
    return _QUOTED_BEFORE.search(text[max(0, place - 2) : place]) is not None


def is_list(text: str) -> bool:
    """Whether the reply is a JSON list, which is no verdict."""
    bare = text.strip()
    if not bare.startswith("[") or bare.startswith("[["):
        return False
    try:
        return isinstance(json.loads(bare), list)
    except (ValueError, RecursionError):
        return False


def said_in(fields: dict, contestants: Contestants) -> str | None:
    """The side that an object names; ``"tie"``; None where it names nobody known; `NOT_SAID` where it has no verdict."""
    value = next((fields[key] for key in _KEYS if key in fields), NOT_SAID)
    return value if value is NOT_SAID else side_of(value, contestants)


def side_of(value: object, contestants: Contestants) -> str | None:
    """The side that the value of a verdict field names; ``"tie"``; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return contestants.named(str(value))
    if isinstance(value, list):
        return side_of(value[0], contestants) if len(value) == 1 else None
    if isinstance(value, dict):
        inner = {str(key).strip().lower(): item for key, item in value.items()}
        return next((side_of(inner[key], contestants) for key in _KEYS if key in inner), None)
    if not isinstance(value, str):
        return None
    if sum(bool(part.strip()) for part in _OFFERED.split(value)) > 1 and contestants.named(value) is None:
        return None
    side = contestants.named(value) or opening_side(value, contestants)
    return None if side == "hedge" else side


def own_objects(text: str) -> tuple[list[tuple[int, dict]], str]:
    """The judge's own objects with their places, and the text with the objects blanked that he quotes or that an
    instruction offers."""
    found: list[tuple[int, dict]] = []
    decoder = json.JSONDecoder()
    place, quoted_to = text.find("{"), -1
    for _ in range(_MOST_OBJECTS):
        if place < 0:
            break
        end = place + 1
        if _is_quoted_object(text, place, quoted_to):
            close = text.find("}", place)
            end = quoted_to = close + 1 if close >= 0 else len(text)
            text = text[:place] + " " * (end - place) + text[end:]
        else:
            value: object = None
            try:
                value, end = decoder.raw_decode(text, place)
            except (ValueError, RecursionError):
                value = _broken(text, place) or None
                end = len(text) if value else place + 1
            if isinstance(value, dict) and not _REJECTED.match(text, end):
                found.append((place, {str(key).strip().lower(): item for key, item in value.items()}))
        place = text.find("{", end)
    return found, text


def _is_quoted_object(text: str, place: int, quoted_to: int) -> bool:
    before = text[max(0, place - 3) : place]
    if _QUOTED_BEFORE.search(before) is not None and not before.endswith(("``", "`\n")):
        return True
    offered = quoted_to >= 0 and text[quoted_to:place].strip(" \n,`\"'").lower() in ("or", "and", "")
    return offered or is_reported(text, place)


def _broken(text: str, place: int) -> dict:
    """The leading fields of an object that is cut off or not quite JSON, up to where it can be read."""
    close = text.find("}", place)
    fields: dict = {}
    for match in _FIELD.finditer(text, place, close + 1 if close >= 0 else min(len(text), place + 20_000)):
        value: object = next((match[name] for name in ("text", "single", "bare") if match[name] is not None), None)
        if match["number"] is not None:
            value = int(match["number"])
        elif match["null"] is not None:
            value = {"null": None, "true": True, "false": False}[match["null"]]
        fields.setdefault(match["key"].strip().lower(), value)
    return fields
