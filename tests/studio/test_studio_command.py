"""`symbody studio` as a person meets it; and serving, with all that may stand in its way or end it."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request
import webbrowser
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

import pytest
from studio_models import crank_machine

from symbody import machines
from symbody.cli import main, parser, studio
from symbody.errors import ModelError
from symbody.studio import Live
from symbody.studio.gallery import gallery_server
from waiting import PATIENCE, eventually


def test_without_a_model_it_lists_them(capsys):
    assert main(["studio", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["models"]
    assert [row["model"] for row in told] == machines.names()
    assert all(row["about"] for row in told)


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["no-such-model"], "pendulum"),
        (["pendulum", "--port", "70000"], "65535"),
        (["pendulum", "--set", "nothing=1"], "unknown parameter or input"),
        (["--run", "missing.parquet"], "missing.parquet"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(capsys, arguments, cure):
    assert main(["studio", "--no-open", "--port", "0", *arguments]) == 2
    *before, said = capsys.readouterr().err.splitlines()
    assert cure in said
    assert [line.split()[0] for line in before] == ["studio:"] * ("--set" in arguments)  # that is known once it is made


def test_a_weak_token_is_refused_before_anything_is_served(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(studio, "_maker", lambda arguments: unprepared)
    (tmp_path / "token").write_text("1234\n")
    given = ["studio", "pendulum", "--no-open", "--token-file"]
    assert main([*given, str(tmp_path / "token")]) == 2
    assert "letters, digits and signs" in capsys.readouterr().err
    (tmp_path / "token").write_text("")
    assert main([*given, str(tmp_path / "token")]) == 2
    assert main([*given, str(tmp_path / "none")]) == 2
    monkeypatch.setenv("SYMBODY_TOKEN", "5678")
    assert main(["studio", "pendulum", "--no-open"]) == 2


def test_a_token_on_the_command_line_is_refused(capsys, monkeypatch):
    monkeypatch.setattr(studio, "_maker", lambda arguments: unprepared)
    assert main(["studio", "pendulum", "--token", "0123456789abcdef", "--no-open"]) == 2
    said = capsys.readouterr().err
    assert "--token-file" in said
    assert "SYMBODY_TOKEN" in said
    assert "0123456789abcdef" not in said


# -- what stands in the way --------------------------------------------------------------------------------------------


def unprepared():
    raise AssertionError("nothing may be prepared where nothing can be served")


def test_a_port_in_use_is_told_before_anything_is_compiled(capsys, monkeypatch):
    monkeypatch.setattr(studio, "_maker", lambda arguments: unprepared)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["studio", "pendulum", "--port", str(port), "--no-open"]) == 2
    said = capsys.readouterr().err
    assert f"port {port} is in use" in said
    assert "--port 0" in said
    assert said.count("\n") == 1


def test_a_host_that_is_not_this_machine_is_told_before_anything_is_compiled(capsys, monkeypatch):
    monkeypatch.setattr(studio, "_maker", lambda arguments: unprepared)
    assert main(["studio", "pendulum", "--host", "203.0.113.1", "--port", "0", "--no-open"]) == 2
    assert "--host" in capsys.readouterr().err


def test_without_its_package_the_cure_is_told():
    """In a process of its own, where the package cannot be imported; demos are still listed."""
    hide = "import sys; sys.modules['websockets'] = None; from symbody.cli import main; "
    run = hide + "sys.exit(10 * main(['studio', 'pendulum']) + main(['demo']))"
    told = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True)
    assert told.returncode == 20, told.stderr
    assert "pip install 'symbody[studio]'" in told.stderr
    assert "piano" in told.stdout


# -- browsers ----------------------------------------------------------------------------------------------------------


class Shown(webbrowser.BaseBrowser):
    """A browser that remembers what it was to show."""

    def __init__(self, name):
        super().__init__(name)
        self.pages = []

    def open(self, url, new=0, autoraise=True):
        self.pages.append(url)
        return True


@pytest.mark.parametrize(("name", "draws"), [("firefox", True), ("lynx", False), ("/usr/bin/w3m", False)])
def test_a_browser_for_text_is_none(monkeypatch, name, draws):
    found = Shown(name)
    monkeypatch.setattr(webbrowser, "get", lambda: found)
    assert studio.open_page("http://127.0.0.1:1/") is draws
    assert found.pages == ["http://127.0.0.1:1/"] * draws


def interrupted():
    raise KeyboardInterrupt


@pytest.mark.parametrize("there_is_one", [True, False])
def test_the_page_is_opened_or_its_address_is_left_to_the_person(capsys, monkeypatch, there_is_one):
    found = Shown("firefox")

    def get():
        if there_is_one:
            return found
        raise webbrowser.Error("could not locate runnable browser")

    leads_to = []

    def wait():
        leads_to.extend(Path(url2pathname(urlsplit(page).path)) for page in found.pages)
        for page in leads_to:
            assert page.stat().st_mode & 0o077 == 0 or page.parent.stat().st_mode & 0o077 == 0
            assert address_said(capsys) in page.read_text()
        raise KeyboardInterrupt

    monkeypatch.setattr(webbrowser, "get", get)
    monkeypatch.setattr(studio, "wait_for_interrupt", wait)
    assert main(["studio", "pendulum", "--port", "0", "--json"]) == 0
    assert len(leads_to) == there_is_one
    assert not any(page.exists() for page in leads_to)
    assert all("token" not in page for page in found.pages)  # lists of processes show them
    said = capsys.readouterr()
    assert "token" not in json.loads(said.out)["address"]
    assert ("open the address yourself" in said.err) is not there_is_one


def address_said(capsys):
    """Where it is served, with a token in the fragment."""
    place, _, secret = (address := capsys.readouterr().err.split()[1]).partition("#token=")
    assert place.startswith("http://127.0.0.1:")
    assert len(secret) == 32
    return address


@pytest.mark.parametrize("by", ["file", "environment"])
def test_a_given_token_is_never_shown(capsys, monkeypatch, tmp_path, by):
    token = "mN+3/0aa=Zk21!x_"
    (tmp_path / "token").write_text(token + "\n")
    given = ["--token-file", str(tmp_path / "token")] if by == "file" else []
    monkeypatch.setenv("SYMBODY_TOKEN", "another_one_of_16" if by == "file" else token)
    seen = []
    monkeypatch.setattr(studio, "wait_for_interrupt", interrupted)
    monkeypatch.setattr(studio, "private_page", lambda address: nullcontext(seen.append(address)))
    assert main(["studio", "pendulum", "--port", "0", "--no-open", *given]) == 0
    said = capsys.readouterr()
    assert "http://127.0.0.1:" in said.err
    assert token not in said.err + said.out
    assert quote(token, safe="") in seen[0]


def test_all_interfaces_are_told_as_addresses_that_can_be_opened(capsys, monkeypatch):
    monkeypatch.setattr(studio, "wait_for_interrupt", interrupted)
    assert main(["studio", "pendulum", "--port", "0", "--no-open", "--host", "0.0.0.0"]) == 0
    said = capsys.readouterr().err
    assert "studio: http://127.0.0.1:" in said
    assert "//0.0.0.0" not in said


def test_a_bare_model_points_to_the_page_of_its_machine(capsys):
    parsed = parser().parse_args(["studio", "piano", "--rate", "500"])
    studio._maker(parsed)
    assert "symbody demo piano" in capsys.readouterr().err
    studio._maker(parser().parse_args(["studio", "pendulum", "--rate", "500"]))
    assert "symbody demo" not in capsys.readouterr().err


# -- how it ends -------------------------------------------------------------------------------------------------------


@contextmanager
def serving(ignored=None):
    """`symbody studio` in a process of its own, and its address."""
    # as at a terminal, whoever started the tests in the background
    usual = "import signal; signal.signal(1, signal.SIG_DFL); signal.signal(2, signal.default_int_handler); "
    ignore = f"signal.signal({int(ignored)}, signal.SIG_IGN); " if ignored else ""
    run = f"{usual}{ignore}import sys; from symbody.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", run, "studio", "pendulum", "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = process.stderr.readline()
            assert said.startswith("studio: http://127.0.0.1:"), said
            yield process, said.split()[1]
        finally:
            process.kill()


def is_served(address):
    with urllib.request.urlopen(address, timeout=PATIENCE) as page:
        return page.status == 200


@pytest.mark.parametrize(("ending", "status"), [("SIGINT", 0), ("SIGHUP", 129)])
@pytest.mark.posix
def test_it_serves_until_it_is_interrupted_or_left_without_a_terminal(ending, status):
    with serving() as (process, address):
        assert is_served(address)
        process.send_signal(getattr(signal, ending))
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == status
        assert "Traceback" not in err
        assert (address.partition("#")[0] in out) is (ending == "SIGINT")


@pytest.mark.slow
@pytest.mark.posix
def test_what_nohup_ignores_stays_ignored_until_it_is_killed():
    with serving(ignored=signal.SIGHUP) as (process, address):
        process.send_signal(signal.SIGHUP)
        assert is_served(address)
        process.terminate()
        assert "Traceback" not in process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 143


@pytest.mark.posix
def test_the_gallery_opens_with_a_machine_that_runs_as_make_run_does(monkeypatch):
    made, seen = [], []

    def kept(*given):
        made.append(gallery_server(*given))
        return made[0]

    def look():
        eventually(lambda: made[0].application_at("/").states == {"piano": "running"})
        seen.append(made[0].application_at("/piano/").source.title)

    monkeypatch.setattr("symbody.studio.gallery.gallery_server", kept)
    monkeypatch.setattr(studio, "_shown", lambda machine: Live(replace(crank_machine(), title=machine.name)))
    monkeypatch.setattr(studio, "wait_for_interrupt", look)
    assert "symbody demo --start piano" in (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    arguments = parser().parse_args(["demo", "--start", "piano", "--port", "0", "--no-open"])
    assert studio.serve_gallery(arguments)["address"].startswith("http://127.0.0.1:")
    assert seen == ["piano"]


def test_a_machine_and_a_host_name_are_two_arguments():
    """Both were `name`: the gallery of `symbody demo` did not open, as it got no list of host names."""
    arguments = parser().parse_args(["demo", "piano", "--name", "bench.example"])
    assert (arguments.name, arguments.names) == ("piano", ["bench.example"])


def test_an_unknown_machine_to_start_with_is_an_error_with_a_suggestion():
    arguments = parser().parse_args(["demo", "--start", "pino", "--port", "0", "--no-open"])
    with pytest.raises(ModelError, match="piano"):
        studio.serve_gallery(arguments)
