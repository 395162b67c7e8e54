"""Whether a reply has the form of the document that it is published as, and the words that ask for that form."""

from __future__ import annotations

import json
import re
from typing import Any

from madsim.protocols import Document

_FENCE = re.compile(r"(?ms)^[ \t]*```[a-zA-Z0-9_+-]*[ \t]*\n(.*?)^[ \t]*```")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(\S.*)")
_CLOSING = re.compile(r"(?<![ \t#])[ \t]+#+$")
_LONGEST = 1_000_000
_KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
}


def problems_of(text: str | None, form: Document) -> tuple[str, ...]:
    """What a reply lacks to be a document of this form, in words; empty where it is one."""
    if not (text or "").strip():
        return ("the reply is empty",)
    assert text is not None
    if form.form == "text":
        return ()
    if form.form == "headings":
        there = _sections(text)
        missing = [name for name, _ in form.fields if name.casefold() not in there]
        hollow = [name for name, _ in form.fields if name.casefold() in there and not there[name.casefold()].strip()]
        return (
            *(f"there is no heading '# {name}'" for name in missing),
            *(f"there is nothing below '# {name}'" for name in hollow),
        )
    found = _object(text)
    if isinstance(found, str):
        return (found,)
    return tuple(filter(None, (_problem(found, name, kind) for name, kind in form.fields)))


def words_for(form: Document) -> str:
    """How a debater is asked for a document of this form."""
    if form.form == "text":
        return f"Reply with the document '{form.type}' and nothing else."
    if form.form == "headings":
        lines = "\n".join(f"# {name}" for name, _ in form.fields)
        return f"Reply with the document '{form.type}': text below each of these headings.\n{lines}"
    fields = ", ".join(f'"{name}": {kind}' for name, kind in form.fields)
    return f"Reply with the document '{form.type}': one JSON object, alone or in a code fence, with the fields\n{{{fields}}}"


def example_of(form: Document, filler: str) -> str:
    """The shortest document of this form, with `filler` for its words."""
    if form.form == "text":
        return filler
    if form.form == "headings":
        return "\n".join(f"# {name}\n{filler if not place else '-'}" for place, (name, _) in enumerate(form.fields))
    values: dict[str, Any] = {"text": "", "number": 0, "boolean": False, "list": [], "object": {}, "any": None}
    return json.dumps({"filler": filler, **{name: values[kind] for name, kind in form.fields}})


def _object(text: str) -> dict[str, Any] | str:
    """The one JSON object in a reply, or what stands in the way."""
    if len(text) > _LONGEST:
        return f"the reply is too long to be read ({len(text)} characters, at most {_LONGEST})"
    fenced = [part for part in _FENCE.findall(text) if part.lstrip().startswith("{")]
    if len(fenced) > 1:
        return f"{len(fenced)} JSON objects are there, expected one"
    whole = fenced[0] if fenced else text.strip()
    if not whole.lstrip().startswith("{"):
        return "there is no JSON object, alone or in a code fence"
    try:
        found = json.loads(whole)
    except (ValueError, RecursionError) as error:
        return f"the JSON object cannot be read: {str(error)[:100]}"
    return found if isinstance(found, dict) else "there is no JSON object, alone or in a code fence"


def _problem(found: dict[str, Any], name: str, kind: str) -> str | None:
    if name not in found:
        return f"field '{name}' is missing"
    value = found[name]
    if kind == "any":
        return None
    right = isinstance(value, _KINDS[kind]) and not (kind == "number" and isinstance(value, bool))
    return None if right else f"field '{name}' must be a {kind}, found {type(value).__name__}"


def _sections(text: str) -> dict[str, str]:
    """Text by heading, headings in lower case; code fences hold no headings."""
    sections: dict[str, list[str]] = {}
    name, fenced = None, False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith("```")
        found = None if fenced else _HEADING.match(line)
        if found:
            name = _CLOSING.sub("", found.group(1).rstrip()).casefold()
            sections.setdefault(name, [])
        elif name is not None:
            sections[name].append(line)
    return {name: "\n".join(lines) for name, lines in sections.items()}
