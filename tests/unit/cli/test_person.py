"""The person at the terminal: what is shown, how the reply is read, and that nothing else waits for it."""

import asyncio
import io
import os
import sys

import pytest

from madsim.cli._person import Person
from madsim.llm import Turn
from madsim.tasks import Sample

QUESTION = Sample(id="q1", question="2+2?", target="4", answer_type="number")


def turn(*messages, round=0, sample=QUESTION):
    told = tuple({"role": role, "content": text} for role, text in messages)
    return Turn(sample=sample, epoch=0, round=round, agent=0, panel=("Ann", "Ben"), replies=(), messages=told)


def asked(person, *turns):
    """The replies to several turns in one loop."""

    async def ask():
        return [await person(one) for one in turns]

    return asyncio.run(ask())


@pytest.fixture
def typed(monkeypatch):
    """Puts text on a standard input that is a pipe; `open` leaves its other end to the caller."""
    ends = []

    def put(text, *, open=False):
        read, write = os.pipe()
        os.write(write, text.encode())
        if open:
            ends.append(write)
        else:
            os.close(write)
        monkeypatch.setattr(sys, "stdin", os.fdopen(read, encoding="utf-8"))
        ends.append(sys.stdin)
        return write

    yield put
    for end in ends:
        if isinstance(end, int):
            os.close(end)
        else:
            end.close()


def test_the_reply_is_everything_up_to_an_empty_line(typed):
    typed("one\r\ntwo ä\n\nthree\n\n\n")
    assert asked(Person(), turn(("user", "2+2?")), turn(("user", "2+2?")), turn(("user", "2+2?"))) == [
        "one\ntwo ä",
        "three",
        None,
    ]


def test_at_the_end_nobody_is_there_and_nothing_more_is_shown(typed, capsys):
    typed("last words")
    person = Person()
    assert asked(person, turn(("user", "2+2?"))) == ["last words"]
    capsys.readouterr()
    with pytest.raises(EOFError, match="at its end"):
        asked(person, turn(("user", "2+2?")))
    assert capsys.readouterr().err == ""


def test_a_standard_input_without_a_descriptor_is_read_as_well(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\n\nb"))
    assert asked(Person(), turn(("user", "2+2?")), turn(("user", "2+2?"))) == ["a", "b"]
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(EOFError):
        asked(Person(), turn(("user", "2+2?")))


def test_a_seat_that_is_taken_late_is_shown_role_question_and_what_was_said_from_it(typed, capsys):
    typed("a\n\n")
    late = turn(("system", "You doubt."), ("user", "2+2?"), ("assistant", "It is 5."), ("user", "Ben says 4."), round=1)
    asked(Person(), late)
    assert capsys.readouterr().err == (
        "\n--- question q1, round 1, Ann: your reply, then an empty line ---\n"
        "[your role]\nYou doubt.\n\n2+2?\n\n[said before from this seat]\nIt is 5.\n\nBen says 4.\n\n"
    )


def test_of_a_conversation_that_goes_on_only_the_new_is_shown_and_of_another_one_all(typed, capsys):
    typed("a\n\nb\n\nc\n\n")
    first = turn(("user", "2+2?"))
    second = turn(("user", "2+2?"), ("assistant", "a"), ("user", "Ben says 4."), round=1)
    asked(Person(), first, second, first)
    heads = [f"\n--- question q1, round {number}, Ann: your reply, then an empty line ---\n" for number in (0, 1, 0)]
    assert capsys.readouterr().err == f"{heads[0]}2+2?\n\n{heads[1]}Ben says 4.\n\n{heads[2]}2+2?\n\n"


def test_words_of_others_cannot_move_the_cursor(typed, capsys):
    typed("a\n\n")
    asked(Person(), turn(("user", "Ben:\x1b[2J gone\u202e")))
    assert "Ben:\\x1b[2J gone\\u202e" in capsys.readouterr().err


def test_other_debates_go_on_while_a_person_types(typed):
    write = typed("slow", open=True)

    async def both():
        asking = asyncio.ensure_future(Person()(turn(("user", "2+2?"))))
        await asyncio.sleep(0)
        assert not asking.done()
        os.write(write, b"ly\n\n")
        return await asking

    assert asyncio.run(both()) == "slowly"
