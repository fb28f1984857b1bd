"""Texts that differ from a text by one change: mutants of a module of Python and of a file of C."""

import ast
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple


class Mutant(NamedTuple):
    """A changed text, made when it is wanted, and the lines of the statement that it changes."""

    text: Callable[[], str]
    lines: range


def mutants(file: Path) -> list[Mutant]:
    """Every mutant of a file."""
    text = file.read_text(encoding="utf-8")
    return (python_mutants if file.suffix == ".py" else c_mutants)(text)


def plain(file: str, text: str) -> str:
    """The text from which mutants of a file differ: comments of Python are gone."""
    return ast.unparse(ast.parse(text)) if file.endswith(".py") else text


def difference(before: str, after: str) -> str:
    """The lines that a mutant has changed."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return "\n".join([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])


def changed_function(before: str, after: str) -> str:
    """The function with the first changed line; empty: outside of functions."""
    lines = before.splitlines()
    pairs = zip(lines, after.splitlines(), strict=False)
    first = next((k for k, (old, new) in enumerate(pairs) if old != new), len(lines) - 1)
    depth = _depth(lines[first])
    for line in reversed(lines[: first + 1]):
        found = re.match(r"(?: *(?:async )?def |[a-z][\w* ]*[ *])(\w+)\(", line)
        if found and (_depth(line) < depth or line is lines[first]):
            return found[1]
    return ""


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


# -- mutants of Python -------------------------------------------------------------------------------------------------

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
CHECKS_AND_LOOKS = {"strict", "stacklevel", "indent"}  # arguments: a second check of equal lengths, and how text looks
STATEMENTS = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Return)


def sites(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int]]:
    """What may be changed: the node, the kind of change, and where in it; decorators and some arguments stay."""
    passed = {id(x) for node in ast.walk(tree) for top in getattr(node, "decorator_list", ()) for x in ast.walk(top)}
    keywords = (node for node in ast.walk(tree) if isinstance(node, ast.keyword))
    passed |= {id(keyword.value) for keyword in keywords if keyword.arg in CHECKS_AND_LOOKS}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.Compare):
            yield from ((node, "compare", k) for k, op in enumerate(node.ops) if type(op) in COMPARED)
        elif isinstance(node, ast.BoolOp):
            yield node, "boolean", 0
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, "not", 0
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value + 1 != node.value:
            yield node, "constant", 0
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and not isinstance(node, ast.Module | ast.ClassDef):
                ends = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                yield from ((node, name, k) for k, one in enumerate(block) if _acts(one, ends and one is block[-1]))


def _acts(node: ast.AST, last: bool) -> bool:
    """Whether a statement has an effect: a docstring has none, nor has `return None` as the last one of a function."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Return) and last:
        return ast.unparse(node) != "return None"
    return isinstance(node, STATEMENTS)


def statement_lines(node: ast.AST, lines: range = range(0)) -> Iterator[tuple[ast.AST, range]]:
    """Each node below a node, with the lines of its statement: of an `if` or a function, those before its block."""
    for child in ast.iter_child_nodes(node):
        here = lines
        if isinstance(child, ast.stmt):
            block = getattr(child, "body", None)
            end = max(child.lineno, block[0].lineno - 1) if block else child.end_lineno
            here = range(child.lineno, end + 1)
        yield child, here
        yield from statement_lines(child, here)


def change(node: ast.AST, kind: str, place: int) -> None:
    """Make one change in a tree."""
    if kind == "compare":
        node.ops[place] = COMPARED[type(node.ops[place])]()
    elif kind == "boolean":
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif kind == "not":
        node.op = ast.UAdd()
        node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
    elif kind == "constant":
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    else:
        getattr(node, kind)[place] = ast.Pass()


def python_mutants(text: str) -> list[Mutant]:
    """Every text that differs by one change, comments gone."""

    def made(k: int) -> str:
        tree = ast.parse(text)
        change(*list(sites(tree))[k])
        return ast.unparse(ast.fix_missing_locations(tree))

    tree = ast.parse(text)
    lines = {id(node): where for node, where in statement_lines(tree)}
    found = []
    for k, (node, kind, place) in enumerate(sites(tree)):
        changed = getattr(node, kind)[place] if kind in ("body", "orelse", "finalbody") else node
        found.append(Mutant(partial(made, k), lines[id(changed)]))
    return found


# -- mutants of C ------------------------------------------------------------------------------------------------------

C_CHANGES = (
    (r"(?<![-<>=!])<(?![<=])", "<="), (r"<=", "<"), (r"(?<![->=])>(?![>=])", ">="), (r">=", ">"), (r"==", "!="),
    (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"), (r"!(?=[a-z(_*])", ""), (r"(?<![\w.])\d+(?![\w.])", "7"),
    (r"^ +[^\n{}]*[^\s{};][^\n{}]*;$", ";"),
)  # fmt: skip


OTHER_SYSTEMS = (  # what Linux does not compile
    r"^#ifdef (?:__linux__|RUSAGE_THREAD)\n(?:(?!#).*\n)*#else\n(?P<other>(?:(?!#).*\n)*)#endif"
    r"|^#ifdef __APPLE__\n(?P<apple>(?:(?!#).*\n)*)#else"
)


def c_mutants(text: str) -> list[Mutant]:
    """Every text that differs by one operator, number or line with a statement.

    Nothing in comments, includes, and code of other systems than Linux.
    """
    dead = [
        m.span()
        for m in re.finditer(
            r"/\*.*?\*/|^#[^\n]*|^ +(?:static |const |int|double|return\b)[^=\n]*;$", text, re.S | re.M
        )
    ]
    dead += [m.span(m.lastgroup) for m in re.finditer(OTHER_SYSTEMS, text, re.M) if m.lastgroup]
    found = []
    for pattern, put in C_CHANGES:
        for m in re.finditer(pattern, text, re.M):
            if not any(a <= m.start() < b for a, b in dead) and m[0] != put:
                line = 1 + text.count("\n", 0, m.start())
                changed = partial("".join, (text[: m.start()], put, text[m.end() :]))
                found.append(Mutant(changed, range(line, line + 1)))
    return found
