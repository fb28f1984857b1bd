"""`symbody edit`: which document it opens, and clear errors."""

import pytest

from symbody.cli import parser
from symbody.cli.edit import _document
from symbody.editor.document import NEW
from symbody.errors import ModelError


def test_a_new_model_a_new_file_and_a_machine(tmp_path):
    assert _document(None).text == NEW
    new = _document(str(tmp_path / "machine.yaml"))
    assert (new.text, new.path, new.is_saved) == (NEW, tmp_path / "machine.yaml", False)
    assert "bodies:" in _document("pendulum").text


def test_a_file_is_opened_as_it_is(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(NEW + "# mine\n")
    assert _document(str(path)).text == NEW + "# mine\n"


@pytest.mark.parametrize("name", ["no/such/folder/x.yaml", "missing.urdf", "x.exe"])
def test_what_cannot_be_opened_is_reported(name):
    with pytest.raises(ModelError):
        _document(name)


def test_the_command_has_the_options_of_a_server():
    given = parser(["edit"]).parse_args(["edit", "machine.yaml", "--port", "0", "--no-open"])
    assert (given.model, given.port, given.no_open) == ("machine.yaml", 0, True)
