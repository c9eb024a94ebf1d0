"""XML: texts under headings, data as records named by their path. No entity is resolved, no address is fetched."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from documents.parsers.builder import Builder, flow
from documents.parsers.outcome import Limits, Refused
from documents.parsers.records import Fields, Records, TooMuch, Value
from documents.text.normalise import decode
from documents.text.section import Parsed

_PROSE = frozenset(("p", "para", "simpara", "li", "item", "text", "line", "note", "td", "th", "title", "head", "seg"))
_NO_WORDS = ("xlink", "xsi", "xmlns", "schemaLocation")
_DEEPEST = 200
_MOST_ATTRIBUTES = 2_000


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read an XML file; a malformed one as far as it goes, with a warning. Attributes are read as values of their element."""
    data = path.read_bytes()
    builder = Builder("lxml")
    try:
        root = etree.fromstring(data, _parser(recover=False))
    except etree.XMLSyntaxError:
        root = _recovered(data)
        builder.warn("malformed")
    if root is None:
        return Refused("documents.broken", "It does not open as XML.")
    builder.encoding = (root.getroottree().docinfo.encoding or "utf-8").lower()
    records = Records(builder, limits.text_characters)
    try:
        records.write(_value(root, 0, everything=False))
        if not builder.characters:
            records.write(_value(root, 0, everything=True))
    except TooMuch:
        return Refused("documents.too_much_text", f"The limit is {limits.text_characters:,} characters.")
    return builder.finish()


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=recover, remove_comments=True,
        remove_pis=True,
    )  # fmt: skip


def _recovered(data: bytes) -> etree._Element | None:
    """What a forgiving parser finds; bytes that are not in the declared encoding are decoded as text is."""
    for source in (data, decode(data).text.replace("\x00", "").encode("utf-8", "replace")):
        try:
            root: etree._Element | None = etree.fromstring(source, _parser(recover=True))
        except (etree.XMLSyntaxError, ValueError):
            continue
        if root is not None and (len(root) or root.text):
            return root
    return None


def _value(element: etree._Element, depth: int, *, everything: bool) -> Value:
    attributes = _attributes(element, everything=everything)
    children = list(element.iterchildren("*"))  # entities that were not resolved are none of them
    if depth > _DEEPEST or not children or _is_mixed(element, children):
        text = flow("".join(str(part) for part in element.itertext()))
        return Fields((*attributes, ("", text))) if attributes else text
    grouped: list[tuple[str, Value]] = []
    for child in children:
        value = _value(child, depth + 1, everything=everything)
        name = "" if _name(child.tag).lower() in _PROSE and isinstance(value, str) and depth else _name(child.tag)
        if name.lower() == "title" or _name(child.tag).lower() in ("title", "head"):
            name = "title"
        if grouped and grouped[-1][0] == name and name:
            before = grouped[-1][1]
            grouped[-1] = (name, [*before, value] if isinstance(before, list) else [before, value])
        else:
            grouped.append((name, value))
    return Fields((*attributes, *grouped))


def _attributes(element: etree._Element, *, everything: bool) -> list[tuple[str, Value]]:
    """The attributes with words; of an element with thousands none, since lxml takes quadratic time for them."""
    if len(element.attrib) > _MOST_ATTRIBUTES:
        return []
    return [
        (f"@{_name(str(key))}", str(value))
        for key, value in element.attrib.items()
        if everything or not _is_technical(str(key))
    ]


def _is_mixed(element: etree._Element, children: list[etree._Element]) -> bool:
    """Words stand between the children: a paragraph with marks in it."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in children)


def _name(tag: str) -> str:
    return tag.rpartition("}")[2]


def _is_technical(key: str) -> bool:
    return any(word in key for word in _NO_WORDS)
