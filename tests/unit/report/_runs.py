"""Runs made by hand for reports, among them one whose models wrote what no page should obey."""

import numpy as np

from madsim.tasks import Sample
from madsim.transcripts import Reply, Run, Transcript

HOSTILE = (
    "</script><script>window.planted = 1; document.title = 'planted'</script><img src=x onerror='window.planted = 2'>"
    "<!--<script>\u202eevil\u2066 nul\x00 esc\x1b[31m zero\u200bwidth lone\ud800 tag\U000e0041 & &lt;b&gt; <style>*{display:none}</style> "
)


def reply(round_, agent, answer, *, before="I think. ", usage=None):
    """A reply that ends with its answer; None is one that cannot be read."""
    if answer is None:
        return Reply(round=round_, agent=agent, text=f"{before}No idea.", reason="none", finish_reason="length")
    text = f"{before}Final answer: {answer}\nThat is all."
    start = text.rindex(f"{answer}\n")
    return Reply(
        round=round_,
        agent=agent,
        text=text,
        answer=answer,
        reason="label",
        span=(start, start + len(answer)),
        finish_reason="stop",
        usage=usage,
    )


def run_of_answers(debates, *, target="1", agents=("Ada", "Bo", "Cy"), source="runs/plain.jsonl", **options):
    """A run from answers as text by debate, round and agent (None: unreadable)."""
    transcripts = tuple(
        Transcript(
            sample=Sample(id=f"q{number}", question=f"Question {number}?", target=target, answer_type="number"),
            replies=tuple(
                reply(t, agent, answer, **options)
                for t, answers in enumerate(rounds)
                for agent, answer in enumerate(answers)
            ),
            outcome={"status": "max_rounds", "method": "majority", "answer": "1", "cost": 0.25},
        )
        for number, rounds in enumerate(debates)
    )
    return Run(agents=agents, transcripts=transcripts, early_stopping=False, source={"file": source})


def plain_run(n_questions=20, *, seed=0, n_agents=3, n_rounds=2):
    """Answers drawn independently, right with chance .7, unreadable with chance .05."""
    rng = np.random.default_rng(seed)
    chance = [0.7, 0.15, 0.1, 0.05]
    drawn = rng.choice(4, p=chance, size=(n_questions, n_rounds + 1, n_agents))
    words = np.array(["1", "2", "3", None], dtype=object)
    return run_of_answers(words[drawn].tolist(), agents=tuple("ABCDEFGH"[:n_agents]))


def hostile_run():
    """Every text that a model or a file can set is hostile."""
    bad = Transcript(
        sample=Sample(id=HOSTILE, question=HOSTILE, target="1", choices={"A": HOSTILE}, answer_type="number"),
        replies=tuple(reply(t, agent, "1", before=HOSTILE) for t in range(2) for agent in range(2)),
        outcome={"status": HOSTILE, "method": "majority", "answer": HOSTILE},
    )
    good = run_of_answers([[["1", "2"], ["1", "1"]]] * 3).transcripts
    return Run(
        agents=(HOSTILE, "Bo"),
        transcripts=(bad, *good),
        early_stopping=False,
        source={"file": HOSTILE, "debaters": [{"name": HOSTILE}]},
        provenance={"command": HOSTILE},
        notes={"torn_lines": 1},
    )
