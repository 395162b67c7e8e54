"""Reading a swarm or a learner back from its plain form."""

from __future__ import annotations

from typing import Any

from madsim import graphs
from madsim.models._hearing import Everybody, HearGraph, HearGroup, HearSome
from madsim.models._learner import BatchMean, CrossLearner, Learner, MaynardCrossLearner, MovingAverage, OracleBaseline
from madsim.models._noise import BernoulliNoise, BetaNoise, ClippedNormal, NoiseFree, UniformNoise
from madsim.models._swarm import AsynchronousVoter, CrossInhibition, ImitationOfSuccess, Swarm, SynchronousVoter

_MODELS = {
    kind.__name__: kind
    for kind in (
        ImitationOfSuccess,
        AsynchronousVoter,
        SynchronousVoter,
        CrossInhibition,
        CrossLearner,
        MaynardCrossLearner,
    )
}
_PARTS = {
    kind.__name__: kind
    for kind in (
        *(NoiseFree, ClippedNormal, UniformNoise, BernoulliNoise, BetaNoise),
        *(Everybody, HearSome, HearGroup, HearGraph),
        *(OracleBaseline, BatchMean, MovingAverage),
    )
}


def population_from_dict(plain: dict[str, Any]) -> Swarm | Learner:
    """The swarm or learner whose ``to_dict()`` is `plain`.

    Raises
    ------
    ValueError
        If the type is unknown or its fields do not fit; the message names both.
    """
    return _read(plain, _MODELS, "a swarm or learner")


def _read(plain: Any, kinds: dict[str, Any], what: str) -> Any:
    if not isinstance(plain, dict) or plain.get("type") not in kinds:
        found = plain.get("type") if isinstance(plain, dict) else plain
        raise ValueError(f"expected {what} with a type among {', '.join(sorted(kinds))}; got {str(found)[:80]!r}")
    kind = kinds[plain["type"]]
    values = {name: value for name, value in plain.items() if name != "type"}
    unknown = values.keys() - set(kind.__dataclass_fields__)
    if unknown:
        raise ValueError(f"{plain['type']} has no field {', '.join(sorted(unknown))}")
    for name, value in values.items():
        if name == "graph":
            values[name] = graphs.from_dict(value)
        elif isinstance(value, dict):
            values[name] = _read(value, _PARTS, f"the {name}")
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"this {plain['type']} cannot be read: {error}") from error
