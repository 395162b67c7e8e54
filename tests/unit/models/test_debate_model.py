"""The description of a debate: what it accepts, what it refuses, and its plain form."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

from madsim import graphs
from madsim.models import (
    Argmax,
    Conformist,
    CorrectionLock,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Oracle,
    Sticky,
    Stubborn,
    Summary,
    Temperature,
    TopP,
    debate_from_dict,
)
from madsim.protocols import Convergence, OneByOne, Protocol, Visibility
from tests.reference.models import variant_models


def test_homogeneous_splits_the_rest_evenly():
    model = DebateModel.homogeneous(n_agents=3, belief=0.7, mass=2.0, n_answers=4)
    assert model.concentration.tolist() == pytest.approx(np.tile([1.4, 0.2, 0.2, 0.2], (3, 1)))
    assert model.n_agents == 3
    assert model.n_answers == 4
    assert model.mass.tolist() == pytest.approx([2.0] * 3)
    assert model.belief[0].tolist() == pytest.approx([0.7, 0.1, 0.1, 0.1])
    assert DebateModel.homogeneous().concentration.shape == (5, 2)
    assert DebateModel.homogeneous(belief=[0.5, 0.2, 0.2, 0.1]).n_answers == 4


def test_inputs_are_neither_changed_nor_shared():
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    model = DebateModel(concentration=rows)
    rows[0, 0] = 9.0
    assert model.concentration[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        model.concentration[0, 0] = 9.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"concentration": [[1.0, 0.0]]}, "above 0"),
        ({"concentration": [[1.0, np.nan]]}, "finite"),
        ({"concentration": [1.0, 2.0]}, "agent, answer"),
        ({"concentration": [[1.0]]}, "2 to 255 answers"),
        ({"self_weight": -1.0}, "at least 0"),
        ({"self_weight": (1.0, 1.0)}, "each of 3 agents"),
        ({"peer_weight": [[1.0]]}, "each of 3 agents"),
        ({"conformity": 0.0}, "above 0"),
        ({"conformity": float("inf")}, "finite"),
        ({"answer_weights": (1.0,)}, "each of 2 answers"),
        ({"answer_weights": (-1.0, 1.0)}, "at least 0"),
        ({"similarity": np.ones((2, 2))}, "sum to 1"),
        ({"similarity": np.eye(3)}, "shape"),
        ({"stubborn": Stubborn(agents=(3,))}, "agents 0 to 2"),
        ({"protocol": Protocol(visibility=Visibility(graph=graphs.ring(4)))}, "has 4 agents"),
    ],
)
def test_bad_models_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        DebateModel(**{"concentration": np.ones((3, 2)), **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"belief": 1.0}, "strictly between"),
        ({"belief": 0.0}, "strictly between"),
        ({"belief": [0.5, 0.6]}, "sum to 1"),
        ({"belief": [0.5, 0.5], "n_answers": 3}, "names 2 answers"),
        ({"belief": [[0.5, 0.5]]}, "shape"),
        ({"belief": [1.0, 0.0]}, "above 0"),
        ({"mass": 0.0}, "above 0"),
        ({"mass": [1.0, 2.0]}, "one number"),
        ({"n_agents": 0}, "between 1 and 10000000"),
        ({"n_answers": 1}, "between 2 and 10000000"),
        ({"n_agents": 10_000, "n_answers": 10_000}, "fewer agents or answers"),
    ],
)
def test_bad_panels_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        DebateModel.homogeneous(**options)


@pytest.mark.parametrize(
    ("build", "options", "message"),
    [
        (Temperature, {"temperature": 0.0}, "above 0"),
        (Temperature, {"temperature": 1.0, "from_round": -1}, "from_round"),
        (TopP, {"mass": 0.0}, "mass"),
        (Argmax, {"ties": "last"}, "ties"),
        (Forgetting, {"keep": 1.5}, "keep"),
        (Forgetting, {"keep": 0.0}, "LastRound"),
        (CorrectionLock, {"probability": 2.0}, "probability"),
        (Conformist, {"ties": "first"}, "'each'"),
        (Conformist, {"among": "some"}, "among"),
        (Follower, {"probability": float("nan")}, "probability"),
        (Follower, {"ties": "any"}, "'random'"),
        (Sticky, {"probability": True}, "probability"),
        (Summary, {"weight": 0.0}, "weight"),
        (Summary, {"noise": 1.1}, "noise"),
        (Summary, {"ties": "any"}, "ties"),
        (Stubborn, {"agents": ()}, "at least one"),
        (Stubborn, {"agents": (1, 1)}, "once each"),
    ],
)
def test_bad_parts_are_refused(build, options, message):
    with pytest.raises(ValueError, match=message):
        build(**options)


def test_departures_are_named():
    assert DebateModel.homogeneous().departures == ()
    assert DebateModel.homogeneous(n_agents=2, answer_weights=(1.0, 1.0), similarity=np.eye(2)).departures == ()
    model = DebateModel.homogeneous(
        protocol=Protocol(schedule=OneByOne(), convergence=Convergence()),
        response=Temperature(temperature=0.5),
        memory=LastRound(),
        conformity=2.0,
        answer_weights=(1.5, 1.0),
        similarity=np.full((2, 2), 0.5),
        stubborn=Stubborn(agents=(0,)),
        summary=Summary(),
        intervention=Oracle(),
    )
    assert model.departures == (
        "response",
        "memory",
        "conformity",
        "answer_weights",
        "similarity",
        "stubborn",
        "summary",
        "intervention",
        "protocol.schedule",
        "protocol.convergence",
    )
    assert "response" in repr(model)


@settings(max_examples=100, deadline=None)
@given(model=variant_models())
def test_plain_form_goes_through_json(model):
    plain = json.loads(json.dumps(model.to_dict()))
    again = debate_from_dict(plain)
    assert again == model
    assert hash(again) == hash(model)
    assert np.array_equal(again.concentration, model.concentration)
    assert again.to_dict() == model.to_dict()


def test_a_large_panel_has_a_short_form():
    model = DebateModel.homogeneous(n_agents=100_000)
    assert len(json.dumps(model.to_dict())) < 2_000
    assert debate_from_dict(model.to_dict()) == model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "Swarm"}, "plain form of a DebateModel"),
        ({"secret": 1}, "no field secret"),
        ({"response": {"type": "Guess"}}, "response must be one of"),
        ({"response": "Matching"}, "response must be one of"),
        ({"memory": {"type": "Forgetting", "speed": 1}}, "memory Forgetting"),
        ({"concentration": {"alike": 2}}, "'alike' and 'row'"),
        ({"concentration": {"alike": 0, "row": [1, 1]}}, "agents alike must be"),
        ({"concentration": {"alike": 10**8, "row": [1, 1]}}, "agents alike must be"),
        ({"concentration": "many"}, "cannot be read"),
        ({"protocol": {}}, "not a protocol record"),
    ],
)
def test_strange_plain_forms_are_refused(change, message):
    plain = {**DebateModel.homogeneous().to_dict(), **change}
    with pytest.raises(ValueError, match=message):
        debate_from_dict(plain)


def test_a_form_without_its_core_is_refused():
    with pytest.raises(ValueError, match="at least 'concentration'"):
        debate_from_dict({"type": "DebateModel"})
    with pytest.raises(ValueError, match="plain form"):
        debate_from_dict([1, 2])
