"""Docstrings of public names have sections in NumPy's form, and their examples run."""

import doctest
import tempfile
import warnings

import pytest

from docstring_sections import coverage, documented, missing, module_examples, public_members, sections, table
from test_public_modules import MODULES

MEMBERS = public_members()
EXAMPLES = module_examples()


def test_coverage_by_section(capsys):
    found = coverage(MEMBERS)
    with capsys.disabled():
        print("\n" + table(found))
    lacking = {
        f"{module}, {title}": (have, need)
        for module, row in found.items()
        for title, (have, need) in row.items()
        if have != need
    }
    assert lacking == {}


@pytest.mark.parametrize(("module", "member"), MEMBERS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_no_section_is_missing(module, member):
    assert missing(member, EXAMPLES.get(module, ())) == {}


def texts(module):
    """Docstrings of a module and of the names that it lists first, by name."""
    own = {module: vars(MODULES[module]).get("__doc__") or ""}
    return own | {f"{module}.{x.__name__}": x.__doc__ or "" for first, x in MEMBERS if first == module}


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("module", dict.fromkeys(module for module, _ in MEMBERS))
def test_examples_run(module, tmp_path, monkeypatch):
    """Those of a module in one process: most compile the same small models."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    failed = []
    for name, text in texts(module).items():
        if ">>>" not in text:
            continue
        case = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
        said: list[str] = []
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runner.run(case, out=said.append)
        if runner.failures:
            failed.append("".join(said))
    assert failed == [], "\n".join(failed)


def test_a_missing_section_would_be_found():
    def turned(angle: float, axis: int = 3) -> float:
        """Turn.

        Parameters
        ----------
        angle : float
            rad.
        """
        if axis > 3:
            raise ValueError("no such axis")
        return angle

    assert missing(turned) == {"Parameters": "axis", "Returns": "no section", "Raises": "no section",
                               "Examples": "no section"}  # fmt: skip
    assert documented(sections(turned.__doc__ or "")["Parameters"]) == {"angle"}
    assert "Examples" not in missing(turned, {"turned"})  # an example of its module uses it
