"""The claims: every statement of the theory of debates that can be tried, each with a verdict and a figure."""

from madsim.verify.claims._claim import Claim, ClaimResult, Comparison, Lab, System
from madsim.verify.claims._listing import CLAIMS, find_claim, run_claims

__all__ = ["CLAIMS", "Claim", "ClaimResult", "Comparison", "Lab", "System", "find_claim", "run_claims"]
