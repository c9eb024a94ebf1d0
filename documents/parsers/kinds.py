"""The kinds of file that are read, by the ending of their names, and those that are known and refused in words."""

from __future__ import annotations

Kind = str

TEXT, MARKDOWN, RST, HTML, PDF, DOCX, EML = "text", "markdown", "rst", "html", "pdf", "docx", "eml"
CSV, TSV, XLSX, PPTX, JSON, NDJSON, XML, YAML = "csv", "tsv", "xlsx", "pptx", "json", "ndjson", "xml", "yaml"
CODE, NOTEBOOK, RTF, ODT, ODS, ODP, EPUB = "code", "notebook", "rtf", "odt", "ods", "odp", "epub"
MSG, MBOX, SUBTITLES, ICS, ORG, ASCIIDOC, TEX = "msg", "mbox", "subtitles", "ics", "org", "asciidoc", "tex"
DOC, PPT, XLS, XLSB, PICTURE = "doc", "ppt", "xls", "xlsb", "picture"

NAMES: dict[Kind, str] = {
    TEXT: "plain text",
    MARKDOWN: "Markdown",
    RST: "reStructuredText",
    HTML: "HTML",
    PDF: "PDF",
    DOCX: "Word (.docx)",
    EML: "e-mail (.eml)",
    CSV: "CSV",
    TSV: "TSV",
    XLSX: "Excel (.xlsx)",
    PPTX: "PowerPoint (.pptx)",
    JSON: "JSON",
    NDJSON: "JSON lines",
    XML: "XML",
    YAML: "YAML",
    CODE: "source code",
    NOTEBOOK: "Jupyter notebook",
    RTF: "rich text (RTF)",
    ODT: "OpenDocument text",
    ODS: "OpenDocument spreadsheet",
    ODP: "OpenDocument presentation",
    EPUB: "EPUB",
    MSG: "Outlook message (.msg)",
    MBOX: "mailbox (.mbox)",
    SUBTITLES: "subtitles",
    ICS: "calendar (.ics)",
    ORG: "Org",
    ASCIIDOC: "AsciiDoc",
    TEX: "LaTeX",
    DOC: "old Word (.doc)",
    PPT: "old PowerPoint (.ppt)",
    XLS: "old Excel (.xls)",
    XLSB: "binary Excel (.xlsb)",
    PICTURE: "picture",
}
CODE_LANGUAGES: dict[str, str] = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "jsx",
    "ts": "typescript", "tsx": "tsx", "java": "java", "kt": "kotlin", "kts": "kotlin", "scala": "scala", "go": "go",
    "rs": "rust", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "cs": "csharp",
    "swift": "swift", "m": "objectivec", "rb": "ruby", "php": "php", "pl": "perl", "pm": "perl", "lua": "lua",
    "r": "r", "jl": "julia", "hs": "haskell", "ex": "elixir", "exs": "elixir", "erl": "erlang", "clj": "clojure",
    "sh": "bash", "bash": "bash", "zsh": "bash", "ps1": "powershell", "bat": "batch", "sql": "sql", "css": "css",
    "scss": "scss", "less": "less", "vue": "vue", "tf": "hcl", "hcl": "hcl", "proto": "protobuf", "graphql": "graphql",
    "toml": "toml", "ini": "ini", "cfg": "ini", "conf": "conf", "properties": "properties", "env": "ini",
    "dockerfile": "dockerfile", "diff": "diff", "patch": "diff",
}  # fmt: skip
BY_ENDING: dict[str, Kind] = {
    "txt": TEXT, "text": TEXT, "log": TEXT,
    "md": MARKDOWN, "markdown": MARKDOWN, "mdown": MARKDOWN, "mkd": MARKDOWN, "mdx": MARKDOWN,
    "rst": RST, "rest": RST,
    "html": HTML, "htm": HTML, "xhtml": HTML,
    "pdf": PDF,
    "docx": DOCX, "docm": DOCX, "dotx": DOCX,
    "eml": EML,
    "csv": CSV, "tsv": TSV, "tab": TSV,
    "xlsx": XLSX, "xlsm": XLSX, "xltx": XLSX,
    "pptx": PPTX, "pptm": PPTX, "ppsx": PPTX, "potx": PPTX,
    "json": JSON, "ndjson": NDJSON, "jsonl": NDJSON,
    "xml": XML, "yaml": YAML, "yml": YAML,
    "ipynb": NOTEBOOK, "rtf": RTF, "odt": ODT, "ott": ODT, "ods": ODS, "odp": ODP, "epub": EPUB,
    "msg": MSG, "mbox": MBOX, "vtt": SUBTITLES, "srt": SUBTITLES, "ics": ICS,
    "org": ORG, "adoc": ASCIIDOC, "asciidoc": ASCIIDOC, "asc": ASCIIDOC, "tex": TEX, "latex": TEX,
    "doc": DOC, "dot": DOC, "ppt": PPT, "pps": PPT, "xls": XLS, "xlsb": XLSB,
    "png": PICTURE, "jpg": PICTURE, "jpeg": PICTURE, "tif": PICTURE, "tiff": PICTURE, "webp": PICTURE,
    "bmp": PICTURE, "gif": PICTURE,
    **dict.fromkeys(CODE_LANGUAGES, CODE),
}  # fmt: skip
# Written as text: what their bytes are cannot tell one from another, so the ending decides.
WRITTEN: frozenset[Kind] = frozenset(
    (TEXT, MARKDOWN, RST, HTML, EML, CSV, TSV, JSON, NDJSON, XML, YAML, CODE, NOTEBOOK, MBOX, SUBTITLES, ICS, ORG,
     ASCIIDOC, TEX)
)  # fmt: skip
# What people do send and we do not read: what it is, and the way out.
REFUSED_ENDINGS: dict[str, str] = {
    "zip": "Add it by itself in the Library, or send it to /api/v1/archives/: it is unpacked there, not inside another archive.",
    **dict.fromkeys(("tar", "tgz", "gz", "bz2", "xz", "7z", "rar"), "Unpack it and upload the files in it."),
    **dict.fromkeys(("one", "onepkg"), "Export the notebook from OneNote as PDF or Word."),
    **dict.fromkeys(("pages", "numbers", "key"), "Export it from its program as PDF or as an Office file."),
    **dict.fromkeys(("vsdx", "vsd", "chm", "xps", "oxps", "djvu", "ps", "eps"), "Export it as PDF."),
    **dict.fromkeys(("heic", "heif", "avif", "svg"), "Save the picture as PNG or JPEG."),
    "warc": "Upload the pages in it as HTML.",
    **dict.fromkeys(("pst", "ost"), "Export the mailbox as mbox or single messages."),
    **dict.fromkeys(("mobi", "azw", "azw3"), "Convert it to EPUB or PDF."),
}
# Files without an ending that are plain text by custom, and those that are code.
PLAIN_NAMES = frozenset(
    ("readme", "license", "licence", "copying", "changelog", "changes", "authors", "notice", "todo", "news")
)
CODE_NAMES = frozenset(("dockerfile", "makefile", "jenkinsfile", "vagrantfile", "gemfile", "rakefile", "procfile"))
ACCEPTED_ENDINGS: tuple[str, ...] = tuple(f".{ending}" for ending in BY_ENDING)
_IN_A_PHRASE = (
    "Markdown, reStructuredText, HTML, PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, e-mail, CSV, JSON, XML, "
    "YAML, notebooks, subtitles, calendars, LaTeX, AsciiDoc, Org, source code, plain text, and pictures of text"
)


def ending_of(filename: str) -> str:
    """Return the ending of a file name in lower case without its dot; "" when it has none."""
    stem, dot, ending = filename.replace("\\", "/").rpartition("/")[2].rpartition(".")
    return ending.lower() if dot and stem else ""


def supported() -> str:
    """Name all kinds in one phrase for a person."""
    return _IN_A_PHRASE
