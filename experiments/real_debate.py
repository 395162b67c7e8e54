"""A real debate of a real small model, as the record that ``madsim demo`` ships, and its control without peers.

Sixty additions, three debaters, two rounds after round 0, convergence off. Then the same questions and panel over the empty graph:
everybody is asked again and hears nobody. What the model itself changes on a second look is the control's drift; only what goes
beyond it is due to debate.

Run ``python experiments/real_debate.py OUT`` (about five minutes on one idle CPU thread); both records land in OUT. See
``small_model_server.py`` for the two packages that it needs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

from small_model_server import MODEL, serve

from madsim import graphs, llm
from madsim.protocols import Protocol, Visibility
from madsim.tasks import Sample

SEED = 20261201
QUESTIONS = 60
LARGEST = 49
AGENTS = 3
ROUNDS = 2
TEMPERATURE = 0.5
REPLY_TOKENS = 40
TIMEOUT_SECONDS = 300.0
EXAMPLES = (
    ("What is 3 + 4?", "3 plus 4 is 7.\nFinal answer: 7"),
    ("What is 20 + 15?", "20 plus 15 is 35.\nFinal answer: 35"),
    ("What is 6 + 28?", "6 plus 28 is 34.\nFinal answer: 34"),
    ("What is 41 + 9?", "41 plus 9 is 50.\nFinal answer: 50"),
)


def questions() -> list[Sample]:
    """The additions, drawn once from the seed and all different."""
    random = Random(SEED)
    pairs: list[tuple[int, int]] = []
    while len(pairs) < QUESTIONS:
        pair = (random.randint(2, LARGEST), random.randint(2, LARGEST))
        if pair not in pairs:
            pairs.append(pair)
    return [
        Sample(id=f"addition-{i:02d}", question=f"What is {a} + {b}?", target=str(a + b), answer_type="number")
        for i, (a, b) in enumerate(pairs)
    ]


def main(out: Path) -> None:
    """Run the debate and its control against the local server, each into a record of its own."""
    out.mkdir(parents=True, exist_ok=True)
    # The examples show the form of a reply; a longer instruction is copied by a model of this size instead of followed.
    prompts = llm.Prompts(examples=EXAMPLES, instruction="", again="What is your answer now?")
    with serve() as base_url:
        model = llm.OpenAIModel(name=MODEL, base_url=base_url)
        panel = [
            llm.Debater(
                name=f"Debater {number}",
                model=model,
                system="You answer arithmetic questions.",
                temperature=TEMPERATURE,
                max_tokens=REPLY_TOKENS,
                seed="derived",
                timeout=TIMEOUT_SECONDS,
            )
            for number in range(1, AGENTS + 1)
        ]
        for name, visibility, control in (
            ("arithmetic_debate", Visibility(), None),
            ("arithmetic_reask", Visibility(graph=graphs.empty(AGENTS)), "reask"),
        ):
            protocol = Protocol(rounds=ROUNDS, visibility=visibility)
            record = out / f"{name}.jsonl"
            llm.run_debates(
                protocol, panel, questions(), record=record, prompts=prompts, control=control, concurrency=1, rng=SEED
            )
            print(record)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out"))
