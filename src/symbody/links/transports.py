"""Open the two ends of a link between a model and a device, by the name of the transport."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from symbody.errors import ModelError
from symbody.links.dds import DdsTransport
from symbody.links.link import Limits
from symbody.links.packet import Transport
from symbody.links.udp import LOOPBACK, PORT, Address, UdpTransport, address_text

TRANSPORTS = ("udp", "dds")
ROLES = ("model", "io")
TOKEN = "SYMBODY_TOKEN"  # variable with the shared secret
HERE = LOOPBACK[socket.AF_INET]


@dataclass(frozen=True)
class LinkOptions:
    """Options of a link: transport, address and channels."""

    inputs: Sequence[str]  # of the model, sent by the device's end
    outputs: Sequence[str]
    transport: str = "udp"
    name: str = "machine"  # DDS: ROS name of the model
    address: Address = (HERE, PORT)  # UDP: of the model's end
    token: bytes = b""  # UDP
    domain: int = 0  # DDS
    network: bool = False  # DDS: also reach other computers
    silence: float = Limits.silence  # s
    start: Sequence[float] | None = None  # DDS: values of inputs that the partner never sends


def command_name(name: str) -> str:
    """ROS name of the inputs of a model."""
    return f"{name}/command"


def open_transport(line: LinkOptions, role: str) -> Transport:
    """Open the model's or the device's end of a link."""
    if line.transport not in TRANSPORTS or role not in ROLES:
        cure = f"choose one of {', '.join(TRANSPORTS)} for one of {', '.join(ROLES)}"
        raise ModelError(f"unknown transport '{line.transport}' or role '{role}'", element="line", cure=cure)
    model = role == "model"
    sends, hears = (line.outputs, line.inputs) if model else (line.inputs, line.outputs)
    if line.transport == "dds":
        to, of = (line.name, command_name(line.name)) if model else (command_name(line.name), line.name)
        start = line.start if model else None
        return DdsTransport(
            sends, hears, to, of, domain=line.domain, local=not line.network, start=start, silence=line.silence
        )
    if model:
        return UdpTransport(sends, hears, bind=line.address, token=line.token)
    return UdpTransport(sends, hears, partner=line.address, token=line.token)


def address(text: str) -> Address:
    """HOST:PORT, HOST or :PORT; an IPv6 address is in brackets."""
    parts = re.fullmatch(r"(?:\[([^\[\]]+)\]|([^:\[\]]*))(?::(\d+))?", text, re.ASCII)
    host, port = (parts[1] or parts[2] or HERE, int(parts[3] or PORT)) if parts else ("", -1)
    if not 0 <= port < 65536:
        examples = " or ".join(address_text((host, PORT)) for host in LOOPBACK.values())
        raise ModelError(f"'{text}' is not HOST:PORT", element="udp", cure=f"write for example {examples}")
    return host, port


def shared_token(file: str | None = None) -> bytes:
    """The secret in a file, else in the variable SYMBODY_TOKEN, else empty."""
    if file is None:
        return os.environ.get(TOKEN, "").strip().encode()
    try:
        return Path(file).read_bytes().strip()
    except OSError as error:
        raise ModelError(
            f"the file cannot be read: {error.strerror}", file=file, cure="give a file with the token"
        ) from error
