"""Typed documents: what a reply must hold before it is handed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

FieldKind = Literal["text", "number", "boolean", "list", "object", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The form of one type of document.

    Attributes
    ----------
    type : its name, as debaters publish it and subscribe to it
    form : ``"text"`` any reply that is not empty, ``"json"`` a reply that holds one JSON object, ``"headings"`` a reply with one heading
        (``# Name``) and some text below it for every field
    fields : what it must hold: pairs of a name and a kind (``"text"``, ``"number"``, ``"boolean"``, ``"list"``, ``"object"`` or
        ``"any"``); a mapping or bare names are taken as well. Below a heading every kind is text. More than these may stand there.
    """

    type: str
    form: Literal["text", "json", "headings"] = "text"
    fields: tuple[tuple[str, FieldKind], ...] = field(default=())

    def __post_init__(self) -> None:
        check_name(self.type, "the type of a document")
        if self.form not in ("text", "json", "headings"):
            raise ValueError(f"form must be 'text', 'json' or 'headings', got {self.form!r}")
        pairs = tuple(_pair(one) for one in _items(self.fields))
        names = [name for name, _ in pairs]
        if len(set(names)) != len(names):
            raise ValueError(f"the fields of document {self.type!r} must have different names, got {', '.join(names)}")
        if self.form == "text" and pairs:
            raise ValueError(f"a document of form 'text' has no fields; give {self.type!r} form 'json' or 'headings'")
        if self.form == "headings" and not pairs:
            raise ValueError(f"document {self.type!r} needs at least one field: its headings")
        object.__setattr__(self, "fields", pairs)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {"type": self.type, "form": self.form, "fields": [list(pair) for pair in self.fields]}


def check_name(value: object, what: str) -> None:
    """Refuse what is no name on one line."""
    if not isinstance(value, str) or not value.strip() or any(ord(mark) < 32 for mark in value):
        raise ValueError(f"{what} must be a name on one line, got {value!r}")


def _items(fields: Any) -> tuple[Any, ...]:
    return tuple(fields.items()) if isinstance(fields, Mapping) else tuple(fields)


def _pair(one: Any) -> tuple[str, FieldKind]:
    name, kind = (one, "any") if isinstance(one, str) else tuple(one)
    check_name(name, "a field of a document")
    if kind not in get_args(FieldKind):
        raise ValueError(f"field {name!r}: its kind must be one of {', '.join(get_args(FieldKind))}; got {kind!r}")
    return name, kind
