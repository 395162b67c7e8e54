"""Data in the page comes back as it was, and nothing in it is markup."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim.report._debates import data_script

anything = st.text(st.characters(), max_size=60) | st.sampled_from(
    ["</script>", "<!--", "]]>", "&amp;", "\u202ex", "\ud800"]
)


@given(st.recursive(anything, lambda inner: st.lists(inner) | st.dictionaries(anything, inner), max_leaves=8))
def test_data_comes_back_and_cannot_close_its_element(data):
    script = data_script("key", data)
    body = script.removeprefix('<script type="application/json" id="key">').removesuffix("</script>")
    assert not set("<>&") & set(body)
    assert body.isascii()
    assert json.loads(body) == data


def test_numbers_that_json_lacks_are_refused():
    with pytest.raises(ValueError):
        data_script("key", [float("nan")])
