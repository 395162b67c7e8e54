import numpy as np
import pytest

from madsim._core.arrays import as_count, as_positive, as_probabilities, readonly
from madsim._core.estimate import Estimate
from madsim._core.provenance import Provenance, provenance


def test_readonly_arrays_cannot_be_written_and_leave_the_caller_alone():
    mine = np.arange(3)
    theirs = readonly(mine)
    mine[0] = 9
    assert theirs[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        theirs[0] = 1


def test_a_view_of_a_writable_array_is_copied():
    mine = np.arange(4)
    view = mine[:2]
    view.setflags(write=False)
    theirs = readonly(view)
    mine[0] = 9
    assert theirs[0] == 0


def test_probabilities_are_normalised_within_rounding_only():
    assert as_probabilities([0.1] * 10, name="p").sum() == pytest.approx(1, abs=1e-15)
    with pytest.raises(ValueError, match="p must sum to 1"):
        as_probabilities([0.5, 0.4], name="p")


@pytest.mark.parametrize("bad", [[1.5, -0.5], [np.nan, 1.0], [], 1.0])
def test_what_is_no_probability_is_refused(bad):
    with pytest.raises(ValueError, match="p "):
        as_probabilities(bad, name="p")


def test_positive_numbers():
    assert as_positive([1, 2], name="mass").dtype == np.float64
    with pytest.raises(ValueError, match="mass must be above 0"):
        as_positive([0.0, 1.0], name="mass")
    with pytest.raises(TypeError, match="regular array"):
        as_positive([[1], [1, 2]], name="mass")


@pytest.mark.parametrize(
    ("bad", "error"), [(True, TypeError), (2.0, TypeError), ("2", TypeError), (0, ValueError), (9, ValueError)]
)
def test_counts_are_checked(bad, error):
    with pytest.raises(error, match="n must be"):
        as_count(bad, name="n", minimum=1, maximum=8)
    assert as_count(np.int64(3), name="n", minimum=1) == 3


def test_the_mean_of_known_values():
    estimate = Estimate.of_mean(10.0, 30.0, 4)  # 1, 2, 3, 4
    assert estimate.value == 2.5
    assert estimate.standard_error == pytest.approx(np.std([1, 2, 3, 4], ddof=1) / 2)
    low, high = estimate.interval(0.95)
    assert low < 2.5 < high
    assert high - 2.5 == pytest.approx(1.959963984540054 * estimate.standard_error)


def test_one_value_has_no_standard_error():
    estimate = Estimate.of_mean(0.5, 0.25, 1)
    assert estimate.standard_error is None
    assert estimate.interval() is None
    assert "n = 1" in str(estimate)


def test_exact_values_say_so():
    assert str(Estimate.of_exact(0.83692)) == "0.8369 (exact)"


def test_provenance_survives_its_plain_form():
    made = provenance("simulate_debate", {"n": np.int64(3)}, seed="ab", packages=("numpy", "no-such-package"))
    assert made.versions["numpy"] == np.__version__
    assert made.versions["no-such-package"] == "absent"
    assert Provenance.from_dict({**made.to_dict(), "unknown": 1}) == made
    with pytest.raises(ValueError, match="lacks seed"):
        Provenance.from_dict({"command": "c", "parameters": {}, "versions": {}, "git_revision": None})
