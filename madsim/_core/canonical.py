"""Canonical JSON: one text a value, so that hashes and cache keys mean something.

Keys sorted, no white space, UTF-8, no NaN or infinity, NumPy scalars and arrays as plain numbers and lists, frozen dataclasses as
objects with their type name under ``"type"``.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def to_jsonable(value: Any) -> Any:
    """Plain dicts, lists, strings and numbers with the same content as `value`.

    Raises
    ------
    ValueError
        For NaN and infinity, which JSON cannot hold.
    TypeError
        For anything without an obvious plain form, and for mapping keys that are not text.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"JSON has no {value!r}; store None for a missing number")
        return float(value)
    if isinstance(value, Enum):
        return to_jsonable(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        plain = {field.name: to_jsonable(getattr(value, field.name)) for field in fields(value)}
        return {"type": type(value).__name__, **plain}
    if isinstance(value, dict) or hasattr(value, "items"):
        return _mapping(value)
    if isinstance(value, (list, tuple)):
        return [to_jsonable(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((to_jsonable(item) for item in value), key=canonical_json)
    to_list = getattr(value, "tolist", None)  # NumPy scalars and arrays, without importing NumPy here
    if callable(to_list):
        return to_jsonable(to_list())
    raise TypeError(f"cannot write {type(value).__name__} as JSON: {value!r}")


def _mapping(value: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError(f"JSON keys are text, got {key!r}")
        plain[key] = to_jsonable(item)
    return plain


def canonical_json(value: Any) -> str:
    """The one canonical text of `value` (see the module's rules)."""
    return json.dumps(to_jsonable(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
