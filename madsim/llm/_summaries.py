"""A summariser's words in place of many replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from madsim.llm._prompts import transcript
from madsim.llm._said import Said

if TYPE_CHECKING:
    from madsim.llm._debate import Debate

_SYSTEM = (
    "You summarise debates faithfully: every distinct final answer, who gave it, and the best reason for it. You add no view of your "
    "own."
)


async def summarise(debate: Debate, agent: int, shown: Sequence[Said]) -> str | None:
    """A summary of what `agent` is shown; None where the summariser fails, and the replies themselves are shown instead."""
    summariser = debate.setup.summariser
    assert summariser is not None
    words = (
        f"The question of this debate:\n{debate.sample.question}\n\n{transcript(debate.sample, debate.setup.names, shown)}\n\n"
        "Summarise these replies in a few sentences. Name every final answer that was given."
    )
    messages = ({"role": "system", "content": summariser.system or _SYSTEM}, {"role": "user", "content": words})
    answered = await debate.ask_helper(summariser, "summary", messages, agent)
    text = None if answered.completion is None else answered.completion.text
    return text if text and text.strip() else None
