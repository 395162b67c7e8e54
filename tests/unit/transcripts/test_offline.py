"""Work on saved runs without one call."""

import pytest

from madsim.protocols import Convergence, Protocol, Visibility
from madsim.tasks import Sample
from madsim.transcripts import Reply, Run, Transcript, cut_rounds, reextract, reorder_agents, vote_by_round, votes_of

SAMPLE = Sample(id="q", question="2+2?", target="4", answer_type="number")


def reply(round, agent, answer, text=None, **more):
    return Reply(round=round, agent=agent, answer=answer, text=text, **more)


def run(*replies, protocol=None, outcome=None):
    return Run(
        agents=("a", "b"),
        transcripts=(Transcript(sample=SAMPLE, replies=replies, outcome=outcome),),
        protocol=None if protocol is None else protocol.to_dict(),
    )


TWO_ROUNDS = run(
    reply(0, 0, "4"),
    reply(0, 1, "5"),
    reply(1, 0, "5"),
    reply(1, 1, "5"),
    protocol=Protocol(rounds=1, convergence=Convergence()),
    outcome={"answer": "5"},
)


def test_cutting_rounds_is_the_shorter_debate():
    cut = cut_rounds(TWO_ROUNDS, 0)
    assert votes_of(cut).answers.tolist() == [[[0, 1]]]
    assert cut.transcripts[0].outcome is None
    assert cut.protocol is not None
    assert cut.protocol["rounds"] == 0
    assert cut_rounds(TWO_ROUNDS, 1) == TWO_ROUNDS
    assert cut_rounds(TWO_ROUNDS, 9) == TWO_ROUNDS
    with pytest.raises(ValueError, match="n_rounds must be"):
        cut_rounds(TWO_ROUNDS, -1)


def test_reextraction_changes_what_was_read_wrongly_and_nothing_else():
    before = run(
        reply(0, 0, "5", "Final answer: 4"),
        reply(0, 1, "7"),
        reply(1, 0, None, None, failed=True, reason="timeout"),
        reply(1, 1, "4", "Final answer: 4"),
        outcome={"answer": "5"},
    )
    after = reextract(before)
    assert [one.answer for one in after.transcripts[0].replies] == ["4", "7", None, "4"]
    assert after.transcripts[0].replies[1:3] == before.transcripts[0].replies[1:3]
    assert after.transcripts[0].outcome is None
    assert reextract(after).transcripts == after.transcripts
    assert votes_of(before, reextract=True).answers.tolist() == votes_of(after).answers.tolist()


def test_the_declared_order_decides_ties():
    tied = cut_rounds(TWO_ROUNDS, 0)
    swapped = reorder_agents(tied, [1, 0])
    assert swapped.agents == ("b", "a")
    assert vote_by_round(votes_of(tied), "first")[0].value == 1.0
    assert vote_by_round(votes_of(swapped), "first")[0].value == 0.0
    assert reorder_agents(swapped, [1, 0]).transcripts == tied.transcripts
    assert swapped.protocol == tied.protocol
    for wrong in ([0], [0, 0], [0, 2]):
        with pytest.raises(ValueError, match="order must hold"):
            reorder_agents(tied, wrong)


def test_a_graph_does_not_survive_another_order():
    from madsim import graphs

    ringed = run(reply(0, 0, "4"), protocol=Protocol(rounds=1, visibility=Visibility(graph=graphs.star(2))))
    assert reorder_agents(ringed, [1, 0]).protocol is None


class TestVotesOf:
    def test_equal_answers_are_one_group_and_the_target_is_zero(self):
        votes = votes_of(run(reply(0, 0, "4.0"), reply(0, 1, "5"), reply(1, 0, "5.00"), reply(1, 1, "6")))
        assert votes.answers.tolist() == [[[0, 1], [1, 2]]]

    def test_without_a_target_no_answer_is_zero(self):
        blind = Run(
            agents=("a", "b"),
            transcripts=(
                Transcript(
                    sample=Sample(id="q", question="?", answer_type="text"),
                    replies=(reply(0, 0, "x"), reply(0, 1, "y")),
                ),
            ),
        )
        votes = votes_of(blind)
        assert votes.answers.tolist() == [[[1, 2]]]
        assert votes.has_target.tolist() == [False]

    def test_questions_cluster_and_epochs_are_named(self):
        transcripts = tuple(
            Transcript(sample=Sample(id=name, question=question), epoch=epoch, replies=(reply(0, 0, None),))
            for name, question, epoch in (("a", "same ", 0), ("b", "same", 0), ("c", "", 0), ("d", "", 0), ("c", "", 1))
        )
        votes = votes_of(Run(agents=("x",), transcripts=transcripts))
        assert votes.cluster.tolist() == [0, 0, 1, 2, 1]
        assert votes.samples == ("a#0", "b#0", "c#0", "d#0", "c#1")

    @pytest.mark.parametrize(
        ("samples", "expected"),
        [
            ([Sample(id="a", question="", choices={"A": "", "B": "", "C": ""}, answer_type="choice")], 3),
            ([Sample(id="a", question="", answer_type="boolean")], 2),
            ([Sample(id="a", question="", answer_type="number")], None),
            ([Sample(id="a", question="", choices={"A": "", "B": ""}, answer_type="multichoice")], None),
            (
                [
                    Sample(id="a", question="", answer_type="boolean"),
                    Sample(id="b", question="", choices={"A": "", "B": "", "C": ""}, answer_type="choice"),
                ],
                None,
            ),
        ],
    )
    def test_the_number_of_answers_is_known_where_it_is_one(self, samples, expected):
        transcripts = tuple(Transcript(sample=one, replies=(reply(0, 0, None),)) for one in samples)
        assert votes_of(Run(agents=("x",), transcripts=transcripts)).n_answers == expected

    def test_a_run_without_replies_has_no_votes(self):
        with pytest.raises(ValueError, match="1 transcripts and no reply"):
            votes_of(run())
