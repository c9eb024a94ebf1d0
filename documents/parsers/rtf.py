"""Rich text (RTF): paragraphs, table rows and notes; pictures and embedded objects are named and not read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from documents.parsers.builder import Builder
from documents.parsers.outcome import Limits, Refused
from documents.text.section import Parsed

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_LEFT_OUT = frozenset((
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "objdata", "themedata", "colorschememapping", "datastore",
    "latentstyles", "listtable", "listoverridetable", "rsidtbl", "generator", "xmlnstbl", "fldinst", "filetbl", "revtbl",
    "bkmkstart", "bkmkend", "pgptbl", "mmathPr", "nonshppict", "shpinst", "template", "pntxta",
    "pntxtb", "pnseclvl", "wgrffmtfilter", "userprops", "header", "headerl", "headerr", "headerf", "footer", "footerl",
    "footerr", "footerf", "ftnsep", "ftnsepc", "aftnsep", "atnid", "atnauthor", "annotation", "do", "background",
))  # fmt: skip
_REPORTED = {"pict": "picture", "object": "embedded-file", "annotation": "comment", "do": "picture"}
_CHARACTERS = {"tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
               "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "page": "\n"}  # fmt: skip
_CHARSETS = {0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5", 161: "cp1253",
             162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
             238: "cp1250"}  # fmt: skip
_DEEPEST = 1_000


@dataclass(frozen=True, slots=True)
class _State:
    """What holds inside a group."""

    skips: bool = False
    hidden: bool = False
    deleted: bool = False
    encoding: str = ""
    after_unicode: int = 1
    font_table: bool = False
    title: bool = False
    in_note: bool = False


@dataclass(slots=True)
class _Reader:
    builder: Builder
    encoding: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    default_font: int = 0
    state: _State = field(default_factory=_State)
    stack: list[_State] = field(default_factory=list)
    pending: bytearray = field(default_factory=bytearray)
    text: list[str] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    in_table: bool = False
    level: int = 0
    to_skip: int = 0
    is_item: bool = False
    starred: bool = False

    def run(self, data: bytes) -> None:
        for found in _TOKEN.finditer(data):
            word, number, code, symbol, brace, plain = found.groups()
            if code or plain:
                self._bytes(bytes.fromhex(code.decode()) if code else plain)
            elif word:
                self._word(word.decode(), int(number) if number else None)
            elif symbol:
                self._symbol(symbol)
            elif brace:
                self._brace(brace)
            self.starred = symbol == b"*"
        self._end_paragraph()
        self._end_table()

    def _bytes(self, data: bytes) -> None:
        if self.to_skip:
            taken = min(self.to_skip, len(data))
            self.to_skip -= taken
            data = data[taken:]
        self.pending += data

    def _decoded(self) -> None:
        """Letters are decoded when a run of them ends: two bytes of one may come in two tokens."""
        if self.pending:
            encoding = self.state.encoding or self.fonts.get(self.default_font, "") or self.encoding
            self._letters(self.pending.decode(encoding, errors="replace"))
            self.pending.clear()

    def _letters(self, text: str) -> None:
        if self.state.title:
            self.title.append(text)
        elif self.state.skips or self.state.deleted:
            return
        elif self.state.hidden:
            self.builder.hidden_characters += len(text)
        else:
            self.text.append(text)

    def _brace(self, brace: bytes) -> None:
        self._decoded()
        if brace == b"{":
            self.stack.append(self.state)
            if len(self.stack) > _DEEPEST:
                self.builder.warn("nested-too-deeply")
                self.state = replace(self.state, skips=True)
        elif self.stack:
            was_note, self.state = self.state.in_note, self.stack.pop()
            if was_note and not self.state.in_note:
                self._letters("]")
        self.to_skip = 0

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            return
        self._decoded()
        self._letters({b"~": "\u00a0", b"_": "-", b"\n": "\n", b"\r": "\n"}.get(symbol, ""))
        if symbol in (b"\\", b"{", b"}"):
            self._letters(symbol.decode())
        if symbol in (b"\n", b"\r"):
            self._end_paragraph()

    def _word(self, word: str, number: int | None) -> None:
        self._decoded()
        if word == "u" and number is not None:
            self._letters(chr(number % 65536))
            self.to_skip = self.state.after_unicode
        elif word in _CHARACTERS:
            self._letters(_CHARACTERS[word])
        elif word in _LEFT_OUT or (self.starred and word != "shppict"):
            self._destination(word)
        elif word == "title":
            self.state = replace(self.state, title=True)
        elif word == "footnote":
            self._letters(" [")
            self.state = replace(self.state, in_note=True)
        elif word in ("listtext", "pntext"):
            self.is_item = self.is_item or not self.state.skips
            self.state = replace(self.state, skips=True)
        elif not self._layout(word, number):
            self._meaning(word, number)

    def _destination(self, word: str) -> None:
        if word in _REPORTED and not self.state.skips:
            self.builder.skip(_REPORTED[word], word, "not read")
        self.state = replace(self.state, skips=True, font_table=word == "fonttbl")

    def _layout(self, word: str, number: int | None) -> bool:
        """Paragraphs and tables."""
        if self.state.skips:
            return False
        if word in ("par", "sect"):
            self._end_paragraph()
        elif word == "pard":
            self.in_table, self.level = False, 0
        elif word == "intbl":
            self.in_table = True
        elif word == "outlinelevel":
            self.level = (number or 0) + 1
        elif word in ("cell", "nestcell"):
            self.cells.append("".join(self.text))
            self.text.clear()
        elif word in ("row", "nestrow"):
            self.rows.append(self.cells)
            self.cells = []
        else:
            return False
        return True

    def _meaning(self, word: str, number: int | None) -> None:
        """What a word says of the text that follows it in its group."""
        if word == "v":
            self.state = replace(self.state, hidden=number != 0)
        elif word == "deleted":
            self.state = replace(self.state, deleted=number != 0)
        elif word == "uc":
            self.state = replace(self.state, after_unicode=min(max(number or 0, 0), 16))
        elif word == "plain":
            self.state = replace(self.state, hidden=False, encoding="")
        else:
            self._encoding(word, number)

    def _encoding(self, word: str, number: int | None) -> None:
        """Which code page the bytes are in: the file's, or the one of a font."""
        if word == "ansicpg" and number:
            self.encoding = _known(f"cp{number}")
        elif word == "mac":
            self.encoding = "mac_roman"
        elif word == "deff":
            self.default_font = number or 0
        elif word == "fcharset" and self.state.font_table and number in _CHARSETS:
            self.fonts[self.font] = _CHARSETS[number] if number else ""
        elif word == "f" and number is not None:
            self.font = number
            if not self.state.font_table:
                self.state = replace(self.state, encoding=self.fonts.get(number, ""))

    def _end_paragraph(self) -> None:
        self._decoded()
        if self.in_table:
            self.text.append(" ")
            return
        self._end_table()
        text = _joined("".join(self.text)).strip()
        self.text.clear()
        if self.level and text:
            self.builder.heading(self.level, text)
        elif text and (self.is_item or text.startswith(("•", "·"))):
            self.builder.items("- " + text.lstrip("•· \t"))
        else:
            self.builder.prose(text)
        self.is_item = False

    def _end_table(self) -> None:
        if self.rows:
            rows = [[_joined(cell) for cell in row] for row in self.rows]
            self.builder.table(rows, header_rows=1 if len(rows) > 1 else 0)
            self.rows = []


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a rich-text file; deleted and hidden text is left out, headers and footers too."""
    data = path.read_bytes()
    if not data.lstrip()[:5].startswith(b"{\\rt"):
        return Refused("documents.mislabelled", "Its name says rich text, its content is something else.")
    builder = Builder("rtf")
    reader = _Reader(builder)
    reader.run(_without_binary(data))
    builder.title = _joined("".join(reader.title)).strip()
    return builder.finish()


def _without_binary(data: bytes) -> bytes:
    r"""Take out the raw bytes that `\\binN` announces."""
    parts: list[bytes] = []
    at = 0
    for found in re.finditer(rb"\\bin(\d{1,9}) ?", data):
        if found.start() >= at:
            parts.append(data[at : found.start()])
            at = found.end() + int(found.group(1))
    return b"".join((*parts, data[at:])) if parts else data


def _known(encoding: str) -> str:
    try:
        "".encode(encoding)
    except LookupError:
        return {"cp10000": "mac_roman", "cp65001": "utf-8", "cp936": "gb18030"}.get(encoding, "cp1252")
    return encoding


def _joined(text: str) -> str:
    """Surrogates that RTF writes as two numbers become one letter."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
