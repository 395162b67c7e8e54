"""Whether the wheel and the source distribution hold what is tracked, all of it and nothing else.

Run ``python .ci/check_archives.py FOLDER`` with one wheel and one source distribution in FOLDER, from a clone.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IN_SOURCE = ("madsim", "tests", "docs", "experiments", "benchmarks")
ALONE = ("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "VISION.md", "constraints.txt", "pyproject.toml")
MADE = {"PKG-INFO", ".gitignore"}  # by the build
LARGEST = 12_000_000


def tracked() -> set[str]:
    """What the repository holds."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).exists()}


def differences(kind: str, found: set[str], wanted: set[str]) -> list[str]:
    """What lacks and what is too much, in words."""
    lacking = [f"{kind} lacks {name}" for name in sorted(wanted - found)]
    return lacking + [f"{kind} holds {name}, which is not tracked" for name in sorted(found - wanted)]


def of_wheel(path: Path, files: set[str]) -> list[str]:
    """Faults of the wheel."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        entry = next((name for name in names if name.endswith(".dist-info/entry_points.txt")), None)
        commands = "" if entry is None else archive.read(entry).decode()
    inside = {name for name in names if ".dist-info/" not in name}
    faults = differences("the wheel", inside, {name for name in files if name.startswith("madsim/")})
    if "madsim = madsim.cli:main" not in commands:
        faults.append("the wheel has no command madsim")
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        faults.append("the wheel has no licence")
    return faults


def of_source(path: Path, files: set[str]) -> list[str]:
    """Faults of the source distribution."""
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    wanted = {name for name in files if name.partition("/")[0] in IN_SOURCE or name in ALONE}
    faults = differences("the source distribution", names - MADE, wanted)
    if "PKG-INFO" not in names:
        faults.append("the source distribution has no PKG-INFO")
    return faults


def main() -> int:
    """Check the archives of the folder named on the command line."""
    folder = Path(sys.argv[1])
    (wheel,), (source,) = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    files = tracked()
    faults = of_wheel(wheel, files) + of_source(source, files)
    faults += [f"{one.name} is larger than {LARGEST} bytes" for one in (wheel, source) if one.stat().st_size > LARGEST]
    print("\n".join(faults) if faults else f"{wheel.name} and {source.name} hold what is tracked")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
