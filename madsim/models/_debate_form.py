"""Reading a debate model back from its plain form."""

from __future__ import annotations

from typing import Any

import numpy as np

from madsim._core.arrays import as_count
from madsim.models._debate import DebateModel
from madsim.models._intervention import Conformist, CorrectionLock, Follower, Sticky
from madsim.models._memory import Cumulative, Forgetting, LastRound, Rereading
from madsim.models._response import Argmax, Matching, Temperature, TopP
from madsim.models._summary import Stubborn, Summary
from madsim.protocols import protocol_from_dict

_PARTS: dict[str, dict[str, type]] = {
    field: {part.__name__: part for part in parts}
    for field, parts in {
        "response": (Matching, Temperature, TopP, Argmax),
        "memory": (Cumulative, Forgetting, LastRound, Rereading),
        "stubborn": (Stubborn,),
        "summary": (Summary,),
        "intervention": (CorrectionLock, Conformist, Follower, Sticky),
    }.items()
}

_MOST_NUMBERS = 100_000_000


def debate_from_dict(plain: dict[str, Any]) -> DebateModel:
    """The model that :meth:`DebateModel.to_dict` wrote.

    Raises
    ------
    ValueError
        If this is not the plain form of a debate model, or a value in it is not allowed; the message names it.
    """
    if not isinstance(plain, dict) or plain.get("type") != "DebateModel":
        raise ValueError(f"expected the plain form of a DebateModel, got {str(plain)[:80]!r}")
    unknown = set(plain) - {"type", *DebateModel.__slots__}
    if unknown:
        raise ValueError(f"a DebateModel has no field {', '.join(sorted(unknown))}")
    if not {"concentration", "protocol"} <= set(plain):
        raise ValueError("the plain form of a DebateModel holds at least 'concentration' and 'protocol'")
    options = {name: _part(name, value) for name, value in plain.items() if name != "type"}
    options["concentration"] = _rows(plain["concentration"])
    options["protocol"] = protocol_from_dict(plain["protocol"])
    try:
        return DebateModel(**options)
    except TypeError as error:
        raise ValueError(f"a value of this DebateModel cannot be read: {error}") from error


def _rows(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if set(value) != {"alike", "row"}:
        raise ValueError(
            f"concentration must be rows of numbers, or 'alike' and 'row'; got the keys {', '.join(sorted(value))}"
        )
    row = np.asarray(value["row"], dtype=np.float64)
    most = _MOST_NUMBERS // max(1, row.size)
    count = as_count(value["alike"], name="the number of agents alike", minimum=1, maximum=most)
    return np.broadcast_to(row, (count, *row.shape))


def _part(field: str, value: Any) -> Any:
    known = _PARTS.get(field)
    if known is None or value is None:
        return value
    kind = value.get("type") if isinstance(value, dict) else None
    if kind not in known:
        raise ValueError(f"{field} must be one of {', '.join(sorted(known))}; got {kind!r}")
    settings = {name: setting for name, setting in value.items() if name != "type"}
    try:
        return known[kind](**settings)
    except TypeError as error:
        raise ValueError(f"{field} {kind}: {error}") from error
