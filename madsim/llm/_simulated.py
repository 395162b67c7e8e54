"""Answers drawn from a debate model, through the real engine, extractor and record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from madsim._core.rng import RNG, Seed, resolve_seed
from madsim.llm._errors import MisuseError
from madsim.llm._request import Completion, Context, Request, Session, Usage, always_open
from madsim.models import Argmax, DebateModel, Forgetting, LastRound, Matching, Rereading, Stubborn, Temperature, TopP
from madsim.tasks import Sample

_BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class SimulatedModel:
    """A panel of simulated agents that speaks: the replies of :class:`madsim.models.DebateModel` agents, as text.

    Every agent of the panel may share one SimulatedModel; the place in the panel says which row of the concentration is its own. What
    an agent has heard is what the engine showed it, read by the real extractor. A reply depends on the seed, the call and what was
    heard alone, so that a resumed run is the uninterrupted one.

    Attributes
    ----------
    debate : a DebateModel, or a function from a sample to one (questions of different difficulty)
    answers : a function from a sample to its answers as texts, the target first; None makes them from target and answer type
    unparsed : share of replies that state no answer
    seed : the seed really used
    words : a longer reply is padded to about this many words
    name : under which prices are looked up
    """

    debate: DebateModel | Callable[[Sample], DebateModel]
    answers: Callable[[Sample], Sequence[str]] | None
    unparsed: float
    seed: Seed
    words: int
    name: str

    def __init__(
        self,
        debate: DebateModel | Callable[[Sample], DebateModel],
        *,
        answers: Callable[[Sample], Sequence[str]] | None = None,
        unparsed: float = 0.0,
        rng: RNG = None,
        words: int = 12,
        name: str = "simulated",
    ) -> None:
        if not isinstance(debate, DebateModel) and not callable(debate):
            raise TypeError(f"debate must be a DebateModel or a function from a sample to one, got {debate!r}")
        if isinstance(debate, DebateModel):
            _check_supported(debate)
        if not 0 <= unparsed <= 1:
            raise ValueError(f"unparsed must lie in [0, 1], got {unparsed!r}")
        for field, value in (
            ("debate", debate),
            ("answers", answers),
            ("unparsed", unparsed),
            ("seed", resolve_seed(rng)),
            ("words", words),
            ("name", name),
        ):
            object.__setattr__(self, field, value)

    def open(self) -> AbstractAsyncContextManager[Session]:
        """Nothing needs opening."""
        return always_open(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form for the record."""
        plain: dict[str, Any] = {
            "kind": "simulated",
            "name": self.name,
            "seed": self.seed.hex,
            "unparsed": self.unparsed,
        }
        if isinstance(self.debate, DebateModel):
            plain["debate"] = self.debate.to_dict()
        return {**plain, "words": self.words}

    async def complete(self, request: Request) -> Completion:
        """The reply of one simulated agent."""
        context = request.context
        model = self.debate if isinstance(self.debate, DebateModel) else self.debate(context.sample)
        texts = self.answers_of(context.sample, model.n_answers)
        draw = self._uniforms(context)
        place = draw_answer(model, context, texts, draw)
        filler = "I weighed what was said and worked through the question step by step"
        body = " ".join((filler.split() * (1 + self.words // 13))[: self.words])
        text = f"{body}.\nFinal answer: {texts[place]}"
        if draw[1] < self.unparsed:
            text = f"{body}, but I cannot decide."
        read = sum(len(str(message.get("content") or "")) for message in request.messages) // _BYTES_A_TOKEN + 1
        return Completion(text=text, usage=Usage(input=read, output=len(text) // _BYTES_A_TOKEN + 1), model=self.name)

    def answers_of(self, sample: Sample, n_answers: int) -> list[str]:
        """The answers that agents may give to a sample, the target first.

        Raises
        ------
        MisuseError
            If there are not `n_answers` of them, or none can be made from the sample.
        """
        if self.answers is None:
            letters = tuple(sample.choices or ())
            return list(simulated_answers(sample.target, letters, sample.answer_type, n_answers, sample.id))
        texts = list(self.answers(sample))
        if len(texts) != n_answers:
            raise MisuseError(f"the model has {n_answers} answers, the sample {sample.id!r} has {len(texts)}")
        return texts

    def _uniforms(self, context: Context) -> NDArray[np.float64]:
        key = f"{self.seed.hex}/{context.sample.id}/{context.epoch}/{context.round}/{context.agent}/{context.role}/{context.turn}"
        key = f"{key}/{context.path}" if context.path else key
        words = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
        return np.asarray((np.frombuffer(words, dtype=">u8") >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


def draw_answer(model: DebateModel, context: Context, texts: Sequence[str], draw: NDArray[np.float64]) -> int:
    """The number of the answer that this agent gives, from uniforms `draw` (the first decides)."""
    _check_supported(model)
    agent = context.agent if 0 <= context.agent < model.n_agents else 0
    belief = _concentration(model, context, agent, texts)
    shares = _response(model, belief / belief.sum(), context.round, draw[2])
    return int(min(np.searchsorted(np.cumsum(shares), draw[0] * shares.sum(), side="right"), model.n_answers - 1))


@lru_cache(maxsize=4096)
def simulated_answers(
    target: str | None, letters: tuple[str, ...], answer_type: str | None, n_answers: int, name: str
) -> tuple[str, ...]:
    """`n_answers` answers as texts, the target first, made from a target and its options or type."""
    if target is None:
        raise MisuseError(f"the sample {name!r} has no target; give answers= to say what simulated agents may answer")
    if letters:
        others = [letter for letter in letters if letter != target]
        if target not in letters or len(others) < n_answers - 1:
            raise MisuseError(
                f"the sample {name!r} needs {n_answers} choices with the target among them, it has {letters}"
            )
        return (target, *others[: n_answers - 1])
    if answer_type == "boolean":
        yes = target.strip().casefold() in ("yes", "true")
        if n_answers != 2:
            raise MisuseError(f"the sample {name!r} has two possible answers, the model {n_answers}")
        return ("yes", "no") if yes else ("no", "yes")
    try:
        number = int(target.replace(",", ""))
    except ValueError:
        raise MisuseError(f"cannot make other answers than {target!r} for the sample {name!r}; give answers=") from None
    return tuple(str(number + step) for step in range(n_answers))


def _check_supported(model: DebateModel) -> None:
    odd = {
        "summary": model.summary is not None,
        "intervention": model.intervention is not None,
    }
    names = [name for name, is_odd in odd.items() if is_odd]
    if names:
        raise ValueError(
            f"a SimulatedModel cannot speak for a debate model with its own {', '.join(names)}; simulate_debate runs it"
        )


def _concentration(model: DebateModel, context: Context, agent: int, texts: Sequence[str]) -> NDArray[np.float64]:
    """What the agent's concentration has become by what it said and heard so far."""
    prior = model.concentration[agent] + _heard_outside(model, context.outer, agent, texts)
    if model.stubborn is not None and agent in model.stubborn.agents:
        return _stubborn(model.stubborn, prior, context, texts)
    number = {text: place for place, text in enumerate(texts)}
    gains = np.ones(len(texts)) if model.answer_weights is None else np.asarray(model.answer_weights)
    own_weight = _of(model.self_weight, agent)
    peer_weight = _of(model.peer_weight, agent)
    first, heard, all_heard = prior.copy(), np.zeros(len(texts)), np.zeros(len(texts))
    for step, shown in enumerate(context.heard):
        counts = np.zeros(len(texts))
        own = context.own[step] if step < len(context.own) else None
        if own is not None and own in number:
            counts[number[own]] += own_weight * gains[number[own]]
        for other in shown:
            if other.answer is not None and other.answer in number:
                place = number[other.answer]
                counts[place] += peer_weight * gains[place] * _edge(model, step + 1, agent, other.agent)
        if model.similarity is not None:
            counts = counts @ model.similarity
        if model.conformity != 1 and counts.max() > 0:
            powers = (counts / counts.max()) ** model.conformity
            counts = powers * (counts.sum() / powers.sum())
        all_heard = all_heard + counts
        if isinstance(model.memory, LastRound):
            heard = counts
        elif isinstance(model.memory, Rereading):
            heard = heard + all_heard
        elif isinstance(model.memory, Forgetting):
            heard = model.memory.keep * heard + counts
            if model.memory.prior_fades:
                first = model.memory.keep * first
        else:
            heard = heard + counts
    return first + heard


def _heard_outside(model: DebateModel, outer: Context | None, agent: int, texts: Sequence[str]) -> NDArray[np.float64]:
    """What the seat of an inner debate has heard and said in the outer one; the whole inner panel begins from it."""
    counts = np.zeros(len(texts))
    number = {text: place for place, text in enumerate(texts)}
    while outer is not None:
        own = [answer for answer in outer.own if answer in number]
        shown = [other.answer for step in outer.heard for other in step if other.answer in number]
        for answers, weight in ((own, model.self_weight), (shown, model.peer_weight)):
            for answer in answers:
                counts[number[str(answer)]] += _of(weight, agent)
        outer = outer.outer
    return counts


def _stubborn(
    stubborn: Stubborn, prior: NDArray[np.float64], context: Context, texts: Sequence[str]
) -> NDArray[np.float64]:
    first = context.own[0] if context.own else None
    if stubborn.repeats and first is not None and first in texts:
        return np.eye(len(texts))[list(texts).index(first)]
    return prior


def _response(model: DebateModel, belief: NDArray[np.float64], round: int, draw: float) -> NDArray[np.float64]:
    response = model.response
    if isinstance(response, Matching) or round < response.from_round:
        return belief
    if isinstance(response, Temperature):
        logs = np.full(len(belief), -np.inf)
        np.log(belief, out=logs, where=belief > 0)
        sharp = np.exp((logs - logs.max()) / response.temperature)
        return sharp / sharp.sum()
    if isinstance(response, TopP):
        order = np.argsort(-belief, kind="stable")
        kept = int(np.searchsorted(np.cumsum(belief[order]), response.mass - 1e-12)) + 1
        shares = np.zeros(len(belief))
        shares[order[:kept]] = belief[order[:kept]]
        return shares / shares.sum()
    assert isinstance(response, Argmax)
    best = np.flatnonzero(belief == belief.max())
    chosen = best[0] if response.ties == "first" else best[int(draw * len(best))]
    return np.eye(len(belief))[chosen]


def _of(weight: float | tuple[float, ...], agent: int) -> float:
    return float(weight[agent]) if isinstance(weight, tuple) else float(weight)


def _edge(model: DebateModel, round: int, agent: int, other: int) -> float:
    if model.protocol.visibility.graph is None:
        return 1.0
    return model.protocol.graph(model.n_agents, round)[agent, other]
