"""Options, costs, designs, forecasts and their verdicts, collection that may stop."""

import json
from dataclasses import replace

import numpy as np
import pytest

from madsim.models import Oracle
from madsim.planning import (
    Option,
    Prices,
    compare_any_time,
    cost_of,
    design_check,
    equal_cost_vote,
    forecast,
    forecast_from_prior,
    parse_option,
)
from madsim.simulate import draw_beliefs, simulate_questions
from tests.unit.verify._votes import drawn


def pilot(n=100, *, seed=3, n_rounds=2, n_answers=2, accuracy=0.72, **options):
    beliefs = draw_beliefs(n, accuracy=accuracy, kappa=3.6, n_answers=n_answers, rng=seed)
    return simulate_questions(beliefs, n_rounds=n_rounds, rng=seed + 1, **options).votes


@pytest.mark.parametrize(
    "text", ["vote:5", "debate:5x2", "debate:7x1:star", "debate:5x2:transcript", "judge:3x0", "judge:5x2:ring"]
)
def test_options_are_read_back(text):
    assert str(parse_option(text)) == text


@pytest.mark.parametrize(
    "text", ["vote", "vote:0", "vote:5x2", "debate:5", "debate:5x0", "debate:5x2:torus", "5", "", "vote:99999"]
)
def test_bad_options(text):
    with pytest.raises(ValueError):
        parse_option(text)


def test_costs_by_hand():
    prices = Prices(question_tokens=200, answer_tokens=300, price_in=1, price_out=4)
    vote, debate = cost_of(parse_option("vote:5"), prices), cost_of(parse_option("debate:5x2"), prices)
    assert (vote.calls, vote.tokens_in, vote.tokens_out) == (5, 1000, 1500)
    assert (debate.calls, debate.tokens_out) == (15, 4500)
    assert debate.tokens_in == 3 * 5 * 200 + 2 * 5 * 5 * 300
    assert debate.money == pytest.approx((18_000 + 4 * 4500) / 1e6)
    ring, whole = (cost_of(parse_option(f"debate:5x2{end}"), prices) for end in (":ring", ":transcript"))
    assert ring.tokens_in == 3000 + 2 * 5 * 3 * 300
    assert whole.tokens_in == 3000 + (1 + 2) * 25 * 300
    judge = cost_of(parse_option("judge:5x0"), prices)
    assert (judge.calls, judge.tokens_in, judge.tokens_out) == (6, 1000 + 200 + 1500, 1800)


@pytest.mark.parametrize(("rounds", "votes"), [(2, 25), (3, 36)])
def test_equal_cost(rounds, votes):
    assert equal_cost_vote(Option(kind="debate", n_agents=5, n_rounds=rounds), Prices(price_in=1, price_out=4)) == votes


def test_equal_cost_without_prices_counts_tokens():
    free = Prices(price_in=0, price_out=0)
    assert equal_cost_vote(parse_option("debate:5x2"), free) == int((18_000 + 4500) / 500)
    assert equal_cost_vote(parse_option("vote:9"), free) == 9


def test_design_numbers():
    found = [
        design_check(delta=delta, n_rounds=3, accuracy=0.7222, kappa=3.6).questions for delta in (0.02, 0.03, 0.05)
    ]
    assert found == [990, 440, 159]
    more = design_check(delta=0.05, held_out=5)
    assert more.calls == more.questions * (15 + 5)
    json.dumps(more.to_dict(), allow_nan=False)
    for bad in ({"accuracy": 1.0}, {"power": 0.0}, {"delta": 0.0}, {"level": 0.5}, {"kappa": -1.0}):
        with pytest.raises(ValueError):
            design_check(**bad)


def test_design_matches_simulation():
    change = pilot(20_000, n_rounds=3).right.mean(axis=2)
    design = design_check(n_rounds=3, accuracy=0.72, kappa=3.6)
    assert (change[:, -1] - change[:, 0]).std() == pytest.approx(design.sd, rel=0.02)


def test_forecast_of_the_plain_model():
    report = forecast(
        pilot(250, n_answers=4), ["vote:3", "vote:5", "vote:25", "debate:5x2"], prices=Prices(price_in=1, price_out=4)
    )
    three, five, many, debate = report.options
    assert report.verdict == "vote"
    assert three.accuracy < five.accuracy < many.accuracy
    assert debate.accuracy < many.accuracy
    assert debate.equal_cost_vote == 25
    assert debate.gain == pytest.approx(debate.accuracy - many.accuracy)
    assert debate.better < 0.05
    assert [one.on_front for one in report.options] == [True, True, True, False]
    unpriced = Prices(price_in=0, price_out=0)  # then tokens are compared
    free = forecast(pilot(250, n_answers=4), ["vote:3", "vote:25", "debate:5x2"], prices=unpriced)
    assert [one.on_front for one in free.options] == [True, True, False]
    assert five.counted[1].low < five.accuracy < five.counted[1].high
    assert many.counted is None
    assert many.bounds.low < many.accuracy < many.bounds.high
    assert any("more than twice" in text for text in report.warnings)
    plain = report.to_dict()
    assert set(plain) >= {"options", "verdict", "questions_needed"}
    assert set(plain["options"][0]) >= {"option", "accuracy", "interval", "calls", "tokens", "cost"}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert "vote:25" in str(report)


def test_a_debate_that_corrects_is_recognised():
    report = forecast(pilot(150, intervention=Oracle()), ["debate:5x2"])
    assert report.verdict == "debate"
    assert report.options[0].better > 0.95


def test_small_pilots_are_undecided_and_say_how_many_more():
    report = forecast(pilot(20, seed=8, intervention=Oracle()), ["debate:5x2"], margin=0.17)
    assert report.verdict == "undecided"
    assert report.questions_needed >= 1
    assert f"Collect {report.questions_needed} more" in report.reason


def test_round_0_alone_leaves_the_debaters_open():
    narrow, wide = pilot(200), pilot(200, n_rounds=0)
    told, open_ = (forecast(one, ["debate:5x2"]).options[0] for one in (narrow, wide))
    assert any("round 0 alone" in text for text in forecast(wide, ["debate:5x2"]).warnings)
    assert told.gain_interval.low < open_.gain


def test_no_debate_no_verdict():
    assert forecast(pilot(30), ["vote:5"]).verdict == "undecided"


def test_the_same_seed_gives_the_same_forecast():
    one, other = (forecast(pilot(40), ["vote:9", "debate:3x1:line"], rng=5).to_dict() for _ in range(2))
    assert one == other


def test_prior_forecasts():
    report = forecast_from_prior(["vote:5", "debate:5x2"], accuracy=0.7, kappa=1e6, n_answers=2, mass=2.0)
    vote, debate = report.options
    assert vote.accuracy == pytest.approx(0.8369, abs=2e-3)
    assert vote.interval.high - vote.interval.low < 1e-9
    assert report.verdict == "vote"
    assert report.questions_needed is None
    assert debate.gain < 0
    open_mass = forecast_from_prior(["debate:5x2"], accuracy=0.7, kappa=4, n_answers=2)
    assert open_mass.options[0].interval.high - open_mass.options[0].interval.low > 0.01


@pytest.mark.parametrize(
    "bad", [{"accuracy": 0.0}, {"kappa": 0.0}, {"n_answers": 1}, {"mass": -1.0}, {"n_draws": 1}, {"judge_skill": 2.0}]
)
def test_bad_priors(bad):
    with pytest.raises(ValueError):
        forecast_from_prior(["vote:5"], **{"accuracy": 0.7, "kappa": 4.0, **bad})


def test_bad_forecasts():
    for options in ([], "vote:5", ["vote"]):
        with pytest.raises(ValueError):
            forecast(drawn(), options)
    with pytest.raises(ValueError, match="margin"):
        forecast(drawn(), ["vote:5"], margin=2.0)


def test_collection_that_may_stop():
    rng = np.random.default_rng(1)
    gains = rng.choice([-1.0, 0.0, 1.0], p=[0.05, 0.6, 0.35], size=200)
    assert compare_any_time(gains).verdict == "debate"
    assert compare_any_time(-gains).verdict == "vote"
    assert compare_any_time(gains[:5]).verdict == "go on"
    assert compare_any_time(gains, margin=0.6).verdict == "vote"
    with pytest.raises(ValueError, match="margin"):
        compare_any_time(gains, margin=1.0)


def test_a_pilot_of_another_schedule_warns():
    plain = pilot(40, n_rounds=1)
    pool = replace(plain, protocol={**(plain.protocol or {}), "schedule": {"type": "Pool"}})
    found = [forecast(one, ["debate:3x1"], n_draws=50, rng=1).warnings for one in (plain, pool)]
    assert [sum("did not answer at once (Pool)" in text for text in warnings) for warnings in found] == [0, 1]
