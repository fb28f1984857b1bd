"""Who may watch and who may touch: whoever reaches the page watches; to touch, be on this machine or bear the token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from symbody.errors import ModelError

LEAST_TOKEN = 16  # characters


def studio_token(host: str, token: str | None = None) -> str | None:
    """The token of a studio at a host: the given one, a random one where others can reach it, none on loopback."""
    if token is not None and (len(token) < LEAST_TOKEN or not token.isascii() or not token.isalnum()):
        cure = f"give at least {LEAST_TOKEN} letters and digits, or none: a random one is made"
        raise ModelError("a token that is easily guessed", element="token", cure=cure)
    return token or (None if is_loopback(host) else secrets.token_hex(16))


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine, as seen by itself."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def may_touch(peer: str, path: str, token: str | None) -> bool:
    """Whether a browser at an address may touch what runs: it is on this machine, or its path carries the token."""
    given = parse_qs(urlsplit(path).query).get("token", [""])[-1]
    return is_loopback(peer) or (token is not None and hmac.compare_digest(given.encode(), token.encode()))


def same_site(headers: Mapping[str, str], *names: str) -> bool:
    """Whether our own page asks for a socket: the page of another site, open in a local browser, is not local.

    Origin and Host must agree, and Host be an address or one of the machine's names: a name that somebody else may
    point to this machine proves nothing.
    """
    origin, host = headers.get("Origin"), headers.get("Host", "")
    known = urlsplit(f"//{host}").hostname or ""
    if origin is not None and urlsplit(origin).netloc != host:
        return False
    return known in ("localhost", *names) or _is_address(known)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
