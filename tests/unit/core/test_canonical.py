import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from madsim._core.canonical import canonical_json, digest

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_json_survives(value):
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_order_of_keys_does_not_matter(value):
    assert digest(value) == digest(dict(reversed(list(value.items()))))


def test_numpy_becomes_plain():
    assert (
        canonical_json({"a": np.float64(0.5), "b": np.arange(3), "c": np.bool_(True)})
        == '{"a":0.5,"b":[0,1,2],"c":true}'
    )


def test_dataclasses_carry_their_type():
    @dataclass(frozen=True)
    class Point:
        x: int

    assert canonical_json(Point(1)) == '{"type":"Point","x":1}'


@pytest.mark.parametrize("bad", [math.nan, math.inf, [1.0, -math.inf], np.array([np.nan])])
def test_numbers_that_json_lacks_are_refused(bad):
    with pytest.raises(ValueError, match="JSON has no"):
        canonical_json(bad)


@pytest.mark.parametrize("bad", [object(), {1: 2}, b"bytes"])
def test_what_has_no_plain_form_is_refused(bad):
    with pytest.raises(TypeError):
        canonical_json(bad)


def test_half_a_character_can_be_hashed():
    assert len(digest("\ud800")) == 64
