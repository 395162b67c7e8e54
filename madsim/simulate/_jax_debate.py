"""Debates in JAX: the general model of simultaneous debates, many trials at once, in single precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from madsim.kernels import debate_rules as codes
from madsim.simulate._jax_streams import batch_size, fixed_point, in_batches, step_keys, trial_keys, uniforms

if TYPE_CHECKING:
    from madsim.simulate._influence import Influence
    from madsim.simulate._totals import Totals

_CLOSE = 1 - 1e-6  # beliefs this near to the largest are equal in single precision


class JaxDebates:
    """Debates of one model, ready to run; `run` is that of a plan."""

    def __init__(
        self,
        prior: NDArray[np.float64],
        n_rounds: int,
        rules: codes.Rules,
        influence: Influence,
        *,
        count_order: bool,
        keep_votes: bool,
    ) -> None:
        self._rules, self._n_rounds, self._order, self._keep = rules, n_rounds, count_order, keep_votes
        self._prior = prior.astype(np.float32)
        self._edges = _matrices(influence, len(prior))
        self.batch = batch_size(4 * prior.size + (n_rounds + 1) * len(prior) * keep_votes)
        self._call = in_batches(self._debates, self.batch)

    def run(self, key: Any, totals: Totals, first: int, count: int, votes: NDArray[np.uint8]) -> None:
        """Add `count` trials from `first` on."""
        for start, used, parts in self._call(key, first, count):
            belief, right, share, wins, spread, given = parts
            totals.belief[...] += belief
            totals.right[...] += right
            totals.share[...] += share
            totals.wins[...] += wins
            totals.spread[...] += spread
            if len(votes):
                votes[start : start + used] = given[:, :used].swapaxes(0, 1)

    def _debates(self, key: Any, trials: Any, used: Any) -> Any:
        n, k = self._prior.shape
        keys = trial_keys(key, trials)
        counted = jnp.arange(len(trials)) < used
        nothing = jnp.zeros((len(trials), n, k), jnp.float32)
        state = (
            nothing,
            nothing,
            jnp.ones((len(trials), n), jnp.float32),
            jnp.zeros((len(trials), n), jnp.int32),
            jnp.zeros((len(trials), n), bool),
        )
        edges = jnp.asarray(self._edges)

        def round_of(state: Any, step: Any) -> Any:
            state, believed, answers = self._round(state, step, step_keys(keys, step), edges)
            given = answers.astype(jnp.uint8) if self._keep else jnp.zeros((0,), jnp.uint8)
            return state, (*self._tally(believed, answers, counted), given)

        return jax.lax.scan(round_of, state, jnp.arange(self._n_rounds + 1))[1]

    def _round(self, state: Any, step: Any, keys: Any, edges: Any) -> Any:
        """One round of all trials: state, beliefs (trial, agent) and answers (trial, agent)."""
        evidence, transcript, prior_share, last, locked = state
        rules, prior = self._rules, jnp.asarray(self._prior)
        later = step > 0
        points = uniforms(keys, (2, len(prior)))
        kept, now_locked = self._kept(last, locked, points[:, 1])
        locked = jnp.where(later, now_locked, locked)
        repeats = jnp.asarray(rules.stubborn == codes.REPEATS)
        moves = jnp.asarray(rules.stubborn == codes.MOVES)
        kept = later & kept & moves
        updates = later & moves & (rules.updates | ~kept)
        heard = self._heard(last, edges[jnp.asarray(rules.graph_of_round)[step]])
        new_evidence, new_transcript = self._remember(heard, evidence, transcript)
        evidence = jnp.where(updates[..., None], new_evidence, evidence)
        transcript = jnp.where(updates[..., None], new_transcript, transcript)
        if rules.memory == codes.FORGETTING and rules.prior_fades:
            prior_share = jnp.where(updates, prior_share * jnp.float32(rules.keep), prior_share)
        concentration = prior_share[..., None] * prior + evidence
        believed = concentration[..., 0] / concentration.sum(axis=-1)
        drawn = jnp.where(
            step >= rules.response_from,
            self._respond(rules.response, concentration, points[:, 0]),
            self._respond(codes.MATCHING, concentration, points[:, 0]),
        )
        answers = jnp.where(kept | (later & repeats), last, drawn)
        return (evidence, transcript, prior_share, answers, locked), believed, answers

    def _kept(self, last: Any, locked: Any, point: Any) -> Any:
        """Which agents keep their answer by the intervention, and which are locked."""
        rules = self._rules
        chance = point < jnp.float32(rules.probability)
        if rules.rule == codes.STICKY:
            return chance, locked
        if rules.rule == codes.LOCK:
            kept = locked | ((last == 0) & chance)
            return kept, kept if rules.lasting else locked
        return jnp.zeros_like(locked), locked

    def _heard(self, last: Any, edges: Any) -> Any:
        """The counts that every agent hears, float32 (trial, agent, answer)."""
        rules, k = self._rules, self._prior.shape[1]
        shown = jax.nn.one_hot(last, k, dtype=jnp.float32) * jnp.asarray(rules.answer_weights, jnp.float32)
        if len(rules.similarity):
            shown = shown @ jnp.asarray(rules.similarity, jnp.float32)
        common, own = (jnp.asarray(w, jnp.float32)[:, None] for w in (rules.common, rules.own))
        heard = common * (shown.sum(axis=1, keepdims=True) - shown) + own * shown
        if edges.shape[0]:
            heard = heard + jnp.einsum("ij,tjk->tik", edges, shown, precision="highest")
        if rules.conformity == 1.0:
            return heard
        total, largest = heard.sum(axis=-1, keepdims=True), heard.max(axis=-1, keepdims=True)
        powered = jnp.where(total > 0, (heard / jnp.where(largest > 0, largest, 1)) ** jnp.float32(rules.conformity), 0)
        sums = powered.sum(axis=-1, keepdims=True)
        return powered * total / jnp.where(sums > 0, sums, 1)

    def _remember(self, heard: Any, evidence: Any, transcript: Any) -> Any:
        rules = self._rules
        if rules.memory == codes.LAST_ROUND:
            return heard, transcript
        if rules.memory == codes.FORGETTING:
            return jnp.float32(rules.keep) * evidence + heard, transcript
        if rules.memory == codes.REREADING:
            return evidence + transcript + heard, transcript + heard
        return evidence + heard, transcript

    def _respond(self, kind: int, concentration: Any, point: Any) -> Any:
        """An answer of every agent, int32 (trial, agent)."""
        setting = jnp.float32(self._rules.response_setting)
        largest = concentration.max(axis=-1, keepdims=True)
        chances = concentration
        if kind == codes.TEMPERATURE:
            chances = jnp.exp(jnp.log(concentration / largest) / setting)
        elif kind == codes.ARGMAX:
            chances = (concentration >= largest * _CLOSE).astype(jnp.float32)
            if self._rules.response_setting == 1.0:
                return chances.argmax(axis=-1).astype(jnp.int32)
        elif kind == codes.TOP_P:
            order = jnp.argsort(-concentration, axis=-1, stable=True)
            ranked = jnp.take_along_axis(concentration, order, axis=-1)
            before = jnp.cumsum(ranked, axis=-1) - ranked
            inside = before < setting * ranked.sum(axis=-1, keepdims=True) * _CLOSE
            back = jnp.argsort(order, axis=-1)
            chances = jnp.take_along_axis(jnp.where(inside, ranked, 0), back, axis=-1)
        below = jnp.cumsum(chances, axis=-1)
        return (point[..., None] * below[..., -1:] >= below[..., :-1]).sum(axis=-1, dtype=jnp.int32)

    def _tally(self, believed: Any, answers: Any, counted: Any) -> Any:
        """Whole numbers of one round over the trials that count, as `Totals` holds them."""
        n, k = self._prior.shape
        votes = jax.nn.one_hot(answers, k, dtype=jnp.int64).sum(axis=1)
        weight = counted.astype(jnp.int64)
        sums = jnp.stack([fixed_point(believed), fixed_point(believed * believed)], axis=-1)
        belief = (sums * weight[:, None, None]).sum(axis=0)
        right = ((answers == 0) * weight[:, None]).sum(axis=0)
        share = jnp.stack([(votes[:, 0] * weight).sum(), (votes[:, 0] ** 2 * weight).sum()])
        leads = votes == votes.max(axis=1, keepdims=True)
        won = leads[:, 0] & counted
        wins = jnp.stack([(won & (leads.sum(axis=1) == among)).sum() for among in range(1, k + 1)])
        first = jnp.zeros((), jnp.int64)
        if self._order:
            leading = jnp.take_along_axis(leads, answers, axis=1)
            first_answer = jnp.take_along_axis(answers, leading.argmax(axis=1)[:, None], axis=1)[:, 0]
            first = ((first_answer == 0) & counted).sum()
        apart = (n * n - (votes**2).sum(axis=1)).astype(jnp.float64) / max(1, n * (n - 1))
        spread = jnp.stack([(fixed_point(apart) * weight).sum(), (fixed_point(apart * apart) * weight).sum()])
        return belief, right, share, jnp.append(wins, first), spread


def _matrices(influence: Influence, n: int) -> NDArray[np.float32]:
    """What edges add, float32 (graph, agent, agent heard); of no agent where nobody is heard by an edge."""
    graphs = len(influence.offsets)
    if not len(influence.heard_agent):
        return np.zeros((graphs, 0, n), np.float32)
    matrices = np.zeros((graphs, n, n), np.float32)
    for graph, offsets in enumerate(influence.offsets):
        hearers = np.repeat(np.arange(n), np.diff(offsets))
        part = slice(offsets[0], offsets[-1])
        np.add.at(matrices[graph], (hearers, influence.heard_agent[part]), influence.weights[part])
    return matrices
