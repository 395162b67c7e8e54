"""A process that runs or resumes debates against an endpoint, to be killed: python -m tests._servers.victim SETTINGS (JSON)."""

import json
import os
import sys

from madsim import llm
from madsim.protocols import Protocol
from madsim.tasks import Sample


def samples(n: int) -> list[Sample]:
    """Questions whose right answer is their own number."""
    return [
        Sample(id=f"q{i}", question=f"Question q{i}: which number is this?", target=str(i), answer_type="number")
        for i in range(n)
    ]


def panel(base_url: str, n: int, *, timeout: float = 60.0, key: str | None = None) -> list[llm.Debater]:
    """Debaters that tell the server who they are."""
    model = llm.OpenAIModel(name="loopback", base_url=base_url, api_key=key)
    return [
        llm.Debater(
            name=f"a{i}", model=model, system=f"You are agent {i}.", max_tokens=40, temperature=1.0, timeout=timeout
        )
        for i in range(n)
    ]


def main(settings: dict) -> None:
    """Run if there is no record, else resume."""
    record = settings["record"]
    options = {
        "concurrency": settings["concurrency"],
        "retry": llm.Retry(attempts=settings.get("attempts", 8), first_wait=0.01, longest_wait=0.05),
    }
    if settings.get("max_tokens"):
        options["budget"] = llm.Budget(max_tokens=settings["max_tokens"])
    protocol = Protocol(rounds=settings.get("rounds", 0))
    if "structure" in settings:
        model = llm.OpenAIModel(name="loopback", base_url=settings["base_url"])
        arrangement = llm.structure(settings["structure"]).arrange(model, max_tokens=40)
        protocol, people = arrangement.protocol, list(arrangement.debaters)
        options |= arrangement.helpers
    else:
        people = panel(
            settings["base_url"], settings["agents"], timeout=settings.get("timeout", 60.0), key=settings.get("key")
        )
    if os.path.exists(record):
        totals = llm.resume_record(record, people, **options)
    else:
        totals = llm.record_debates(protocol, people, samples(settings["questions"]), record=record, rng=1, **options)
    print(
        json.dumps(
            {"statuses": totals.statuses, "spent": totals.spent.to_dict(), "maybe_paid_twice": totals.maybe_paid_twice}
        )
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
