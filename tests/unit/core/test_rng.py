import numpy as np
import pytest

from madsim._core.rng import Seed, resolve_seed


def test_an_integer_always_gives_the_same_seed_and_others_differ():
    assert resolve_seed(1) == resolve_seed(1)
    assert len({resolve_seed(i).value for i in range(100)}) == 100


def test_a_seed_is_used_as_it_is_and_survives_its_text():
    seed = Seed(0x0123456789ABCDEF_FEDCBA9876543210)
    assert resolve_seed(seed) is seed
    assert Seed.from_hex(seed.hex) == seed
    assert int(seed.high) == 0x0123456789ABCDEF
    assert int(seed.low) == 0xFEDCBA9876543210


def test_a_generator_is_advanced_so_that_two_runs_differ():
    generator = np.random.default_rng(7)
    assert resolve_seed(generator) != resolve_seed(generator)


def test_an_integer_and_its_generator_agree():
    assert resolve_seed(7) == resolve_seed(np.random.default_rng(7))


def test_none_draws_fresh_entropy():
    assert resolve_seed(None) != resolve_seed(None)


def test_generators_of_distinct_keys_are_distinct_and_repeatable():
    seed = resolve_seed(3)
    assert seed.generator(1, 2).integers(1 << 62) == seed.generator(1, 2).integers(1 << 62)
    assert seed.generator(1, 2).integers(1 << 62) != seed.generator(2, 1).integers(1 << 62)


@pytest.mark.parametrize("bad", [True, "seven", 1.5, np.random.RandomState(1)])
def test_what_is_no_source_of_randomness_is_refused(bad):
    with pytest.raises(TypeError, match="rng must be"):
        resolve_seed(bad)


def test_negative_integers_are_refused():
    with pytest.raises(ValueError, match="rng must be"):
        resolve_seed(-1)


@pytest.mark.parametrize("bad", [-1, 1 << 128, 1.0])
def test_a_seed_out_of_range_is_refused(bad):
    with pytest.raises(ValueError, match="seed"):
        Seed(bad)


@pytest.mark.parametrize("bad", ["", "xyz", "1" * 40])
def test_seed_text_that_is_none_is_refused(bad):
    with pytest.raises(ValueError, match="seed"):
        Seed.from_hex(bad)
