"""Shards of a run put together: the unsharded run again, whatever the order; nothing doubled, nothing mixed up."""

import json
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim import llm
from madsim.models import DebateModel
from madsim.protocols import Protocol
from madsim.tasks import Sample
from madsim.transcripts import RunWriter, merge_records, read_record, read_run, votes_of
from madsim.verify import check
from tests.unit.cli._run import run as command

QUESTIONS = [
    Sample(id=f"q{number}", question=f"What is {number} + 1?", target=str(number + 1), answer_type="number")
    for number in range(11)
]


def play(record, shard=None, *, rng=3, rounds=2, epochs=2, questions=QUESTIONS, **options):
    speaker = llm.SimulatedModel(DebateModel.homogeneous(n_agents=3, belief=0.7, mass=3.0), rng=5)
    return llm.run_debates(
        Protocol(rounds=rounds, convergence=None),
        llm.identical(speaker, 3),
        questions,
        record=record,
        shard=shard,
        rng=rng,
        epochs=epochs,
        **options,
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    play(folder / "whole")
    for number in (1, 2, 3):
        play(folder / f"shard{number}", (number, 3))
    return folder


def shards(played, *numbers):
    return [played / f"shard{number}" for number in numbers]


def content(path):
    """What a record says about its debates, without when and where it was made."""
    record = read_record(path)
    calls = [
        {name: value for name, value in call.items() if name not in ("seconds", "time", "at")} for call in record.calls
    ]
    calls.sort(key=lambda call: (call["sample"], call["epoch"], call["round"], call["agent"]))
    header = {name: value for name, value in record.header.items() if name not in ("provenance", "merged")}
    return header, list(record.samples), calls, record.outcomes


def test_merged_shards_are_the_unsharded_run(played, tmp_path):
    merge_records(shards(played, 2, 3, 1), tmp_path / "merged")
    whole, merged = read_run(played / "whole"), read_run(tmp_path / "merged")
    assert [one.sample.id for one in merged.transcripts] == [one.sample.id for one in whole.transcripts]
    assert [one.replies for one in merged.transcripts] == [one.replies for one in whole.transcripts]
    usage = [sum(one.outcome["usage"]["output"] for one in run.transcripts) for run in (whole, merged)]
    assert usage[0] == usage[1] > 0
    one, other = votes_of(whole), votes_of(merged)
    assert (one.answers == other.answers).all()
    assert one.samples == other.samples
    assert str(check(one)) == str(check(other))
    assert "shard" not in read_record(tmp_path / "merged").header


@settings(max_examples=15)
@given(order=st.permutations([1, 2, 3]), nested=st.sampled_from(["all", "left", "right", "twice"]))
def test_merging_in_any_order_and_steps_gives_the_same_file(played, tmp_path_factory, order, nested):
    folder = tmp_path_factory.mktemp("merged")
    a, b, c = shards(played, *order)
    if nested == "all":
        merge_records([a, b, c], folder / "out")
    elif nested == "left":
        merge_records([a, b], folder / "step")
        merge_records([folder / "step", c], folder / "out")
    elif nested == "right":
        merge_records([b, c], folder / "step")
        merge_records([a, folder / "step"], folder / "out")
    else:
        merge_records([a, b, a, c, b], folder / "out")
    merge_records(shards(played, 1, 2, 3), folder / "expected")
    assert (folder / "out").read_bytes() == (folder / "expected").read_bytes()


def test_some_shards_stay_a_shard_in_their_order(played, tmp_path):
    merge_records(shards(played, 3, 1), tmp_path / "part")
    record = read_record(tmp_path / "part")
    assert record.header["shard"] == {"of": 3, "parts": [1, 3]}
    assert list(record.samples) == ["q0", "q2", "q3", "q5", "q6", "q8", "q9"]
    assert len(record.outcomes) == 14


def test_a_record_from_before_it_was_resumed_adds_nothing(played, tmp_path):
    lines = (played / "shard1").read_bytes().splitlines(keepends=True)
    (tmp_path / "early").write_bytes(b"".join(lines[: len(lines) // 2]))
    for name, paths in (("one", ["early", "whole"]), ("two", ["whole", "early"])):
        given_paths = [tmp_path / "early" if path == "early" else played / "shard1" for path in paths]
        merge_records(given_paths, tmp_path / name)
    merge_records(shards(played, 1), tmp_path / "alone")
    assert content(tmp_path / "one") == content(tmp_path / "two") == content(tmp_path / "alone")


def test_a_merged_record_can_be_resumed(played, tmp_path):
    whole = read_record(played / "whole")
    lines = (played / "shard2").read_bytes().splitlines(keepends=True)
    (tmp_path / "killed").write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-1][:20])
    merge_records([tmp_path / "killed", *shards(played, 1, 3)], tmp_path / "merged")
    assert len(read_record(tmp_path / "merged").outcomes) < len(whole.outcomes)
    llm.resume(tmp_path / "merged")
    resumed = votes_of(read_run(tmp_path / "merged"))
    assert (resumed.answers == votes_of(read_run(played / "whole")).answers).all()


def test_a_debate_that_was_played_twice_is_refused(played, tmp_path):
    entries = [json.loads(line) for line in (played / "shard1").read_text().splitlines()]
    call = next(entry for entry in entries if entry["type"] == "call")
    call["reply"] = "Something else was said."
    (tmp_path / "other").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    with pytest.raises(ValueError, match=r"tell different things about sample 'q0', epoch 0"):
        merge_records([played / "shard1", tmp_path / "other"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "word"), [({"rounds": 1}, "protocol is"), ({"epochs": 1}, "epochs is"), ({"probe": True}, "probe is")]
)
def test_records_of_different_runs_are_refused(played, tmp_path, options, word):
    play(tmp_path / "other", (2, 3), **options)
    with pytest.raises(ValueError, match=rf"is of another run than .*: {word}"):
        merge_records([played / "shard1", tmp_path / "other"], tmp_path / "out")


def test_other_questions_and_other_cuts_are_refused(played, tmp_path):
    play(tmp_path / "turned", (2, 3), questions=QUESTIONS[::-1])
    with pytest.raises(ValueError, match="question 2 of the run is another one than in an earlier record"):
        merge_records([*shards(played, 2), tmp_path / "turned"], tmp_path / "out")
    play(tmp_path / "moved", (2, 3), questions=[QUESTIONS[-1], *QUESTIONS[:-1]])
    lines = (tmp_path / "moved").read_bytes().splitlines(keepends=True)
    (tmp_path / "begun").write_bytes(b"".join(lines[:4]))  # its questions, and no debate yet
    with pytest.raises(ValueError, match="sample 'q0' stands in two shards"):
        merge_records([*shards(played, 1), tmp_path / "begun"], tmp_path / "out")
    play(tmp_path / "half", (2, 2))
    with pytest.raises(ValueError, match="shards of different cuts \\(of 2, of 3\\)"):
        merge_records([*shards(played, 1), tmp_path / "half"], tmp_path / "out")
    changed = [Sample(id="q0", question="Something else?", target="1"), *QUESTIONS[1:]]
    play(tmp_path / "changed", None, questions=changed)
    with pytest.raises(ValueError, match="another content"):
        merge_records([played / "whole", tmp_path / "changed"], tmp_path / "out")


def test_different_seeds_may_meet_only_where_all_is_over(played, tmp_path):
    play(tmp_path / "other", (2, 3), rng=4)
    merge_records([played / "shard1", tmp_path / "other"], tmp_path / "over")
    seeds = {one["provenance"]["seed"] for one in read_record(tmp_path / "over").header["merged"]}
    assert len(seeds) == 2
    lines = (tmp_path / "other").read_bytes().splitlines(keepends=True)
    (tmp_path / "open").write_bytes(b"".join(lines[: len(lines) // 2]))
    with pytest.raises(ValueError, match=r"2 different seeds, and the debate on .* is not over"):
        merge_records([played / "shard1", tmp_path / "open"], tmp_path / "out")


def test_caps_add_up(tmp_path):
    budget = llm.Budget(max_calls=500)
    for number in (1, 2):
        play(tmp_path / f"s{number}", (number, 2), budget=budget)
    record = merge_records([tmp_path / "s1", tmp_path / "s2"], tmp_path / "out")
    assert record.header["budget"]["max_calls"] == 1000
    assert record.header["budget"]["max_cost"] is None


def test_records_that_are_no_shards_follow_one_another(tmp_path):
    play(tmp_path / "a", questions=QUESTIONS[5:])
    play(tmp_path / "b", questions=QUESTIONS[:5])
    record = merge_records([tmp_path / "a", tmp_path / "b"], tmp_path / "out")
    assert list(record.samples) == [f"q{number}" for number in (5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4)]


def test_what_is_no_record_and_what_exists_is_refused(played, tmp_path):
    (tmp_path / "words").write_text("words\n")
    with pytest.raises(ValueError, match="not JSON"):
        merge_records([played / "shard1", tmp_path / "words"], tmp_path / "out")
    with pytest.raises(FileExistsError, match="never overwritten"):
        merge_records(shards(played, 1), tmp_path / "words")
    with pytest.raises(ValueError, match="in a list"):
        merge_records([], tmp_path / "out")
    with pytest.raises(ValueError, match="in a list"):
        merge_records(played / "shard1", tmp_path / "out")
    entries = [json.loads(line) for line in (played / "shard1").read_text().splitlines()]
    for number, wrong in enumerate(("x", {"of": 3}, {"of": 3, "parts": []}, {"of": 3, "parts": [4]}, {"parts": [1]})):
        entries[0]["shard"] = wrong
        (tmp_path / f"bad{number}").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        with pytest.raises(ValueError, match="shard must name 'of' and 'parts'"):
            merge_records([tmp_path / f"bad{number}"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "odd",
    [
        {"merged": [1, "x", None]},
        {"merged": [{"budget": {"max_calls": "x"}}, {"budget": {"max_calls": 3}}]},
        {"merged": {"budget": 1}},
        {"concurrency": [1]},
        {"concurrency": "many"},
        {"budget": {"max_calls": "x"}},
        {"budget": 7, "provenance": 5},
    ],
)
def test_headers_that_nobody_wrote_here_do_no_harm(played, tmp_path, odd):
    entries = [json.loads(line) for line in (played / "shard1").read_text().splitlines()]
    entries[0] |= odd
    (tmp_path / "odd").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    merged = merge_records([tmp_path / "odd", tmp_path / "odd"], tmp_path / "out")
    assert merged.samples.keys() == read_record(played / "shard1").samples.keys()
    assert isinstance(merged.header["concurrency"], int)
    assert merged.header["budget"] is None or set(merged.header["budget"].values()) == {None}


def test_grants_must_agree(played, tmp_path):
    for number, rounds in ((1, 1), (2, 2)):
        with RunWriter.create(tmp_path / f"s{number}", read_record(played / f"shard{number}").header) as writer:
            for sample in read_record(played / f"shard{number}").samples.values():
                writer.sample(sample)
            writer.event({"event": "grant", "rounds": rounds, "comment": None})
    with pytest.raises(ValueError, match="grant them after merging"):
        merge_records([tmp_path / "s1", tmp_path / "s2"], tmp_path / "out")
    both = merge_records([tmp_path / "s1", tmp_path / "s1"], tmp_path / "out")
    assert [event["rounds"] for event in both.events] == [1]


@pytest.mark.parametrize(("shard", "message"), [((4, 3), "at most 3"), ((0, 3), "at least 1"), ((12, 12), "is empty")])
def test_a_shard_that_cannot_be_is_refused(shard, message):
    with pytest.raises(ValueError, match=message):
        play(None, shard)


def test_every_question_is_in_one_shard():
    found = [
        [one.sample.id for one in play(None, (number, 4), epochs=1, rounds=0).transcripts] for number in (1, 2, 3, 4)
    ]
    assert sorted(name for part in found for name in part) == sorted(sample.id for sample in QUESTIONS)
    assert found[1] == ["q1", "q5", "q9"]


def test_the_commands(capsys, tmp_path):
    task = tmp_path / "task.jsonl"
    task.write_text("".join(json.dumps(sample.to_dict()) + "\n" for sample in QUESTIONS))
    shared = ["--model", "simulated", "--agents", "3", "--rng", "1", "--no-convergence", "--json"]
    for number in (1, 2):
        done = command(
            capsys, "debate", "run", task, "--record", tmp_path / f"s{number}", "--shard", f"{number}/2", *shared
        )
        assert done.code == 0, done.err
    whole = command(capsys, "debate", "run", task, "--record", tmp_path / "whole", *shared)
    for order in permutations((1, 2)):
        out = tmp_path / f"merged{order[0]}"
        paths = [tmp_path / f"s{number}" for number in order]
        merged = command(capsys, "transcripts", "merge", *paths, "--out", out, "--json")
        assert merged.code == 0, merged.err
        assert (merged.json["debates"], merged.json["records"]) == (11, 2)
        assert merged.json["accuracy_by_round"] == whole.json["accuracy_by_round"]
        assert merged.json["vote_by_round"] == whole.json["vote_by_round"]
        checked = [command(capsys, "check", path, "--json").json for path in (out, tmp_path / "whole")]
        assert checked[0]["verdict"] == checked[1]["verdict"]
        assert (merged.json["missing_shards"], merged.err) == (0, "")
    half = command(capsys, "transcripts", "merge", tmp_path / "s2", "--out", tmp_path / "half", "--json")
    assert half.json["missing_shards"] == 1
    assert "shards of 2 that are still missing: 1" in half.err
    bad = command(capsys, "debate", "run", task, "--record", tmp_path / "x", "--shard", "3/2", *shared)
    assert bad.code == 2
    assert "the second of five" in bad.err
    unseeded = [part for part in shared if part not in ("--rng", "1")]
    bad = command(capsys, "debate", "run", task, "--record", tmp_path / "x", "--shard", "1/2", *unseeded)
    assert (bad.code, (tmp_path / "x").exists()) == (2, False)
    assert "--shard needs --rng" in bad.err
