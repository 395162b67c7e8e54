"""Read what models really write: extraction, equivalence, grouping, convergence, votes and verdicts.

Pure functions of texts. Plain numbers, letters and words take microseconds and import nothing; maths that needs
symbolic comparison is
compared in a child process that can be killed.
"""

from madsim.answers._converge import converged
from madsim.answers._equivalent import canonical, equivalent
from madsim.answers._extract import extract
from madsim.answers._group import group
from madsim.answers._infer import infer_type
from madsim.answers._types import ANSWER_TYPES, REASONS, AnswerType, Extraction, Verdict, Vote
from madsim.answers._verdict import parse_verdict, reconcile
from madsim.answers._vote import vote, vote_answers, vote_approval, vote_ranked

__all__ = [
    "ANSWER_TYPES",
    "REASONS",
    "AnswerType",
    "Extraction",
    "Verdict",
    "Vote",
    "canonical",
    "converged",
    "equivalent",
    "extract",
    "group",
    "infer_type",
    "parse_verdict",
    "reconcile",
    "vote",
    "vote_answers",
    "vote_approval",
    "vote_ranked",
]
