"""The port of a local model (port.py, port.h, port_energy.h): energy of surfaces that move, silence, mailboxes."""

import ctypes

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics.device import HapticDevice, HapticHand
from symbody.haptics.settings import Controller, Rendering
from symbody.haptics.thesis_scenes.corner import INERTIA, MASS, PEG, peg
from symbody.haptics.two_rates.local_model import LocalModel, local_library
from symbody.haptics.two_rates.packet import (
    FIXED,
    LocalConstraint,
    ProxyPacket,
    ToolDynamics,
    WorldPacket,
    world_packet,
)
from symbody.haptics.two_rates.packet_use import PacketUse
from symbody.haptics.two_rates.port import Port

TOOL = ToolDynamics(np.diag([MASS, MASS, INERTIA]), np.zeros(3), 3)
K, B = 4000.0, 30.0
HALF = PEG[1] / 2


def local(port=None, **options):
    hand = HapticHand(stiffness=(200.0, 200.0, 1.0), damping=(2.0, 2.0, 0.01))
    rendering = Rendering(controller=Controller("virtual-coupler"))
    return LocalModel(peg(), rate=1000.0, rendering=rendering, device=HapticDevice(), hand=hand, port=port, **options)


def floor(gap=0.0, v=0.0, body=FIXED):
    """Two planes below the peg."""
    return [
        LocalConstraint((x, -HALF - gap, 0.0), (0.0, 1.0, 0.0), (x, -HALF, 0.0), gap, body=body, velocity=v)
        for x in (-0.02, 0.02)
    ]


def packet(sequence, constraints, paid=0.0, stiffness=K):
    made = world_packet(sequence, sequence / 30.0, constraints, TOOL, stiffness, B)
    made.paid = paid
    return made


def tool_energy(model):
    v = model.scene.v
    return 0.5 * (MASS * (v[0] ** 2 + v[1] ** 2) + INERTIA * v[2] ** 2)


def test_a_surface_that_comes_gives_energy_unless_it_is_paid_for():
    """A floor of a moving body comes up at 0.2 m/s: with control only as far as what the world has paid."""
    made = {}
    for passive in (False, True):
        model = local(Port(passive=passive), packets=PacketUse(kinematic=True))
        assert model.update(packet(1, floor(0.001, 0.2, body=0))) == "taken"
        log = model.run(0.2)
        made[passive] = -float(np.min(log["energy"]))
        port = model.c.port
        assert port.received == 0.0
        if passive:
            assert port.held > 100
            assert port.least > -1e-9
            assert tool_energy(model) < 1e-9
        else:
            assert port.least < -0.01
    assert made[False] > 0.01
    assert made[True] < 1e-9


def test_what_was_paid_may_be_spent_and_no_more():
    paid = 0.004
    model = local(Port(passive=True), packets=PacketUse(kinematic=True))
    model.update(packet(1, floor(0.001, 0.2, body=0), paid))
    log = model.run(0.2)
    port, given = model.c.port, -float(np.min(log["energy"]))
    assert port.held > 0
    assert port.least > -1e-5
    assert port.stored + tool_energy(model) + given <= paid + 1e-5
    assert max(log["depth"]) > 1e-4  # it was felt


def test_the_account_of_a_resting_proxy_is_that_of_its_springs():
    """Leaning on a body that stands: what entered is stored or was lost in dampers, and that is paid to the world."""
    model = local(Port(passive=True), packets=PacketUse(kinematic=True))
    model.update(packet(1, floor(0.0, 0.0, body=0)))
    model.run(2.0, push=(0.0, -4.0, 0.0))
    port = model.c.port
    stored = sum(0.5 * K * min(s, 0.0) ** 2 for s in model.separations)
    assert port.stored == pytest.approx(stored, rel=1e-3)
    assert stored > 1e-5
    assert port.entered == pytest.approx(port.stored + port.paid, rel=1e-3)
    assert port.paid > 0.0


def test_walls_have_no_account():
    model = local(Port(passive=True))
    model.update(packet(1, floor()))
    model.run(0.5, push=(0.0, -4.0, 0.0))
    port = model.c.port
    assert (port.entered, port.stored, port.paid, port.given) == (0.0, 0.0, 0.0, 0.0)


def test_a_stiffer_packet_stores_no_more_energy():
    model = local(Port(passive=True))
    model.update(packet(1, floor()))
    model.run(0.5, push=(0.0, -4.0, 0.0))
    before = sum(0.5 * K * min(s, 0.0) ** 2 for s in model.separations)
    model.update(packet(2, floor(-0.0005), stiffness=4 * K))
    after = sum(0.5 * 4 * K * min(s, 0.0) ** 2 for s in model.separations)
    assert before > 1e-6
    assert after <= before * (1 + 1e-9)


def test_a_silent_world_is_let_go_softly():
    """Surfaces stand still, then soften, then are gone; the force never jumps up, and it is counted once."""
    model = local(Port(still=0.1, patience=0.4, fading=0.2), packets=PacketUse(kinematic=True))
    model.update(packet(1, floor(0.0, 0.0)))
    log = model.run(1.0, push=(0.0, -2.0, 0.0))
    force = log["wrench"][:, 1]
    settled = slice(250, 390)
    assert np.all(force[settled] > 1.5)
    assert np.all(np.abs(np.diff(force[400:600])) < 0.1)
    assert np.all(force[610:] == 0.0)
    assert model.c.count == 0
    assert model.c.port.let_go == 1
    assert model.update(packet(2, floor(0.0))) == "taken"  # and it comes back
    assert model.c.count == 2
    assert model.scene.c.settings.stiffness == K


def test_moving_surfaces_of_a_silent_world_stand_still():
    model = local(Port(still=0.1), packets=PacketUse(kinematic=True))
    model.update(packet(1, floor(0.05, 0.1, body=0)))
    model.run(0.5)
    assert model.separations == pytest.approx([0.05 - 0.1 * 0.1] * 2, abs=2e-4)


def test_the_mailbox_hands_over_the_newest_packet_and_word_of_the_proxy():
    model, library = local(), local_library()
    packets, proxies, word = (WorldPacket * 3)(), (ProxyPacket * 3)(), ProxyPacket()
    model.c.port.packets, model.c.port.proxies = ctypes.addressof(packets), ctypes.addressof(proxies)
    for k in (1, 2):
        one = packet(k, floor(0.001 * k))
        library.local_post(ctypes.byref(model.c), ctypes.byref(one))
    assert model.c.port.posted == 2
    assert not library.local_proxy(ctypes.byref(model.c), ctypes.byref(word))  # no tick of a loop was made


def test_settings_that_cannot_be_meant_are_refused():
    for wrong in (Port(ceiling=-1.0), Port(patience=-1.0), Port(still=float("nan")), Port(fading=float("inf"))):
        with pytest.raises(ModelError):
            wrong.structure()


def test_a_surface_gives_no_more_than_was_paid_to_a_proxy_that_the_hand_brakes_in_that_tick():
    """A braked proxy gets more force from the implicit damper than the check before the tick predicts."""
    braked = 0
    for paid in np.geomspace(1e-6, 1e-3, 25):
        model = local(Port(passive=True), packets=PacketUse(kinematic=True))
        model.update(packet(1, floor(0.0, 0.075, body=0), paid))
        model.scene.v[1] = 0.07
        model.run(0.05)
        assert model.c.port.least > -1e-12
        braked += model.c.port.returned
    assert braked > 0
