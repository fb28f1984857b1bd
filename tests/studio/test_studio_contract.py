"""Messages to the page are as contract.py and visual/page_types.py declare them; contract.ts is generated from them."""

import json
import runpy
from pathlib import Path

import pytest
from studio_models import crank_machine, swing

import symbody as sb
from message_faults import faults
from symbody.studio import Live, Player, Preset
from symbody.studio.contract import PreviewData, Refused, SceneDifference, ServerMessage
from symbody.studio.machine_scene import MachineScene
from symbody.studio.messages import Set
from symbody.studio.session import StudioSession
from symbody.studio.visitor import Visitor, hello_message, scene_message, status_messages
from symbody.visual.page_types import SceneData
from symbody.web.gate import Gate

FRONTEND = Path(__file__).parents[2] / "frontend"


def test_the_typescript_is_that_of_the_declarations():
    made = runpy.run_path(str(FRONTEND / "contract.py"))["typescript"]()
    assert (FRONTEND / "src" / "contract.ts").read_text(encoding="utf-8") == made, "run `python frontend/build.py`"


def test_a_message_that_is_not_as_declared_would_be_found():
    assert faults({"reason": "busy", "detail": ""}, Refused) == []
    assert faults({"reason": "busy", "details": ""}, Refused) == [
        "message.details: not declared",
        "message.detail: missing",
    ]
    assert faults({"sounds": [[0, 1.0]]}, ServerMessage) == ["message.sounds[0]: 2 entries, not 3"]
    assert faults({"controls": [True]}, ServerMessage) == ["message.controls[0]: True is no float"]
    assert faults({"failed": None}, ServerMessage) == ["message.failed: None is no str"]


@pytest.fixture(scope="module", params=["machine", "model", "run"])
def session(request):
    source = {
        "machine": lambda: Live(crank_machine(presets=[Preset("fast", {"stiffness": 3.0})], start="Turn it.")),
        "model": lambda: Live(swing()),
        "run": lambda: Player(sb.simulate(sb.system(swing()), 0.1, 1e-2)),
    }[request.param]()
    source.start()
    made = StudioSession(source, Gate({}), "0123")
    yield made
    made.close()


@pytest.mark.posix
def test_first_messages_and_status_are_as_declared(session):
    visitor, known = Visitor(True, 0), {"watchers": 1, "refused": 0}
    hello = json.loads(hello_message(session.source, visitor, session.identity, session.drawn()[1]))
    assert faults(hello, ServerMessage) == []
    (status,) = status_messages(session.source, visitor, session.source.status() | known)
    assert faults(json.loads(status), ServerMessage) == []


@pytest.mark.posix
def test_changes_of_a_scene_and_first_pictures_are_as_declared():
    with Live(crank_machine()) as live:
        visitor = Visitor(True, 0)
        visitor.shapes = live.shapes()
        live.obey(Set("arm", 0.25))
        changed = json.loads(scene_message(live, visitor, live.shapes()))
        assert changed["changed"]["meshes"]
        assert faults(changed, ServerMessage) == []
        assert faults(changed["changed"], SceneDifference) == []
    preview = json.loads(json.dumps(MachineScene(crank_machine()).preview()))
    assert faults(preview, PreviewData) == []
    assert faults(preview["scene"], SceneData) == []
