"""A model's departures from the plain debate, as the numbers that the general kernel reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from madsim.models import (
    Argmax,
    Conformist,
    CorrectionLock,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Rereading,
    Sticky,
    Summary,
    Temperature,
    TopP,
)
from madsim.protocols import OneByOne, Simultaneous

if TYPE_CHECKING:
    from madsim.kernels.debate_rules import Rules
    from madsim.simulate._influence import Influence

_LEAST_MASS = 1e-250
_MOST_DENSE = 2048
_LEAST_SINGLE, _MOST_SINGLE = 1e-30, 1e30  # float32 makes 0 or infinity of what lies far beyond


def why_general(model: DebateModel) -> str:
    """Why only the general kernel can run a model, in words; empty where the lanes can."""
    parts = list(model.departures)
    if model.protocol.visibility.show == "summary" and model.summary is None:
        parts.append("protocol.visibility.show='summary'")
    return f"departs from the plain debate in {', '.join(parts)}" if parts else ""


def why_not_jax(model: DebateModel, influence: Influence) -> str:
    """What keeps a model from the JAX backend, in words; empty where nothing does."""
    protocol = model.protocol
    least, most = _range_of(model, influence)
    shown = "summary" if model.summary is not None or protocol.visibility.show == "summary" else ""
    reasons = {
        "debates in which agents speak one by one": not isinstance(protocol.schedule, Simultaneous),
        "debates that stop early": protocol.convergence is not None,
        f"debates in which agents hear a {shown}": bool(shown),
        f"the intervention {type(model.intervention).__name__}": isinstance(model.intervention, (Conformist, Follower)),
        f"graphs of more than {_MOST_DENSE} agents": len(influence.heard_agent) > 0 and model.n_agents > _MOST_DENSE,
        f"concentrations from {least:.1g} to {most:.1g} in single precision": least < _LEAST_SINGLE
        or most > _MOST_SINGLE,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _range_of(model: DebateModel, influence: Influence) -> tuple[float, float]:
    """Bounds of what an agent holds while the debate lasts: down to what fades where nothing is heard, up to all that is heard."""
    heard, memory, least = influence.heard_mass, model.memory, float(model.concentration.min())
    if isinstance(memory, Forgetting) and memory.prior_fades and heard[1:].min(initial=1.0) < _LEAST_SINGLE:
        least *= memory.keep ** (len(heard) - 1)
    return least, float((model.mass + heard.sum(axis=0)).max())


def check_memory(model: DebateModel, n_rounds: int) -> None:
    """Raise ValueError where an agent that hears nothing would forget its belief down to numbers that cannot be told from 0."""
    memory = model.memory
    if not isinstance(memory, Forgetting) or not memory.prior_fades:
        return
    left = float(model.mass.min()) * memory.keep**n_rounds
    if left < _LEAST_MASS:
        raise ValueError(
            f"a memory that keeps {memory.keep} a round leaves {left:g} of the least first belief after {n_rounds} rounds; "
            "use fewer rounds, a larger share, or Forgetting(..., prior_fades=False)"
        )


def rules_of(model: DebateModel, influence: Influence) -> Rules:
    """The rules of a model for `debate_variants`.

    Raises
    ------
    ValueError
        If the protocol's schedule is one that simulated debates do not have.
    """
    from madsim.kernels import debate_rules as codes

    schedule, n = model.protocol.schedule, model.n_agents
    if isinstance(schedule, Simultaneous):
        order = codes.SIMULTANEOUS
    elif isinstance(schedule, OneByOne):
        order = codes.DECLARED if schedule.order == "declared" else codes.RANDOM
    else:
        raise ValueError(f"simulated debates run the schedules Simultaneous and OneByOne; got {schedule!r}")
    stubborn = np.full(n, codes.MOVES, np.int8)
    if model.stubborn is not None:
        stubborn[list(model.stubborn.agents)] = codes.REPEATS if model.stubborn.repeats else codes.DRAWS
    response, response_setting, response_from = _response(model)
    memory, keep, prior_fades = _memory(model)
    summary, summary_noise, summary_ties = _summary(model, influence)
    rule, probability, among_heard, rule_ties, updates, lasting = _rule(model)
    return codes.Rules(
        order=order,
        complete=influence.complete,
        graph_of_round=influence.graph_of_round,
        offsets=influence.offsets,
        heard_agent=influence.heard_agent,
        weights=influence.weights,
        common=influence.common,
        own=influence.own,
        answer_weights=np.ones(model.n_answers) if model.answer_weights is None else np.array(model.answer_weights),
        similarity=np.zeros((0, 0)) if model.similarity is None else np.array(model.similarity),
        conformity=float(model.conformity),
        response=response,
        response_setting=response_setting,
        response_from=response_from,
        memory=memory,
        keep=keep,
        prior_fades=prior_fades,
        stubborn=stubborn,
        summary=summary,
        summary_noise=summary_noise,
        summary_ties=summary_ties,
        rule=rule,
        probability=probability,
        among_heard=among_heard,
        rule_ties=rule_ties,
        updates=updates,
        lasting=lasting,
        stop=_stop(model),
        ties_first=getattr(model.protocol.reduction, "ties", None) == "first",
    )


def _response(model: DebateModel) -> tuple[int, float, int]:
    from madsim.kernels import debate_rules as codes

    response = model.response
    if isinstance(response, Temperature):
        return codes.TEMPERATURE, float(response.temperature), response.from_round
    if isinstance(response, TopP):
        return codes.TOP_P, float(response.mass), response.from_round
    if isinstance(response, Argmax):
        return codes.ARGMAX, float(response.ties == "first"), response.from_round
    return codes.MATCHING, 0.0, 0


def _memory(model: DebateModel) -> tuple[int, float, bool]:
    from madsim.kernels import debate_rules as codes

    memory = model.memory
    if isinstance(memory, Forgetting):
        return codes.FORGETTING, float(memory.keep), memory.prior_fades
    if isinstance(memory, LastRound):
        return codes.LAST_ROUND, 0.0, False
    return codes.REREADING if isinstance(memory, Rereading) else codes.CUMULATIVE, 1.0, False


def _summary(model: DebateModel, influence: Influence) -> tuple[np.ndarray, float, int]:
    from madsim.kernels import debate_rules as codes

    summary = model.summary
    if summary is None:
        if model.protocol.visibility.show != "summary":
            return np.zeros(0), 0.0, codes.TIES_RANDOM
        summary = Summary()
    if summary.weight is None:
        weights = influence.heard_mass[min(1, len(influence.heard_mass) - 1)].copy()
    else:
        weights = np.full(model.n_agents, float(summary.weight))
    return weights, float(summary.noise), codes.TIES_NONE if summary.ties == "none" else codes.TIES_RANDOM


def _rule(model: DebateModel) -> tuple[int, float, bool, int, bool, bool]:
    from madsim.kernels import debate_rules as codes

    rule = model.intervention
    ties = {"random": codes.TIES_RANDOM, "each": codes.TIES_EACH, "any": codes.TIES_ANY, "none": codes.TIES_NONE}
    if isinstance(rule, CorrectionLock):
        return codes.LOCK, float(rule.probability), False, codes.TIES_RANDOM, rule.updates, rule.lasting
    if isinstance(rule, Conformist):
        return codes.CONFORMIST, 1.0, rule.among == "heard", ties[rule.ties], rule.updates, False
    if isinstance(rule, Follower):
        return codes.FOLLOWER, float(rule.probability), rule.among == "heard", ties[rule.ties], rule.updates, False
    if isinstance(rule, Sticky):
        return codes.STICKY, float(rule.probability), False, codes.TIES_RANDOM, rule.updates, False
    return codes.NO_RULE, 0.0, False, codes.TIES_RANDOM, True, False


def _stop(model: DebateModel) -> int:
    from madsim.kernels import debate_rules as codes

    convergence = model.protocol.convergence
    if convergence is None or (convergence.quorum or 1) > model.n_agents:
        return codes.NEVER
    return codes.ON_ANY if model.wrong_answers_agree else codes.ON_TARGET
