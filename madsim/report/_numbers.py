"""How the report writes numbers: as people say them, with their uncertainty."""

from __future__ import annotations

import math

from madsim._core.estimate import Estimate, Interval

MINUS = "\u2212"


def percent(share: float, digits: int = 1) -> str:
    """A share in per cent; a dash where it is unknown.

    Examples
    --------
    >>> percent(0.7234), percent(float("nan"))
    ('72.3\xa0%', '–')
    """
    return "–" if math.isnan(share) else f"{_signed(100 * share, digits)}\u00a0%"


def points(difference: float, digits: int = 1) -> str:
    """A difference of shares in signed percentage points.

    Examples
    --------
    >>> points(0.0312), points(-0.05)
    ('+3.1', '−5.0')
    """
    if math.isnan(difference):
        return "–"
    return signed(100 * difference, digits)


def percent_range(interval: Interval | None) -> str:
    """Both ends of an interval of shares, cut to 0 to 100 %; a dash where it is unknown."""
    if interval is None:
        return "–"
    return f"{_signed(100 * max(0.0, interval.low), 1)} to {_signed(100 * min(1.0, interval.high), 1)}\u00a0%"


def points_range(interval: Interval | None) -> str:
    """Both ends of an interval of differences in percentage points."""
    return "–" if interval is None else f"{points(interval.low)} to {points(interval.high)}"


def estimate(one: Estimate) -> str:
    """A share with its interval.

    Examples
    --------
    >>> estimate(Estimate(value=0.7, standard_error=0.05, n=80))
    '70.0\xa0% (60.2 to 79.8\xa0%)'
    """
    if one.exact or one.standard_error is None:
        return percent(one.value)
    return f"{percent(one.value)} ({percent_range(one.interval())})"


def count(number: float) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{number:,.0f}".replace(",", "\u202f").replace("-", MINUS)


def amount(number: float, digits: int = 3) -> str:
    """A plain number to so many significant digits; never in scientific form above 0.0001.

    Examples
    --------
    >>> amount(0.01234), amount(12345.6), amount(0.00000123)
    ('0.0123', '12346', '1.23e-06')
    """
    if math.isnan(number):
        return "–"
    if number and abs(number) < 1e-4:
        return f"{number:.{digits - 1}e}".replace("-", MINUS, 1) if number < 0 else f"{number:.{digits - 1}e}"
    if abs(number) >= 10**digits:
        return f"{number:.0f}".replace("-", MINUS)
    return f"{number:.{digits}g}".replace("-", MINUS)


def signed(value: float, digits: int = 4) -> str:
    """A plain number with its sign.

    Examples
    --------
    >>> signed(0.0123), signed(-0.5, 1), signed(0.0)
    ('+0.0123', '−0.5', '0.0000')
    """
    text = _signed(value, digits)
    return text if text.startswith(MINUS) or not float(text) else f"+{text}"


def p_value(value: float | None) -> str:
    """A p-value as tables print it."""
    if value is None or math.isnan(value):
        return "–"
    return "<\u00a00.001" if value < 0.001 else f"{value:.3f}"


def _signed(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    if not float(text):
        text = text.removeprefix("-")
    return text.replace("-", MINUS)
