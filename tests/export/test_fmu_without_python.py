"""An FMU in a host that is not Python: a C program loads its library and gets the simulation's numbers."""

import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

import numpy as np
import pytest
from exported_systems import made

import symbody as sb
from symbody.codegen.compiler import find_compiler

HOST = Path(__file__).parent / "host.c"


@pytest.mark.skipif(sys.platform != "linux", reason="the host uses dlopen")
@pytest.mark.parametrize("name", ["double-pendulum", "four-bar"])
def test_a_host_in_c_gets_the_same_motion(fmu, name, tmp_path):
    with zipfile.ZipFile(fmu(name, 2)) as unit:
        unit.extractall(tmp_path)
    library = next(tmp_path.glob("binaries/*/*.so"))
    about = xml.parse(tmp_path / "modelDescription.xml").getroot()
    s = made(name)
    wanted = s.states[0]
    variable = next(v for v in about.iter("ScalarVariable") if v.get("name") == wanted)
    host = tmp_path / "host"
    compiler = find_compiler()
    assert compiler is not None
    subprocess.run([*compiler, "-std=gnu99", "-O1", str(HOST), "-o", str(host), "-ldl"], check=True)
    command = [str(host), str(library), about.get("guid"), variable.get("valueReference"), "0.01", "50"]
    done = subprocess.run(command, capture_output=True, text=True, env={}, check=True)
    expected = sb.simulate(s, 0.5, 1e-3, every=0.01)[wanted]
    np.testing.assert_allclose([float(x) for x in done.stdout.split()], expected, rtol=1e-12, atol=1e-12)
    linked = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=True).stdout
    assert "python" not in linked
