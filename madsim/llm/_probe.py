"""Whether debaters still know their roles at the end (role collapse): they are asked, outside the debate, and what they say is scored."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from madsim.llm._request import Message

if TYPE_CHECKING:
    from madsim.llm._debate import Debate

_WORD = re.compile(r"[^\W\d_]{4,}")
_QUESTION = (
    "The debate is over and this is not part of it. In one or two sentences: which role were you given at the start, and how were you "
    "asked to behave?"
)


async def probe_roles(debate: Debate) -> dict[str, float | None]:
    """By debater, the share of its role's words that it still names; None for a debater without a role, or that did not reply.

    Raises
    ------
    BudgetError
        If the question cannot be paid for.
    """
    scores: dict[str, float | None] = {}
    for agent, debater in enumerate(debate.setup.panel):
        if debater.system is None:
            scores[debater.name] = None
            continue
        messages: list[Message] = [{"role": "system", "content": debater.system}]
        for exchange in debate.past[agent][-1:]:
            said = "" if exchange.reply is None else exchange.reply.text or ""
            messages.append(
                {"role": "user", "content": debate.setup.prompts.question(debate.sample, side=debater.side)}
            )
            messages.append({"role": "assistant", "content": said})
        messages.append({"role": "user", "content": _QUESTION})
        answered = await debate.ask_helper(debater, "probe", tuple(messages), agent)
        text = None if answered.completion is None else answered.completion.text
        scores[debater.name] = None if text is None else role_score(debater.system, text)
    return scores


def role_score(system: str, reply: str) -> float:
    """Share of the role's words of four letters and more that occur in a reply, in [0, 1]."""
    wanted = {word.casefold() for word in _WORD.findall(system)}
    said = {word.casefold() for word in _WORD.findall(reply)}
    return len(wanted & said) / len(wanted) if wanted else 1.0
