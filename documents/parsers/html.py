"""HTML: what a visitor sees of the main content, with headings, lists, tables and code kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from documents.parsers.builder import Builder, without_zeros
from documents.parsers.html_blocks import Walk
from documents.parsers.outcome import Limits, Refused
from documents.text.addresses import web_address
from documents.text.normalise import decode, looks_binary
from documents.text.section import Parsed

_CHARSET = re.compile(rb"<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_ALIASES = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030",
            "x-gbk": "gb18030", "shift_jis": "cp932", "x-sjis": "cp932", "ks_c_5601-1987": "cp949", "euc-kr": "cp949",
            "utf-16": "utf-8", "utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "cp1252"}  # fmt: skip
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)[^<>]*?(/?)>")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "p", "li")
)
# lexbor takes quadratic time in the depth: 10,000 levels are 0.2 s, 100,000 are 14 s.
_DEEPEST = 2_000

_NEVER_SEEN = (
    "script,style,template,noscript,iframe,object,svg,canvas,audio,video,head,link,meta,datalist,dialog:not([open])"
)
_CONTROLS = "button,select,input,textarea"
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d]*[1-9])|font-size\s*:\s*0(?![.\d]*[1-9])",
    re.IGNORECASE,
)
_BOILERPLATE = (
    "nav,footer,header,aside,[role=navigation],[role=banner],[role=contentinfo],[role=search],[aria-label=breadcrumb]"
)
_MAIN = "main,[role=main],article"
_MAIN_SHARE = 0.3


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read an HTML file. Nothing it names is fetched; hidden elements are left out and their characters counted."""
    data = path.read_bytes()
    if looks_binary(data):
        return Refused("documents.mislabelled", "Its name says HTML, its content is binary data.")
    decoded = decode(data, declared=declared_charset(data))
    builder = Builder("lexbor", encoding=decoded.encoding)
    if decoded.lossy:
        builder.warn("undecodable-bytes")
    add_html(builder, decoded.text)
    return builder.finish()


def declared_charset(data: bytes) -> str:
    """Return the charset that the first bytes of a page declare, "" for none."""
    found = _CHARSET.search(data[:4096])
    name = found.group(1).decode("ascii", "ignore").lower() if found else ""
    return _ALIASES.get(name, name)


def add_html(builder: Builder, source: str) -> None:
    """Add a page to a document: its title, and the blocks of its main content."""
    tree = LexborHTMLParser(_flattened(builder, without_zeros(builder, source)))
    body = tree.body
    if body is None:
        return
    builder.title = builder.title or _title(tree)
    if (root := tree.root) and (language := (root.attributes.get("lang") or "").split("-")[0].lower()):
        builder.metadata.setdefault("language", language)
    _own_address(builder, tree)
    _remove(tree.css(_NEVER_SEEN))
    _remove_hidden(builder, body)
    whole = len(body.text(deep=True))
    main = _main(body, whole)
    _remove_boilerplate(builder, main)
    Walk(builder).block(main)


def _own_address(builder: Builder, tree: LexborHTMLParser) -> None:
    """The page's canonical address, as its head gives it."""
    for wanted, name in (("link[rel=canonical]", "href"), ("meta[property='og:url']", "content")):
        node = tree.css_first(wanted)
        if node is not None and (address := web_address(node.attributes.get(name) or "")):
            builder.metadata.setdefault("address", address)


def _title(tree: LexborHTMLParser) -> str:
    """The page's title without the site's name, when its first heading says which part that is."""
    node = tree.css_first("title")
    title = " ".join(node.text().split()) if node else ""
    heading = tree.css_first("h1")
    first = " ".join(heading.text(deep=True).replace("¶", "").split()) if heading else ""
    return first if first and title.startswith(first) else title


def _remove(nodes: Sequence[LexborNode]) -> None:
    """Take elements away, the last first: what stands inside another one must go before it."""
    for node in reversed(nodes):
        node.decompose()


def _remove_hidden(builder: Builder, body: LexborNode) -> None:
    for node in reversed(body.css("[hidden],[style]")):
        attributes = node.attributes
        if "hidden" in attributes or _HIDDEN_STYLE.search(attributes.get("style") or ""):
            builder.hidden_characters += len("".join(node.text(deep=True).split()))
            node.decompose()


def _main(body: LexborNode, whole: int) -> LexborNode:
    """The element that holds the content: the largest main or article, if it has a fair share of the words."""
    found = body.css(_MAIN)
    largest = max(found, key=lambda node: len(node.text(deep=True)), default=None)
    if largest is None or len(largest.text(deep=True)) < whole * _MAIN_SHARE:
        return body
    articles = [node for node in found if node.tag == "article"]
    return body if len(articles) > 1 and largest.tag == "article" else largest


def _remove_boilerplate(builder: Builder, main: LexborNode) -> None:
    """Take navigation, page headers and footers away, unless nothing would be left."""
    _remove(main.css(_CONTROLS))
    found = [node for node in main.css(_BOILERPLATE) if node.mem_id != main.mem_id and _is_boilerplate(node)]
    ids = {node.mem_id for node in found}
    outermost = [node for node in found if not _is_inside(node, ids)]
    lost = sum(len(node.text(deep=True)) for node in outermost)
    if found and lost < len(main.text(deep=True)) * 0.9:
        _remove(found)
        builder.skip("boilerplate", "navigation, headers, footers", "not content")


def _is_boilerplate(node: LexborNode) -> bool:
    """A header, footer or aside that holds the page's main heading is content."""
    return node.tag not in ("header", "footer", "aside", "body") or node.css_first("h1") is None


def _is_inside(node: LexborNode, ids: set[int]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id in ids:
            return True
        parent = parent.parent
    return False


def _flattened(builder: Builder, source: str) -> str:
    """Return the source without the tags that nest deeper than any page does; words are never dropped."""
    depth = deepest = 0
    for closing, name, empty in _TAG.findall(source):
        if not empty and name.lower() not in _VOID:
            depth = max(0, depth - 1) if closing else depth + 1
            deepest = max(deepest, depth)
    if deepest <= _DEEPEST:
        return source
    builder.warn("nested-too-deeply")
    depth = 0

    def kept(found: re.Match[str]) -> str:
        nonlocal depth
        if found.group(3) or found.group(2).lower() in _VOID:
            return found.group(0)
        if found.group(1):
            depth -= 1
            return found.group(0) if depth < _DEEPEST else " "
        depth += 1
        return found.group(0) if depth <= _DEEPEST else " "

    return _TAG.sub(kept, source)
