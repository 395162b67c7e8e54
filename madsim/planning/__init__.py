"""Vote or debate, before spending: forecasts from a pilot or a prior, costs, designs of checks, collection that may stop any time."""

from madsim.planning._bounds import vote_bounds_from_pilot
from madsim.planning._calibration import CalibrationPoint, calibration
from madsim.planning._design import Design, design_check
from madsim.planning._difficulty import RightCounts, right_counts
from madsim.planning._forecast import forecast, forecast_from_prior
from madsim.planning._maj import maj_at_n, maj_by_sample
from madsim.planning._option import Cost, Option, Prices, cost_of, equal_cost_vote, parse_option
from madsim.planning._result import Forecast, OptionForecast
from madsim.planning._sequential import SequentialComparison, compare_any_time
from madsim.planning._split import WrongSplit, vote_value, wrong_split

__all__ = [
    "CalibrationPoint",
    "Cost",
    "Design",
    "Forecast",
    "Option",
    "OptionForecast",
    "Prices",
    "RightCounts",
    "SequentialComparison",
    "WrongSplit",
    "calibration",
    "compare_any_time",
    "cost_of",
    "design_check",
    "equal_cost_vote",
    "forecast",
    "forecast_from_prior",
    "maj_at_n",
    "maj_by_sample",
    "parse_option",
    "right_counts",
    "vote_bounds_from_pilot",
    "vote_value",
    "wrong_split",
]
