"""Who speaks next in a group chat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from madsim.llm._prompts import transcript
from madsim.protocols import GroupChat

if TYPE_CHECKING:
    from madsim.llm._debate import Debate


async def choose_speaker(debate: Debate, schedule: GroupChat) -> int:
    """The place in the panel of the next speaker.

    A moderator's reply counts where it names exactly one debater; otherwise, and where it fails, the schedule's fallback does. How often
    each happened is told with the outcome, and what the moderator's calls took counts as coordination.

    Raises
    ------
    ValueError
        If the user's function names nobody of the panel.
    """
    setup = debate.setup
    in_order = (debate.round - 1) % debate.n_agents
    if schedule.speaker == "function":
        assert setup.speaker is not None
        chosen = setup.speaker(debate.turn(None))
        if isinstance(chosen, bool) or not isinstance(chosen, int) or not 0 <= chosen < debate.n_agents:
            raise ValueError(
                f"the speaker function must return a place from 0 to {debate.n_agents - 1}, got {chosen!r}"
            )
        return chosen
    if schedule.speaker == "round_robin" or setup.moderator is None:
        return in_order
    words = (
        f"The question of this debate:\n{debate.sample.question}\n\n{transcript(debate.sample, setup.names, debate.log)}\n\n"
        f"Who should speak next? Reply with one name of this list and nothing else: {', '.join(setup.names)}."
    )
    system = setup.moderator.system or "You lead a debate and decide who speaks next."
    messages = ({"role": "system", "content": system}, {"role": "user", "content": words})
    answered = await debate.ask_helper(setup.moderator, "speaker", messages)
    text = answered.completion.text if answered.completion is not None else None
    named = [place for place, name in enumerate(setup.names) if name.casefold() in (text or "").casefold()]
    whole = [place for place in named if setup.names[place].casefold() == (text or "").strip(" .\n\t*`\"'").casefold()]
    chosen_places = whole or named
    if len(chosen_places) == 1:
        debate.speakers["named"] += 1
        return chosen_places[0]
    debate.speakers["fallback"] += 1
    if schedule.fallback == "random":
        return debate.random("speaker").randrange(debate.n_agents)
    return debate.log[-1].agent if schedule.fallback == "last" and debate.log else in_order
