"""XML as a tree and unchanged text: comments, instructions, encodings and ends of the root; what is refused."""

import pytest

from symbody.errors import ModelError
from symbody.files.read_budget import Amount, ReadBudget
from symbody.files.safe_xml import number, parse_xml, read_xml, xml_text

WHOLE = """<?xml version="1.0" encoding="UTF-8"?>
<!-- before: <?xml encoding='old'?> -->
<?style sheet?>
<a x="1">text<!-- inside --><?step two?><b /> tail <c>é</c>
</a><!-- after -->
<?end here?>
"""


def test_what_did_not_change_is_the_same_text():
    document = parse_xml(WHOLE.encode())
    assert xml_text(document) == WHOLE
    assert document.root.tag == "a"
    assert document.root.attrib == {"x": "1"}
    assert [child.tag for child in document.root if isinstance(child.tag, str)] == ["b", "c"]
    assert document.tail == "<!-- after -->\n<?end here?>\n"


@pytest.mark.parametrize("text", ["<a />", "<a />\n", "<a></a >\n".replace("></a >", " />"), "<a>b</a>\n\n"])
def test_the_text_after_the_root_is_kept(text):
    assert xml_text(parse_xml(text.encode())) == text


def test_a_closing_tag_may_have_a_space():
    assert parse_xml(b"<a>b</a >\n").tail == "\n"


def test_windows_line_ends_are_kept():
    text = "<a>\r\n  <b />\r\n</a>\r\n"
    document = parse_xml(text.encode())
    assert document.newline == "\r\n"
    assert xml_text(document) == text
    assert parse_xml(b"<a>\n</a>").newline == "\n"


def test_blank_lines_before_the_declaration_and_a_byte_order_mark_are_read():
    assert parse_xml(b"\n \n<?xml version='1.0'?><a/>").head == "<?xml version='1.0'?>"
    assert parse_xml(b"\xef\xbb\xbf<a/>").head == ""


def declared(size):
    """A declaration of `size` bytes up to the end of the encoding's name, then a letter of this encoding."""
    begin, end = b'<?xml version="1.0"', b'encoding="latin1"'
    return begin + b" " * (size - len(begin) - len(end)) + end + b"?><a>\xe9</a>"


def test_the_encoding_is_declared_in_the_first_200_bytes():
    assert parse_xml(declared(200)).root.text == "é"
    with pytest.raises(ModelError, match="byte 206 is not utf-8 text") as caught:
        parse_xml(declared(201))
    assert "UTF-8" in caught.value.cure
    with pytest.raises(ModelError, match="encoding utf-7 is not supported"):
        parse_xml(b'<?xml version="1.0" encoding="UTF-7"?><a/>')


@pytest.mark.parametrize("data", [b"", b"<a>", b"<a><b/>", b"<a/><b/>", b"<a>&x;</a>", b"text"])
def test_what_is_not_well_formed_is_refused(data):
    with pytest.raises(ModelError, match="not well-formed XML") as caught:
        parse_xml(data)
    assert "damaged or incomplete" in caught.value.cure


@pytest.mark.parametrize("inside", ["", "<!ENTITY x 'y'>", "<!ENTITY x SYSTEM 'file:///etc/passwd'>"])
def test_document_types_are_refused(inside):
    with pytest.raises(ModelError, match="document type or entities"):
        parse_xml(f"<!DOCTYPE a [{inside}]><a/>".encode())


def test_elements_are_nested_a_hundred_deep_at_most():
    parse_xml(b"<a>" * 100 + b"</a>" * 100)
    parse_xml(b"<a>" + b"<b></b>" * 200 + b"</a>")
    with pytest.raises(ModelError, match="nested more than 100"):
        parse_xml(b"<a>" * 101 + b"</a>" * 101)


def test_a_file_counts_in_the_budget_of_its_reading(tmp_path):
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a><b/></a>")
    assert read_xml(path).root[0].tag == "b"
    budget = ReadBudget()
    read_xml(path, budget)
    assert (budget.size, budget.spent["elements"], budget.spent["files"]) == (11, 2, 1)
    few = ReadBudget({name: Amount(1000) for name in budget.amounts} | {"elements": Amount(1)})
    with pytest.raises(ModelError, match="more elements"):
        read_xml(path, few)


@pytest.mark.parametrize(("text", "value"), [(None, 0.0), ("", 0.0), (" \n", 0.0), (" -1.5e-3\n", -1.5e-3), ("2", 2.0)])
def test_numbers_of_a_text(text, value):
    assert number(text, "mass") == value


def test_a_text_that_is_not_a_number_is_quoted_in_part():
    with pytest.raises(ModelError) as caught:
        number("x" * 50, "mass")
    assert str(caught.value).startswith(f"mass: '{'x' * 40}' is not a number")
