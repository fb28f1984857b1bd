"""`sb.edit(model)`: the editor in the browser; the script goes on with the edited model."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from symbody.editor.application import EditorApplication
from symbody.editor.document import NEW, ModelDocument, model_document, open_document
from symbody.files.yaml_file import model_of_text
from symbody.model.check import check
from symbody.model.model import Model
from symbody.visual.browser import open_page, private_page
from symbody.web.server import WebServer

LOOK = 0.2  # s between two checks whether the user has finished


class EditorServer(WebServer):
    """An editor as a server of its own: `with EditorServer(document) as server: server.address`."""

    name = "editor"

    def __init__(self, document: ModelDocument, host: str = "127.0.0.1", port: int = 0, token: str | None = None):
        self.application = EditorApplication(document, done=True)
        super().__init__({"/": self.application}, host, port, token)


def edit(
    what: Model | str | Path | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    browser: bool = True,
) -> Model:
    """Edit a model in the browser, and return it after the button Done or Ctrl+C.

    Parameters
    ----------
    what : Model, str, Path or None
        A model, a model file, or None for a new model. The model itself is not changed, and neither is a file that is
        not saved in the editor.
    host, port : str, int
        Where the page is served. Default: any free port of this computer.
    token : str, optional
        With it a browser may edit; random if not given.
    browser : bool
        Whether to open a browser. Default True; the address is printed otherwise.

    Returns
    -------
    Model
        The edited model, checked. Laws that were functions are formulas now.

    Raises
    ------
    ModelError
        If the edited model cannot be used, with element and cure.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.edit(sb.machines.model("four-bar"))  # doctest: +SKIP
    """
    if what is None:
        document = ModelDocument(NEW)
    else:
        document = model_document(what) if isinstance(what, Model) else open_document(what)
    with EditorServer(document, host, port, token) as server:
        page = server.closing.enter_context(private_page(server.address))
        if not (browser and open_page(page.as_uri())):
            print(f"editor: {server.place if token else server.address}", file=sys.stderr)
        with suppress(KeyboardInterrupt):
            while not server.application.desk.finished.wait(LOOK):
                pass
    made = model_of_text(document.text)
    made.source, made.shapes = document.source, document.shapes
    check(made)
    return made
