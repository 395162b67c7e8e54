"""The examples in the docstrings run and show what they claim."""

import doctest
import importlib
import pkgutil

import madsim.llm


def test_docstring_examples():
    tried = failed = 0
    for module in pkgutil.iter_modules(madsim.llm.__path__, "madsim.llm."):
        result = doctest.testmod(importlib.import_module(module.name))
        tried, failed = tried + result.attempted, failed + result.failed
    assert failed == 0
    assert tried >= 15
