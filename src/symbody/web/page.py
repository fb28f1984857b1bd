"""A page of our own: its text, its script as a file that browsers keep, and the content security policy for it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from symbody.web.encodings import WebContent

REST = "connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors"
ASSETS = "assets"  # the folder of scripts, at the root of the server
LONG = 10_000  # characters of a script from which on it is a file of its own, which browsers keep
DIGITS = 20  # of a hash in the name of a file


class WebPage:
    """HTML with style and script inside, read when a browser first asks for it; a long script is served as a file.

    brotli: the compressed text of a script, by the name of its file; None: not compressed beforehand. worklet: its
    script starts a further script, of its own text, in the thread of the audio (a blob: address).
    """

    def __init__(
        self,
        read: Callable[[], str],
        brotli: Callable[[str], bytes | None] = lambda name: None,
        worklet: bool = False,
    ):
        self._read, self._brotli, self._worklet = read, brotli, worklet
        self._shells: dict[str, WebContent] = {}

    @cached_property
    def text(self) -> str:
        """The HTML with everything inside, which needs no network."""
        return self._read()

    @cached_property
    def _scripts(self) -> list[str]:
        return [part.partition("</script>")[0] for part in self.text.split("<script>")[1:]]

    @cached_property
    def script_sources(self) -> list[str]:
        """The hash of each script in the page, as the policy names it, and perhaps blob:."""
        return self.script_hashes + (["blob:"] if self._worklet else [])

    @cached_property
    def script_hashes(self) -> list[str]:
        """The hash of each script in the page, as the policy names it."""
        return [f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in self._scripts]

    @cached_property
    def assets(self) -> Mapping[str, WebContent]:
        """Long scripts by the names of their files, which contain a hash: a changed script has another name."""
        named = {asset_name(script): script.encode() for script in self._scripts if len(script) >= LONG}
        return {name: WebContent(content, self._brotli(name)) for name, content in named.items()}

    def shell(self, prefix: str = "") -> WebContent:
        """The HTML with references to its long scripts; prefix: from the folder of the page to the root."""
        if prefix not in self._shells:
            text = self.text
            for script, hashed in zip(self._scripts, self.script_hashes, strict=True):
                if len(script) >= LONG:
                    place, known = f"{prefix}{ASSETS}/{asset_name(script)}", hashed.strip("'")
                    tag = f'<script src="{place}" integrity="{known}"></script>'
                    text = text.replace(f"<script>{script}</script>", tag)
            self._shells[prefix] = WebContent(text.encode())
        return self._shells[prefix]


def asset_name(script: str) -> str:
    """The name of a script's file."""
    return hashed_name(script.encode(), "js")


def hashed_name(content: bytes, kind: str) -> str:
    """The name of a file that browsers keep: another content has another name. kind: such as "webp"."""
    return f"{hashlib.sha256(content).hexdigest()[:DIGITS]}.{kind}"


def content_policy(script_sources: Sequence[str] = (), frames: Sequence[str] = (), *, files: bool = False) -> str:
    """The content security policy: a browser runs only scripts with these hashes, and fetches nothing else.

    frames: origins of pages that may show this one in a frame; none: no other page may. files: scripts are files of
    this server; not all browsers know hashes for files.
    """
    scripts, framing = " ".join([*script_sources, *["'self'"] * files]) or "'none'", " ".join(frames) or "'none'"
    return f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; {REST} {framing}"
