"""Other packages' closest models, event by event: ``pytest benchmarks/bench_peers.py``; those not installed are skipped."""

import pytest

from benchmarks.baselines_peers import installed
from benchmarks.rows_peers import EVENTS


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.filterwarnings("ignore")
def bench_one_event(benchmark, name: str):
    run = installed().get(name)
    if run is None:
        pytest.skip(f"{name} is not installed: pip install --group benchmark")
    benchmark.group = "events of other packages"
    benchmark.extra_info.update(amount=EVENTS[name], unit="event")
    benchmark.pedantic(run, args=(EVENTS[name],), rounds=3, warmup_rounds=1)
