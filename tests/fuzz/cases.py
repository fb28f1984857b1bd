"""Case number k of a surface: a seed, a sentence of a grammar, a changed one, or one with a piece blown up.

A case depends on its surface, its number and the seed of the run only: a run can be continued, and a case repeated.
"""

from file_grammars import FILES
from findings import findings
from grammar_words import SHAPES, Chance, size
from message_grammars import MESSAGES
from model_grammars import MODELS
from mutate import change, corpus
from targets import words

GRAMMARS = MODELS | FILES | MESSAGES
BLOWN = 50_000  # bytes
LONGEST = 1 << 20
SENTENCE, CHANGED, BLOWN_UP = 0.6, 0.38, 0.02  # shares


def sentence(name, rng):
    """A sentence of the grammar of a surface, in one of the shapes."""
    made = GRAMMARS[name](rng, rng.choice(SHAPES), size(rng))
    return (made if isinstance(made, bytes) else made.encode(errors="surrogatepass"))[: LONGEST - 8]


def blow_up(data, rng, vocabulary):
    """A piece of an input, or a word, again and again: quadratic costs become visible."""
    at = rng.randrange(len(data) + 1)
    piece = data[at : at + rng.randrange(1, 300)] if rng.random() < 0.7 else rng.choice(vocabulary)
    times = max(1, BLOWN // (1 << rng.randrange(6)) // max(1, len(piece)))
    return data[:at] + (piece or b" ") * times + data[at:]


def case(name, seed, number):
    """The bytes of case `number`; the first ones are the kept inputs of the surface and its findings."""
    kept, found = corpus(name), findings(name)
    if number < len(kept) + len(found):
        return kept[number] if number < len(kept) else found[number - len(kept)]()
    rng = Chance(f"{name} {seed} {number}")
    kind = rng.random()
    if kind < SENTENCE:
        return sentence(name, rng)
    base = rng.choice(kept) if rng.random() < 0.5 else sentence(name, rng)
    if kind < SENTENCE + CHANGED:
        return change(base, rng, kept, words(name))
    return blow_up(base[:BLOWN], rng, words(name))
