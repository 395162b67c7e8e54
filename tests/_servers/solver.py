"""A model that reads the number of a question out of any prompt and is right most of the time; it holds no state between calls."""

import hashlib
import json
import re

from tests._servers.chat import completion


def solve(body: dict, number: int) -> dict:
    """The reply function of a :class:`ChatServer` for any structure."""
    words = json.dumps(body["messages"])
    question = int(re.search(r"Question q(\d+):", words)[1])
    word = hashlib.sha256(f"{number}/{words}".encode()).digest()
    answer = question + (word[0] < 80)
    return completion(f"I counted again ({word.hex()[:8]}).\nFinal answer: {answer}", usage=(len(words) // 4, 9))
