"""Group chats led by a moderator: its choice, its fallback, its cost; and a person at the end."""

import pytest

from madsim import llm
from madsim.protocols import GroupChat, Protocol
from madsim.tasks import Sample

QUESTION = Sample(id="q", question="2 + 2?", target="4", answer_type="number")
ONE = llm.Usage(input=10, output=2)


def chat(choices, *, rounds=3, fallback="round_robin", **options):
    speaks = llm.ScriptedModel(replies=lambda request: "Final answer: 4", usage=ONE)
    names = llm.Debater(name="m", model=llm.ScriptedModel(replies=choices, usage=llm.Usage(input=5, output=1)))
    people = [llm.Debater(name=name, model=speaks) for name in ("Ann", "Ben", "Cleo")]
    protocol = Protocol(rounds=rounds, schedule=GroupChat(speaker="model", fallback=fallback))
    return llm.run_debates(protocol, people, [QUESTION], moderator=names, rng=1, **options)


def speakers(run):
    return [one.agent for one in run.transcripts[0].replies if one.round > 0]


def test_a_named_speaker_speaks_and_its_choice_is_paid_as_coordination():
    run = chat(["Cleo", "Ben.", "**Cleo**"])
    assert speakers(run) == [2, 1, 2]
    outcome = run.transcripts[0].outcome
    assert outcome["details"]["speakers"] == {"named": 3}
    assert outcome["usage_by_role"] == {
        "debater": {"input": 60, "cached": 0, "output": 12},
        "speaker": {"input": 15, "cached": 0, "output": 3},
    }
    found = llm.diagnose(run)
    assert found.helper_tokens == {"speaker": 18}
    assert found.coordination == pytest.approx((3 * 12 + 18) / (6 * 12 + 18))


@pytest.mark.parametrize(("fallback", "expected"), [("round_robin", [2, 1, 2]), ("last", [2, 2, 2])])
@pytest.mark.parametrize("invalid", ["Dora", "Ann or Ben", "", "!500"])
def test_an_invalid_choice_falls_back_as_stated(fallback, expected, invalid):
    run = chat(["Cleo", invalid, "Cleo"], fallback=fallback)
    assert speakers(run) == expected
    assert run.transcripts[0].outcome["details"]["speakers"] == {"named": 2, "fallback": 1}


def test_a_random_fallback_is_the_same_whenever_the_run_is_repeated():
    runs = [speakers(chat(["?"] * 12, rounds=12, fallback="random")) for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 3
    with pytest.raises(ValueError, match="fallback must be"):
        GroupChat(fallback="nobody")
