"""The arrays of a graphics card, with a package that keeps them in NumPy instead."""

from types import SimpleNamespace

import numpy as np
import pytest

from symbody.batch import cuda
from symbody.batch.system_kernel import KernelChoice
from symbody.errors import ModelError


class Card(np.ndarray):
    """An array "on the card"."""

    @property
    def data(self):
        return SimpleNamespace(ptr=self.__array_interface__["data"][0])

    def get(self):
        return np.array(self)


def package(cards=1, free=10**6):
    """What `CudaDevice` uses of CuPy."""
    runtime = SimpleNamespace(getDeviceCount=lambda: cards, memGetInfo=lambda: (free, free))
    return SimpleNamespace(
        __name__="cupy", float32=np.float32, float64=np.float64, int64=np.int64,
        full=lambda shape, value, dtype: np.full(shape, value, dtype=dtype).view(Card),
        asarray=lambda x, dtype: np.array(x, dtype=dtype).view(Card),
        cuda=SimpleNamespace(runtime=runtime, Device=lambda: SimpleNamespace(compute_capability="90")),
    )  # fmt: skip


@pytest.fixture
def card(monkeypatch):
    def made(precision="double", **facts):
        monkeypatch.setattr(cuda, "array_package", lambda: package(**facts))
        return cuda.CudaDevice(precision)

    return made


def test_neighbouring_threads_read_neighbouring_numbers(card):
    x = np.arange(6.0).reshape(3, 2)
    moved = card("single").array(x)
    assert moved.dtype == np.float32
    np.testing.assert_array_equal(card("single").numpy(moved), x)
    assert card("single").place(moved)[1] == [1, 3]


def test_a_missing_card_is_reported(card):
    with pytest.raises(ModelError, match="finds no graphics card"):
        card(cards=0)


def test_the_error_says_how_many_states_fit(card):
    device = card(free=10**6)
    device.require(11_000, 10)
    with pytest.raises(ModelError, match="11250 states fit"):
        device.require(12_000, 10)
    card("single", free=10**6).require(22_000, 10)


def test_kernels_of_the_card_are_ordered_for_registers(card):
    choice = card().suited(KernelChoice(("a",)))
    assert choice.deep
    assert choice.part == cuda.PART
    assert card().capability == "90"
