"""The record file: append only, one writer, a torn end mended, nothing lost."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madsim.tasks import Sample
from madsim.transcripts import (
    Reply,
    Run,
    RunWriter,
    Transcript,
    call_key,
    read_record,
    read_run,
    record_of,
    run_of,
    write_run,
)

QUESTION = Sample(id="q", question="2+2?", target="4", answer_type="number")


def call(**changes):
    return {
        "sample": "q",
        "epoch": 0,
        "round": 0,
        "agent": 0,
        "attempt": 0,
        "role": "debater",
        "reply": "Final answer: 4",
        "answer": "4",
        **changes,
    }


def make(path, *calls, agents=("a", "b")):
    with RunWriter.create(path, {"agents": list(agents)}) as writer:
        writer.sample(QUESTION)
        for one in calls:
            writer.call(one)
    return path


def test_a_record_is_json_lines_with_a_header(tmp_path):
    path = make(tmp_path / "r", call())
    data = path.read_bytes()
    lines = [json.loads(line) for line in data.decode().splitlines()]
    assert data.endswith(b"\n")
    assert [line["type"] for line in lines] == ["run", "sample", "call"]
    assert lines[0]["schema"] == 1


def test_an_existing_record_is_never_overwritten(tmp_path):
    path = make(tmp_path / "r")
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="never overwritten"):
        RunWriter.create(path, {"agents": ["a"]})
    assert path.read_bytes() == before


def test_a_broken_last_line_with_its_line_feed_was_not_torn_by_a_kill(tmp_path):
    path = make(tmp_path / "r", call())
    with open(path, "ab") as file:
        file.write(b'{"type": "event", \xe9\n')
    with pytest.raises(ValueError, match="is not UTF-8"):
        read_run(path)


@pytest.mark.parametrize("header", [{}, {"agents": []}, {"agents": "ab"}, {"agents": [1]}])
def test_a_header_without_agents_leaves_no_file(tmp_path, header):
    with pytest.raises(ValueError, match="agents"):
        RunWriter.create(tmp_path / "r", header)
    assert not (tmp_path / "r").exists()


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "r"
    with RunWriter.create(path, {"agents": ["a"]}), pytest.raises(ValueError, match="another run is writing"):
        RunWriter.resume(path)
    writer, _ = RunWriter.resume(path)  # the lock went with the first writer
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.event({"event": "late"})


def test_resuming_appends_to_what_was_there(tmp_path):
    path = make(tmp_path / "r", call())
    before = path.read_bytes()
    writer, record = RunWriter.resume(path)
    with writer:
        writer.call(call(agent=1))
    assert [call_key(one).agent for one in record.calls] == [0]
    assert path.read_bytes().startswith(before)
    assert writer.torn == 0
    assert len(read_record(path).calls) == 2


@pytest.mark.parametrize("cut", range(1, 110))
def test_a_torn_last_line_is_cut_off_and_counted_never_glued(tmp_path, cut):
    path = make(tmp_path / "r", call(reply="Größe → 4"), call(agent=1, reply="Größe → 4"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    run = read_run(path)
    intact = cut == 1  # only the line feed is missing: the object is whole
    assert len(run.transcripts[0].replies) == (2 if intact else 1)
    assert run.notes.get("torn_lines", 0) == (0 if intact else 1)
    writer, record = RunWriter.resume(path)
    with writer:
        writer.call(call(agent=1, round=1))
    assert record.notes["torn_lines"] == (0 if intact else 1)
    again = read_record(path)
    assert again.notes["torn_lines"] == 0
    assert [(one["agent"], one["round"]) for one in again.calls] == [(0, 0)] + [(1, 0)] * intact + [(1, 1)]
    last = whole.splitlines(keepends=True)[-1]
    assert writer.torn == (0 if intact else len(last) - cut)


def test_a_last_line_of_zero_bytes_from_a_power_cut_is_torn(tmp_path):
    path = make(tmp_path / "r", call())
    with open(path, "ab") as file:
        file.write(b"\0" * 100_000)
    writer, record = RunWriter.resume(path)
    writer.close()
    assert record.notes["torn_lines"] == 1
    assert writer.torn == 100_000
    assert len(read_record(path).calls) == 1


def test_a_failed_write_leaves_no_half_line(tmp_path):
    path = make(tmp_path / "r")
    writer, _ = RunWriter.resume(path)

    class FullDisk:
        def __init__(self, file):
            self.file = file

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, data):
            if len(data) <= 10:
                raise OSError(28, "No space left on device")
            return self.file.write(data[:10])

    real = writer._file
    writer._file = FullDisk(real)
    with pytest.raises(OSError, match="No space left"):
        writer.call(call())
    writer._file = real
    with writer:
        writer.call(call(agent=1))
    assert [one["agent"] for one in read_record(path).calls] == [1]


def test_a_broken_line_in_the_middle_is_an_error_with_its_place(tmp_path):
    path = make(tmp_path / "r", call())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"type": "sam\n' + lines[1])
    with pytest.raises(ValueError, match=r"line 2: not JSON"):
        read_run(path)
    with pytest.raises(ValueError, match=r"line 2: not JSON"):
        RunWriter.resume(path)


def test_a_killed_writer_loses_nothing_that_it_wrote(tmp_path):
    path = tmp_path / "r"
    script = textwrap.dedent("""
        import os, signal, sys
        from madsim.tasks import Sample
        from madsim.transcripts import RunWriter
        writer = RunWriter.create(sys.argv[1], {"agents": ["a"]})
        writer.sample(Sample(id="q", question="?"))
        for round in range(50):
            writer.call({"sample": "q", "round": round, "agent": 0, "reply": "x" * 1000})
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    done = subprocess.run([sys.executable, "-c", script, str(path)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    writer, record = RunWriter.resume(path)  # the lock died with its owner
    writer.close()
    assert len(record.calls) == 50


def test_the_first_reply_of_several_attempts_counts(tmp_path):
    path = make(
        tmp_path / "r",
        call(failed=True, reply=None, answer=None, error="500"),
        call(attempt=1, reply="Final answer: 5", answer="5"),
        call(attempt=1, reply="Final answer: 6", answer="6"),
        call(agent=1, failed=True, reply=None, answer=None, error="timeout"),
    )
    run = read_run(path)
    first, second = run.transcripts[0].replies
    assert (first.answer, first.failed) == ("5", False)
    assert (second.failed, second.reason) == (True, "timeout")
    assert run.notes == {"failed_attempts": 1, "repeated_calls": 1}


def test_helpers_calls_are_no_replies(tmp_path):
    path = make(tmp_path / "r", call(), {"sample": "q", "role": "judge", "reply": "A"})
    run = read_run(path)
    assert len(run.transcripts[0].replies) == 1
    assert run.notes == {"calls_of_judge": 1}


def test_unknown_keys_are_kept_and_unknown_lines_counted(tmp_path):
    path = make(tmp_path / "r", call(colour="red"))
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"type": "weather"}\n\n')
    record = read_record(path)
    assert record.calls[0]["colour"] == "red"
    assert record.notes["unknown_lines"] == 1
    assert record.notes["blank_lines"] == 1


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"type": "call", "sample": "other", "round": 0, "agent": 0}, "does not hold"),
        ({"type": "call", "sample": "q", "round": -1, "agent": 0}, "round must be"),
        ({"type": "call", "sample": "q", "round": 0, "agent": 2}, "the panel has 2"),
        ({"type": "call", "sample": "q", "round": True, "agent": 0}, "round must be"),
        ({"type": "call", "sample": "q", "agent": 0}, "round must be"),
        ({"type": "call", "round": 0, "agent": 0}, "names its sample"),
        ({"type": "call", "sample": "q", "round": 0, "agent": 0, "role": 3}, "role is text"),
        ({"type": "sample", "id": "q", "question": "3+3?"}, "different content"),
        ({"type": "sample", "id": "p"}, "needs a 'question'"),
    ],
)
def test_contradictions_are_errors(entry, message):
    entries = [{"type": "run", "schema": 1, "agents": ["a", "b"]}, {"type": "sample", **QUESTION.to_dict()}, entry]
    with pytest.raises(ValueError, match=f"entry 3: .*{message}"):
        record_of(entries)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (b"", "empty"),
        (b'{"type": "sample"}\n', "not a run record"),
        (b'{"type": "run", "schema": 2, "agents": ["a"]}\n', "reads schema 1"),
        (b"[1]\n", "expected a JSON object"),
        (b"\xff\xfe{\x00", "starts as UTF-16"),
        (b"\x1f\x8b\x08", "starts as gzip"),
        (b'{"type": "run\xe9"}\n{}\n', r"byte 13 \(0xe9\) is not UTF-8"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b'{"type": "run", "type": "walk"}\n', "stands twice"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, first, message):
    path = tmp_path / "r"
    path.write_bytes(first)
    with pytest.raises(ValueError, match=message):
        read_run(path)


def test_absent_files_and_folders_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        read_run(tmp_path / "none")
    with pytest.raises(ValueError, match="this is a folder"):
        read_run(tmp_path)
    with pytest.raises(ValueError, match="no such record to resume"):
        RunWriter.resume(tmp_path / "none")
    with pytest.raises(ValueError, match="cannot be opened"):
        RunWriter.resume(tmp_path)


def test_a_byte_order_mark_is_skipped(tmp_path):
    path = make(tmp_path / "r", call())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read_run(path).transcripts[0].replies) == 1


def test_not_a_number_cannot_be_written_and_is_counted_when_read(tmp_path):
    path = make(tmp_path / "r")
    writer, _ = RunWriter.resume(path)
    with writer, pytest.raises(ValueError, match="JSON has no nan"):
        writer.call(call(cost=float("nan")))
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"type": "event", "event": "x", "value": NaN}\n')
    record = read_record(path)
    assert record.events[0]["value"] is None
    assert record.notes["not_a_number"] == 1


def test_early_stopping_is_read_from_the_header_or_the_protocol():
    def run(**header):
        return run_of(record_of([{"type": "run", "schema": 1, "agents": ["a"], **header}]))

    assert run().early_stopping is None
    assert run(protocol={"convergence": None}).early_stopping is False
    assert run(protocol={"convergence": {"type": "Convergence"}}).early_stopping is True
    assert run(protocol={"convergence": None}, early_stopping=True).early_stopping is True


def test_declared_epochs_without_a_call_stand_in_the_run():
    entries = [
        {"type": "run", "schema": 1, "agents": ["a"], "epochs": 2},
        {"type": "sample", **QUESTION.to_dict()},
        {"type": "call", "sample": "q", "epoch": 1, "round": 0, "agent": 0},
        {"type": "outcome", "sample": "q", "epoch": 1, "status": "max_rounds"},
        {"type": "outcome", "sample": "q", "epoch": 1, "status": "budget"},
    ]
    run = run_of(record_of(entries))
    assert [(one.epoch, len(one.replies)) for one in run.transcripts] == [(0, 0), (1, 1)]
    assert run.transcripts[1].outcome is not None
    assert run.transcripts[1].outcome["status"] == "budget"
    assert run.notes == {"replaced_outcomes": 1}


def test_messages_are_kept_on_request(tmp_path):
    messages = [{"role": "user", "content": "2+2?"}]
    path = make(tmp_path / "r", call(messages=messages))
    assert read_run(path).transcripts[0].replies[0].messages is None
    assert read_run(path, messages=True).transcripts[0].replies[0].messages == tuple(messages)


def test_what_agents_were_told_is_not_held_in_memory_unless_asked_for(tmp_path):
    import tracemalloc

    told = [{"role": "user", "content": "x" * 50_000}]
    path = make(tmp_path / "r", *(call(round=number, messages=told) for number in range(200)))
    size = path.stat().st_size
    tracemalloc.start()
    run = read_run(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(run.transcripts[0].replies) == 200
    assert size > 10_000_000
    assert peak < size / 10


texts = st.text(max_size=20)  # includes half surrogates, which UTF-8 cannot hold


@st.composite
def runs(draw):
    agents = tuple(draw(st.lists(texts, min_size=1, max_size=3)))
    ids = draw(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3, unique=True))
    transcripts = []
    for identifier in ids:
        sample = Sample(
            id=identifier,
            question=draw(texts),
            target=draw(st.none() | texts),
            choices=draw(st.none() | st.dictionaries(texts, texts, min_size=1, max_size=3)),
        )
        cells = draw(st.sets(st.tuples(st.integers(0, 2), st.integers(0, len(agents) - 1)), max_size=5))
        replies = tuple(
            Reply(
                round=round,
                agent=agent,
                text=draw(st.none() | texts),
                answer=draw(st.none() | texts),
                reason=draw(st.none() | texts),
                span=draw(st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9))),
                failed=draw(st.booleans()),
            )
            for round, agent in sorted(cells)
        )
        transcripts.append(Transcript(sample=sample, replies=replies))
    return Run(agents=agents, transcripts=tuple(transcripts), early_stopping=draw(st.none() | st.booleans()))


@given(run=runs())
@settings(max_examples=60, deadline=None)
def test_writing_and_reading_gives_the_same_run(tmp_path_factory, run):
    path = tmp_path_factory.mktemp("runs") / "r"
    write_run(run, path)
    assert read_run(path) == run


def test_lines_are_written_whole_by_several_threads(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    path = make(tmp_path / "r")
    writer, _ = RunWriter.resume(path, sync_seconds=0.0)
    with writer, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: writer.event({"event": "tick", "number": number, "pad": "x" * 5000}), range(200)))
    assert sorted(event["number"] for event in read_record(path).events) == list(range(200))
    assert os.path.getsize(path) > 1_000_000


def test_two_samples_with_one_id_cannot_be_written(tmp_path):
    transcripts = tuple(
        Transcript(sample=Sample(id="q", question="?", target=target), epoch=epoch)
        for epoch, target in enumerate(("4", "5"))
    )
    with pytest.raises(ValueError, match="two different samples with the id 'q'"):
        write_run(Run(agents=("a",), transcripts=transcripts), tmp_path / "r")
