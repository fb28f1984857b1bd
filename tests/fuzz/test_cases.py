"""Cases of the attacks: the same ones in every run, sentences that get far, all findings; tests of cases.py."""

import pytest
from cases import BLOWN, GRAMMARS, LONGEST, blow_up, case, sentence
from findings import FINDINGS
from grammar_words import SHAPES, Chance
from mutate import CORPUS, corpus
from targets import TARGETS, accepted
from test_fuzz import needed

every_surface = pytest.mark.parametrize("name", GRAMMARS)


def test_every_surface_has_a_grammar_and_a_corpus():
    assert sorted(GRAMMARS) == sorted(TARGETS) == sorted(path.name for path in CORPUS.iterdir())


@every_surface
def test_a_case_depends_on_its_number_and_the_seed_only(name):
    needed(name)
    assert case(name, 1, 50) == case(name, 1, 50)
    made = [case(name, 1, k) for k in range(20, 60)]
    assert made != [case(name, 2, k) for k in range(20, 60)]
    assert len(set(made)) > 20
    assert max(map(len, made)) < LONGEST
    assert case(name, 1, 0) == corpus(name)[0]


@every_surface
@pytest.mark.filterwarnings("ignore")
def test_some_sentences_are_accepted_and_some_refused(name):
    """Sentences that are all refused at the door would test nothing behind it."""
    needed(name)
    taken = [accepted(name, sentence(name, Chance(f"{name} {k}"))) for k in range(40)]
    assert any(taken)
    assert not all(taken) or name in ("web", "studio", "drawn", "stl")


@every_surface
def test_every_shape_has_large_sentences(name):
    needed(name)
    for shape in SHAPES:
        sizes = [len(GRAMMARS[name](Chance(k), shape, 60)) for k in range(5)]
        assert max(sizes) > 20


def test_a_blown_up_input_is_large():
    rng, kept = Chance(0), corpus("csv")
    sizes = [len(blow_up(rng.choice(kept), rng, [b"word"])) for _ in range(100)]
    assert BLOWN < max(sizes) < LONGEST


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "k"), [(name, k) for name, found in FINDINGS.items() for k in range(len(found))])
def test_findings_are_taken_or_refused(name, k):
    needed(name)
    assert accepted(name, FINDINGS[name][k]()) in (True, False)  # no foreign error, no crash
