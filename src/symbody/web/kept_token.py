"""The random token of a server at a loopback address, kept for some hours in a file of its user.

A server that starts again at the same address then has the same token, so that an open tab may touch again. The file is
used only if nobody else can have read or written it.
"""

from __future__ import annotations

import ipaddress
import os
import re
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from symbody.codegen.cache import cache_folder
from symbody.codegen.ownership import Distrusted, open_owned, own_folder
from symbody.web.rights import RANDOM_TOKEN, server_token

LASTS = 12 * 3600.0  # s since it was made
FOLDER = "symbody-tokens"


def kept_token(host: str, port: int, *, renew: bool = False) -> str:
    """The token that is kept for an address, or a new one, which is kept from now on.

    renew: make a new one in any case. Nothing is kept for a free port (0), for an address that other computers reach,
    on a system without owners of files, and in a folder that others could write.
    """
    address = _loopback(host)
    if not (address and port and hasattr(os, "geteuid")):
        return server_token()
    try:
        file = own_folder(_folder()) / f"{address}-{port}"
    except OSError:
        return server_token()
    with suppress(OSError):
        if not renew and (known := _read(file)):
            return known
    token = server_token()
    with suppress(OSError):
        _write(file, token)
    return token


def _loopback(host: str) -> str:
    """A loopback address in its usual form; "" for others."""
    if host == "localhost":
        return host
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        return str(address) if address.is_loopback else ""
    return ""


def _folder() -> Path:
    """In the user's runtime folder, which ends with the session, or else beside the cache."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / FOLDER if runtime else cache_folder().with_name(FOLDER)


def _read(file: Path) -> str:
    """The token of a file of this user alone, that is not too old; "" if it has none."""
    with os.fdopen(open_owned(file), "rb") as opened:
        found = os.fstat(opened.fileno())
        if found.st_uid != os.geteuid() or found.st_nlink != 1 or stat.S_IMODE(found.st_mode) != 0o600:
            raise Distrusted(f"{file}: others may know it")
        if not 0.0 <= time.time() - found.st_mtime < LASTS:
            return ""
        text = opened.read(100).decode("ascii", "replace")
    return text if re.fullmatch(RANDOM_TOKEN, text) else ""


def _write(file: Path, token: str) -> None:
    """In one step: what was at the place, also a link, is replaced and never written through."""
    made, name = tempfile.mkstemp(prefix=".", dir=file.parent)  # of mode 0600
    try:
        with os.fdopen(made, "w") as opened:
            opened.write(token)
        os.replace(name, file)
    except OSError:
        with suppress(OSError):
            os.unlink(name)
        raise
