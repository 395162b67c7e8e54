"""What the scripted cases of the engine are made of: debaters that keep their prompts, samples, protocols, outcomes."""

import threading
from collections.abc import Callable
from typing import Any

from madsim import llm
from madsim.protocols import Convergence, GroupChat, Judge, OneByOne, Protocol, Simultaneous
from madsim.tasks import Sample

Case = dict[str, Any]


SCHEDULES = {"simultaneous": Simultaneous(), "sequential": OneByOne(), "chat": GroupChat()}


class Recorder:
    """Debaters d0, d1, ... whose replies are given, and every prompt that they were sent, as (name, round, text)."""

    def __init__(self, n: int, reply: Callable[[llm.Request], Any], **settings: Any) -> None:
        self.prompts: list[tuple[str, int, str]] = []
        self._lock = threading.Lock()
        self._reply = reply
        model = llm.ScriptedModel(replies=self._answer, name=settings.pop("model_name", "scripted"))
        self.panel = [llm.Debater(name=f"d{i}", model=model, **settings) for i in range(n)]

    def _answer(self, request: llm.Request) -> Any:
        context = request.context
        text = "\n".join(f"{message['role']}: {message['content']}" for message in request.messages)
        with self._lock:
            self.prompts.append((f"d{context.agent}", context.round, text))
        return self._reply(request)

    def of(self, name: str, round: int) -> str:
        return next(text for who, when, text in self.prompts if (who, when) == (name, round))


def sample_of(given: Case) -> Sample:
    kind = given.get("type") or "text"
    return Sample(
        id="q", question="The question.", target=given.get("gold"), choices=given.get("choices"), answer_type=kind
    )


def protocol_of(given: Case, **more: Any) -> Protocol:
    quorum, similarity = given.get("quorum"), given.get("threshold", 0.85)
    stop = None if given.get("convergence") is False else Convergence(quorum=quorum, similarity=similarity)
    reduction = {"reduction": Judge(each_round=bool(given.get("judge_each_round")))} if "judge" in given else {}
    schedule = SCHEDULES[given.get("schedule", given.get("protocol", "simultaneous"))]
    missing = given.get("on_missing", "drop")
    return Protocol(
        rounds=given.get("rounds", 1), convergence=stop, schedule=schedule, on_missing=missing, **{**reduction, **more}
    )


def outcome_of(run: Any) -> Case:
    """All that a case may expect of one debate."""
    outcome = run.transcripts[0].outcome
    found = dict(outcome)
    found["failed"] = [list(one) for one in outcome["failed"]]
    found["answer_present"] = outcome["answer"] is not None
    found["debater_calls"] = sum(not reply.failed for reply in run.transcripts[0].replies)
    found["debater_rounds"] = len({reply.round for reply in run.transcripts[0].replies})
    return found


def marked(n: int, **settings: Any) -> Recorder:
    return Recorder(n, lambda r: f"d{r.context.agent}r{r.context.round}\nFinal answer: {r.context.agent}", **settings)
