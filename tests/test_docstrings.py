"""Docstrings of public names have sections in NumPy's form, and their examples run."""

import doctest
import warnings

import pytest

from docstring_sections import SECTIONS, coverage, documented, missing, public_members, sections, table

COMPLETE = ("symbody", "symbody.bridges", "symbody.bridges.gymnasium", "symbody.expr.functions")  # all sections
LEAST = {"Parameters": 105, "Returns": 72, "Raises": 18, "Examples": 87}  # of all modules: do not lower them
MEMBERS = public_members()


def test_coverage_by_section(capsys):
    found = coverage(MEMBERS)
    with capsys.disabled():
        print("\n" + table(found))
    for module in COMPLETE:
        assert {title: have for title, (have, _) in found[module].items()} == {
            title: need for title, (_, need) in found[module].items()
        }
    for title in SECTIONS:
        assert sum(row[title][0] for row in found.values()) >= LEAST[title]


@pytest.mark.parametrize(
    "member", [m for module, m in MEMBERS if module in COMPLETE], ids=lambda m: getattr(m, "__name__", str(m))
)
def test_no_section_is_missing(member):
    assert missing(member) == {}


@pytest.mark.slow
def test_examples_run():
    """All of them in one process: most compile the same small models."""
    failed = []
    for module, member in MEMBERS:
        text = member.__doc__ or ""
        if ">>>" not in text:
            continue
        case = doctest.DocTestParser().get_doctest(text, {}, f"{module}.{member.__name__}", None, 0)
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
