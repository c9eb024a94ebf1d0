"""What a document from the web is called: its host and path, with an ending that says what came."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote, urlsplit

from documents.parsers import kinds
from documents.upload import document_name

ENDINGS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "application/x-zip-compressed": "zip",
    "text/markdown": "md",
    "text/x-markdown": "md",
    "text/csv": "csv",
    "application/json": "json",
    "application/yaml": "yaml",
    "text/yaml": "yaml",
    "text/x-rst": "rst",
    "text/plain": "txt",
    "application/rtf": "rtf",
    "application/epub+zip": "epub",
    "message/rfc822": "eml",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
}
PAGES = ("html", "htm", "xhtml")
TEXTS = ("md", "csv", "json", "yaml", "rst", "txt", "html")
UNFIT = re.compile(r"[\x00-\x1f\x7f\\]")


def name_of(url: str, *, content_type: str) -> str:
    """`docs.example.org/guide/start.html`. Two addresses have two names: what stands behind ? is hashed into it.

    The ending of the path is kept where its kind is read; a page that a program makes (`view.php`) gets the ending of what came.
    """
    parts = urlsplit(url)
    path = UNFIT.sub("_", unquote(parts.path, errors="replace"))
    path = "/".join(piece for piece in path.split("/") if piece not in ("", ".", "..")) if path.strip("/") else ""
    kind = content_type.partition(";")[0].strip().lower()
    told = ENDINGS.get(kind, "")
    if not path or (parts.path.endswith("/") and told in ("html", "")):
        path = f"{path}/index.html" if path else "index.html"
    stem, ending = path, kinds.ending_of(path)
    if parts.query:
        mark = hashlib.sha256(parts.query.encode()).hexdigest()[:8]
        stem = f"{path[: -len(ending) - 1]}-{mark}.{ending}" if ending else f"{path}-{mark}"
    is_read = ending in kinds.BY_ENDING or ending == "zip"
    if told and ((told == "html" and ending not in PAGES) or not is_read):
        stem = f"{stem}.{told}"
    return document_name(f"{parts.hostname or ''}/{stem}")
