"""Small parts that several tests of the engine use."""

from madsim import llm
from madsim.tasks import Sample


def number(name: str = "q", target: str = "4") -> Sample:
    """A question with a number for an answer."""
    return Sample(id=name, question="How much is two and two?", target=target, answer_type="number")


def choice(name: str = "q", target: str = "A") -> Sample:
    """A question with three options."""
    return Sample(
        id=name,
        question="Which?",
        target=target,
        answer_type="choice",
        choices={"A": "ash", "B": "beech", "C": "cedar"},
    )


def panel_of(model: llm.Model, n: int, **settings) -> list[llm.Debater]:
    """Debaters d0, d1, ... with one model."""
    return [llm.Debater(name=f"d{i}", model=model, **settings) for i in range(n)]


def scripted(*rows: list, **settings) -> list[llm.Debater]:
    """A panel with one row of replies a debater."""
    return panel_of(llm.ScriptedModel(replies=rows), len(rows), **settings)


def final(answer: object) -> str:
    """A reply with this answer."""
    return f"I thought about it.\nFinal answer: {answer}"


def outcome(run, place: int = 0) -> dict:
    """The outcome of one debate."""
    return run.transcripts[place].outcome


def plain(run):
    """What a run says, without who said it when."""
    return [
        (
            t.sample.id,
            t.epoch,
            [(r.round, r.agent, r.text, r.answer) for r in t.replies],
            t.outcome["status"],
            t.outcome["answer"],
        )
        for t in run.transcripts
    ]
