"""``--method`` and ``--backend``: what ran is said, and what does not go together is refused."""

import json

import pytest

from madsim.cli import main


def told(capsys, *words: str) -> tuple[int, dict, str]:
    """Exit status, JSON and errors of a command."""
    status = main([*words, "--json"])
    captured = capsys.readouterr()
    return status, json.loads(captured.out) if captured.out else {}, captured.err


DEBATE = ("simulate", "debate", "--agents", "4", "--rounds", "1", "--trials", "50", "--rng", "1")
SWARM = ("simulate", "swarm", "--quality", "0.3", "0.7", "--trials", "5", "--rng", "1", "--agents")
LEARNER = ("simulate", "learner", "--quality", "0.3", "0.7", "--trials", "5", "--rng", "1", "--times", "1", "5")


@pytest.mark.parametrize(
    ("words", "method"),
    [
        ((*DEBATE,), "lanes, shared counts: everybody"),
        ((*DEBATE, "--method", "counts"), "counts: asked for"),
        ((*DEBATE, "--method", "general", "--executor", "processes", "--threads", "1"), "one by one: asked for"),
        ((*DEBATE, "--backend", "jax"), "jax on"),
        ((*SWARM, "10000", "--method", "leaps"), "leaps: asked for; approximate"),
        ((*SWARM, "8", "--kind", "sync", "--method", "counts"), "counts: asked for"),
        ((*SWARM, "8", "--times", "3", "--backend", "jax"), "jax on"),
        ((*LEARNER, "--method", "general"), "trial by trial: asked for"),
        ((*LEARNER, "--backend", "jax"), "jax on"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[-4:]),
)
def test_the_output_says_what_ran(capsys, words, method):
    status, found, _ = told(capsys, *words)
    assert status == 0
    assert found["method"].startswith(method)
    assert found["provenance"]["parameters"].get("backend", "numba") == ("jax" if "jax" in words else "numba")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*SWARM, "50", "--method", "leaps"), "at least 10000 agents"),
        ((*DEBATE, "--backend", "jax", "--method", "lanes"), "leave it out"),
        ((*DEBATE, "--backend", "jax", "--executor", "processes"), "does not go with --executor"),
        ((*DEBATE, "--backend", "jax", "--sweep", "agents=3,4"), "does not go with --sweep"),
        ((*LEARNER, "--backend", "jax", "--partial", "there"), "does not go with --partial"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[-4:]),
)
def test_what_does_not_go_together_is_refused(capsys, words, message):
    status, _, errors = told(capsys, *words)
    assert status == 2
    assert message in errors
