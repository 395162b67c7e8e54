"""Groups are a partition that no order changes; votes, ballots and convergence on top of them."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim import answers

POOLS = {
    "quantity": ["5 m", "5", "5 km", "5000 m", "5 meters", "6", "6 kg", "x", "50%"],
    "number": ["1/2", "0.5", ".5", "5", "50%", "1,234", "1.234", "1234", "x"],
    "math": ["1/2", "0.5", "x", "X", "\\{1,2\\}", "\\{2,1\\}", "(1,2)", "2^{10}", "1024", "x=5", "5"],
    "text": ["Paris", "paris.", ".5", "5", "5!", "C", "C++", "[2,5)", "(2,5)"],
    "choice": ["A", "(A)", "a", "B.", "Rome", "F"],
    "boolean": ["yes", "True", "no", "maybe"],
    "multichoice": ["A, C", "C,A", "AC", "A", "B"],
}
CHOICES = {"A": "Rome", "B": "Bonn", "C": "Paris", "D": "Bern"}


def partition(labels):
    """The groups as sets of places."""
    return {frozenset(i for i, label in enumerate(labels) if label == group) for group in set(labels) - {None}}


@pytest.mark.parametrize("type", POOLS)
@given(data=st.data())
def test_no_order_changes_the_partition(type, data):
    given_ = data.draw(st.lists(st.sampled_from([*POOLS[type], None]), max_size=8))
    order = data.draw(st.permutations(range(len(given_))))
    choices = CHOICES if "choice" in type else None
    labels = answers.group(given_, type, choices=choices)
    shuffled = answers.group([given_[i] for i in order], type, choices=choices)
    assert partition(labels) == {frozenset(order[i] for i in part) for part in partition(shuffled)}
    firsts = list(dict.fromkeys(label for label in labels if label is not None))
    assert firsts == list(range(len(firsts)))
    assert [label is None for label in labels] == [item is None for item in given_]


@pytest.mark.parametrize("type", POOLS)
def test_equivalence_is_reflexive_and_symmetric(type):
    choices = CHOICES if "choice" in type else None
    for a, b in itertools.product(POOLS[type], repeat=2):
        assert answers.equivalent(a, b, type, choices=choices) == answers.equivalent(b, a, type, choices=choices)
    assert all(answers.equivalent(a, a, type, choices=choices) for a in POOLS[type])


def test_a_bare_number_joins_the_only_unit():
    assert answers.group(["5", "5 m", "5 meters"], "quantity") == (0, 0, 0)
    for order in itertools.permutations(["5 m", "5", "5 km"]):
        assert answers.group(order, "quantity") == (0, 1, 2)


def test_tolerance_groups_are_connected_parts():
    values = ["100", "101", "102", "110"]
    for order in itertools.permutations(values):
        labels = dict(zip(order, answers.group(order, "number", tolerance=0.01), strict=True))
        assert labels["100"] == labels["101"] == labels["102"] != labels["110"]


def test_the_first_voter_of_a_tie_wins_in_declared_order():
    vote = answers.vote(["Final answer: 8", "Final answer: 3", None, "Final answer: 3", "Final answer: 8.0"], "number")
    assert (vote.answer, vote.votes, vote.tie, vote.groups, vote.abstentions) == ("8", 2, True, 2, 1)
    assert (vote.labels, vote.totals, vote.winner) == ((0, 1, None, 1, 0), (2, 2), 0)


def test_extractions_vote_like_their_replies():
    replies = ["Final answer: 8", "no idea", "\\boxed{8}"]
    found = [answers.extract(reply, "number") for reply in replies]
    assert answers.vote(found) == answers.vote(replies, "number")
    assert answers.vote_answers(["8", None, "8"], "number") == answers.vote(replies, "number")


def test_the_type_of_a_vote_is_inferred_once():
    assert answers.vote(["Final answer: 4", "Final answer: 4.0", "Final answer: five!"]).votes == 2


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, float("nan")], [1.0, float("inf")]])
def test_wrong_weights(weights):
    with pytest.raises(ValueError, match="weight"):
        answers.vote(["Final answer: 4", "Final answer: 5"], "number", weights=weights)


def test_weights_of_a_tenth_tie_exactly():
    assert answers.vote_answers(["a", "a", "a", "b"], "text", weights=[0.1, 0.1, 0.1, 0.3]).tie


@pytest.mark.parametrize("call", [answers.vote, answers.converged, answers.group])
def test_one_text_is_no_panel(call):
    with pytest.raises(TypeError, match="sequence"):
        call("Final answer: 4", "number")


def test_ranked_ballots():
    paradox = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
    for method in ("borda", "instant_runoff", "condorcet"):
        vote = answers.vote_ranked(paradox, method)
        assert (vote.answer, vote.tie) == ("a", True)
    # the plurality winner a loses to b in pairs and in points; the run-off drops c, then elects b
    ballots = [["a", "b", "c"]] * 4 + [["b", "c", "a"]] * 3 + [["c", "b", "a"]] * 2
    assert answers.vote_ranked(ballots, "borda").totals == (8.0, 12.0, 7.0)
    assert {answers.vote_ranked(ballots, method).answer for method in ("borda", "instant_runoff", "condorcet")} == {"b"}
    assert answers.vote_ranked(ballots, "instant_runoff").votes == 5
    assert answers.vote_ranked(ballots, "condorcet").votes == 2


def test_unnamed_options_share_what_is_left():
    vote = answers.vote_ranked([["a"], ["b", "c"], None, []], "borda")
    assert vote.totals == (2.0, 2.5, 1.5)
    assert vote.abstentions == 2
    assert sum(vote.totals) == 2 * 3


def test_weighted_ballots():
    assert answers.vote_ranked([["a", "b"], ["b", "a"]], weights=[1, 2]).answer == "b"
    assert answers.vote_approval([["a"], ["b"]], weights=[1, 2]).answer == "b"


def test_wrong_ballots():
    with pytest.raises(ValueError, match="once"):
        answers.vote_ranked([["a", "a"]])
    with pytest.raises(ValueError, match="method"):
        answers.vote_ranked([["a"]], "dictator")
    with pytest.raises(TypeError, match="ballots"):
        answers.vote_approval(["ab"])
    assert answers.vote_ranked([], "condorcet").answer is None
    assert answers.vote_approval([None]).abstentions == 1


def test_approval():
    vote = answers.vote_approval([["a", "b"], ["b", "b"], ["c"], []])
    assert (vote.answer, vote.votes, vote.tie, vote.groups, vote.abstentions, vote.totals) == (
        "b",
        2,
        False,
        3,
        1,
        (1, 2, 1),
    )


def test_the_instant_runoff_winner_beats_some_rival_in_pairs():
    rng = random.Random(20261201)
    for _ in range(200):
        ballots = [rng.sample("abcd", 4) for _ in range(7)]
        winner = answers.vote_ranked(ballots, "instant_runoff").answer
        assert any(
            2 * sum(ballot.index(winner) < ballot.index(rival) for ballot in ballots) > 7
            for rival in "abcd"
            if rival != winner
        )


def test_extractions_spare_convergence_the_reading():
    found = [answers.extract("Final answer: 4", "number")] * 2
    assert answers.converged(["?", "??"], "number", extractions=found)
    assert answers.converged(["?", "??"], extractions=found)
    with pytest.raises(ValueError, match="extraction"):
        answers.converged(["?"], "number", extractions=found)


@pytest.mark.parametrize(
    ("keywords", "match"),
    [
        ({"quorum": 0}, "quorum"),
        ({"quorum": 3}, "quorum"),
        ({"similarity": 0.0}, "similarity"),
        ({"similarity": 1.5}, "similarity"),
    ],
)
def test_wrong_convergence_settings(keywords, match):
    with pytest.raises(ValueError, match=match):
        answers.converged(["a", "b"], "text", **keywords)


@given(st.lists(st.sampled_from(["Final answer: 4", "Final answer: 5", "no idea", "", None]), max_size=5))
def test_convergence_does_not_depend_on_order(replies):
    assert len({answers.converged(order, "number") for order in itertools.permutations(replies)}) <= 1
