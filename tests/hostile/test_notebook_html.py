"""What notebooks show of hostile names: text, never elements or scripts of its own."""

from html.parser import HTMLParser

import numpy as np
import pytest

import symbody as sb

EVIL = "</td><script>alert(1)</script><img src=x onerror='alert(1)'>"
ALLOWED = {"img", "pre", "strong", "table", "tr", "th", "td", "p", "iframe", "tbody", "thead"}


class Seen(HTMLParser):
    """Elements and attributes of a text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.sources = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [name for name, _ in attrs]
        self.sources += [value for name, value in attrs if name == "src"]


def shown():
    m = sb.Model(EVIL)
    m.body("bob", joints="R2", mass=1.0, com=(0, 0, -1))
    run = sb.Run(None, np.arange(3.0), np.zeros((3, 1)), names=[EVIL], units={EVIL: EVIL}, meta={EVIL: EVIL})
    s = sb.system(m)
    return {"model": m, "system": s, "run": run, "comparison": run.compare(run), "modes": sb.modal(s)}


@pytest.mark.parametrize("kind", ["model", "system", "run", "comparison", "modes"])
def test_names_are_text(kind):
    seen = Seen(shown()[kind]._repr_html_())
    assert seen.tags <= ALLOWED
    assert all(source.startswith("data:image/") for source in seen.sources)
    assert not [name for name in seen.attributes if name.startswith("on")]


def test_an_animation_has_no_access_to_the_notebook():
    m = sb.Model(EVIL)
    m.body("bob", joints="R2", mass=1.0, com=(0, 0, -1))
    run = sb.Run(None, np.arange(3.0), np.zeros((3, 1)), names=["bob.q"], model=m)
    seen = Seen(run.animate()._repr_html_())
    assert seen.tags == {"iframe"}
    assert "sandbox" in seen.attributes
    assert "allow-same-origin" not in run.animate()._repr_html_().partition("srcdoc")[0]
