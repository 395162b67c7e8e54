"""A run's setup from its record: everything but keys, functions and tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from madsim._core.rng import Seed
from madsim.llm._anthropic import AnthropicModel
from madsim.llm._budget import Budget
from madsim.llm._debater import Debater
from madsim.llm._inner import InnerDebate
from madsim.llm._openai import OpenAIModel
from madsim.llm._prompts import Prompts
from madsim.llm._request import Model
from madsim.llm._said import Said
from madsim.llm._setup import HumanFunction, ReduceFunction, Setup, SpeakerFunction
from madsim.llm._simulated import SimulatedModel
from madsim.models import debate_from_dict
from madsim.protocols import protocol_from_dict
from madsim.transcripts import Record


def setup_of(
    record: Record,
    debaters: Sequence[Debater] | None,
    *,
    models: Model | Mapping[str, Model] | None = None,
    judge: Debater | None = None,
    summariser: Debater | None = None,
    moderator: Debater | None = None,
    speaker: SpeakerFunction | None = None,
    reduce: ReduceFunction | None = None,
    person: HumanFunction | None = None,
    placebo: Mapping[str, tuple[Said, ...]] | None = None,
) -> Setup:
    """The run's setup from its header and from what a header cannot hold.

    Raises
    ------
    ValueError
        If the record is not of such a run, a model is missing, or the given debaters are not the recorded ones.
    """
    header = record.header
    described = header.get("debaters")
    if not isinstance(header.get("protocol"), dict) or not described or not _are_objects(described):
        raise ValueError(
            "this record does not describe protocol and debaters: it was imported or simulated, not run here"
        )
    if debaters is None:
        panel = tuple(_debater(one, models) for one in described)
    else:
        panel = tuple(debaters)
        _check_same(panel, described)
    if header.get("placebo") and placebo is None:
        raise ValueError("this run showed the words of another debate: give placebo= again")
    steer = header.get("steer") or {}
    if not isinstance(steer, dict):
        raise ValueError(f"the header's steer must map rounds to comments, got {str(steer)[:80]}")
    helpers: dict[str, Debater | None] = {"judge": judge, "summariser": summariser, "moderator": moderator}
    for name, given in helpers.items():
        if given is None and isinstance(header.get(name), dict):
            helpers[name] = _debater(header[name], models)
    return Setup(
        protocol=protocol_from_dict(header["protocol"]),
        panel=panel,
        prompts=Prompts(**(header.get("prompts") or {})),
        speaker=speaker,
        reduce=reduce,
        person=person,
        steer={int(round): str(text) for round, text in steer.items()},
        pause=bool(header.get("pause")),
        round_timeout=header.get("round_timeout"),
        placebo=placebo,
        probe=bool(header.get("probe")),
        **helpers,
    )


def _are_objects(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(one, dict) for one in found)


def _debater(described: Mapping[str, Any], models: Model | Mapping[str, Model] | None) -> Debater:
    name = str(described.get("name"))
    settings = dict(described.get("settings") or {})
    if described.get("tools"):
        raise ValueError(f"{name} has tools, which a record cannot hold: give the debaters again")
    model = described.get("model")
    settings["stop"] = tuple(settings.get("stop") or ())
    return Debater(
        name=name,
        model=_model(name, model if isinstance(model, dict) else {}, models),
        system=described.get("system"),
        human=described.get("human", "never"),
        side=described.get("side"),
        publishes=described.get("publishes", "reply"),
        subscribes=described.get("subscribes"),
        **settings,
    )


def _model(name: str, described: Mapping[str, Any], models: Model | Mapping[str, Model] | None) -> Model:
    if isinstance(models, Mapping):
        if name in models:
            return models[name]
    elif models is not None and described.get("kind") != "debate":
        return models
    if described.get("kind") == "openai":
        known = ("name", "base_url", "api_key_env", "stream", "max_tokens_field")
        return OpenAIModel(**{part: described[part] for part in known if part in described})
    if described.get("kind") == "anthropic":
        known = ("name", "base_url", "api_key_env", "longest_reply")
        return AnthropicModel(**{part: described[part] for part in known if part in described})
    if described.get("kind") == "simulated" and isinstance(described.get("debate"), dict):
        return SimulatedModel(
            debate_from_dict(described["debate"]),
            unparsed=described.get("unparsed", 0.0),
            rng=Seed.from_hex(described["seed"]),
            words=described.get("words", 12),
            name=described.get("name", "simulated"),
        )
    if (
        described.get("kind") == "debate"
        and _are_objects(described.get("debaters"))
        and isinstance(described.get("protocol"), dict)
    ):
        return _inner(described, models)
    raise ValueError(
        f"the model of {name} ({described.get('kind', 'unknown')}) is not described fully enough in the record to be opened again: "
        "give models= or the debaters"
    )


def _inner(described: Mapping[str, Any], models: Model | Mapping[str, Model] | None) -> InnerDebate:
    helpers = {
        name: _debater(described[name], models)
        for name in ("judge", "summariser", "moderator")
        if isinstance(described.get(name), dict)
    }
    budget = described.get("budget")
    return InnerDebate(
        protocol=protocol_from_dict(described["protocol"]),
        debaters=tuple(_debater(one, models) for one in described["debaters"]),
        budget=Budget(**budget) if isinstance(budget, dict) else None,
        name=str(described.get("name") or "inner debate"),
        **helpers,
    )


def _check_same(panel: Sequence[Debater], described: Sequence[Mapping[str, Any]]) -> None:
    """Whoever goes on must be who began; the message names the first difference."""
    if len(panel) != len(described):
        raise ValueError(f"the recorded run has {len(described)} debaters, {len(panel)} are given")
    for debater, recorded in zip(panel, described, strict=True):
        given = debater.to_dict()
        for part in ("name", "system", "settings", "side", "publishes", "subscribes"):
            now, then = given.get(part), recorded.get(part)
            if isinstance(now, Mapping) and isinstance(then, Mapping):
                part, now, then = _first_difference(part, now, then)
            if now != then:
                raise ValueError(
                    f"{given['name']} differs from the recorded debater in {part}: given {now!r}, recorded {then!r}; "
                    "a run goes on as it began (or start another record)"
                )
        _check_same_inside(debater, recorded.get("model"))


def _check_same_inside(debater: Debater, recorded: Any) -> None:
    """A seat that was a debate goes on as the same debate, and no other seat becomes one."""
    then = isinstance(recorded, Mapping) and recorded.get("kind") == "debate"
    inner = debater.model
    if then != isinstance(inner, InnerDebate):
        words = ("a debate", "a model")
        raise ValueError(f"{debater.name} was {words[not then]} in the recorded run and is now {words[then]}")
    if isinstance(inner, InnerDebate):
        if protocol_from_dict(dict(recorded.get("protocol") or {})).to_dict() != inner.protocol.to_dict():
            raise ValueError(f"the debate of {debater.name} has another protocol than in the recorded run")
        _check_same(inner.debaters, recorded.get("debaters") or ())


def _first_difference(part: str, now: Mapping[str, Any], then: Mapping[str, Any]) -> tuple[str, Any, Any]:
    names = (name for name in {**now, **then} if now.get(name) != then.get(name))
    name = next(names, None)
    return (part, None, None) if name is None else (name, now.get(name), then.get(name))
