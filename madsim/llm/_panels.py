"""Ready-made panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from madsim.llm._debater import Debater
from madsim.llm._request import Model

PERSONAS: dict[str, str] = {
    "assistant": "You are a careful assistant who answers questions step by step.",
    "mathematician": "You are a mathematician. You prove what you claim and check every calculation.",
    "lawyer": "You are a lawyer. You read the wording of a question closely and test every claim against it.",
    "economist": "You are an economist. You think in incentives, quantities and trade-offs.",
    "programmer": "You are a programmer. You break a problem into steps and look for the case that breaks them.",
    "doctor": "You are a doctor. You weigh the evidence and rule out alternatives before you decide.",
    "psychologist": "You are a psychologist. You notice assumptions and biases, your own included.",
    "physicist": "You are a physicist. You check units, orders of magnitude and limiting cases.",
    "historian": "You are a historian. You ask where a claim comes from and what else was known.",
    "engineer": "You are an engineer. You prefer answers that have been checked in more than one way.",
}
"""Roles by name, each a system prompt."""


def identical(model: Model, n_agents: int, *, system: str | None = None, **settings: Any) -> list[Debater]:
    """`n_agents` debaters that differ in their names alone; `settings` are fields of :class:`Debater`."""
    if isinstance(n_agents, bool) or not isinstance(n_agents, int) or n_agents < 1:
        raise ValueError(f"n_agents must be an integer of at least 1, got {n_agents!r}")
    return [Debater(name=f"Debater {i}", model=model, system=system, **settings) for i in range(1, n_agents + 1)]


def personas(model: Model, names: Sequence[str], **settings: Any) -> list[Debater]:
    """One debater for each of `names` out of :data:`PERSONAS`; a name that stands twice gives two debaters.

    Raises
    ------
    ValueError
        For an unknown name, with the known ones.
    """
    unknown = sorted(set(names) - set(PERSONAS))
    if unknown:
        raise ValueError(f"unknown personas {', '.join(unknown)}; known are {', '.join(PERSONAS)}")
    panel = []
    for place, name in enumerate(names):
        number = list(names[: place + 1]).count(name)
        shown = name if list(names).count(name) == 1 else f"{name} {number}"
        panel.append(Debater(name=shown, model=model, system=PERSONAS[name], **settings))
    return panel


def affirmative_negative(model: Model, **settings: Any) -> list[Debater]:
    """Two sides (Liang et al. 2023): one argues for its answer, the other looks for what is wrong with it."""
    sides = (
        ("Affirmative", "You are the affirmative side of a debate. Give your answer and the best case for it."),
        (
            "Negative",
            "You are the negative side of a debate. Disagree with the other side's answer wherever you can show that it is wrong, and "
            "give the answer that you hold to be right.",
        ),
    )
    return [Debater(name=name, model=model, system=system, **settings) for name, system in sides]


def devils_advocate(model: Model, n_agents: int, **settings: Any) -> list[Debater]:
    """A panel whose last member attacks whatever the others seem to agree on."""
    if n_agents < 2:
        raise ValueError(f"a devil's advocate needs somebody to oppose: n_agents must be at least 2, got {n_agents!r}")
    panel = identical(model, n_agents - 1, **settings)
    system = (
        "You are the devil's advocate. Look for the strongest objection to what the other debaters agree on, and only give their "
        "answer if you find none."
    )
    return [*panel, Debater(name="Devil's advocate", model=model, system=system, **settings)]


def agreement_dial(model: Model, n_agents: int, agreement: float, **settings: Any) -> list[Debater]:
    """A panel that is told how far to agree with others (Smit et al. 2024).

    Parameters
    ----------
    agreement
        from 0 (never) to 1 (always)
    """
    if not 0 <= agreement <= 1:
        raise ValueError(f"agreement must lie in [0, 1], got {agreement!r}")
    system = f"You answer questions in a debate. You should agree with the other debaters {round(100 * agreement)}% of the time."
    return identical(model, n_agents, system=system, **settings)


def two_sides(model: Model, **settings: Any) -> list[Debater]:
    """Two debaters with assigned opposing answers, the first and the second choice of each sample (Khan et al. 2024).

    Give the run a (weaker) judge: ``run_debates(Protocol(reduction=Judge(kind="comparative")), two_sides(strong), samples,
    judge=Debater(name="judge", model=weak))``.
    """
    system = (
        "You are a debater. You are assigned a side and make the strongest honest case for it, with evidence that a reader can check. "
        "You end every reply with the answer of your side."
    )
    return [
        Debater(name=name, model=model, system=system, side=side, **settings)
        for name, side in (("Alice", "first"), ("Bob", "second"))
    ]


def copies(panel: Sequence[Debater], n_agents: int) -> list[Debater]:
    """`n_agents` debaters that go round the panel, with names of their own: a plain vote that spends as many calls as a debate."""
    members = []
    for place in range(n_agents):
        one = panel[place % len(panel)]
        turn = place // len(panel)
        members.append(one if turn == 0 else replace(one, name=f"{one.name} (draw {turn + 1})"))
    return members
