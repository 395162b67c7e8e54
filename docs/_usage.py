"""Which public names the executed cells of which page use: links from the reference, and the test that no name is left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def pages(docs: Path) -> Iterator[tuple[str, str]]:
    """Every page of the documentation with its text."""
    for path in sorted(docs.rglob("*.md")):
        relative = path.relative_to(docs)
        if relative.parts[0] != "_build":
            yield relative.with_suffix("").as_posix(), path.read_text(encoding="utf-8")


def names_used(text: str) -> set[str]:
    """Public names in the form ``package.name`` that the cells of a page import and use, or reach through their package."""
    code = "\n".join(
        line for cell in CELL.findall(text) for line in cell.splitlines() if not line.startswith((":", "%"))
    )
    packages: dict[str, str] = {}  # what a package is called on the page
    imported: dict[str, str] = {}
    used: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module == "madsim":
            packages |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("madsim."):
            package = str(node.module).removeprefix("madsim.")
            imported |= {alias.asname or alias.name: f"{package}.{alias.name}" for alias in node.names}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in imported:
            used.add(imported[node.id])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in packages:
            used.add(f"{packages[node.value.id]}.{node.attr}")
    return used


def usage(docs: Path) -> dict[str, list[str]]:
    """Pages by public name."""
    found: dict[str, list[str]] = {}
    for page, text in pages(docs):
        for name in names_used(text):
            found.setdefault(name, []).append(page)
    return found
