"""``madsim debate`` against a real HTTP server on loopback: interrupted with Ctrl-C, resumed, nothing paid twice."""

import json
import signal
import subprocess
import sys
import time

from madsim.transcripts import read_record, read_run
from tests._servers.chat import ChatServer, Reply, completion
from tests.unit.cli._run import run

PROGRAM = "import sys; from madsim.cli import main; sys.exit(main())"


def test_an_interrupted_run_is_130_keeps_its_record_and_is_resumed(capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    task = tmp_path / "task.jsonl"
    rows = [{"id": f"q{i}", "question": f"{i}+1?", "target": str(i + 1), "answer_type": "number"} for i in range(12)]
    task.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    seen = []

    def reply(body, number):
        seen.append(json.dumps(body["messages"]))
        return Reply(body=json.dumps(completion("Final answer: 3")).encode(), wait=0.05)

    record = tmp_path / "r"
    with ChatServer(reply) as server:
        arguments = ["debate", "run", str(task), "--model", "m", "--base-url", server.base_url, "--agents", "2"]
        arguments += ["--rounds", "1", "--no-convergence", "--concurrency", "2", "--record", str(record), "--rng", "1"]
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            deadline = time.monotonic() + 60
            while len(seen) < 8 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode == 130, err
        assert out == ""
        assert err.splitlines()[-1] == "madsim: interrupted"
        before = len(read_record(record).calls)
        assert 0 < before < 48
        done = run(capsys, "debate", "resume", record, "--json")
    assert done.code == 0
    finished = read_run(record)
    assert sum(len(one.replies) for one in finished.transcripts) == 48
    assert len(seen) <= 48 + 2  # calls that were in flight at the interrupt, at most the concurrency
    assert done.json["notes"].get("maybe_paid_twice", 0) <= 2
    assert done.json["vote_by_round"][0]["value"] == 1 / 12


def test_a_refusing_endpoint_is_1_and_says_why(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    task = tmp_path / "task.jsonl"
    task.write_text('{"id": "q", "question": "1+1?", "target": "2", "answer_type": "number"}\n', encoding="utf-8")
    with ChatServer(lambda body, number: Reply(body=b"{}", status=401)) as server:
        options = ["--model", "m", "--base-url", server.base_url, "--agents", 2, "--rounds", 0]
        done = run(capsys, "debate", "run", task, *options, "--record", tmp_path / "r")
    assert done.code == 1
    assert "failed turns, " in done.out
    assert done.out.split("failed turns, ")[1].split("\n")[0].split()[-1] == "2"
