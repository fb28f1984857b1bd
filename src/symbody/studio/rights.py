"""Who may watch and who may touch: whoever reaches the page watches; whoever bears the token touches.

An address proves nothing: a proxy on this machine, and everybody else who works on it, come from loopback as well.
The token travels as an offered subprotocol of the socket (`Sec-WebSocket-Protocol: symbody, token.HEX`), a header that
pages can set: addresses are seen in histories, logs and lists of processes.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlsplit

from symbody.errors import ModelError

LEAST_TOKEN, LONGEST_TOKEN = 16, 256  # characters
PROTOCOL, BEARS = "symbody", "token."  # what a page offers: the studio's own, and the token as hexadecimal UTF-8
ANYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # all interfaces, and how this machine reaches them
ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # addresses that nobody has (RFC 5737, 3849)


def studio_token(token: str | None = None) -> str:
    """The token of a studio: the given one if it is good, else a random one."""
    if token is None:
        return secrets.token_hex(16)
    if not (
        LEAST_TOKEN <= len(token) <= LONGEST_TOKEN and token.isascii() and token.isprintable() and " " not in token
    ):
        cure = f"give {LEAST_TOKEN} to {LONGEST_TOKEN} letters, digits and signs, or none: a random one is made"
        raise ModelError("a token that is easily guessed, or cannot be typed", element="token", cure=cure)
    return token


def offered(token: str) -> list[str]:
    """What a page offers to touch, as subprotocols."""
    return [PROTOCOL, BEARS + token.encode().hex()]


def may_touch(offers: Sequence[str], token: str) -> bool:
    """Whether one of the offered subprotocols is the token."""
    right = (BEARS + token.encode().hex()).encode()
    return any(hmac.compare_digest(offer.encode(errors="replace"), right) for offer in offers)


def same_site(headers: Mapping[str, str], *names: str) -> bool:
    """Whether our own page asks for a socket: the page of another site, open in a local browser, is not local.

    Origin and Host must agree, and Host be an address or one of the machine's names: a name that somebody else may
    point to this machine proves nothing.
    """
    try:
        origin, host = headers.get("Origin"), headers.get("Host", "")
        known = urlsplit(f"//{host}").hostname or ""
        if origin is not None and urlsplit(origin).netloc != host:
            return False
    except (ValueError, LookupError):  # "[::1"; two of them
        return False
    return known in ("localhost", *names) or _is_address(known)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


# -- addresses ---------------------------------------------------------------------------------------------------------


def page_address(host: str, port: int, token: str | None = None) -> str:
    """What a browser of this machine opens; with a token in the fragment, which no browser sends to anybody."""
    host = ANYWHERE.get(host, host)
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"#token={quote(token, safe='')}" if token else "")


def outward_address(host: str, port: int) -> str | None:
    """What a browser of another machine opens, where all interfaces are served; None where that is not known."""
    if host not in ANYWHERE:
        return None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((ELSEWHERE[family], 9))  # a datagram socket sends nothing by that, and knows its own address
            mine = probe.getsockname()[0]
    except OSError:
        return None
    return None if ipaddress.ip_address(mine.partition("%")[0]).is_loopback else page_address(mine, port)
