"""Sweeps: exactly the plain results, whatever the blocks, the order and the workers; partial results that cannot mislead."""

import json
import warnings
import zipfile
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import graphs
from madsim.models import (
    AsynchronousVoter,
    BernoulliNoise,
    CrossInhibition,
    CrossLearner,
    DebateModel,
    MaynardCrossLearner,
    MovingAverage,
    SynchronousVoter,
    Temperature,
)
from madsim.protocols import Protocol, Visibility
from madsim.simulate import (
    SharedDrawsWarning,
    Sweep,
    SweepPoint,
    extend,
    simulate_debate,
    simulate_learner,
    simulate_swarm,
    simulate_sweep,
)

RING = Protocol(rounds=2, visibility=Visibility(graph=graphs.ring(5)))
DEBATES = {
    "shared": DebateModel.homogeneous(belief=[0.5, 0.3, 0.2]),
    "sparse": DebateModel.homogeneous(protocol=RING),
    "general": DebateModel.homogeneous(protocol=RING, response=Temperature(temperature=0.5)),
}
SWARMS = {
    "voter": AsynchronousVoter(quality=[0.5, 0.6, 0.7], n_agents=40),
    "rounds": SynchronousVoter(quality=[0.5, 0.6], n_agents=20),
    "inhibition": CrossInhibition(quality=[0.5, 0.6], n_agents=30),
}
LEARNERS = {
    "lanes": CrossLearner(quality=[0.5, 0.6], rate=0.05),
    "batches": MaynardCrossLearner(quality=[0.5, 0.6], rate=0.05, batch=3),
}
TIMES = [0, 1, 7, 30]


class Backwards(Executor):
    """An executor that works what it was given in the opposite order, and only once somebody has waited for long enough."""

    def __init__(self):
        self.held = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.held.append((future, fn, args))
        if len(self.held) == 4:
            self.work()
        return future

    def work(self):
        while self.held:
            future, fn, args = self.held.pop()
            future.set_result(fn(*args))


def same_shares(one, other):
    parts = ("absorbed_at", "winner", "paths", "samples", "times", "share_mean")
    return one.totals == other.totals and all(
        (getattr(one, name) is None) == (getattr(other, name) is None)
        and np.array_equal(getattr(one, name), getattr(other, name))
        for name in parts
        if getattr(other, name) is not None or getattr(one, name) is not None
    )


def same_debates(one, other):
    votes = (one.votes is None and other.votes is None) or np.array_equal(one.votes.answers, other.votes.answers)
    return votes and one.totals == other.totals and np.array_equal(one.belief_sd, other.belief_sd)


@pytest.mark.parametrize("keep", ["summary", "votes"])
def test_debates_are_the_plain_results_bit_for_bit(keep):
    sweep = Sweep.of(DEBATES, n_trials=3_001, rng=7, keep=keep, block=500)
    found = simulate_sweep(sweep, workers=2)
    for name, model in DEBATES.items():
        plain = simulate_debate(model, n_trials=3_001, rng=7, keep=keep)
        swept = found.at(model=name)
        assert same_debates(swept, plain)
        assert swept.provenance == plain.provenance
        assert str(swept) == str(plain)


@pytest.mark.parametrize("keep", ["summary", "paths"])
def test_swarms_and_learners_are_the_plain_results_bit_for_bit(keep):
    for verb, models in ((simulate_swarm, SWARMS), (simulate_learner, LEARNERS)):
        found = simulate_sweep(Sweep.of(models, n_trials=301, times=TIMES, rng=7, keep=keep, block=77))
        for name, model in models.items():
            plain = verb(model, n_trials=301, times=TIMES, rng=7, keep=keep)
            swept = found.at(model=name)
            assert same_shares(swept, plain)
            assert (swept.method, swept.warnings, swept.seed) == (plain.method, plain.warnings, plain.seed)
            assert swept.provenance == plain.provenance


@settings(max_examples=25)
@given(n=st.integers(1, 700), block=st.integers(1, 700), name=st.sampled_from(sorted(DEBATES)), seed=st.integers(0, 99))
def test_any_chunking_of_debates_gives_the_same_bits(n, block, name, seed):
    swept = simulate_sweep(Sweep.of({"x": DEBATES[name]}, n_trials=n, rng=seed, block=block), workers=1)
    assert same_debates(swept.results[0], simulate_debate(DEBATES[name], n_trials=n, rng=seed, threads=1))


@settings(max_examples=25)
@given(n=st.integers(1, 300), block=st.integers(1, 300), name=st.sampled_from(sorted(SWARMS)), seed=st.integers(0, 99))
def test_any_chunking_of_swarms_gives_the_same_bits(n, block, name, seed):
    swept = simulate_sweep(Sweep.of({"x": SWARMS[name]}, n_trials=n, times=TIMES, rng=seed, block=block), workers=1)
    plain = simulate_swarm(SWARMS[name], n_trials=n, times=TIMES, rng=seed, threads=1)
    assert same_shares(swept.results[0], plain)


def test_blocks_may_end_in_any_order_on_an_executor_of_the_callers():
    sweep = Sweep.of(DEBATES, n_trials=1_000, rng=3, keep="votes", block=250)
    backwards = Backwards()
    found = simulate_sweep(sweep, executor=backwards, workers=2)
    assert backwards.held == []
    with ThreadPoolExecutor(3) as pool:
        again = simulate_sweep(sweep, executor=pool)
        assert pool.submit(int, "7").result() == 7  # it was used, not closed
    for one, other in zip(found.results, again.results, strict=True):
        assert same_debates(one, other)


def test_a_result_of_a_sweep_can_be_made_longer():
    found = simulate_sweep(Sweep.of(DEBATES, n_trials=400, rng=3)).at(model="shared")
    assert same_debates(extend(found, 600), simulate_debate(DEBATES["shared"], n_trials=1_000, rng=3))


def test_common_streams_share_the_seed_and_independent_ones_do_not():
    one = DebateModel.homogeneous(belief=0.6)
    models = {"first": one, "second": one}
    common = simulate_sweep(Sweep.of(models, n_trials=200, rng=5, keep="votes"))
    assert same_debates(*common.results)
    sweep = Sweep.of(models, n_trials=200, rng=5, keep="votes", streams="independent")
    first, second = simulate_sweep(sweep).results
    assert not same_debates(first, second)
    assert first.seed.hex == sweep.seed_of(sweep.points[0]).hex != second.seed.hex
    assert same_debates(first, simulate_debate(one, n_trials=200, rng=first.seed, keep="votes"))
    more = Sweep.of({"zero": one, **models}, n_trials=200, rng=5, keep="votes", streams="independent")
    assert same_debates(simulate_sweep(more).at(model="second"), second)


def test_a_grid_names_its_points_and_its_table():
    axes = {"belief": [0.6, (0.5, 0.3, 0.2)], "protocol": {"ring": RING, "full": Protocol(rounds=2)}}

    def make(belief, protocol):
        return DebateModel.homogeneous(belief=belief, n_answers=2 if belief == 0.6 else 3, protocol=protocol)

    found = simulate_sweep(Sweep.grid(make, axes, n_trials=100, rng=1))
    assert [dict(values) for values, _ in found.items()] == [
        {"belief": 0.6, "protocol": "ring"},
        {"belief": 0.6, "protocol": "full"},
        {"belief": [0.5, 0.3, 0.2], "protocol": "ring"},
        {"belief": [0.5, 0.3, 0.2], "protocol": "full"},
    ]
    rows = found.to_table()
    assert len(rows) == 4 * 3
    assert rows[4]["protocol"] == "full"
    assert rows[4]["round"] == 1
    assert rows[4]["vote"] == found.at(belief=0.6, protocol="full").vote_accuracy[1].value
    assert rows[4]["mean_belief"] == pytest.approx(found.results[1].belief_mean[1].mean())
    assert found.at(belief=(0.5, 0.3, 0.2), protocol="ring") is found.results[2]
    with pytest.raises(KeyError, match=r"2 points have belief=0\.6"):
        found.at(belief=0.6)
    assert len(found.to_dataframe()) == 12
    assert "protocol=ring" in str(found)
    assert "<table>" in found._repr_html_()


def test_a_parameter_that_is_called_like_a_number_is_told_apart():
    models = {"a": SWARMS["voter"]}
    rows = simulate_sweep(Sweep.of(models, n_trials=10, times=[0, 5], rng=1, name="type")).to_table()
    assert rows[0]["type (parameter)"] == "a"
    assert rows[0]["type"] == "option 0"
    assert len(rows) == 6


def test_times_may_depend_on_the_model():
    def make(n_agents):
        return AsynchronousVoter(quality=[0.5, 0.6], n_agents=n_agents)

    found = simulate_sweep(
        Sweep.grid(make, {"n_agents": [10, 20]}, n_trials=50, times=lambda swarm: [0, 3 * swarm.n_agents], rng=1)
    )
    assert [one.times.tolist() for one in found.results] == [[0, 30], [0, 60]]


def test_progress_counts_trials_and_shared_draws_are_warned_of():
    model = AsynchronousVoter(quality=[0.5, 0.6], n_agents=10, noise=BernoulliNoise(), rewards="option")
    seen = []
    with pytest.warns(SharedDrawsWarning):
        found = simulate_sweep(
            Sweep.of({"a": model}, n_trials=100, times=[0, 5], rng=1, block=30),
            workers=1,
            progress=lambda done, total: seen.append((done, total)),
        )
    assert found.results[0].warnings
    assert [total for _, total in seen] == [100] * 4
    assert seen[-1] == (100, 100)


def test_a_killed_sweep_goes_on_from_what_it_kept(tmp_path):
    folder = tmp_path / "kept"
    sweep = Sweep.of(DEBATES, n_trials=2_000, rng=3, keep="votes", block=300)

    class Enough(Exception):
        pass

    def stop(done, total):
        if done > total / 2:
            raise Enough

    with pytest.raises(Enough):
        simulate_sweep(sweep, partial=folder, workers=2, progress=stop)
    kept = {path.name: path.read_bytes() for path in folder.glob("*.npz")}
    assert 8 <= len(kept) < 21
    found = simulate_sweep(sweep, partial=folder)
    assert found.notes == {"blocks_read": len(kept)}
    assert {name: (folder / name).read_bytes() for name in kept} == kept
    for one, other in zip(found.results, simulate_sweep(sweep).results, strict=True):
        assert same_debates(one, other)
    assert simulate_sweep(sweep, partial=folder).notes == {"blocks_read": 21}
    longer = Sweep.of(DEBATES, n_trials=2_300, rng=3, keep="votes", block=300)
    assert simulate_sweep(longer, partial=folder).notes == {"blocks_read": 18}
    assert not list(folder.glob(".*"))


def test_damaged_blocks_are_counted_and_worked_again(tmp_path):
    sweep = Sweep.of(SWARMS, n_trials=100, times=TIMES, rng=3, block=25)
    expected = simulate_sweep(sweep, partial=tmp_path / "kept").results
    files = sorted((tmp_path / "kept").glob("*.npz"))
    files[0].write_bytes(files[0].read_bytes()[:-40])
    files[1].write_bytes(b"")
    files[2].write_bytes(files[3].read_bytes())  # whole, but of other trials
    changed = bytearray(files[4].read_bytes())
    changed[len(changed) // 3] ^= 1
    files[4].write_bytes(changed)
    with np.load(files[5]) as file:
        members = dict(file)
    members["sums"] = members["sums"] + 1  # a whole archive with a number changed
    np.savez_compressed(files[5], **members)
    with zipfile.ZipFile(files[6], "w") as archive:  # says that it holds more than any memory
        header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1152921504606846,), }"
        archive.writestr("sums.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    found = simulate_sweep(sweep, partial=tmp_path / "kept")
    assert found.notes == {"blocks_read": 6, "blocks_damaged": 6}
    assert all(same_shares(one, other) for one, other in zip(found.results, expected, strict=True))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"rng": 4}, "seed"),
        ({"n_rounds": 1}, "tasks"),
        ({"keep": "votes"}, "tasks"),
        ({"streams": "independent"}, "streams"),
        ({"name": "panel"}, "points"),
    ],
)
def test_partial_results_of_another_sweep_are_refused(tmp_path, change, word):
    simulate_sweep(Sweep.of(DEBATES, n_trials=50, rng=3), partial=tmp_path / "kept")
    other = Sweep.of(DEBATES, **{"n_trials": 50, "rng": 3, **change})
    with pytest.raises(ValueError, match=rf"partial results of another sweep \(.*{word}.*differ"):
        simulate_sweep(other, partial=tmp_path / "kept")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, json.dumps({"points": []}), '{"digest": 3}'])
def test_a_folder_with_a_broken_description_is_refused(tmp_path, text):
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(ValueError, match="name a new folder"):
        simulate_sweep(Sweep.of(DEBATES, n_trials=50, rng=3), partial=tmp_path)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("words")
    with pytest.raises(ValueError, match="expected a folder of partial results or an empty one"):
        simulate_sweep(Sweep.of(DEBATES, n_trials=50, rng=3), partial=tmp_path)
    with pytest.raises(ValueError, match="expected a folder"):
        simulate_sweep(Sweep.of(DEBATES, n_trials=50, rng=3), partial=tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_sweep_killed_while_it_wrote_its_description_begins_anew(tmp_path):
    (tmp_path / ".sweep.json.77.1.tmp").write_text('{"dig')
    sweep = Sweep.of(DEBATES, n_trials=50, rng=3)
    assert simulate_sweep(sweep, partial=tmp_path).notes == {}
    assert simulate_sweep(sweep, partial=tmp_path).notes == {"blocks_read": 3}


def test_blocks_that_keep_much_of_a_trial_are_small():
    many = CrossLearner(quality=np.linspace(0.3, 0.9, 20), rate=0.1)
    kept = {"n_trials": 200_000, "times": range(101)}
    sizes = {
        keep: max(block.count for block in sweep.blocks(sweep.tasks()))
        for keep in ("summary", "paths")
        if (sweep := Sweep.of({"a": many}, keep=keep, **kept))
    }
    assert sizes["summary"] == 200_000
    assert sizes["paths"] * 101 * 20 * 8 <= 2**27


def test_an_error_in_the_work_ends_the_sweep():
    steep = MaynardCrossLearner(
        quality=[0.02, 0.04], rate=0.02, noise=BernoulliNoise(), baseline=MovingAverage(rate=0.01)
    )
    sweep = Sweep.of({"steep": steep}, n_trials=200, times=[0, 3000], rng=1, block=50)
    with pytest.raises(ValueError, match="would have left the simplex"):
        simulate_sweep(sweep, workers=2)


MODEL = DEBATES["shared"]


def swarms(*, n_trials=2, **options):
    return Sweep.of(SWARMS, n_trials=n_trials, times=TIMES, **options)


def learners(**options):
    return Sweep.of(LEARNERS, n_trials=2, times=TIMES, **options)


@pytest.mark.parametrize(
    ("describe", "message"),
    [
        (lambda: Sweep.of({}, n_trials=1), "1 to 100000 points, got 0"),
        (lambda: Sweep.of({"a": MODEL}, n_trials=0), "n_trials must be at least 1"),
        (lambda: Sweep.of({"a": 3}, n_trials=1), "debates, swarms or learners"),
        (lambda: Sweep.of({"a": MODEL, "b": SWARMS["voter"]}, n_trials=1), "all debates, all swarms or all learners"),
        (lambda: Sweep.of({"a": MODEL}, n_trials=1, times=[1]), "give n_rounds for debates"),
        (lambda: Sweep.of({"a": SWARMS["voter"]}, n_trials=1), "give times"),
        (lambda: Sweep.of({"a": SWARMS["voter"]}, n_trials=1, times=[1], n_rounds=2), "no n_rounds"),
        (lambda: Sweep.of({"a": SWARMS["voter"]}, n_trials=1, times=[2, 1]), "times must ascend"),
        (lambda: Sweep.of({"a": MODEL}, n_trials=1, streams="same"), "'common' or 'independent'"),
        (lambda: Sweep.of({"a": MODEL}, n_trials=1, block=0), "block must be between 1"),
        (lambda: Sweep.grid(DebateModel.homogeneous, {}, n_trials=1), "at least one parameter"),
        (lambda: Sweep.grid(DebateModel.homogeneous, {"belief": []}, n_trials=1), "belief has no values"),
        (lambda: Sweep.grid(DebateModel.homogeneous, {"belief": 0.5}, n_trials=1), "a list or a mapping"),
        (lambda: Sweep.grid(DebateModel.homogeneous, {"graph": [object()]}, n_trials=1), "a mapping of labels"),
        (lambda: Sweep.grid(DebateModel.homogeneous, {"belief": [0.5, 0.5]}, n_trials=1), "values of its own"),
        (lambda: Sweep.grid(int, {"a": range(1000), "b": range(1000)}, n_trials=1), "1000000 points"),
        (lambda: Sweep(points=(SweepPoint(values={"a": 1}, model=MODEL),), n_trials=1, seed=3), "must be a Seed"),
        (lambda: simulate_sweep(Sweep.of({"a": MODEL}, n_trials=2**40)), "model=a: n_trials must be between"),
        (lambda: simulate_sweep(Sweep.of({"a": MODEL}, n_trials=2, method="fast")), "model=a: method must be one of"),
        (lambda: swarms(method="fast").tasks(), "model=voter: method must be one of"),
        (lambda: learners(method="fast").tasks(), "model=lanes: method must be 'auto' or 'general'"),
        (lambda: swarms(keep="votes").tasks(), "model=voter: keep must be"),
        (lambda: swarms(keep="paths", n_trials=2**28).tasks(), "model=voter: .* trajectories .* are too many"),
        (lambda: simulate_sweep(swarms(keep="paths", n_trials=2**25, block=2**25)), "take a smaller block="),
        (lambda: simulate_sweep(Sweep.of({"a": MODEL}, n_trials=2, keep="paths")), "keep must be"),
        (lambda: simulate_sweep(Sweep.of({"a": MODEL}, n_trials=2), executor="gpu"), "executor must be 'threads'"),
        (lambda: simulate_sweep(Sweep.of({"a": MODEL}, n_trials=2), executor="dask://"), "names no scheduler"),
        (lambda: simulate_sweep(Sweep.of({"a": MODEL}, n_trials=2), executor=7), "executor must be"),
        (lambda: simulate_sweep(Sweep.of({"a": MODEL}, n_trials=2), workers=0), "threads must be"),
        (lambda: Sweep.grid("model", {"belief": [0.5]}, n_trials=2), "make must be a function that gives a model"),
        (lambda: simulate_sweep(Sweep.of({"a": MODEL}, n_trials=2), retries=-1), "retries must be"),
        (lambda: simulate_sweep({"a": MODEL}), "needs a Sweep"),
    ],
)
def test_what_makes_no_sense_is_refused(describe, message):
    with pytest.raises((ValueError, TypeError), match=message):
        describe()


def test_the_plain_text_of_a_task_is_all_that_a_worker_needs():
    sweep = Sweep.of(DEBATES, n_trials=10, rng=3)
    for task in sweep.tasks():
        assert json.loads(task)["seed"] == sweep.seed.hex
        assert len(task) < 2_000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len({block.point for block in sweep.blocks(sweep.tasks())}) == 3
