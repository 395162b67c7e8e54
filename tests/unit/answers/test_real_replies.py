"""Twice two hundred replies drawn at random over all real transcripts and read by eye: their hashes and the answers that they
give."""

import hashlib
import json
from functools import cache
from pathlib import Path

from madsim import answers
from madsim.transcripts import import_run
from tests._realdata import REAL_DATA, needs_real_data

MOST_WRONG = 2


def drawn(name):
    return json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


def digest(reply):
    return hashlib.sha256(reply.encode()).hexdigest()[:16]


@cache
def all_replies():
    """Every reply text of the real transcripts, by the first 16 digits of its SHA-256."""
    found = {}
    for path in sorted((REAL_DATA / "transcripts").glob("*/**/*.json")):
        text = path.read_text(encoding="utf-8")
        for reply in _of_lines(text) if "DyLAN" in str(path) else _of_conversations(text):
            found[digest(reply)] = reply
    for path in sorted((REAL_DATA / "formats" / "debate-or-vote").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            for round in (json.loads(line) if line.strip() else {}).values():
                found.update((digest(reply), reply) for reply in round["responses"].values())
    return found


def _of_lines(text):
    for line in text.split("\n"):
        if line.strip():
            yield from (reply for agent in json.loads(line) for reply in agent if reply is not None)


def _of_conversations(text):
    for conversations, *_ in json.loads(text).values():
        yield from (turn["content"] for turns in conversations for turn in turns if turn["role"] == "assistant")


def offered():
    """The options of each reply to a choice as its importer gives them: letters with texts where the question states them."""
    found = {}
    for path in sorted((REAL_DATA / "transcripts").glob("*/**/mmlu*.json")):
        for transcript in import_run(path).transcripts:
            for reply in transcript.replies:
                if reply.text is not None:
                    found.setdefault(digest(reply.text), transcript.sample.choices)
    return found


def wrongly_read(rows, choices):
    replies = all_replies()
    wrong = []
    for key, type, right in rows:
        found = answers.extract(replies[key], type, choices=choices(key) if type == "choice" else None)
        if found.answer != right:
            wrong.append((key, right, found.answer, found.reason))
    return wrong


@needs_real_data
def test_at_most_two_of_two_hundred_are_read_wrong():
    rows = drawn("real_replies.json")
    wrong = wrongly_read(rows, lambda key: list("ABCD"))
    assert len(rows) == 200
    assert len(wrong) <= MOST_WRONG, wrong


@needs_real_data
def test_at_most_two_of_two_hundred_others_are_read_wrong():
    rows, first = drawn("real_replies_2.json"), drawn("real_replies.json")
    options = offered()
    wrong = wrongly_read(rows, lambda key: options.get(key, list("ABCD")))
    assert len(rows) == len({key for key, *_ in rows} - {key for key, *_ in first}) == 200
    assert len(wrong) <= MOST_WRONG, wrong


@needs_real_data
def test_the_layout_of_debate_or_vote():
    for path in sorted((REAL_DATA / "formats" / "debate-or-vote").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            for round in (json.loads(line) if line.strip() else {}).values():
                texts = round["responses"].values()
                values = [answers.extract(text, "number").answer for text in texts]
                assert [value is None for value in values] == ["{final answer:" not in text for text in texts]
                assert all(
                    value is None or f"{{final answer: {value}}}" in text
                    for value, text in zip(values, texts, strict=True)
                )
