"""Every claim rejects the system that breaks it; no claim is without one."""

from __future__ import annotations

import pytest

from madsim.verify.claims import CLAIMS, find_claim
from madsim.verify.claims._listing import DEBATE_CLAIMS
from tests.broken.debate_systems import BROKEN, subtle


def test_every_claim_has_a_broken_system():
    assert sorted(BROKEN) == sorted(claim.name for claim in DEBATE_CLAIMS)
    assert set(DEBATE_CLAIMS) <= set(CLAIMS)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_systems_are_rejected(name):
    result = find_claim(name).run("quick", system=BROKEN[name])
    assert result.verdict == "fails", str(result)


@pytest.mark.parametrize("name", subtle())
def test_small_mistakes_are_seen(name):
    assert find_claim(name).run("quick", system=subtle()[name]).verdict == "fails"
