"""Checks of real and simulated runs, with verdicts; the claims of the theory are in `madsim.verify.claims`."""

from madsim.verify._anytime import EProcess, asymptotic_sequence, e_process
from madsim.verify._check import check
from madsim.verify._control import ControlReport, check_against_control
from madsim.verify._difficulty import DifficultyBin, drift_by_difficulty
from madsim.verify._dissent import LoneDissenters, lone_dissenters
from madsim.verify._equivalence import Equivalence, detectable_drift, equivalence, questions_needed
from madsim.verify._held_out_run import HeldOut, match_held_out
from madsim.verify._pool import pool_runs
from madsim.verify._replicator import ReplicatorReport, check_replicator, innovation_rate
from madsim.verify._report import CheckReport
from madsim.verify._result import Check

__all__ = [
    "Check",
    "CheckReport",
    "ControlReport",
    "DifficultyBin",
    "EProcess",
    "Equivalence",
    "HeldOut",
    "LoneDissenters",
    "ReplicatorReport",
    "asymptotic_sequence",
    "check",
    "check_against_control",
    "check_replicator",
    "detectable_drift",
    "drift_by_difficulty",
    "e_process",
    "equivalence",
    "innovation_rate",
    "lone_dissenters",
    "match_held_out",
    "pool_runs",
    "questions_needed",
]
