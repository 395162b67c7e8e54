"""``madsim verify``: the list of claims, tried."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from madsim.cli._output import Progress, add_command, emit, rng_option, table

if TYPE_CHECKING:
    from madsim.verify.claims import Claim, ClaimResult


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands, "verify", _verify, help="try the claims of the theory against the simulators", parents=[rng_option()]
    )
    parser.add_argument("claims", metavar="CLAIM", nargs="*", help="names of claims (default: all)")
    parser.add_argument(
        "--suite", choices=("quick", "full"), default="quick", help="how much is simulated (default quick)"
    )
    parser.add_argument("--list", action="store_true", help="list the claims and try none")
    parser.add_argument("--out", metavar="DIR", help="new folder for claims.json and a figure of every claim")


def _verify(arguments: argparse.Namespace) -> int:
    from madsim.verify.claims import CLAIMS, find_claim, run_claims

    chosen = [find_claim(name) for name in arguments.claims] or list(CLAIMS)
    if arguments.list:
        payload = {"claims": [_described(claim) for claim in chosen]}
        emit(arguments, payload, lambda: "\n\n".join(_words(claim) for claim in chosen))
        return 0
    folder = None if arguments.out is None else _new_folder(arguments.out)
    progress = Progress("claims")
    done: list[ClaimResult] = []

    def came(claim: Claim, result: ClaimResult) -> None:
        done.append(result)
        if folder is not None:
            _draw(claim, result, folder)
        progress(len(done), len(chosen))

    names = [claim.name for claim in chosen]
    results = run_claims(names, suite=arguments.suite, rng=arguments.rng, on_result=came)
    progress.close()
    payload = {"suite": arguments.suite, "claims": [result.to_dict() for result in results]}
    if folder is not None:
        (folder / "claims.json").write_text(json.dumps(payload, indent=1) + "\n", encoding="utf-8")
    emit(arguments, payload, lambda: _table(results))
    return 1 if any(result.verdict == "fails" for result in results) else 0


def _described(claim: Claim) -> dict[str, Any]:
    names = ("name", "statement", "assumptions", "source", "truth", "tolerance")
    return {name: getattr(claim, name) for name in names}


def _words(claim: Claim) -> str:
    return f"{claim.name}\n  {claim.statement}\n  needs: {claim.assumptions}\n  from: {claim.source}"


def _table(results: tuple[ClaimResult, ...]) -> str:
    rows = [
        [
            result.name,
            result.verdict,
            f"{result.effect:+.2g}",
            f"[{result.interval.low:+.2g}, {result.interval.high:+.2g}]",
            f"{result.tolerance:.2g}",
            "exact" if result.pvalue is None else f"{result.pvalue:.2g}",
        ]
        for result in results
    ]
    return table(["claim", "verdict", "difference", "interval", "tolerance", "p"], rows)


def _new_folder(name: str) -> Path:
    folder = Path(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"--out {name}: exists and is not an empty folder; name another one")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _draw(claim: Claim, result: ClaimResult, folder: Path) -> None:
    from madsim.plot import new_figure, save_figure

    figure, axes = new_figure(width=7.5, height=5.0)
    claim.draw(result, axes)
    save_figure(figure, folder / f"{claim.name}.png")
