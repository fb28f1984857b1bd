"""Images on meshes: PNG or JPEG files, as bytes that a browser decodes. Size and pixels are limited before that."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import local_name, read_bytes

MAX_BYTES = 8_000_000  # of a file; a page carries it in its first message
MAX_EDGE = 4096  # pixels
PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
FRAMES = {0xC0, 0xC1, 0xC2}  # markers of JPEG with the size of the image: baseline, extended, progressive
_SMALLER = f"save it as PNG or JPEG with at most {MAX_EDGE} × {MAX_EDGE} pixels and {MAX_BYTES // 1_000_000} MB"


@dataclass(frozen=True)
class Texture:
    """An image by its bytes."""

    data: bytes
    kind: str  # image/png or image/jpeg

    @property
    def address(self) -> str:
        """The image as a data: address."""
        return f"data:{self.kind};base64,{base64.b64encode(self.data).decode('ascii')}"


def left_out(error: ModelError) -> str:
    """The text of the warning about a texture that cannot be used."""
    return f"a texture is left out: {error}"


def texture_of(data: bytes, budget: ReadBudget) -> Texture:
    """A texture from bytes. Raises ModelError if it is too large, or neither PNG nor JPEG."""
    if len(data) > MAX_BYTES:
        raise ModelError(f"the texture has {len(data) / 1e6:.0f} MB", cure=_SMALLER)
    if len(data) > budget.left("textures"):
        most = budget.amounts["textures"].after(budget.size) // 1_000_000
        raise ModelError(f"the textures of the model have more than {most} MB together", cure="use smaller images")
    budget.spend("textures", len(data))
    kind, (wide, high) = ("image/png", _png(data)) if data.startswith(PNG) else ("image/jpeg", _jpeg(data))
    if not (0 < wide <= MAX_EDGE and 0 < high <= MAX_EDGE):
        raise ModelError(f"the texture has {wide} × {high} pixels", cure=_SMALLER)
    return Texture(data, kind)


def read_texture(name: str, folder: Path, budget: ReadBudget) -> Texture:
    """The image of a file in the folder of its mesh or below. Raises ModelError if it is elsewhere or too large."""
    plain = unquote(name.removeprefix("file://")).replace("\\", "/")
    path = (folder / PurePosixPath(local_name(plain))).resolve()
    if ":" in plain or not path.is_relative_to(folder.resolve()):
        cure = "put it beside the mesh"
        raise ModelError("the texture is outside the folder of the mesh", element=name[:80], cure=cure)
    if path.is_file() and path.stat().st_size > MAX_BYTES:
        size = path.stat().st_size / 1e6
        raise ModelError(f"the texture has {size:.0f} MB", element=name[:80], cure=_SMALLER)
    return texture_of(read_bytes(path, MAX_BYTES, budget), budget)


def _png(data: bytes) -> tuple[int, int]:
    """Width and height from the header."""
    if len(data) < 24 or data[12:16] != b"IHDR":
        raise ModelError("the texture is a damaged PNG file", cure="export it again")
    wide, high = struct.unpack_from(">II", data, 16)
    return int(wide), int(high)


def _jpeg(data: bytes) -> tuple[int, int]:
    """Width and height from the first frame."""
    at = 2 if data.startswith(JPEG) else len(data)
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int(struct.unpack_from(">H", data, at + 2)[0])
        if marker in FRAMES:
            high, wide = struct.unpack_from(">HH", data, at + 5)
            return int(wide), int(high)
        at += 2 + max(length, 2)
    raise ModelError("the texture is neither a PNG nor a JPEG file", cure="save it as PNG or JPEG")
