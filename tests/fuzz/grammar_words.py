"""Words of all grammars: sizes, numbers, names and formulas, ordinary ones and those at the edges."""

from random import Random

SHAPES = ("deep", "wide", "doubling", "chained", "self")
ORDINARY = ("0", "1", "-1", "0.5", "2", "-0.25", "3e-2", "10")
EDGES = (
    "1e308", "-1e308", "1e-320", "1e400", "nan", "inf", "-inf", "-0", "+1", "0x10", "1_000", "", " ", "٣", "1e", "--1",
    "9" * 400, "1e-999", "true", "null", "4294967296", "-9223372036854775809",
)  # fmt: skip
STRANGE = (
    "ground", "world", "base", "t", "pi", "lambda", "None", "__class__", "../x", "/etc/hosts", "a.b", "a::b", "a b", "",
    "\u200b", "\x1b[31m", "é", "ﬁ", "a" * 300, "$(x)", "${x}", "%s", "{0}", "-", "con", "b0", "'", "&lt;",
)  # fmt: skip
FUNCTIONS = ("sin", "exp", "sqrt", "abs", "log", "atan2", "min", "max", "where", "table", "tanh", "nothing")
LARGE = 2e-3  # share of cases with thousands of parts
EDGES_OF_CASES = (0.0, 0.0, 0.0, 1e-3, 1e-2, 0.1)  # shares of words that are not ordinary: most cases get far


class Chance(Random):
    """Random choices of one case, of which some are wrong on purpose."""

    def __init__(self, seed):
        super().__init__(seed)
        self.edge = self.choice(EDGES_OF_CASES)

    def wrong(self):
        return self.edge > 0.0 and self.random() < self.edge

    def pick(self, usual, *others):
        """The usual choice, or one of the others if something is to be wrong."""
        return self.choice(others) if self.wrong() else usual


def size(rng):
    """How many parts: mostly few, so that many cases are cheap, and thousands now and then."""
    if rng.random() < LARGE:
        return int(2 ** rng.uniform(9, 12.5))
    return int(2 ** (7 * rng.random() ** 3))


def number(rng):
    return rng.choice(EDGES if rng.wrong() else ORDINARY)


def positive(rng):
    return rng.pick("1", "0", "-1", *EDGES)


def numbers(rng, count=3):
    return " ".join(number(rng) for _ in range(rng.pick(count, 0, 1, 2, 4, 7)))


def direction(rng):
    return rng.pick(rng.choice(("1 0 0", "0 1 0", "0 0 -1", "0.6 0 0.8")), "0 0 0", numbers(rng))


def name(rng, k, prefix="b"):
    return rng.pick(f"{prefix}{k}", *STRANGE)


def earlier(rng, k, shape):
    """The number of the part that part k refers to, or None: the one before, the first, or itself."""
    if shape == "self" and rng.random() < 0.05:
        return k
    if shape == "wide" or k == 0:
        return None
    return k - 1 if shape in ("deep", "chained") else rng.randrange(k)


def nested(n, before, inside, after):
    return before * n + inside + after * n


def formula(rng, shape, n, names=("x", "k", "t")):
    """A formula: brackets inside each other, many terms, powers of powers, chains of comparisons."""
    word = lambda: rng.choice(names) if rng.random() < 0.6 else number(rng)  # noqa: E731
    if shape == "deep":
        around = rng.choice(
            (("(", ")"), ("-", ""), ("sin(", ")"), ("where(x<1,", ",2)"), ("[", "]"), ("x if x else ", ""))
        )
        return nested(n, around[0], word(), around[1])
    if shape == "wide":
        if rng.random() < 0.3:
            axis = ", ".join(map(str, range(n)))
            return f"table(x, [{axis}], [{axis}])"
        return rng.choice((" + ", "*", " - ", "/", ", ", " and ")).join(word() for _ in range(n + 1))
    if shape == "doubling":
        return rng.choice(("**", "**-", "*10**", "<<")).join(str(rng.randrange(2, 12)) for _ in range(n + 1))
    if shape == "chained":
        return rng.choice((" < ", " <= ", ").x(", "][", " if x else ", ".a", " or ")).join(word() for _ in range(n + 1))
    return called(rng, min(n, 12), word)


def called(rng, depth, word):
    """A random tree of operators and functions."""
    if depth <= 0 or rng.random() < 0.3:
        return word()
    below = lambda: called(rng, depth - rng.randrange(1, 4), word)  # noqa: E731
    if rng.random() < 0.5:
        return f"({below()} {rng.choice(('+', '-', '*', '/', '**', '<', '>', '%'))} {below()})"
    return f"{rng.choice(FUNCTIONS)}({', '.join(below() for _ in range(rng.randrange(1, 4)))})"
