"""Rights of a browser: every browser that reaches the page may watch; with the token it may also touch.

An address proves nothing: a proxy on this machine and its other users come from loopback as well. A page offers the
token as a subprotocol of its socket (`Sec-WebSocket-Protocol: symbody, token.HEX`), because it can set that header, and
because addresses appear in histories, logs and lists of processes.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlsplit

from symbody.errors import ModelError

LEAST_TOKEN, LONGEST_TOKEN = 16, 256  # characters
PROTOCOL, TOKEN_PREFIX = (
    "symbody",
    "token.",
)  # subprotocols of a page: ours, and the token in hexadecimal UTF-8
RANDOM_TOKEN, NONCE = r"[0-9a-f]{32}", r"[0-9a-f]{32}"  # of a server, and of a page that asks for a proof
ANYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # all interfaces: their address on this machine
ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # reserved for documentation (RFC 5737, 3849)


def server_token(token: str | None = None) -> str:
    """The token of a server: the given one if it is strong enough, or a random one."""
    if token is None:
        return secrets.token_hex(16)
    if not (
        LEAST_TOKEN <= len(token) <= LONGEST_TOKEN and token.isascii() and token.isprintable() and " " not in token
    ):
        cure = f"give {LEAST_TOKEN} to {LONGEST_TOKEN} letters, digits and signs, or no token to get a random one"
        raise ModelError("the token is easily guessed or cannot be typed", element="token", cure=cure)
    return token


def offered(token: str) -> list[str]:
    """The subprotocols that a page offers to be allowed to touch."""
    return [PROTOCOL, TOKEN_PREFIX + token.encode().hex()]


def may_touch(offers: Sequence[str], token: str) -> bool:
    """Whether one of the offered subprotocols is the token."""
    right = (TOKEN_PREFIX + token.encode().hex()).encode()
    return any(hmac.compare_digest(offer.encode(errors="replace"), right) for offer in offers)


def proof(token: str, nonce: str) -> str | None:
    """HMAC-SHA256 of a page's nonce: a page that reconnects sends its token only to a server that knows it already.

    None for another text than a nonce, and for a token that a person chose: it could be guessed from the answer.
    """
    if not re.fullmatch(NONCE, nonce) or not re.fullmatch(RANDOM_TOKEN, token):
        return None
    return hmac.new(token.encode(), f"symbody proof {nonce}".encode(), "sha256").hexdigest()


def same_site(headers: Mapping[str, str], *names: str) -> bool:
    """Whether our own page asks for a socket, and not the page of another site in a browser on this machine.

    Origin and Host must agree, and Host must be an IP address, localhost or one of the given names: anybody can make
    another name point to this machine.
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
    """The address for a browser on this machine; the token is in the fragment, which browsers never send."""
    host = ANYWHERE.get(host, host)
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"#token={quote(token, safe='')}" if token else "")


def outward_address(host: str, port: int) -> str | None:
    """The address for a browser on another machine, if all interfaces are served; None: not served, or unknown."""
    if host not in ANYWHERE:
        return None
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((ELSEWHERE[family], 9))  # sends nothing, but the socket then knows its own address
            mine = probe.getsockname()[0]
    except OSError:
        return None
    return None if ipaddress.ip_address(mine.partition("%")[0]).is_loopback else page_address(mine, port)
