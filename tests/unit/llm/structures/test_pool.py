"""Pools: who receives something new speaks; nobody is shown what it does not subscribe to."""

import pytest

from madsim import llm
from madsim.protocols import Document, OneAgent, Pool, Protocol, Visibility
from madsim.tasks import Sample

QUESTION = Sample(id="q", question="2 + 2?", target="4", answer_type="number")


def panel(replies, *seats):
    """Debaters (name, publishes, subscribes) whose replies are given by (round, agent)."""
    script = llm.ScriptedModel(
        replies=lambda request: replies.get((request.context.round, request.context.agent), "Final answer: 4")
    )
    return [
        llm.Debater(name=name, model=script, publishes=publishes, subscribes=subscribes)
        for name, publishes, subscribes in seats
    ]


PIPELINE = (("A", "draft", ()), ("B", "draft", ()), ("C", "critique", ("draft",)), ("E", "answer", ("critique",)))


def spoke(run):
    return [(one.round, one.agent) for one in run.transcripts[0].replies]


def shown(run):
    """By call, what was shown, as the record has it."""
    return {(one.round, one.agent): one.messages[-1]["content"] for one in run.transcripts[0].replies}


def test_sources_begin_and_whoever_receives_something_goes_on():
    run = llm.run_debates(
        Protocol(rounds=5, schedule=Pool(), reduction=OneAgent(agent=3)), panel({}, *PIPELINE), [QUESTION]
    )
    assert spoke(run) == [(0, 0), (0, 1), (1, 2), (2, 3)]
    words = shown(run)
    assert "A published the document 'draft'" in words[1, 2]
    assert "B published the document 'draft'" in words[1, 2]
    assert "C published the document 'critique'" in words[2, 3]
    assert "draft" not in words[2, 3]
    assert run.transcripts[0].outcome["correct"]


def test_what_each_role_saw_is_in_the_record(tmp_path):
    record = tmp_path / "run.jsonl"
    protocol = Protocol(rounds=5, schedule=Pool(), reduction=OneAgent(agent=3))
    llm.run_debates(protocol, panel({}, *PIPELINE), [QUESTION], record=record)
    from madsim.transcripts import read_record

    calls = [(call["document"], call["shown"]) for call in read_record(record).calls]
    assert calls == [("draft", []), ("draft", []), ("critique", [[0, 0], [0, 1]]), ("answer", [[1, 2]])]


def test_nobody_is_shown_a_document_without_its_form_and_its_writer_speaks_again():
    form = Document(type="draft", form="json", fields={"answer": "number"})
    replies = {(0, 0): "four", (1, 0): '{"answer": 4}'}
    people = panel(replies, ("A", "draft", ()), ("E", "answer", ("draft",)))
    protocol = Protocol(
        rounds=5, schedule=Pool(), visibility=Visibility(documents=(form,)), reduction=OneAgent(agent=1)
    )
    run = llm.run_debates(protocol, people, [QUESTION])
    assert spoke(run) == [(0, 0), (1, 0), (2, 1)]
    words = shown(run)
    again = [message["content"] for message in run.transcripts[0].replies[1].messages]
    assert any("Your document 'draft' was not handed on: there is no JSON object" in one for one in again)
    assert '> {"answer": 4}' in words[2, 1]
    assert "four" not in words[2, 1]
    assert run.transcripts[0].outcome["details"]["documents_refused"] == 1


def test_a_writer_that_never_mends_is_stopped_by_the_rounds():
    form = Document(type="draft", form="json")
    people = panel({}, ("A", "draft", ()), ("E", "answer", ("draft",)))
    protocol = Protocol(rounds=3, schedule=Pool(), visibility=Visibility(documents=(form,)))
    run = llm.run_debates(protocol, people, [QUESTION])
    assert spoke(run) == [(0, 0), (1, 0), (2, 0), (3, 0)]


@pytest.mark.parametrize(
    ("starts", "first"), [("sources", [(0, 0), (0, 1)]), ("all", [(0, 0), (0, 1), (0, 2), (0, 3)])]
)
def test_who_begins(starts, first):
    run = llm.run_debates(Protocol(rounds=1, schedule=Pool(starts=starts)), panel({}, *PIPELINE), [QUESTION])
    assert spoke(run)[: len(first)] == first
    with pytest.raises(ValueError, match="'sources' or 'all'"):
        Pool(starts="some")


def test_where_all_wait_for_each_other_everybody_begins():
    people = panel({}, ("A", "x", ("y",)), ("B", "y", ("x",)))
    run = llm.run_debates(Protocol(rounds=2, schedule=Pool()), people, [QUESTION])
    assert spoke(run) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]


def test_a_pool_reads_less_than_a_broadcast():
    narrow = llm.plan(Protocol(rounds=2, schedule=Pool()), panel({}, *PIPELINE), [QUESTION])
    wide = llm.plan(
        Protocol(rounds=2, schedule=Pool(starts="all")),
        panel({}, *[(name, kind, None) for name, kind, _ in PIPELINE]),
        [QUESTION],
    )
    assert narrow.input_tokens < wide.input_tokens / 3


def test_an_empty_document_is_handed_to_nobody_and_written_again():
    people = panel({(0, 0): " "}, ("A", "draft", ()), ("E", "answer", ("draft",)))
    run = llm.run_debates(Protocol(rounds=5, schedule=Pool(), reduction=OneAgent(agent=1)), people, [QUESTION])
    assert spoke(run) == [(0, 0), (1, 0), (2, 1)]
    assert run.transcripts[0].outcome["details"]["documents_refused"] == 1
