"""Devices by the name of their kind, as the command line and files give it."""

import pytest

from symbody.errors import ModelError
from symbody.links.devices.remote import Remote
from symbody.links.devices.replay import Replay
from symbody.realtime.device_names import DEVICES, DeviceOptions, open_device
from symbody.results.run import Run


def test_simulated_devices_have_the_channels_of_their_axes():
    assert open_device("simulated", DeviceOptions(axes=("x", "y"))).takes == ("x.Q", "y.Q")
    assert open_device("admittance", DeviceOptions()).measures == ("x.Q",)


def test_an_unknown_kind_names_those_that_there_are():
    with pytest.raises(ModelError, match="simulated") as error:
        open_device("mouse", DeviceOptions())
    assert all(kind in str(error.value) for kind in DEVICES)


@pytest.mark.parametrize("kind", ["replay", "serial", "udp"])
def test_a_path_that_is_needed_is_asked_for(kind):
    with pytest.raises(ModelError, match="path is missing"):
        open_device(kind, DeviceOptions())


def test_a_recording_is_replayed_with_its_own_channels(tmp_path):
    path = tmp_path / "hand.csv"
    Run(None, [0.0, 0.5, 1.0], [[0.0], [1.0], [4.0]], names=["x.q"], units={"x.q": "m"}).save(path)
    device = open_device("replay", DeviceOptions(path=str(path)))
    assert isinstance(device, Replay)
    assert device.measures == ("x.q",)
    assert open_device("replay", DeviceOptions(path=str(path), takes=("x.Q",))).takes == ("x.Q",)


def test_a_device_behind_udp_listens_at_its_path():
    device = open_device("udp", DeviceOptions(path="127.0.0.1:0", measures=("x.q",), takes=("x.Q",)))
    assert isinstance(device, Remote)
    try:
        host, port = device.transport.address
        assert host == "127.0.0.1"
        taken = DeviceOptions(path=f"127.0.0.1:{port}")
        with pytest.raises(ModelError, match="choose another address or port"):
            open_device("udp", taken)
    finally:
        device.close()
