"""Every variant of the debate from its definition, in plain Python: dictionaries of rules, one trial, one agent, one answer at a time."""

import math

import numpy as np

from madsim.models import (
    Argmax,
    Conformist,
    CorrectionLock,
    DebateModel,
    Follower,
    Forgetting,
    LastRound,
    Rereading,
    Sticky,
    Summary,
    Temperature,
    TopP,
)
from madsim.protocols import OneByOne
from tests.reference.streams import Stream


class Debate:
    """One simulated debate, round by round."""

    def __init__(self, model: DebateModel, stream: Stream, concentration: np.ndarray) -> None:
        self.model = model
        self.stream = stream
        n, k = concentration.shape
        self.prior = [list(map(float, row)) for row in concentration]
        self.evidence = [[0.0] * k for _ in range(n)]
        self.transcript = [[0.0] * k for _ in range(n)]
        self.prior_share = [1.0] * n
        self.locked = [False] * n
        self.beliefs = [0.0] * n
        self.votes: list[int] = [0] * n
        self.own = np.broadcast_to(np.asarray(model.self_weight, float), (n,))
        self.peer = np.broadcast_to(np.asarray(model.peer_weight, float), (n,))

    def run(self, n_rounds: int) -> tuple[list[list[int] | None], list[list[float]]]:
        """Votes by round (None once stopped) and beliefs by round."""
        votes: list[list[int] | None] = []
        beliefs: list[list[float]] = []
        stopped, settled = False, False
        for step in range(n_rounds + 1):
            if not stopped:
                self.speak(step)
            elif not settled:
                self.settle(step)
                settled = True
            votes.append(None if stopped else list(self.votes))
            beliefs.append(list(self.beliefs))
            unanimous = len(set(self.votes)) == 1
            convergence = self.model.protocol.convergence
            if convergence is not None and (convergence.quorum or 1) <= len(self.votes):
                stopped = stopped or (unanimous and (self.model.wrong_answers_agree or self.votes[0] == 0))
        return votes, beliefs

    def speak(self, step: int) -> None:
        """One round."""
        model, n = self.model, len(self.votes)
        last = list(self.votes)
        summary = self.summarise(last) if step and self.summary is not None else None
        rule = model.intervention
        announced = None
        if step and isinstance(rule, (Conformist, Follower)) and rule.ties == "random" and rule.among == "all":
            announced = self.majority(last, "random")
        order = list(range(n))
        schedule = model.protocol.schedule
        if step and isinstance(schedule, OneByOne) and schedule.order == "random":
            for place in range(n - 1, 0, -1):
                other = int(self.stream.uniform32() * (place + 1))
                order[place], order[other] = order[other], order[place]
        for agent in order:
            stubborn = model.stubborn if model.stubborn is not None and agent in model.stubborn.agents else None
            answer = None
            if step and stubborn is not None and stubborn.repeats:
                answer = last[agent]
            elif step and stubborn is None and model.intervention is not None:
                answer = self.rule(step, agent, last, announced)
            updates = answer is None or getattr(model.intervention, "updates", True)
            if step and stubborn is None and updates:
                shown = self.votes if isinstance(schedule, OneByOne) else last
                self.remember(agent, self.heard(step, agent, shown, summary))
            concentration = self.believe(agent)
            self.beliefs[agent] = concentration[0] / sum(concentration)
            self.votes[agent] = self.respond(step, concentration) if answer is None else answer

    def settle(self, step: int) -> None:
        """After an early stop: everybody adds the last answers to its belief, nobody speaks."""
        model, last = self.model, list(self.votes)
        summary = self.summarise(last) if self.summary is not None else None
        for agent in range(len(last)):
            if model.stubborn is not None and agent in model.stubborn.agents:
                continue
            if self.locked[agent] and not getattr(model.intervention, "updates", True):
                continue
            self.remember(agent, self.heard(step, agent, last, summary))
            self.beliefs[agent] = self.believe(agent)[0] / sum(self.believe(agent))

    def believe(self, agent: int) -> list[float]:
        """The concentration of one agent."""
        return [self.prior_share[agent] * a + b for a, b in zip(self.prior[agent], self.evidence[agent], strict=True)]

    @property
    def summary(self) -> Summary | None:
        """The summariser, where there is one."""
        if self.model.summary is None and self.model.protocol.visibility.show == "summary":
            return Summary()
        return self.model.summary

    def edges(self, step: int, agent: int) -> list[tuple[int, float]]:
        """Whom an agent hears in a round, with the weight of the graph."""
        graph = self.model.protocol.graph(len(self.votes), step)
        return [(int(other), graph[agent, int(other)]) for other in graph.hears(agent)]

    def heard(self, step: int, agent: int, shown: list[int], summary: int | None) -> list[float]:
        """What one agent hears, as counts by answer."""
        model = self.model
        counts = [0.0] * model.n_answers

        def hear(answer: int, weight: float) -> None:
            if model.answer_weights is not None:
                weight *= model.answer_weights[answer]
            if model.similarity is None:
                counts[answer] += weight
            else:
                for other in range(model.n_answers):
                    counts[other] += weight * model.similarity[answer, other]

        if self.summary is not None:
            weight = self.summary.weight
            if weight is None:
                weight = float(self.own[agent] + self.peer[agent] * sum(w for _, w in self.edges(1, agent)))
            if summary is not None:
                hear(summary, weight)
            return counts
        graph = self.model.protocol.visibility.graph
        if graph is None or (not isinstance(graph, tuple) and graph.is_complete):
            for answer in range(model.n_answers):  # equal answers added at once
                number = sum(vote == answer for other, vote in enumerate(shown) if other != agent)
                if number and self.peer[agent]:
                    hear(answer, float(self.peer[agent]) * number)
        else:
            for other, weight in self.edges(step, agent):
                hear(shown[other], weight * float(self.peer[agent]))
        if self.own[agent]:
            hear(shown[agent], float(self.own[agent]))
        total = sum(counts)
        if model.conformity != 1.0 and total > 0:
            powers = [(count / max(counts)) ** model.conformity for count in counts]
            counts = [power * (total / sum(powers)) for power in powers]
        return counts

    def remember(self, agent: int, heard: list[float]) -> None:
        """Change one agent's evidence by what it heard."""
        memory, old = self.model.memory, self.evidence[agent]
        if isinstance(memory, LastRound):
            self.evidence[agent] = heard
        elif isinstance(memory, Forgetting):
            self.evidence[agent] = [memory.keep * b + c for b, c in zip(old, heard, strict=True)]
            if memory.prior_fades:
                self.prior_share[agent] *= memory.keep
        elif isinstance(memory, Rereading):
            self.transcript[agent] = [s + c for s, c in zip(self.transcript[agent], heard, strict=True)]
            self.evidence[agent] = [b + s for b, s in zip(old, self.transcript[agent], strict=True)]
        else:
            self.evidence[agent] = [b + c for b, c in zip(old, heard, strict=True)]

    def respond(self, step: int, concentration: list[float]) -> int:
        """An answer from a belief."""
        rule = self.model.response
        if step < getattr(rule, "from_round", 0):
            return self.draw(concentration)
        largest = max(concentration)
        if isinstance(rule, Temperature):
            return self.draw([math.exp(math.log(a / largest) / rule.temperature) for a in concentration])
        if isinstance(rule, Argmax):
            likely = [k for k, a in enumerate(concentration) if a >= largest * (1 - 1e-12)]
            if rule.ties == "first":
                return likely[0]
            return self.draw([float(k in likely) for k in range(len(concentration))])
        if isinstance(rule, TopP):
            chances = [0.0] * len(concentration)
            reached, needed = 0.0, rule.mass * sum(concentration) * (1 - 1e-12)
            for answer in sorted(range(len(concentration)), key=lambda k: (-concentration[k], k)):
                if reached < needed:
                    chances[answer] = concentration[answer]
                    reached += concentration[answer]
            return self.draw(chances)
        return self.draw(concentration)

    def draw(self, chances: list[float]) -> int:
        """A number with probability proportional to `chances`."""
        point = self.stream.uniform32() * sum(chances)
        below = 0.0
        for answer, chance in enumerate(chances):
            below += chance
            if point < below:
                return answer
        return max(answer for answer, chance in enumerate(chances) if chance > 0)

    def summarise(self, last: list[int]) -> int | None:
        """The summariser's answer."""
        n_answers, summary = self.model.n_answers, self.summary
        assert summary is not None
        named = self.majority(last, summary.ties)
        if named is None:
            return None
        if summary.noise > 0 and self.stream.uniform32() < summary.noise:
            other = int(self.stream.uniform32() * (n_answers - 1))
            named = [answer for answer in range(n_answers) if answer != named][other]
        return named

    def majority(self, votes: list[int], ties: str) -> int | None:
        """The answer with most votes; a draw where several tie, or None."""
        tied = self.leaders(votes)
        if len(tied) == 1:
            return tied[0]
        if ties == "none":
            return None
        return self.draw([float(answer in tied) for answer in range(self.model.n_answers)])

    def leaders(self, votes: list[int]) -> list[int]:
        """All answers with most votes."""
        counts = [votes.count(answer) for answer in range(self.model.n_answers)]
        return [answer for answer, count in enumerate(counts) if count == max(counts)]

    def rule(self, step: int, agent: int, last: list[int], announced: int | None) -> int | None:
        """The answer that the intervention gives; None where the agent draws anew."""
        rule, own = self.model.intervention, last[agent]
        if isinstance(rule, CorrectionLock):
            if self.locked[agent]:
                return own
            if own == 0 and (rule.probability == 1.0 or self.stream.uniform32() < rule.probability):
                self.locked[agent] = rule.lasting
                return own
            return None
        if isinstance(rule, Sticky):
            return own if self.stream.uniform32() < rule.probability else None
        assert isinstance(rule, (Conformist, Follower))
        if isinstance(rule, Follower) and not self.stream.uniform32() < rule.probability:
            return None
        complete = len(self.edges(step, agent)) == len(last) - 1
        among = last if rule.among == "all" or complete else [last[j] for j, _ in self.edges(step, agent)] + [own]
        if isinstance(rule, Conformist) and rule.ties == "any":
            return own if own in self.leaders(among) else None
        majority = self.majority(among, rule.ties) if announced is None else announced
        if isinstance(rule, Follower):
            return majority
        return own if majority == own else None
