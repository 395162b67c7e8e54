"""Simulated debates: the same bits however they are run, files and repetition, and what the numbers mean."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import graphs
from madsim._core.rng import Seed
from madsim.models import DebateModel, Forgetting, Oracle, Temperature
from madsim.protocols import Convergence, GroupChat, Majority, Protocol, Visibility
from madsim.simulate import draw_beliefs, extend, load_result, reproduce, simulate_debate, simulate_questions
from madsim.simulate._blocks import run_ranges, thread_count
from tests.reference.models import plain_models, seeds, variant_models

RING = Protocol(rounds=3, visibility=Visibility(graph=graphs.ring(5)), reduction=Majority(ties="first"))
MODELS = {
    "shared": DebateModel.homogeneous(belief=[0.5, 0.3, 0.2]),
    "sparse": DebateModel.homogeneous(protocol=RING),
    "general": DebateModel.homogeneous(protocol=RING, response=Temperature(temperature=0.5)),
}


def same(first, second) -> bool:
    votes = (first.votes is None) == (second.votes is None)
    if first.votes is not None and votes:
        votes = np.array_equal(first.votes.answers, second.votes.answers)
    beliefs = np.array_equal(first.belief_mean, second.belief_mean) and np.array_equal(
        first.belief_sd, second.belief_sd
    )
    return votes and beliefs and first.totals == second.totals


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_gives_the_same_bits(name, threads):
    one = simulate_debate(MODELS[name], n_trials=30_001, rng=5, keep="votes", threads=1)
    many = simulate_debate(MODELS[name], n_trials=30_001, rng=5, keep="votes", threads=threads)
    assert same(one, many)


@pytest.mark.parametrize("name", MODELS)
def test_a_shorter_run_is_the_start_of_a_longer_one(name):
    long = simulate_debate(MODELS[name], n_trials=2_500, rng=5, keep="votes")
    short = simulate_debate(MODELS[name], n_trials=1_000, rng=5, keep="votes")
    assert np.array_equal(long.votes.answers[:1_000], short.votes.answers)
    assert same(extend(short, 1_500), long)
    summary = simulate_debate(MODELS[name], n_trials=1_000, rng=5)
    assert same(extend(extend(summary, 700), 800), simulate_debate(MODELS[name], n_trials=2_500, rng=5))


@settings(max_examples=20, deadline=None)
@given(model=st.one_of(plain_models(), variant_models()), seed=seeds, n=st.integers(1, 300), more=st.integers(1, 300))
def test_extending_is_running_at_once(model, seed, n, more):
    grown = extend(simulate_debate(model, n_trials=n, rng=seed, keep="votes", threads=1), more, threads=2)
    assert same(grown, simulate_debate(model, n_trials=n + more, rng=seed, keep="votes", threads=1))


@pytest.mark.parametrize("keep", ["summary", "votes"])
@pytest.mark.parametrize("name", MODELS)
def test_files_and_repetition(name, keep, tmp_path):
    result = simulate_debate(MODELS[name], n_trials=321, n_rounds=2, rng=11, keep=keep)
    path = result.save(tmp_path / "result")
    assert path.name == "result.npz"
    loaded = load_result(path)
    assert same(result, loaded)
    assert loaded.model == result.model
    assert loaded.seed == result.seed
    assert loaded.provenance == result.provenance
    assert loaded.method == result.method
    again = reproduce(loaded.provenance, threads=2)
    assert same(result, again)
    assert again.provenance.parameters == result.provenance.parameters


def test_stopped_votes_survive_a_file(tmp_path):
    model = DebateModel.homogeneous(n_agents=3, belief=0.8, protocol=Protocol(rounds=2, convergence=Convergence()))
    result = simulate_debate(model, n_trials=200, rng=1, keep="votes")
    assert result.votes.early_stopping
    stopped = (result.votes.answers[:, 0] == result.votes.answers[:, 0, :1]).all(axis=1)
    assert stopped.any()
    assert not stopped.all()
    assert (result.votes.answers[stopped, 1:] == -1).all()
    assert (result.votes.answers[~stopped, 1] >= 0).all()
    assert same(load_result(result.save(tmp_path / "r.npz")), result)
    assert same(extend(result, 100), simulate_debate(model, n_trials=300, rng=1, keep="votes"))


def test_files_hold_no_pickle_and_strangers_are_refused(tmp_path):
    good = simulate_debate(MODELS["shared"], n_trials=10, rng=0).save(tmp_path / "good.npz")
    with np.load(good, allow_pickle=False) as file:
        arrays = dict(file)
    assert json.loads(arrays["provenance"].tobytes())["command"] == "simulate_debate"

    def refused(message, **changes):
        path = tmp_path / "bad.npz"
        kept = {name: array for name, array in {**arrays, **changes}.items() if array is not None}
        np.savez(path, allow_pickle=True, **kept)
        with pytest.raises(ValueError, match=message):
            load_result(path)

    refused("'share' must be int64", share=None)
    refused("'share' must be int64", share=arrays["share"][:1])
    refused("'wins' must be int64", wins=arrays["wins"].astype(float))
    refused("provenance cannot be read", provenance=None)
    refused("provenance cannot be read", provenance=np.frombuffer(b"{", np.uint8))
    refused("provenance cannot be read", provenance=np.frombuffer(b"{}", np.uint8))
    refused("not the file of a result", belief=np.array([{"a": 1}], dtype=object))
    plain = json.loads(arrays["provenance"].tobytes())
    for change, message in [
        ({"command": "bake"}, "'bake'"),
        ({"seed": None}, "lacks the seed"),
        ({"seed": "xyz"}, "hexadecimal"),
        ({"parameters": {}}, "lacks model"),
        ({"parameters": {**plain["parameters"], "n_trials": -1}}, "n_trials"),
        ({"parameters": {**plain["parameters"], "keep": "all"}}, "keep"),
        ({"parameters": {**plain["parameters"], "keep": "votes"}}, "'votes' must be"),
        ({"parameters": {**plain["parameters"], "method": "magic"}}, "method"),
    ]:
        refused(message, provenance=np.frombuffer(json.dumps({**plain, **change}).encode(), np.uint8))
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(ValueError, match="not the file of a result"):
        load_result(tmp_path / "text.npz")
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(ValueError, match="not the file of a result"):
        load_result(tmp_path / "one.npy")
    bomb = bytearray(good.read_bytes())
    entry = bomb.index(b"PK\x01\x02")  # the first member of the directory claims to unpack to 2**32 - 2 bytes
    bomb[entry + 24 : entry + 28] = (2**32 - 2).to_bytes(4, "little")
    second = bomb.index(b"PK\x01\x02", entry + 4)
    bomb[second + 24 : second + 28] = (2**32 - 2).to_bytes(4, "little")
    (tmp_path / "bomb.npz").write_bytes(bomb)
    with pytest.raises(ValueError, match="unpacks to 85899"):
        load_result(tmp_path / "bomb.npz")
    with pytest.raises(ValueError, match="no such file"):
        load_result(tmp_path / "absent.npz")
    with pytest.raises(ValueError, match="only simulate_debate"):
        reproduce(dataclasses.replace(load_result(good).provenance, command="other"))


def test_numbers_come_from_the_votes():
    result = simulate_debate(MODELS["sparse"], n_trials=500, rng=2, keep="votes")
    answers = result.votes.answers
    right = (answers == 0).mean(axis=2)
    assert [e.value for e in result.share] == pytest.approx(right.mean(axis=0).tolist())
    errors = right.std(axis=0, ddof=1) / np.sqrt(500)
    assert [e.standard_error for e in result.share] == pytest.approx(errors.tolist())
    counts = np.stack([(answers == k).sum(axis=2) for k in range(2)])
    apart = (25 - (counts**2).sum(axis=0)) / 20
    assert [e.value for e in result.disagreement] == pytest.approx(apart.mean(axis=0).tolist(), abs=1e-8)
    won = counts[0] > counts[1]
    for ties in ("first", "random", "fail"):  # five votes on two answers cannot tie
        assert [e.value for e in result.vote(ties)] == pytest.approx(won.mean(axis=0).tolist())
    assert result.vote_accuracy == result.vote("first")


def test_tie_rules():
    model = DebateModel.homogeneous(n_agents=2, belief=0.6, protocol=Protocol(rounds=0))
    result = simulate_debate(model, n_trials=1_000, rng=2, keep="votes")
    votes = result.votes.answers[:, 0]
    both, tied = (votes == 0).all(axis=1).mean(), (votes[:, 0] != votes[:, 1]).mean()
    assert result.vote("fail")[0].value == pytest.approx(both)
    assert result.vote("random")[0].value == pytest.approx(both + tied / 2)
    # Agents are alike: who is first says nothing, and the expected value is used.
    assert result.vote("first")[0].value == pytest.approx(both + tied / 2)
    unlike = DebateModel(concentration=np.array([[1.9, 0.1], [0.1, 1.9]]), protocol=Protocol(rounds=0))
    ordered = simulate_debate(unlike, n_trials=1_000, rng=2, keep="votes")
    first_right = (ordered.votes.answers[:, 0, 0] == 0).mean()
    assert ordered.vote("first")[0].value == pytest.approx(first_right)
    fair = dataclasses.replace(unlike, protocol=Protocol(rounds=0, reduction=Majority(ties="random")))
    with pytest.raises(ValueError, match="order of unlike agents"):
        simulate_debate(fair, n_trials=10, rng=2).vote("first")
    with pytest.raises(ValueError, match="ties must be"):
        ordered.vote("last")


def test_accuracy_of_one_agent():
    star = Protocol(rounds=2, visibility=Visibility(graph=graphs.star(4)))
    model = DebateModel(concentration=np.array([[3.0, 1.0], [1, 3], [1, 3], [1, 1]]), protocol=star)
    lanes = simulate_debate(model, n_trials=20_000, rng=3)
    counted = simulate_debate(model, n_trials=20_000, rng=3, method="general", keep="votes")
    hub = (counted.votes.answers[:, :, 0] == 0).mean(axis=0)
    assert [e.value for e in counted.accuracy_of(0)] == pytest.approx(hub.tolist())
    for ours, theirs in zip(lanes.accuracy_of(0), counted.accuracy_of(0), strict=True):
        assert abs(ours.value - theirs.value) < 4 * theirs.standard_error
        assert ours.standard_error <= theirs.standard_error
    with pytest.raises(ValueError, match="agent must be between"):
        lanes.accuracy_of(4)


def test_one_agent_and_one_trial():
    model = DebateModel.homogeneous(n_agents=1, protocol=Protocol(rounds=2))
    result = simulate_debate(model, n_trials=1, rng=0)
    assert [e.value for e in result.disagreement] == [0.0, 0.0, 0.0]
    assert result.share[0].standard_error is None
    assert result.belief[0][0].standard_error is None
    assert "1 debates of 1 agents" in str(result)


def test_plans_say_why():
    assert "shared counts" in simulate_debate(MODELS["shared"], n_trials=1).method
    assert "any graph" in simulate_debate(MODELS["sparse"], n_trials=1).method
    assert "response" in simulate_debate(MODELS["general"], n_trials=1).method
    assert "asked for" in simulate_debate(MODELS["shared"], n_trials=1, method="general").method
    shown = DebateModel.homogeneous(protocol=Protocol(visibility=Visibility(show="summary")))
    assert "summary" in simulate_debate(shown, n_trials=1).method


def test_seeds_are_recorded():
    result = simulate_debate(MODELS["shared"], n_trials=5)
    assert Seed.from_hex(result.provenance.seed) == result.seed
    assert same(simulate_debate(MODELS["shared"], n_trials=5, rng=result.seed), result)
    assert not same(
        simulate_debate(MODELS["shared"], n_trials=50, rng=1), simulate_debate(MODELS["shared"], n_trials=50, rng=2)
    )
    assert result.provenance.versions["numba"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_trials": 0}, ValueError, "n_trials"),
        ({"n_trials": 1.5}, TypeError, "n_trials"),
        ({"n_trials": 2**31}, ValueError, "n_trials"),
        ({"n_trials": 2**30, "keep": "votes"}, ValueError, "too many to keep"),
        ({"n_trials": 1, "n_rounds": -1}, ValueError, "n_rounds"),
        ({"n_trials": 1, "keep": "all"}, ValueError, "keep"),
        ({"n_trials": 1, "method": "fast"}, ValueError, "method"),
        ({"n_trials": 1, "threads": 0}, ValueError, "threads"),
        ({"n_trials": 1, "rng": "seed"}, TypeError, "rng"),
    ],
)
def test_bad_calls_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        simulate_debate(MODELS["shared"], **options)


def test_things_that_simulated_agents_cannot_do_are_refused():
    with pytest.raises(TypeError, match="DebateModel"):
        simulate_debate("model", n_trials=1)
    chat = DebateModel.homogeneous(protocol=Protocol(schedule=GroupChat()))
    with pytest.raises(ValueError, match="GroupChat"):
        simulate_debate(chat, n_trials=1)
    faint = DebateModel.homogeneous(memory=Forgetting(keep=0.1))
    with pytest.raises(ValueError, match="leaves 2e-251"):
        simulate_debate(faint, n_trials=1, n_rounds=251)
    with pytest.raises(ValueError, match="leaves 2e-251"):
        simulate_questions([[0.5, 0.5]], n_rounds=251, memory=Forgetting(keep=0.1))
    two = Protocol(rounds=2, visibility=Visibility(graph=(graphs.ring(5), graphs.star(5))))
    with pytest.raises(ValueError, match="round 3 has none"):
        simulate_debate(DebateModel.homogeneous(protocol=two), n_trials=1, n_rounds=3)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_reported_and_may_stop_the_run(threads):
    seen = []
    simulate_debate(
        MODELS["general"], n_trials=60_000, rng=1, threads=threads, progress=lambda done, of: seen.append((done, of))
    )
    assert seen[-1] == (60_000, 60_000)
    assert seen == sorted(seen)

    def stop(done, of):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_debate(MODELS["general"], n_trials=60_000, rng=1, threads=threads, progress=stop)


@settings(max_examples=50, deadline=None)
@given(n=st.integers(1, 500), grain=st.integers(1, 50), threads=st.integers(1, 5))
def test_every_trial_is_worked_once(n, grain, threads):
    parts = run_ranges(
        lambda totals, first, count: totals.extend(range(first, first + count)),
        list,
        n_trials=n,
        grain=grain,
        threads=threads,
    )
    assert sorted(trial for part in parts for trial in part) == list(range(n))


def test_an_error_in_a_worker_comes_out():
    def fail(totals, first, count):
        raise ZeroDivisionError("in a worker")

    with pytest.raises(ZeroDivisionError, match="in a worker"):
        run_ranges(fail, list, n_trials=100, grain=1, threads=3)
    assert thread_count(None) >= 1


def test_memory_does_not_grow_with_trials():
    import tracemalloc

    model = DebateModel.homogeneous(n_answers=4, protocol=Protocol(rounds=10))
    simulate_debate(model, n_trials=100, rng=0)
    tracemalloc.start()
    simulate_debate(model, n_trials=1_000_000, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000


def test_a_hundred_thousand_agents_on_a_ring():
    n = 100_000
    ring = Protocol(rounds=2, visibility=Visibility(graph=graphs.ring(n)))
    model = DebateModel.homogeneous(n_agents=n, belief=0.6, protocol=ring)
    result = simulate_debate(model, n_trials=2, rng=0, threads=1)
    # The mean over agents of two trials: sd below sqrt(3 * .24 / 2e5) = .0019.
    assert result.share[2].value == pytest.approx(0.6, abs=0.01)
    assert result.belief_mean.shape == (3, n)


def test_sixty_four_answers_and_a_large_complete_panel():
    model = DebateModel.homogeneous(n_agents=5_000, belief=0.5, n_answers=64, mass=50.0, protocol=Protocol(rounds=2))
    result = simulate_debate(model, n_trials=200, rng=0)
    assert [e.value for e in result.vote_accuracy] == [1.0, 1.0, 1.0]
    assert result.belief_mean[2, 0] == pytest.approx(0.5, abs=0.004)
    oracle = DebateModel.homogeneous(n_agents=3, n_answers=64, intervention=Oracle())
    assert simulate_debate(oracle, n_trials=200, rng=0).share[2].value > 0.8


@pytest.mark.parametrize("graph", [None, graphs.ring(5)])
def test_tiny_masses_keep_their_beliefs(graph):
    # With hardly any mass the first answers decide everything: the share right stays at the belief, agents that hear the same agree.
    model = DebateModel.homogeneous(belief=0.7, mass=1e-60, protocol=Protocol(visibility=Visibility(graph=graph)))
    result = simulate_debate(model, n_trials=20_000, rng=0)
    assert [e.value for e in result.share] == pytest.approx([0.7] * 3, abs=0.012)
    assert result.belief_mean[0] == pytest.approx([0.7] * 5)


@pytest.mark.parametrize(
    "options",
    [
        {"self_weight": 1e101},
        {"peer_weight": 1e101},
        {"concentration": np.full((2, 2), 1e101)},
    ],
)
def test_numbers_whose_sums_could_overflow_are_refused(options):
    with pytest.raises(ValueError, match="too large"):
        simulate_debate(DebateModel(**{"concentration": np.ones((2, 2)), **options}), n_trials=1)


def test_extreme_settings_stay_numbers():
    for options in (
        {"conformity": 1e6},
        {"conformity": 1e-6},
        {"response": Temperature(temperature=1e-300)},
        {"response": Temperature(temperature=1e300)},
        {"answer_weights": (0.0, 0.0)},
        {"self_weight": 0.0, "peer_weight": 0.0},
    ):
        result = simulate_debate(DebateModel.homogeneous(n_agents=4, **options), n_trials=200, rng=0, method="general")
        assert np.isfinite(result.belief_mean).all()
        assert ((result.belief_mean >= 0) & (result.belief_mean <= 1)).all()


@pytest.mark.parametrize(
    ("beliefs", "options", "message"),
    [
        ([0.5, 0.5], {}, "question, answer"),
        ([[1.0, 0.0]], {}, "above 0"),
        ([[0.5, 0.6]], {}, "sum to 1"),
        ([[0.5, 0.5]], {"repeats": 0}, "repeats"),
        ([[0.5, 0.5]], {"held_out": -1}, "held_out"),
        ([[0.5, 0.5]], {"mass": -1.0}, "mass"),
    ],
)
def test_bad_questions_are_refused(beliefs, options, message):
    with pytest.raises(ValueError, match=message):
        simulate_questions(beliefs, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"accuracy": 1.0, "kappa": 2.0}, "accuracy"),
        ({"accuracy": 0.5, "kappa": 0.0}, "kappa"),
        ({"accuracy": 0.5, "kappa": 2.0, "n_answers": 1}, "n_answers"),
    ],
)
def test_bad_populations_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        draw_beliefs(5, **options)
