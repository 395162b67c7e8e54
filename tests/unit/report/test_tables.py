"""Results as data frames and as arrays with named axes."""

import math
import re
import sys

import numpy as np
import pytest

from madsim._core.tables import need
from madsim.fit import draw_debate, fit_debate, fit_difficulty, fit_imitation
from madsim.models import AsynchronousVoter, CrossInhibition, DebateModel, MaynardCrossLearner
from madsim.planning import forecast
from madsim.protocols import Protocol
from madsim.simulate import draw_beliefs, simulate_debate, simulate_learner, simulate_questions, simulate_swarm
from madsim.theory import debate_moments, martingale_properties
from madsim.transcripts import votes_of
from madsim.verify import check
from tests.unit.plot._votes import votes_from
from tests.unit.report._runs import hostile_run, run_of_answers

pandas = pytest.importorskip("pandas")
pytest.importorskip("xarray")


@pytest.fixture(scope="module")
def votes():
    beliefs = draw_beliefs(60, accuracy=0.7, kappa=3.0, rng=1)
    return simulate_questions(beliefs, n_agents=3, n_rounds=1, rng=2).votes


def rows(frame):
    return [tuple(row) for row in frame.itertuples(index=False)]


def test_votes_are_one_row_an_agent_asked():
    run = run_of_answers([[["1", None], ["1", "2"]]], agents=("A", "B"))
    frame = votes_of(run).to_dataframe()
    assert list(frame.columns) == ["sample", "question", "round", "agent", "answer", "state", "right"]
    assert rows(frame) == [
        ("q0", 0, 0, "A", 0, "answered", True),
        ("q0", 0, 0, "B", -1, "unparsed", False),
        ("q0", 0, 1, "A", 0, "answered", True),
        ("q0", 0, 1, "B", 1, "answered", False),
    ]


def test_without_a_target_right_is_not_known():
    frame = votes_from([[[1, 0]]], has_target=[False]).to_dataframe()
    assert frame["right"].tolist() == [None, None]


def test_votes_as_an_array_keep_their_axes(votes):
    data = votes.to_xarray()
    assert data["answers"].dims == ("sample", "round", "agent")
    assert np.array_equal(data["answers"], votes.answers)
    shares = (data["answers"] == 0).mean(("sample", "agent"))
    assert shares.values == pytest.approx(votes.right.mean(axis=(0, 2)))


def test_a_run_is_one_row_a_reply():
    run = run_of_answers([[["1", None]]], agents=("A", "B"), usage={"input": 7, "output": 3})
    frame = run.to_dataframe()
    assert frame["agent"].tolist() == ["A", "B"]
    assert frame.loc[0, ["answer", "target", "input_tokens", "output_tokens"]].tolist() == ["1", "1", 7, 3]
    assert frame["text"].tolist() == [reply.text for reply in run.transcripts[0].replies]
    assert list(run_of_answers([]).to_dataframe().columns) == list(frame.columns)


def test_simulated_debates_by_round():
    model = DebateModel.homogeneous(n_agents=3, belief=0.7, mass=2.0, protocol=Protocol(rounds=2))
    result = simulate_debate(model, n_trials=50, rng=1)
    frame, data = result.to_dataframe(), result.to_xarray()
    assert frame["vote"].tolist() == [one.value for one in result.vote_accuracy]
    assert frame["share_error"].tolist() == [one.standard_error for one in result.share]
    assert np.array_equal(data["belief_mean"], result.belief_mean)
    assert dict(data.sizes) == {"round": 3, "agent": 3}
    assert math.isnan(simulate_debate(model, n_trials=1, rng=1).to_dataframe()["vote_error"][0])


def test_exact_moments_by_round_and_agent():
    moments = debate_moments(DebateModel.homogeneous(n_agents=2, belief=0.7, mass=2.0, protocol=Protocol(rounds=1)))
    frame = moments.to_dataframe()
    assert rows(frame[["round", "agent"]]) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert frame["sd"].tolist() == moments.sd.ravel().tolist()
    assert moments.to_xarray()["covariance"].dims == ("agent", "other_agent")


@pytest.mark.parametrize("kind", ["swarm", "uncommitted", "learner"])
def test_shares_by_time_and_type(kind):
    if kind == "learner":
        result = simulate_learner(MaynardCrossLearner(quality=(0.3, 0.7), rate=0.1), times=(0, 5), n_trials=20, rng=1)
    else:
        model = (
            AsynchronousVoter(quality=(0.3, 0.7), n_agents=10)
            if kind == "swarm"
            else CrossInhibition(quality=(0.3, 0.7), n_agents=10)
        )
        result = simulate_swarm(model, times=(0, 5), n_trials=20, rng=1, keep="paths")
    frame, data = result.to_dataframe(), result.to_xarray()
    assert frame["type"].tolist() == list(result.types) * 2
    assert frame["share"].tolist() == result.share_mean.ravel().tolist()
    assert ("absorbed" in frame.columns) == (result.winner is not None)
    assert data["share"].dims == ("time", "type")
    if result.paths is not None:
        assert data["path"].mean("trial").values == pytest.approx(result.share_mean)
    assert f"{result.share_mean[1, 0]:.4f} ± " in result._repr_html_()


def test_a_check_is_one_row_a_test(votes):
    report = check(votes)
    frame = report.to_dataframe()
    assert frame["test"].tolist() == [one.name for one in report.tests]
    assert frame["pvalue"].tolist() == [one.pvalue for one in report.tests]
    short = check(votes_from([[[0, 0], [0, 0]]] * 2))
    assert list(short.to_dataframe().columns) == list(frame.columns)


def test_fits_and_forecasts(votes):
    fit = fit_debate(votes, profile=False)
    frame = fit.to_dataframe().set_index("parameter")
    assert frame.loc["mass", "value"] == fit.mass.value
    assert fit.conformity.interval is not None
    assert frame.loc["conformity", "high"] == fit.conformity.interval.high
    imitation = fit_imitation(votes)
    assert imitation.to_dataframe()["value"].tolist()[0] == imitation.imitation
    found = forecast(votes, ["vote:3", "debate:3x1"])
    frame = found.to_dataframe()
    assert frame["option"].tolist() == ["vote:3", "debate:3x1"]
    assert math.isnan(frame["gain"][0])
    assert frame["gain"][1] == found.options[1].gain
    for shown in (fit, imitation, found, fit_difficulty(votes)):
        assert shown._repr_html_().startswith("<table>")


def test_draws_have_a_chain_and_a_draw(votes):
    draws = draw_debate(votes, 50, rng=1)
    data = draws.to_xarray()
    assert dict(data.sizes) == {"chain": 1, "draw": 50}
    assert np.array_equal(data["mass"][0], draws.mass)
    assert list(draws.to_dataframe().columns) == list(data.data_vars)
    low, middle, high = np.quantile(draws.mass, [0.025, 0.5, 0.975])
    assert f"<td>{middle:.4g}</td><td>{low:.4g}</td><td>{high:.4g}</td>" in draws._repr_html_()


def test_single_lines_are_shown_as_they_print(votes):
    one = check(votes).tests[0]
    assert one._repr_html_() == f"<pre>{one}</pre>"
    properties = martingale_properties(DebateModel.homogeneous(n_agents=3, protocol=Protocol(rounds=1)))
    assert properties._repr_html_().count("holds") >= 3


def test_nothing_hostile_gets_through(votes):
    from dataclasses import replace

    bad = "<img src=x onerror=alert(1)>"
    for markup in (
        replace(check(votes), reasons=(bad,))._repr_html_(),
        replace(forecast(votes, ["vote:3"]), reason=bad)._repr_html_(),
        replace(check(votes).tests[0], name=bad)._repr_html_(),
        hostile_run()._repr_html_(),
    ):
        assert not re.search("<(img|script|style)", markup)


@pytest.mark.parametrize(("package", "verb"), [("pandas", "to_dataframe"), ("xarray", "to_xarray")])
def test_a_missing_package_is_named_with_its_remedy(votes, package, verb, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf'{verb}\(\) needs {package}.*pip install "madsim\[{package}\]"'):
        getattr(votes, verb)()


def test_a_package_that_is_there_is_given_and_a_broken_one_tells_so(monkeypatch, tmp_path):
    assert need("math", "none", verb="x()") is math
    (tmp_path / "broken_package_of_a_test.py").write_text("import nowhere_to_be_found")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        need("broken_package_of_a_test", "none", verb="x()")
