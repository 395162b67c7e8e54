"""How cost grows with agents, answers, rounds, trials, threads, and from kind to kind: ``pytest benchmarks/bench_scaling.py``."""

import pytest

from benchmarks.cases import Case, cases


@pytest.mark.parametrize("case", tuple(cases()), ids=lambda case: case.label)
def bench_scaling(benchmark, case: Case):
    benchmark.group = case.group
    benchmark.extra_info.update(amount=case.amount, unit=case.unit)
    benchmark.pedantic(case.run, rounds=3, warmup_rounds=1)
