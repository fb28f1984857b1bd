"""An expression as a line of readable text; long ones are shortened."""

from __future__ import annotations

from symbody.expr.structure import CALLS, ExprLike

_INFIX = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2), "lt": ("<", 0), "le": ("<=", 0)}
LONGEST = 4000


def to_text(x: ExprLike, depth: int = 40) -> str:
    """Infix text of an expression, shortened below a depth."""
    text, _ = _text(x, depth)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _text(x: ExprLike, depth: int) -> tuple[str, int]:
    if x.op == "const":
        return (f"{x.value:g}", 9 if x.value >= 0 else 1)
    if x.op == "sym":
        return x.value, 9
    if depth == 0:
        return "…", 9
    if x.op == "neg":
        inner, strength = _text(x.args[0], depth - 1)
        return (f"-{inner}" if strength >= 2 else f"-({inner})"), 1
    if x.op in _INFIX:
        sign, mine = _INFIX[x.op]
        (a, sa), (b, sb) = _text(x.args[0], depth - 1), _text(x.args[1], depth - 1)
        a = a if sa >= mine else f"({a})"
        b = b if sb > mine or (sb == mine and x.op in ("add", "mul")) else f"({b})"
        return f"{a} {sign} {b}" if mine < 2 else f"{a}{sign}{b}", mine
    if x.op in CALLS:
        external, k, *along = x.value
        name = f"{external.name}[{k}]" + (f".slope[{along[0]}]" if along else "")
    else:
        name = x.op
    return f"{name}({', '.join(_text(a, depth - 1)[0] for a in x.args)})", 9
