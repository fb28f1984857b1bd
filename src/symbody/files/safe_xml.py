"""XML from untrusted files: no document types, no entities; size, depth and number of elements are limited."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Any, NoReturn
from xml.parsers import expat

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget, check_level
from symbody.files.safe_file import FilePath, read_bytes
from symbody.model.formula import literal

_DECLARED = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_ENCODINGS = ("utf-8", "us-ascii", "ascii", "iso-8859-1", "latin1", "iso-8859-15", "windows-1252")


@dataclass
class XmlDocument:
    """A parsed file. `head` and `tail` are the unchanged text before and after the root element."""

    root: ET.Element
    head: str = '<?xml version="1.0" encoding="UTF-8"?>\n'
    tail: str = "\n"
    newline: str = "\n"


def read_xml(path: FilePath, budget: ReadBudget | None = None) -> XmlDocument:
    """Parse a file. Raises ModelError if it is invalid. budget: of the reading that the file is a part of."""
    return parse_xml(read_bytes(path, budget=budget), budget)


def parse_xml(data: bytes, budget: ReadBudget | None = None) -> XmlDocument:
    """Parse the bytes of a file. Comments and processing instructions are kept."""
    text, budget = _decode(data), budget or ReadBudget.of(len(data))
    if text.lstrip().startswith("<?xml"):  # some files have blank lines before it
        text = text.lstrip()
    utf8 = text.encode("utf-8")
    builder = ET.TreeBuilder(insert_comments=True, insert_pis=True)
    parser = expat.ParserCreate("UTF-8")  # overrides the declaration: the text is already decoded
    parser.buffer_text = True
    depth = start = end = 0

    def open_element(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, start
        if depth == 0:
            start = parser.CurrentByteIndex
        depth += 1
        check_level(depth)
        budget.spend("elements")
        builder.start(tag, attributes)

    def close_element(tag: str) -> None:
        nonlocal depth, end
        depth -= 1
        if depth == 0:
            end = parser.CurrentByteIndex  # of the closing tag; already behind it if the root is <empty/>
            end = utf8.index(b">", end) + 1 if utf8[end : end + 2] == b"</" else end
        builder.end(tag)

    def characters(content: str) -> None:
        if depth:
            builder.data(content)

    def comment(content: str) -> None:
        if depth:  # comments outside the root are in head and tail
            builder.comment(content)

    def instruction(target: str, content: str) -> None:
        if depth:
            builder.pi(target, content)

    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    parser.CharacterDataHandler = characters
    parser.CommentHandler = comment
    parser.ProcessingInstructionHandler = instruction
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = _refuse
    try:
        parser.Parse(utf8, True)
        root = builder.close()
    except expat.ExpatError as error:
        cure = "save the file again: it is damaged or incomplete"
        raise ModelError(f"not well-formed XML: {error}", cure=cure) from error
    newline = "\r\n" if b"\r\n" in data else "\n"
    return XmlDocument(root, utf8[:start].decode(), utf8[end:].decode(), newline)


def xml_text(document: XmlDocument) -> str:
    """The text of the file, unchanged byte for byte where the tree did not change."""
    body = ET.tostring(document.root, encoding="unicode", short_empty_elements=True)
    body = body.replace("\r", "&#13;").replace("\n", document.newline)  # a bare return would come back as a newline
    head = re.sub(r"(<\?xml[^>]*?encoding\s*=\s*[\"'])[^\"']*", r"\g<1>UTF-8", document.head, count=1)
    return head + body + document.tail


def number(text: str | None, element: str) -> float:
    """A number in XML text; empty text means 0."""
    stripped = (text or "").strip()
    if not stripped:
        return 0.0
    value = literal(stripped)
    if value is None:
        raise ModelError(f"'{stripped[:40]}' is not a number", element=element, cure="write a number such as -1.5e-3")
    return value


def _decode(data: bytes) -> str:
    declared = _DECLARED.match(data.removeprefix(b"\xef\xbb\xbf")[:200])
    encoding = declared.group(1).decode().lower() if declared else "utf-8"
    if encoding not in _ENCODINGS:
        raise ModelError(f"encoding {encoding} is not supported", cure="save the file in the UTF-8 encoding")
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        cure = "save the file in the UTF-8 encoding"
        raise ModelError(f"byte {error.start} is not {encoding} text", cure=cure) from error


def _refuse(*_: Any) -> NoReturn:
    raise ModelError("the file declares a document type or entities", cure="remove the <!DOCTYPE …> part")
