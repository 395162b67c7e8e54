"""Every public name is explained and has an example that runs; every example of a docstring runs."""

import argparse
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import madsim
from docs._usage import names_used, usage
from madsim.cli._main import build_parser

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PACKAGES = [*(name for name in madsim.__all__ if not name.startswith("_")), "verify.claims"]


def public_names():
    """Every public name as ``package.name`` with what it is."""
    return {
        f"{package}.{name}": getattr(importlib.import_module(f"madsim.{package}"), name)
        for package in PACKAGES
        for name in importlib.import_module(f"madsim.{package}").__all__
    }


NAMES = public_names()


def has_example(thing):
    return (inspect.isclass(thing) or callable(thing)) and ">>>" in (inspect.getdoc(thing) or "")


def annotations_of(thing):
    """The types that a function returns, or that the attributes of a class have, as text."""
    if inspect.isclass(thing):
        parts = [*vars(thing).get("__annotations__", {}).values()]
        for member in vars(thing).values():
            member = member.fget if isinstance(member, property) else member
            parts += list(getattr(member, "__annotations__", {}).values())
        return " ".join(map(str, parts))
    if inspect.isfunction(thing):
        return " ".join(map(str, thing.__annotations__.values()))
    return ""


def shown():
    """Names with an example, and the types that come with them: what an exemplified function takes or gives."""
    used = usage(DOCS)
    found = {name for name, thing in NAMES.items() if name in used or has_example(thing)}
    while True:
        text = dict.fromkeys(PACKAGES, "")
        for name in found:
            text[name.rpartition(".")[0]] += f" {annotations_of(NAMES[name])}"
        more = {
            name
            for name in set(NAMES) - found
            if not inspect.isfunction(NAMES[name])
            and re.search(rf"\b{name.rpartition('.')[2]}\b", text[name.rpartition(".")[0]])
        }
        if not more:
            return found
        found |= more


def test_every_public_name_has_an_example_that_runs():
    assert sorted(set(NAMES) - shown()) == []


def test_every_public_name_says_what_it_is():
    silent = [
        name
        for name, thing in NAMES.items()
        if (inspect.isclass(thing) or inspect.isfunction(thing))
        and (not thing.__doc__ or thing.__doc__.startswith(f"{thing.__name__}("))
    ]
    assert silent == []


def test_what_prints_well_shows_itself_in_a_notebook_too():
    printing = {name: thing for name, thing in NAMES.items() if inspect.isclass(thing) and "__str__" in vars(thing)}
    assert printing
    assert [name for name, thing in printing.items() if not hasattr(thing, "_repr_html_")] == []


def test_every_public_name_is_in_the_reference():
    reference = (DOCS / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"automodule:: madsim\.([\w.]+)", reference))
    assert listed == {package for package in PACKAGES if package != "cli"}


def test_every_command_has_its_section():
    commands = next(
        action.choices for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert re.findall(r'^show\("(\S+)"\)', page, re.MULTILINE) == list(commands)
    assert re.findall(r"^## (\S+)$", page, re.MULTILINE) == list(commands)


def test_what_counts_as_use():
    page = """```{code-cell} python
from madsim import graphs, llm as engine
from madsim.models import DebateModel as Model, Sticky
graphs.ring(3)
await engine.run_debates_async(Model)
```
```python
graphs.star(3)
```
"""
    assert names_used(page) == {"graphs.ring", "llm.run_debates_async", "models.DebateModel"}


def modules():
    """Modules with an example somewhere."""
    files = (ROOT / "madsim").rglob("*.py")
    found = [
        path.relative_to(ROOT).with_suffix("").parts for path in files if ">>>" in path.read_text(encoding="utf-8")
    ]
    return sorted(".".join(parts).removesuffix(".__init__") for parts in found)


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
