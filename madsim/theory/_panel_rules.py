"""What a model asks of a panel of equal agents, as array functions over states."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from madsim.models import (
    Argmax,
    Conformist,
    CorrectionLock,
    Cumulative,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Matching,
    Rereading,
    Sticky,
    Summary,
    Temperature,
    TopP,
)

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Expanded = tuple[NDArray[np.int64], Counts, Floats, NDArray[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A model's rules over arrays of states."""

    model: DebateModel

    @property
    def summary(self) -> Summary | None:
        """The summariser, where there is one."""
        if self.model.summary is None and self.model.protocol.visibility.show == "summary":
            return Summary()
        return self.model.summary

    @property
    def rereads(self) -> bool:
        """Whether the sum of everything heard is part of the state."""
        return isinstance(self.model.memory, Rereading)

    def response(self, concentration: Floats, round: int) -> Floats:
        """Chance of every answer where it is drawn anew, shape (state, answer)."""
        belief = concentration / concentration.sum(axis=1, keepdims=True)
        response = self.model.response
        if isinstance(response, Matching) or round < response.from_round:
            return belief
        if isinstance(response, Temperature):
            powered = (belief / belief.max(axis=1, keepdims=True)) ** (1 / response.temperature)
            return powered / powered.sum(axis=1, keepdims=True)
        if isinstance(response, Argmax):
            likeliest = belief >= belief.max(axis=1, keepdims=True) * (1 - 1e-12)
            if response.ties == "first":
                likeliest &= likeliest.cumsum(axis=1) == 1
            return likeliest / likeliest.sum(axis=1, keepdims=True)
        return _nucleus(belief, response)

    def majorities(self, last: Counts) -> list[tuple[Floats, Floats]]:
        """What may pass for the last round's majority: its chance (state,), the same for all agents, and how likely each answer then is
        the majority in the eyes of one agent (state, answer).
        """
        rule = self.model.intervention
        leading = (last == last.max(axis=1, keepdims=True)).astype(np.float64)
        always = np.ones(len(last))
        if not isinstance(rule, (Conformist, Follower)) or rule.ties == "any":
            return [(always, leading)]
        tied = leading.sum(axis=1, keepdims=True)
        if rule.ties == "none":
            return [(always, leading * (tied == 1))]
        if rule.ties == "each" or rule.among == "heard":
            return [(always, leading / tied)]
        drawn_once = (leading / tied).T
        return [
            (chance, np.tile(one, (len(last), 1)))
            for chance, one in zip(drawn_once, np.eye(len(drawn_once)), strict=True)
        ]

    def next_answer(self, drawn: Floats, own: Counts, majority: Floats, locked: NDArray[np.bool_]) -> Floats:
        """Chance of every answer of an agent whose last answer was `own`, shape (state, answer)."""
        rule = self.model.intervention
        if isinstance(rule, Follower):
            follow = rule.probability * majority
            return follow + (1 - follow.sum(axis=1, keepdims=True)) * drawn
        if isinstance(rule, CorrectionLock):
            keep = locked * 1.0 if rule.lasting else rule.probability * (own == 0)
        elif isinstance(rule, Sticky):
            keep = np.full(len(own), rule.probability)
        elif isinstance(rule, Conformist):
            keep = np.take_along_axis(majority, own[:, None], axis=1)[:, 0]
        else:
            return drawn
        return keep[:, None] * np.eye(drawn.shape[1])[own] + (1 - keep[:, None]) * drawn

    def lock(self, state: Counts, last: Counts, weight: Floats, locked: Counts) -> Expanded:
        """Spread every state over how many further right answers become locked."""
        rule = self.model.intervention
        if not isinstance(rule, CorrectionLock) or not rule.lasting:
            return state, last, weight, locked
        free = last[:, 0] - locked
        most = int(free.max())
        index, more, odds = [], [], []
        for n in range(most + 1):
            ways = np.array([comb(right, n) for right in range(most + 1)])[free]
            chance = ways * rule.probability**n * (1 - rule.probability) ** np.maximum(free - n, 0)
            some = np.flatnonzero(chance)
            index.append(some)
            more.append(np.full(len(some), n))
            odds.append(chance[some])
        spread = np.concatenate(index)
        return state[spread], last[spread], weight[spread] * np.concatenate(odds), locked[spread] + np.concatenate(more)

    def heard(
        self, state: Counts, last: Counts, weight: Floats, locked: Counts
    ) -> tuple[NDArray[np.int64], Counts, Floats, NDArray[np.int64], Floats]:
        """What every agent adds to its concentration, shape (state, answer); a summary spreads states over what it says."""
        model = self.model
        n_agents, n_answers = model.concentration.shape
        unit = float(np.max(model.self_weight))  # that of everybody; an agent alone has no other
        summary = self.summary
        if summary is None:
            counts = last.astype(np.float64)
            if model.conformity != 1.0:
                powered = (counts / counts.max(axis=1, keepdims=True)) ** model.conformity
                counts = powered / powered.sum(axis=1, keepdims=True) * n_agents
            if model.answer_weights is not None:
                counts = counts * np.array(model.answer_weights)
            if model.similarity is not None:
                counts = counts @ model.similarity
            return state, last, weight, locked, unit * counts
        leading = (last == last.max(axis=1, keepdims=True)).astype(np.float64)
        tied = leading.sum(axis=1, keepdims=True)
        said = leading / tied
        if summary.ties == "none":
            said = said * (tied == 1)
        noise = summary.noise
        chance = (1 - noise) * said + noise * (said.sum(axis=1, keepdims=True) - said) / (n_answers - 1)
        amount = unit * n_agents if summary.weight is None else summary.weight
        parts = [(np.flatnonzero(chance[:, k]), k) for k in range(n_answers)]
        silent = np.flatnonzero(chance.sum(axis=1) == 0)
        index = np.concatenate([some for some, _ in parts] + [silent])
        added = np.concatenate([np.tile(amount * np.eye(n_answers)[k], (len(some), 1)) for some, k in parts])
        added = np.concatenate([added, np.zeros((len(silent), n_answers))])
        odds = np.concatenate([chance[some, k] for some, k in parts] + [np.ones(len(silent))])
        return state[index], last[index], weight[index] * odds, locked[index], added

    def remember(self, concentration: Floats, running: Floats, heard: Floats, prior: Floats) -> Floats:
        """The concentration after hearing."""
        memory = self.model.memory
        if isinstance(memory, Cumulative):
            return concentration + heard
        if isinstance(memory, LastRound):
            return prior + heard
        if isinstance(memory, Forgetting):
            anchor = 0.0 if memory.prior_fades else 1 - memory.keep
            return memory.keep * concentration + anchor * prior + heard
        return concentration + running

    def stops(self, last: Counts) -> NDArray[np.bool_]:
        """Whether the debate has ended before this round, so that answers are carried on."""
        convergence = self.model.protocol.convergence
        if convergence is None or (convergence.quorum or 1) > self.model.n_agents:
            return np.zeros(len(last), dtype=bool)
        unanimous = last.max(axis=1) == last.sum(axis=1)
        return unanimous if self.model.wrong_answers_agree else unanimous & (last[:, 0] > 0)


def _nucleus(belief: Floats, response: TopP) -> Floats:
    """The fewest likeliest answers whose beliefs reach the mass together, renormalised."""
    order = np.argsort(-belief.round(12), axis=1, kind="stable")
    ranked = np.take_along_axis(belief, order, axis=1)
    kept = ranked.cumsum(axis=1) - ranked < response.mass - 1e-12
    nucleus = np.zeros_like(belief)
    np.put_along_axis(nucleus, order, ranked * kept, axis=1)
    return nucleus / nucleus.sum(axis=1, keepdims=True)


def rules_of(model: DebateModel) -> Rules:
    """The rules of `model`, or why they do not keep a panel of equal agents equal."""
    reasons = []
    concentration = model.concentration
    graph = model.protocol.visibility.graph
    own, peers = np.unique(model.self_weight), np.unique(model.peer_weight)
    if (concentration != concentration[0]).any():
        reasons.append("agents start from different concentrations")
    if isinstance(graph, tuple) or (graph is not None and not graph.is_complete):
        reasons.append("not everybody hears everybody")
    if len(own) > 1 or len(peers) > 1 or (len(concentration) > 1 and own[0] != peers[0]):
        reasons.append("an agent's own answer does not weigh like the others'")
    rule = model.intervention
    locks = isinstance(rule, CorrectionLock) and rule.lasting
    if rule is not None and not locks and not rule.updates:
        reasons.append(f"{type(rule).__name__}(updates=False) lets concentrations drift apart")
    reasons += [
        f"the model has its own {name}" for name in ("stubborn", "protocol.schedule") if name in model.departures
    ]
    if reasons:
        raise ValueError(f"no exact value of this kind: {'; '.join(reasons)}. Simulate it with simulate_debate instead")
    return Rules(model=model)
