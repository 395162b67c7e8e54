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
    return await _ask(
        debate, agent, shown, "Summarise these replies in a few sentences. Name every final answer that was given."
    )


async def summarise_dialogue(debate: Debate, agent: int, replies: Sequence[Said]) -> str | None:
    """A summary of a dialogue that is over, for those who go on with it; None where the summariser fails."""
    words = "Summarise this conversation for those who go on with it: what was decided, what is open, and every final answer given."
    return await _ask(debate, agent, replies, words)


async def _ask(debate: Debate, agent: int, shown: Sequence[Said], request: str) -> str | None:
    summariser = debate.setup.summariser
    assert summariser is not None
    words = f"The question of this debate:\n{debate.sample.question}\n\n{transcript(debate.sample, debate.setup.names, shown)}\n\n{request}"
    messages = ({"role": "system", "content": summariser.system or _SYSTEM}, {"role": "user", "content": words})
    answered = await debate.ask_helper(summariser, "summary", messages, agent)
    text = None if answered.completion is None else answered.completion.text
    return text if text and text.strip() else None
