"""From runs to a page on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from madsim.planning import Prices
from madsim.report._page import page
from madsim.report._summary import Null, Summary, summarise
from madsim.transcripts import Run, Votes

if TYPE_CHECKING:
    from madsim.simulate import DebateResult

Given: TypeAlias = "Run | Votes | DebateResult"

_MOST_RUNS = 50
_MOST_DEBATES = 200_000


def write_report(
    runs: Given | Sequence[Given] | Mapping[str, Given],
    path: str | Path,
    *,
    title: str = "Debate report",
    null: Null = "belief",
    delta: float = 0.03,
    level: float = 0.05,
    anytime: bool = False,
    prices: Prices | None = None,
) -> Path:
    """Write one self-contained HTML page about one or several runs.

    The page works from a file, asks nothing of any server, and shows whatever a model wrote as text.

    Parameters
    ----------
    runs
        a run, or only its votes (then there are no replies to read), or a simulation that kept its votes (then exact values are drawn
        where theory has them); several, in order; or by name
    path
        the file; one that exists is replaced
    title
        of the page
    null, delta, level, anytime
        of the check of every run, as `madsim.verify.check` takes them
    prices
        of tokens, for the comparison with a vote of equal cost; the sizes of questions and replies in it stand in where a run does not
        record its own

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    ValueError
        If `null`, `delta` or `level` are out of range, or if there is no run, more than 50, one without any reply, or more than 200 000
        debates, which no browser lists.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> beliefs = draw_beliefs(20, accuracy=0.7, kappa=3.0, rng=1)
    >>> votes = simulate_questions(beliefs, n_agents=3, n_rounds=2, rng=2).votes
    >>> with TemporaryDirectory() as folder:
    ...     write_report({"plain debate": votes}, Path(folder) / "report.html").name
    'report.html'
    """
    if null not in get_args(Null) or not 0 < delta < 1 or not 0 < level < 0.5:
        raise ValueError(
            f"null must be 'belief' or 'share', delta between 0 and 1 and level between 0 and .5; got {null!r}, {delta!r}, {level!r}"
        )
    named = _named(runs)
    if not 1 <= len(named) <= _MOST_RUNS:
        raise ValueError(f"a report shows 1 to {_MOST_RUNS} runs, got {len(named)}")
    summaries: list[Summary] = [
        summarise(name, run, null=null, delta=delta, level=level, anytime=anytime) for name, run in named.items()
    ]
    debates = sum(one.votes.n_samples for one in summaries)
    if debates > _MOST_DEBATES:
        raise ValueError(
            f"a report lists up to {_MOST_DEBATES} debates, got {debates}; give it fewer runs or simulated trials"
        )
    path = Path(path)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(page(summaries, title=title, prices=prices or Prices()))
    return path


def _named(runs: Given | Sequence[Given] | Mapping[str, Given]) -> dict[str, Given]:
    if isinstance(runs, Mapping):
        return {str(name): _checked(run) for name, run in runs.items()}
    if isinstance(runs, str) or not isinstance(runs, Sequence):
        runs = [_checked(runs)]
    named: dict[str, Given] = {}
    for number, run in enumerate(runs, start=1):
        base = _name(_checked(run)) or f"run {number}"
        name, copy = base, 2
        while name in named:
            name, copy = f"{base} ({copy})", copy + 1
        named[name] = run
    return named


def _checked(run: Any) -> Given:
    if isinstance(run, (Run, Votes)):
        return run
    from madsim.simulate import DebateResult

    if not isinstance(run, DebateResult):
        raise TypeError(
            f"a report is made of runs, votes or simulated debates, got {type(run).__name__}; read a record with read_run first"
        )
    return run


def _name(run: Given) -> str:
    if isinstance(run, Votes):
        return run.source
    if not isinstance(run, Run):
        return f"{run.n_trials} simulated debates"
    return str(run.source.get("name") or run.source.get("file") or "")
