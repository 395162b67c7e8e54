"""Archives of strangers: whatever is wrong with one, it is a ValueError."""

import io
import zipfile

import numpy as np
import pytest

from madsim.models import AsynchronousVoter, DebateModel
from madsim.simulate import load_result, simulate_debate, simulate_swarm
from madsim.simulate._block_file import unpack
from madsim.simulate._npz import read_npz


def archive(**members: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        for name, data in members.items():
            written.writestr(f"{name}.npy", data)
    file.seek(0)
    return file


def array_with_header(header: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def test_arrays_come_back_whole():
    file = io.BytesIO()
    np.savez_compressed(file, one=np.arange(5), two=np.zeros((2, 0)))
    found = read_npz(file, most_bytes=2000)
    assert {name: array.shape for name, array in found.items()} == {"one": (5,), "two": (2, 0)}
    with pytest.raises(ValueError, match="more than the 100 that it may have"):
        read_npz(file, most_bytes=100)


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (b"no array at all", "member 'one' is no array"),
        (array_with_header(b"{'descr': '<i8', 'shape': (("), "."),  # the tokenizer of Python ends in the middle
        (array_with_header(b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999999,), }"), "."),
        (array_with_header(b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }") + b"short", "."),
    ],
)
def test_members_that_are_no_arrays_are_refused(member, message):
    with pytest.raises(ValueError, match=message):
        read_npz(archive(one=member), most_bytes=2**20)
    with pytest.raises(ValueError, match="not a block of a sweep"):
        unpack(archive(one=member, about=b"{}").getvalue(), {}, task="", first=0, count=1)


@pytest.mark.parametrize("seed", range(2))
def test_files_of_results_with_some_wrong_bytes_are_refused_or_read(seed, tmp_path):
    swarm = AsynchronousVoter(quality=[0.5, 0.6], n_agents=20)
    kept = [
        simulate_debate(DebateModel.homogeneous(), n_trials=20, rng=1, keep="votes").save(tmp_path / "debate"),
        simulate_swarm(swarm, n_trials=20, times=[1, 9], rng=1, keep="paths").save(tmp_path / "swarm"),
    ]
    generator, messages, damaged = np.random.default_rng(seed), [], tmp_path / "damaged.npz"
    for _ in range(60):
        for path in kept:
            data = bytearray(path.read_bytes())
            data[generator.integers(len(data))] ^= 1 << generator.integers(8)
            damaged.write_bytes(data)
            try:
                load_result(damaged)
            except ValueError as error:
                messages.append(str(error))
    assert len(messages) > 60
    assert all(str(damaged) in message for message in messages)
