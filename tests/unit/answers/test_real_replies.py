"""Two hundred replies drawn at random over all real transcripts and read by eye: their hashes and the answers that they
give."""

import hashlib
import json
from pathlib import Path

from madsim import answers
from tests._realdata import REAL_DATA, needs_real_data

RIGHT = json.loads((Path(__file__).parent / "real_replies.json").read_text(encoding="utf-8"))
MOST_WRONG = 2


def all_replies():
    """Every reply text of the real transcripts, by the first 16 digits of its SHA-256."""
    found = {}
    for path in sorted((REAL_DATA / "transcripts").glob("*/**/*.json")):
        text = path.read_text(encoding="utf-8")
        for reply in _of_lines(text) if "DyLAN" in str(path) else _of_conversations(text):
            found[hashlib.sha256(reply.encode()).hexdigest()[:16]] = reply
    return found


def _of_lines(text):
    for line in text.split("\n"):
        if line.strip():
            yield from (reply for agent in json.loads(line) for reply in agent if reply is not None)


def _of_conversations(text):
    for conversations, *_ in json.loads(text).values():
        yield from (turn["content"] for turns in conversations for turn in turns if turn["role"] == "assistant")


@needs_real_data
def test_at_most_two_of_two_hundred_are_read_wrong():
    replies = all_replies()
    wrong = []
    for digest, type, right in RIGHT:
        found = answers.extract(replies[digest], type, choices=list("ABCD") if type == "choice" else None)
        if found.answer != right:
            wrong.append((digest, right, found.answer, found.reason))
    assert len(RIGHT) == 200
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
