"""A simulated population that answers over HTTP: it reads the messages as a model would, and holds no state between calls.

The system message names the agent (``You are agent 3.``), the question its id (``Question q17: ...``) and the right answer is the number of
the question. Each agent is a Polya urn with a fixed mass: right with its belief, else wrong by one; every answer heard is one more ball.
"""

import hashlib
import re

from tests._servers.chat import completion

ANSWER = re.compile(r"(?m)^(> )?Final answer: (-?\d+)\s*$")


class Population:
    """The reply function of a :class:`ChatServer`; `keys` are the (question, agent, round) of all calls seen."""

    def __init__(self, *, belief: float = 0.6, mass: float = 2.0, seed: int = 0, pull: float = 0.0) -> None:
        self.belief, self.mass, self.seed, self.pull = belief, mass, seed, pull
        self.keys: list[tuple[int, int, int]] = []

    def key(self, body: dict) -> tuple[int, int, int]:
        """Question, agent and round of a request."""
        messages = body["messages"]
        agent = int(re.search(r"agent (\d+)", messages[0]["content"])[1])
        question = int(re.search(r"Question q(\d+):", messages[1]["content"])[1])
        return question, agent, sum(message["role"] == "assistant" for message in messages)

    def __call__(self, body: dict, number: int) -> dict:
        question, _agent, round = key = self.key(body)
        self.keys.append(key)
        right, total = self.belief * self.mass, self.mass
        for message in body["messages"][2:]:
            own = message["role"] == "assistant"
            for quoted, answer in ANSWER.findall(message["content"]):
                if own or quoted:
                    right += int(answer) == question
                    total += 1
        belief = right / total + self.pull * (round > 0)
        word = hashlib.sha256(f"{self.seed}/{key}".encode()).digest()
        answer = question if int.from_bytes(word[:8], "big") / 2**64 < belief else question + 1
        return completion(f"I counted again.\nFinal answer: {answer}", usage=(len(str(body["messages"])) // 4, 9))
