"""Where a result came from: versions, parameters, the seed really used, the source revision."""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from madsim._core.canonical import to_jsonable


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What is needed to make a result again.

    Attributes
    ----------
    command : name of the verb that made the result
    parameters : its arguments in plain JSON form
    seed : 32 hexadecimal digits, or None where nothing was drawn
    versions : package name to version
    git_revision : commit of the source tree, with ``+`` when it had changes; None outside a checkout
    """

    command: str
    parameters: dict[str, Any]
    seed: str | None
    versions: dict[str, str]
    git_revision: str | None
    machine: str = field(default_factory=lambda: f"{platform.system()} {platform.machine()}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON form."""
        return {name: to_jsonable(getattr(self, name)) for name in self.__slots__}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Provenance:
        """Read back what :meth:`to_dict` wrote; unknown keys are ignored, missing ones named."""
        missing = [name for name in ("command", "parameters", "seed", "versions", "git_revision") if name not in plain]
        if missing:
            raise ValueError(
                f"this provenance lacks {', '.join(missing)}; it has {', '.join(sorted(plain)) or 'nothing'}"
            )
        return cls(**{name: plain[name] for name in cls.__slots__ if name in plain})


def provenance(
    command: str, parameters: dict[str, Any], *, seed: str | None, packages: tuple[str, ...] = ()
) -> Provenance:
    """The provenance of a result made now: `packages` names the distributions whose versions matter beside madsim's own."""
    return Provenance(
        command=command,
        parameters=to_jsonable(parameters),
        seed=seed,
        versions=_versions(packages),
        git_revision=_git_revision(),
    )


def _versions(packages: tuple[str, ...]) -> dict[str, str]:
    from madsim import __version__

    versions = {"madsim": __version__, "python": platform.python_version()}
    for package in packages:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "absent"
    return versions


@lru_cache(maxsize=1)
def _git_revision() -> str | None:
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout.strip()

    try:
        revision = git("rev-parse", "--short=12", "HEAD")
        return revision + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None
