"""Phases: a pipeline of two-role dialogues."""

from __future__ import annotations

from typing import Any

from madsim.llm._debater import Debater
from madsim.llm._request import Model
from madsim.llm._structures._structure import Arrangement, Structure
from madsim.protocols import Document, LastDocument, OneAgent, Phase, Phases, Protocol, Visibility

_SOLVERS = {
    "Planner": "You plan how a question can be answered, in few and checkable steps. You leave the working out to others.",
    "Solver": "You work a plan out step by step and answer the question. You mend what a checker shows to be wrong.",
    "Checker": "You check a solution: every step, every number, and whether it answers what was asked.",
}
_MAKERS = {
    "Analyst": "You are the analyst of a software team. You find out what the customer needs and write it down so that it can be tested.",
    "Architect": "You are the architect of a software team. You turn requirements into the simplest design that meets them.",
    "Programmer": "You are the programmer of a software team. You write complete, working code that follows the design.",
    "Reviewer": "You are the reviewer of a software team. You read code for mistakes and say how each is to be mended.",
    "Tester": "You are the tester of a software team. You think through cases that could break the code and report what fails.",
}
_DONE = "<done>"


def _panel(model: Model, roles: dict[str, str], settings: dict[str, Any]) -> tuple[Debater, ...]:
    return tuple(Debater(name=name, model=model, system=system, **settings) for name, system in roles.items())


def _solve(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    planner, solver, checker = range(3)
    turns = 2 * rounds
    schedule = Phases(
        phases=(
            Phase(name="plan", first=solver, second=planner, turns=2, task="Agree on a plan. Do not carry it out yet."),
            Phase(
                name="solve", first=planner, second=solver, turns=2, publishes="solution", task="Carry the plan out."
            ),
            Phase(
                name="check", first=checker, second=solver, turns=turns, task="Find mistakes, mend them, and answer."
            ),
        )
    )
    protocol = Protocol(rounds=schedule.turns - 1, schedule=schedule, reduction=OneAgent(agent=solver))
    return Arrangement(protocol=protocol, debaters=_panel(model, _SOLVERS, settings))


def _software(model: Model, n_agents: int, rounds: int, **settings: Any) -> Arrangement:
    analyst, architect, programmer, reviewer, tester = range(5)
    turns = 2 * rounds

    def phase(name: str, first: int, second: int, publishes: str, task: str) -> Phase:
        return Phase(name=name, first=first, second=second, turns=turns, until=_DONE, publishes=publishes, task=task)

    schedule = Phases(
        phases=(
            phase("requirements", architect, analyst, "requirements", "Settle what the program must do."),
            phase("design", analyst, architect, "design", "Settle language and files."),
            phase("code", architect, programmer, "code", "Write the whole program."),
            phase("review", reviewer, programmer, "code", "Review the code and mend it; reply with the whole program."),
            phase("test", tester, programmer, "code", "Test the code and mend it; reply with the whole program."),
        )
    )
    documents = (
        Document(type="requirements", form="headings", fields=(("Goal", "text"), ("Requirements", "text"))),
        Document(type="design", form="json", fields=(("language", "text"), ("files", "list"), ("notes", "text"))),
        Document(type="code", form="text"),
    )
    protocol = Protocol(
        rounds=schedule.turns - 1,
        schedule=schedule,
        visibility=Visibility(documents=documents),
        reduction=LastDocument(document="code"),
    )
    return Arrangement(protocol=protocol, debaters=_panel(model, _MAKERS, settings))


PHASES = Structure(
    name="phases",
    about="Planner, solver and checker: three dialogues of two roles, each handing on a document; the solver answers.",
    build=_solve,
    n_agents=3,
    rounds=1,
    least_agents=3,
    most_agents=3,
    least_rounds=1,
)
SOFTWARE = Structure(
    name="software",
    about="Requirements, design, code, review, test: five dialogues of two roles with documents of a checked form; the code is the answer.",
    build=_software,
    n_agents=5,
    rounds=2,
    least_agents=5,
    most_agents=5,
    least_rounds=1,
    answers=False,
)
