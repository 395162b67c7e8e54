"""Checks of real and simulated runs, with verdicts; the claims of the theory are in `madsim.verify.claims`."""

from madsim.verify._anytime import EProcess, asymptotic_sequence, e_process
from madsim.verify._check import check
from madsim.verify._equivalence import Equivalence, detectable_drift, equivalence, questions_needed
from madsim.verify._report import CheckReport
from madsim.verify._result import Check

__all__ = [
    "Check",
    "CheckReport",
    "EProcess",
    "Equivalence",
    "asymptotic_sequence",
    "check",
    "detectable_drift",
    "e_process",
    "equivalence",
    "questions_needed",
]
