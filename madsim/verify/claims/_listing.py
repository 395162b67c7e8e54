"""The list of claims, in the order of the theory."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from madsim._core.rng import RNG
from madsim.verify.claims._beliefs import BELIEFS
from madsim.verify.claims._claim import Claim, ClaimResult, Suite, System
from madsim.verify.claims._martingales import MARTINGALES
from madsim.verify.claims._rules import RULES
from madsim.verify.claims._swarm import SWARMS
from madsim.verify.claims._votes import VOTES
from madsim.verify.claims._voting import VOTING

DEBATE_CLAIMS: tuple[Claim, ...] = (*BELIEFS, *MARTINGALES, *VOTING, *VOTES, *RULES)

SWARM_CLAIMS: tuple[Claim, ...] = SWARMS

CLAIMS: tuple[Claim, ...] = (*DEBATE_CLAIMS, *SWARM_CLAIMS)


def find_claim(name: str) -> Claim:
    """The claim of that name.

    Raises
    ------
    ValueError
        If there is none; the message lists all names.
    """
    for claim in CLAIMS:
        if claim.name == name:
            return claim
    raise ValueError(f"there is no claim {name!r}; the claims are {', '.join(claim.name for claim in CLAIMS)}")


def run_claims(
    names: Iterable[str] = (),
    *,
    suite: Suite = "quick",
    rng: RNG = None,
    system: System | None = None,
    on_result: Callable[[Claim, ClaimResult], None] | None = None,
) -> tuple[ClaimResult, ...]:
    """Try claims by name (all of them where none is named), one after the other.

    `on_result` is called with each claim and its result as it comes.
    """
    chosen = tuple(find_claim(name) for name in names) or CLAIMS
    results = []
    for claim in chosen:
        result = claim.run(suite, rng=rng, system=system)
        results.append(result)
        if on_result is not None:
            on_result(claim, result)
    return tuple(results)
