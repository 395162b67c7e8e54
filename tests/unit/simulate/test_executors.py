"""Real workers, and what becomes of a sweep when one of them is killed: processes, a Dask cluster, the sweep itself."""

import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context

import pytest

from madsim.models import AsynchronousVoter, CrossLearner, DebateModel
from madsim.simulate import Sweep, _executors, simulate_debate, simulate_sweep
from madsim.simulate._executors import Block, Workers, open_workers, run_blocks

BELIEFS = {"belief": [0.6, 0.7]}
DEBATES = Sweep.grid(DebateModel.homogeneous, BELIEFS, n_trials=40_000, rng=11, block=2_000)
OTHERS = (
    Sweep.of({"a": AsynchronousVoter(quality=[0.5, 0.6], n_agents=30)}, n_trials=600, times=[0, 90], rng=2, block=200),
    Sweep.of({"a": CrossLearner(quality=[0.5, 0.6], rate=0.05)}, n_trials=600, times=[0, 90], rng=2, block=200),
)


def check_debates(found):
    for values, result in found.items():
        plain = simulate_debate(DebateModel.homogeneous(**values), n_trials=40_000, rng=11)
        assert result.totals == plain.totals
        assert result.provenance == plain.provenance


def is_alive(pid):
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def killer(pids):
    """A progress callback that kills one process as soon as the first block has come back."""
    killed = []

    def strike(done, total):
        if not killed and done < total:
            killed.append(pids()[0])
            os.kill(killed[0], signal.SIGKILL)

    return strike, killed


def test_a_killed_process_costs_nothing_but_time():
    before = {child.pid for child in active_children()}
    strike, killed = killer(lambda: [child.pid for child in active_children() if child.pid not in before])
    found = simulate_sweep(DEBATES, executor="processes", workers=2, progress=strike)
    assert killed
    check_debates(found)
    assert {child.pid for child in active_children()} <= before


def test_a_pool_of_the_callers_that_breaks_is_told_and_loses_no_finished_block(tmp_path):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for sweep in OTHERS:
            there, here = simulate_sweep(sweep, executor=pool), simulate_sweep(sweep)
            assert there.results[0].totals == here.results[0].totals
            assert there.results[0].provenance == here.results[0].provenance
        strike, killed = killer(lambda: list(pool._processes))
        with pytest.raises(ChildProcessError, match="give a new one"):
            simulate_sweep(DEBATES, executor=pool, partial=tmp_path / "kept", progress=strike)
    assert killed
    found = simulate_sweep(DEBATES, partial=tmp_path / "kept")
    assert found.notes["blocks_read"] >= 1
    check_debates(found)


def die(task, first, count):
    """Work that no worker survives."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_work_that_kills_every_worker_is_given_up_after_a_few_tries():
    done = []
    with (
        open_workers("processes", 1) as workers,
        pytest.raises(ChildProcessError, match=r"trials 5 to 14 of point 0 lost their worker 3 times"),
    ):
        run_blocks(workers, die, ("",), [Block(0, 5, 10)], lambda block, data: done.append(block), retries=2)
    assert done == []


SCRIPT = """
import sys
from multiprocessing import active_children
from madsim.models import DebateModel
from madsim.simulate import Sweep, simulate_sweep


def tell(done, total):
    print(done, *(child.pid for child in active_children()), flush=True)


if __name__ == "__main__":
    sweep = Sweep.grid(DebateModel.homogeneous, {"belief": [0.6, 0.7]}, n_trials=40_000, rng=11, block=2_000)
    simulate_sweep(sweep, executor=sys.argv[1], workers=1, partial=sys.argv[2], progress=tell)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc to see whether a process runs")
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_sweep_that_is_killed_leaves_no_worker_and_goes_on_later(tmp_path, executor):
    script = tmp_path / "sweep.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), executor, str(tmp_path / "kept")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        first = child.stdout.readline().split()
        child.send_signal(signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    workers = [int(pid) for pid in first[1:]]
    assert bool(workers) == (executor == "processes")
    deadline = time.monotonic() + 60
    while any(is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "a worker outlived the sweep that was killed"
        time.sleep(0.05)
    found = simulate_sweep(DEBATES, partial=tmp_path / "kept")
    assert 1 <= found.notes["blocks_read"] <= 40
    check_debates(found)


@pytest.fixture(scope="module")
def cluster():
    """Two Dask workers in processes of their own on the loopback interface; a task is given up when its worker dies once."""
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'madsim[dask]'")
    import dask

    options = {"distributed.scheduler.allowed-failures": 0, "distributed.worker.daemon": True}
    with (
        warnings.catch_warnings(action="default"),
        dask.config.set(options),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as made,
    ):
        yield made


@pytest.mark.filterwarnings("default")  # Dask's own dependencies warn
def test_dask_workers_give_the_same_bits_though_one_is_killed(cluster):
    from distributed import Client

    address = cluster.scheduler_address.removeprefix("tcp://")
    for sweep in OTHERS:
        there = simulate_sweep(sweep, executor=f"dask://{address}")
        assert there.results[0].totals == simulate_sweep(sweep).results[0].totals
    with Client(cluster) as client:
        strike, killed = killer(lambda: list(client.run(os.getpid).values()))
        check_debates(simulate_sweep(DEBATES, executor=client, progress=strike))
        assert killed
        assert not is_alive(killed[0])


@pytest.mark.filterwarnings("default")
def test_work_that_kills_a_dask_worker_is_given_up_after_a_few_tries(cluster):
    from distributed import Client, KilledWorker

    with Client(cluster) as client:
        workers = Workers(client.get_executor(pure=False), lambda: 1, lost=(KilledWorker,))
        with pytest.raises(ChildProcessError, match="trials 0 to 0 of point 0 lost their worker 1 times"):
            run_blocks(workers, die, ("",), [Block(0, 0, 1)], lambda block, data: None, retries=0)


@pytest.mark.filterwarnings("default")
def test_a_cluster_that_is_not_there_is_told(monkeypatch):
    pytest.importorskip("distributed", reason="needs Dask: pip install 'madsim[dask]'")
    monkeypatch.setattr(_executors, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ValueError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        simulate_sweep(OTHERS[0], executor="dask://127.0.0.1:1")
