"""Profiles: against direct maximisation, at their ends, and what is refused."""

import json
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from madsim.fit import fit_debate, profile_debate
from madsim.fit._cells import cells_of
from madsim.fit._likelihood import BetaLikelihood
from madsim.simulate import draw_beliefs, simulate_questions
from tests.unit.verify._votes import drawn, votes_of_answers


@pytest.fixture(scope="module")
def votes():
    return simulate_questions(draw_beliefs(80, accuracy=0.72, kappa=3.6, rng=1), n_rounds=2, rng=2).votes


def test_profile_equals_a_search_without_gradients(votes):
    found = profile_debate(votes, "conformity", n_points=5)
    objective = BetaLikelihood(cells_of(votes))
    top = fit_debate(votes, profile=False).log_likelihood
    for value, height in zip(found.values, found.log_likelihood, strict=True):

        def negative(rest, value=value):
            return -objective.value_and_gradient(np.array([rest[0], math.log(value), *rest[1:]]))[0]

        direct = minimize(
            negative,
            [0.7, 0.0, 0.9, 1.3],
            method="Nelder-Mead",
            options={"fatol": 1e-7, "xatol": 1e-5, "maxiter": 4000},
        )
        assert height == pytest.approx(-direct.fun - top, abs=2e-3)


@pytest.mark.parametrize("parameter", ["mass", "conformity", "correction"])
def test_interval_ends_where_the_profile_crosses_the_cut(votes, parameter):
    found = profile_debate(votes, parameter, n_points=41)
    assert found.log_likelihood.max() <= 1e-6
    scale = np.asarray if parameter == "correction" else np.log
    for end in found.interval:
        if math.isfinite(end) and end > found.values[0]:
            assert np.interp(scale(end), scale(found.values), found.log_likelihood) == pytest.approx(
                -found.cut, abs=0.1
            )
    assert found.values[0] < found.best < found.values[-1]
    fitted = getattr(fit_debate(votes), parameter)
    assert found.best == pytest.approx(fitted.value, rel=1e-3, abs=1e-3)
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found).startswith(f"{parameter}: {found.best:.3g}, 95 % interval by profile [{found.interval.low:.3g}, ")


def test_a_side_without_an_end_is_open():
    rng = np.random.default_rng(0)
    chance = np.repeat(rng.beta(2.6, 1.0, 100), 3)[:, None, None]
    deaf = votes_of_answers((rng.random((300, 3, 3)) > chance).astype(int), cluster=np.repeat(np.arange(100), 3))
    found = profile_debate(deaf, "mass", n_points=7)  # agents that never listen
    assert found.interval.high == math.inf
    assert found.log_likelihood[-1] > -found.cut
    assert found.to_dict()["interval"][1] is None


def test_bad_profiles():
    with pytest.raises(ValueError, match="parameter must be one of mass"):
        profile_debate(drawn(), "kappa")
    with pytest.raises(ValueError, match="n_points"):
        profile_debate(drawn(), n_points=2)
    with pytest.raises(ValueError, match="round 0 alone"):
        profile_debate(drawn(n_rounds=0))
