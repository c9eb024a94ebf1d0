"""Find the sentences of a text, with their offsets: the units that chunks are packed from and that answers quote."""

from __future__ import annotations

import re
from collections.abc import Iterator

from documents.text.scripts import CHINESE_JAPANESE, THAI

Span = tuple[int, int]
Block = tuple[int, int, bool]  # start, end, whether it is prose

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_RULE = re.compile(r"^[\s|:=+-]+$")
_ITEM = re.compile(r"^[ \t]*(?:[-*+•‣◦–▪]|\(?\d{1,3}[.)]|\(?[A-Za-z]\)|\[[ xX]\])[ \t]+(?=\S)")
_INDENTED = re.compile(r"^(?: {4,}|\t)\S")
# A stop, then closing quotes and brackets, then space; or an ideographic stop, which needs no space after it.
_STOP = re.compile(
    "(?:(?<![.!?…])[.!?…‽؟۔։।॥။]++[\"'”’»)\\]*_`]*+(?=\\s|$))"
    '|(?:[。！？｡．]+[」』”’）)】》"]*)'
    f'|(?<=[{CHINESE_JAPANESE}”」』）])[?!…]+[」』”’）)】》"]*'
)
_WORD_BEFORE = re.compile(r"[\w.&'’-]*$")
_WORD_AFTER = re.compile(r"[\"'“‘«„(\[*_`¿¡]*([^\W_]+)")
_INITIALS = re.compile(r"^(?:[^\W\d_]\.)+[^\W\d_]?$")
_THAI_GAP = re.compile(f"(?<=[{THAI}])[ ]+(?=[{THAI}])")
_THAI_LONG = 80

# Abbreviations that are followed by more of the same sentence.
_NEVER_LAST = frozenset((
    "mr", "mrs", "ms", "dr", "prof", "st", "mt", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "gov", "sen",
    "rep", "messrs", "e.g", "i.e", "eg", "ie", "vs", "cf", "viz", "approx", "ca", "resp", "incl", "esp", "al",
    "no", "nos", "nr", "fig", "figs", "eq", "eqs", "sec", "ch", "chap", "vol", "vols", "pp", "p", "art", "para",
    "ref", "refs", "tab", "app", "ed", "eds", "trans", "z.b", "d.h", "u.a", "bzw", "vgl", "abb", "bspw", "ggf",
    "inkl", "sog", "hr", "fr", "str", "s", "kap", "evtl", "m", "mm", "mme", "mlle", "env", "p.ex", "c.-à-d",
    "sr", "sra", "srta", "dña", "p.ej", "pág", "núm", "dott", "sig", "ing", "dhr", "mevr", "bijv", "т.е", "т.к",
    "т.п", "им", "г", "ул", "рис", "стр", "см", "тыс", "млн",
))  # fmt: skip
# Abbreviations that may end a sentence: they do when the next word starts like a sentence.
_PERHAPS_LAST = frozenset((
    "etc", "inc", "ltd", "corp", "co", "jr", "sr", "bros", "a.m", "p.m", "am", "pm", "u.s", "u.k", "u.n", "e.u",
    "d.c", "ph.d", "usw", "u.s.w", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
    "dec", "т.д",
))  # fmt: skip
_STARTERS = frozenset((
    "the", "a", "an", "this", "that", "these", "those", "it", "its", "he", "she", "they", "we", "you", "i",
    "in", "on", "at", "for", "from", "to", "but", "and", "or", "if", "when", "while", "after", "before", "as",
    "with", "by", "there", "here", "however", "his", "her", "their", "our", "your", "what", "who", "how", "why",
    "where", "some", "all", "each", "no", "not", "der", "die", "das", "ein", "eine", "es", "er", "sie", "wir",
    "im", "am", "le", "la", "les", "un", "une", "il", "elle", "el", "los", "las", "una", "en", "o", "os", "um",
    "uma",
))  # fmt: skip
_MONTHS = frozenset((
    "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november",
    "dezember", "jahrhundert", "jh", "auflage", "kapitel", "januari", "februari", "maart", "mei", "augustus",
))  # fmt: skip


def sentences(text: str) -> list[Span]:
    """Return the (start, end) of every sentence, in order, without the spaces around it.

    A fenced or indented code block, a table row and a heading are units of their own; a list item is one or more
    sentences without its bullet. Rule lines give nothing. Every other non-space character lies in exactly one span.
    """
    found: list[Span] = []
    for start, end, is_prose in _blocks(text):
        found += _in_paragraph(text, start, end) if is_prose else [(start, end)]
    return found


def paragraph_sentences(text: str, start: int, end: int) -> list[Span]:
    """Return the sentences of text[start:end], read as one paragraph of prose whatever its lines look like."""
    return list(_in_paragraph(text, start, end))


def _blocks(text: str) -> Iterator[Block]:
    """Yield paragraphs and list items as prose; code blocks and table rows as they are."""
    reader = _BlockReader()
    for start, end in _lines(text):
        yield from reader.take(text[start:end], start)
    yield from reader.close()


class _BlockReader:
    """Groups lines into blocks: one open block at a time, closed by a blank line or by a line of another sort."""

    def __init__(self) -> None:
        self.start, self.end = -1, -1
        self.fence = ""
        self.is_code = False
        self.in_item = False
        self.after_blank = True

    def take(self, line: str, offset: int) -> Iterator[Block]:
        bare = line.strip()
        if self.fence:
            self.end = offset + len(line)
            if bare.startswith(self.fence) and not bare.strip(self.fence[0]):
                yield from self.close()
        elif not bare:
            if not self.is_code:
                yield from self.close()
            self.after_blank = True
        else:
            yield from self._take_words(line, bare, offset)
            self.after_blank = False

    def _take_words(self, line: str, bare: str, offset: int) -> Iterator[Block]:
        if self.is_code and not _INDENTED.match(line):
            yield from self.close()
        end = offset + len(line.rstrip())
        opening, item = _FENCE.match(line), _ITEM.match(line)
        if opening:
            yield from self.close()
            self.start, self.end, self.fence = offset, end, opening.group(1)
        elif item and not self.is_code:
            yield from self.close()
            self.start, self.end, self.in_item = offset + item.end(), end, True
        elif bare.startswith("|") or (_RULE.match(line) and len(bare) > 2):
            yield from self.close()
            if not _RULE.match(line):
                yield offset + len(line) - len(line.lstrip()), end, False
        else:
            if self.start < 0:
                self.start = offset
                self.is_code = self.after_blank and not self.in_item and bool(_INDENTED.match(line))
                self.in_item = self.in_item and bool(_INDENTED.match(line))
            self.end = end

    def close(self) -> Iterator[Block]:
        if self.start >= 0:
            yield self.start, self.end, not (self.fence or self.is_code)
        self.start, self.fence, self.is_code = -1, "", False


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _in_paragraph(text: str, start: int, end: int) -> Iterator[Span]:
    begin = start
    for stop in _STOP.finditer(text, start, end):
        if stop.end() > begin and _is_boundary(text, stop, start, end):
            yield from _trimmed(text, begin, stop.end())
            begin = stop.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start >= end:
        return
    if end - start > _THAI_LONG:
        for gap in _THAI_GAP.finditer(text, start, end):
            if gap.start() - start >= _THAI_LONG:
                yield start, gap.start()
                start = gap.end()
    yield start, end


def _is_boundary(text: str, stop: re.Match[str], start: int, end: int) -> bool:
    mark = stop.group()
    if mark[0] in "。！？｡．।॥။។።" or stop.end() >= end:
        return True
    after = _WORD_AFTER.match(text, _skip_space(text, stop.end(), end), end)
    following = after.group(1) if after else ""
    if following[:1].islower():
        return False
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    return not _is_abbreviation(
        text[max(start, stop.start() - 24) : stop.start()], following, at_start=stop.start() - start < 4
    )


def _skip_space(text: str, position: int, end: int) -> int:
    while position < end and text[position].isspace():
        position += 1
    return position


def _is_abbreviation(before: str, following: str, *, at_start: bool) -> bool:
    """Say whether a stop after `before` belongs to an abbreviation, an initial or a number, given the next word."""
    match = _WORD_BEFORE.search(before)
    word = match.group().strip("'’-&").lower() if match else ""
    starts_sentence = following.lower() in _STARTERS
    if word in _NEVER_LAST:
        return word not in ("no", "m", "s", "p", "fr", "al", "art", "app", "ed", "str", "см", "г") or _goes_on(
            word, following
        )
    if word in _PERHAPS_LAST or (len(word) > 1 and _INITIALS.match(word)):
        return not starts_sentence
    if len(word) == 1 and word.isalpha() and word != "i":
        return not starts_sentence
    if word.isdigit() and len(word) <= 2:
        return at_start or following.lower() in _MONTHS
    return False


def _goes_on(word: str, following: str) -> bool:
    """Words that are also abbreviations: `No. 5` goes on, `They said no. Then` does not."""
    if word in ("no", "p", "s", "art", "app", "ed", "str", "см", "г"):
        return following[:1].isdigit()
    return following.lower() not in _STARTERS
