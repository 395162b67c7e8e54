"""Ballots over the answers at hand, and a proposal that all accept."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from madsim.answers import equivalent, vote_approval, vote_ranked
from madsim.llm._outcome import Decision
from madsim.llm._prompts import transcript
from madsim.llm._quote import one_line, quote
from madsim.llm._request import Message, Role
from madsim.protocols import Approval, Consensus, Ranked

if TYPE_CHECKING:
    from madsim.llm._debate import Debate

_RANKING = re.compile(r"(?im)^[\s*_`#-]*ranking[\s*_`]*[:=：](.*)$")
_APPROVED = re.compile(r"(?im)^[\s*_`#-]*(?:approved?|acceptable)[\s*_`]*[:=：](.*)$")
_ACCEPT = re.compile(r"(?im)^[\s>*_`#-]*(?:i\s+)?accept(?:ed)?\b(?!\s*:\s*no)")


async def decide_by_ballots(debate: Debate, reduction: Ranked | Approval, fallback: Decision) -> Decision:
    """The answer that the ballots of the whole panel prefer; the vote's, marked as a fallback, where no ballot can be read.

    Raises
    ------
    BudgetError
        If the ballots cannot be paid for.
    """
    candidates = list(fallback.counts)
    method = "ranked" if isinstance(reduction, Ranked) else "approval"
    if len(candidates) < 2:
        return replace(fallback, method=method if candidates and fallback.answer is not None else fallback.method)
    ballots = []
    for agent in range(debate.n_agents):
        text = await _ask(debate, agent, "ballot", _ballot_words(debate, candidates, method))
        ballots.append(read_ballot(text, len(candidates), method))
    valid = [[candidates[place] for place in ballot] for ballot in ballots if ballot is not None]
    details = {"ballots": [None if ballot is None else [candidates[place] for place in ballot] for ballot in ballots]}
    if not valid:
        return replace(fallback, method="majority_fallback", details={**fallback.details, **details})
    result = vote_ranked(valid, method=reduction.method) if isinstance(reduction, Ranked) else vote_approval(valid)
    if result.answer is None or (result.tie and reduction.ties == "fail"):
        return replace(fallback, answer=None, method="none", tie=True, agent=None, details=details)
    chosen = result.answer
    if result.tie and reduction.ties == "random":
        names = list(dict.fromkeys(answer for ballot in valid for answer in ballot))
        most = max(result.totals, default=0.0)
        tied = [name for name, total in zip(names, result.totals, strict=False) if total == most]
        chosen = debate.random("ties").choice(tied or [chosen])
    votes = int(fallback.counts.get(chosen, 0))
    return replace(fallback, answer=chosen, method=method, votes=votes, tie=result.tie, agent=None, details=details)


async def decide_by_consensus(debate: Debate, reduction: Consensus, fallback: Decision) -> Decision:
    """The proposal that everybody accepts; the vote's answer, marked as a fallback, where none is accepted in time.

    Raises
    ------
    BudgetError
        If the questions cannot be paid for.
    """
    if fallback.answer is None or fallback.agent is None:
        return fallback
    proposer, proposal = fallback.agent, fallback.answer
    history = []
    for _ in range(reduction.proposals):
        accepted, refined = 0, None
        for agent in range(debate.n_agents):
            if agent == proposer:
                continue
            text = await _ask(debate, agent, "proposal", _proposal_words(debate, proposer, proposal))
            answer = None if text is None else debate.read(text).answer
            same = answer is not None and equivalent(
                answer, proposal, debate.answer_type, choices=debate.sample.choices
            )
            if same or (answer is None and text is not None and _ACCEPT.search(text)):
                accepted += 1
            elif answer is not None and refined is None:
                refined = (agent, answer)
        history.append({"proposal": proposal, "by": debate.setup.names[proposer], "accepted": accepted})
        if accepted == debate.n_agents - 1:
            votes = int(fallback.counts.get(proposal, 0))
            details = {"proposals": history}
            return replace(fallback, answer=proposal, method="consensus", votes=votes, agent=proposer, details=details)
        if refined is None:
            break
        proposer, proposal = refined
    return replace(fallback, method="majority_fallback", details={"proposals": history})


def read_ballot(text: str | None, candidates: int, method: str) -> list[int] | None:
    """Places of the candidates on a ballot (``Ranking: 2 > 1`` or ``Approved: 1, 3``), from 0; None where it is not valid.

    A ranking may leave candidates out at its end; a number twice, or one that is no candidate's, spoils the ballot.
    """
    lines = (_RANKING if method == "ranked" else _APPROVED).findall(text or "")
    if not lines:
        return None
    last = lines[-1].strip()
    if method == "approval" and last.strip(" .*_`").casefold() == "none":
        return []
    numbers = [int(number) - 1 for number in re.findall(r"\d{1,3}", last)]
    if not numbers or len(set(numbers)) != len(numbers) or any(not 0 <= number < candidates for number in numbers):
        return None
    return numbers


def _ballot_words(debate: Debate, candidates: list[str], method: str) -> str:
    listed = "\n".join(f"{number}. {one_line(answer)}" for number, answer in enumerate(candidates, start=1))
    how = (
        "Rank them from best to worst. End with one line of this form:\nRanking: 2 > 1"
        if method == "ranked"
        else "Which of them are acceptable? End with one line of this form, or with `Approved: none`:\nApproved: 1, 2"
    )
    return f"{_debate_words(debate)}\n\nThe answers at hand:\n{listed}\n\n{how}"


def _proposal_words(debate: Debate, proposer: int, proposal: str) -> str:
    return (
        f"{_debate_words(debate)}\n\n{debate.setup.names[proposer]} proposes this as the panel's answer:\n{quote(proposal)}\n\n"
        f"If you accept it, reply with the one word Accept. If not, answer anew. {debate.setup.prompts.ending(debate.sample)}"
    )


def _debate_words(debate: Debate) -> str:
    said = transcript(debate.sample, debate.setup.names, [one for one in debate.standing() if one is not None])
    return f"{debate.setup.prompts.question(debate.sample)}\n\nThe replies at the end of the debate:\n\n{said}"


async def _ask(debate: Debate, agent: int, role: Role, words: str) -> str | None:
    debater = debate.setup.panel[agent]
    messages: list[Message] = [] if debater.system is None else [{"role": "system", "content": debater.system}]
    messages.append({"role": "user", "content": words})
    answered = await debate.ask_helper(debater, role, tuple(messages), agent)
    return None if answered.completion is None else answered.completion.text
