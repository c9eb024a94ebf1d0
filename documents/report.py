"""The reading report in words: what was read of a file, what was seen and not read, what to know about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SKIPPED_SHOWN = 20
LANGUAGES = {
    "ar": "Arabic", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "hi": "Hindi", "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
    "th": "Thai", "tr": "Turkish", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
WARNINGS = {
    "undecodable-bytes": "Some bytes are no text in the file's encoding; they are shown as �.",
    "letters-without-meaning": "Some letters have no meaning a program could read, so words with them are not found.",
    "metadata-unreadable": "The file's own title and author could not be read. Its text is not affected.",
    "malformed": "It is not written as its format asks; it was read as far as that goes.",
    "rows-unreadable": "Some rows are broken; reading stopped at the first of them.",
    "too-many-columns": "It has more columns than a table can show, so its values are read without their names.",
    "nested-too-deeply": "Some parts are nested too deeply and were left out.",
    "ocr-stopped": "It has more pages that are pictures than OCR reads of one file; split it to have the rest read.",
    "page-unreadable": "A page is damaged and could not be read. The other pages are not affected.",
}


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class SkippedPart:
    what: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the page shows of a stored ParseReport (documents/text/section.py)."""

    facts: tuple[Fact, ...] = ()
    warnings: tuple[str, ...] = ()
    skipped: tuple[SkippedPart, ...] = ()
    skipped_more: str = ""


def report_of(stored: Mapping[str, Any], language: str) -> Report:
    """From the JSON that ingestion kept with the version; an empty report before it was read."""
    skipped = [SkippedPart(part["what"], part["where"], part["why"]) for part in stored.get("skipped", ())]
    more = len(skipped) - SKIPPED_SHOWN
    return Report(
        facts=tuple(_facts(stored, language)),
        warnings=tuple(_warnings(stored)),
        skipped=tuple(skipped[:SKIPPED_SHOWN]),
        skipped_more=f"and {more:,} more" if more > 0 else "",
    )


def warning_label(stored: Mapping[str, Any]) -> str:
    """The one sentence that leads from the head of the page to the report, or ""."""
    missing = stored.get("pages_without_text") or ()
    return f"No text was found on {page_ranges(missing)}." if missing else ""


def page_ranges(pages: Sequence[int]) -> str:
    """Sorted page numbers as people write them: "page 3", "pages 3–21 and 40"."""
    ranges: list[list[int]] = []
    for page in sorted(set(pages)):
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    parts = [str(first) if first == last else f"{first}–{last}" for first, last in ranges]
    said = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + f" and {parts[-1]}"
    return f"page {said}" if len(set(pages)) == 1 else f"pages {said}"


def _facts(stored: Mapping[str, Any], language: str) -> Iterable[Fact]:
    if reader := stored.get("parser"):
        yield Fact("Reader", reader)
    if pages := stored.get("pages"):
        yield Fact("Pages with text", f"{pages - len(stored.get('pages_without_text', ())):,} of {pages:,}")
    if tables := sum(block[2] == "table" for block in stored.get("blocks") or () if len(block) > 2):
        yield Fact("Tables", f"{tables:,}")
    if encoding := stored.get("encoding"):
        yield Fact("Encoding", encoding)
    if language:
        yield Fact("Language", LANGUAGES.get(language, language))


def _warnings(stored: Mapping[str, Any]) -> Iterable[str]:
    if missing := stored.get("pages_without_text"):
        if "ocr-missing" in stored.get("warnings", ()):
            yield f"No text on {page_ranges(missing)}: they are pictures. OCR is not installed."
        else:
            yield f"No text was found on {page_ranges(missing)}. If they are pictures, upload a version with a text layer."
    if guessed := stored.get("pages_by_ocr"):
        yield f"OCR read {page_ranges(guessed)}: they are pictures, and some words may be wrong."
    if suspects := stored.get("suspects"):
        places = "One place reads" if len(suspects) == 1 else f"{len(suspects):,} places read"
        yield f"{places} like orders to a program. They are shown and searched like any other words, and never obeyed."
    if hidden := stored.get("hidden_characters"):
        yield f"{hidden:,} characters that a reader would not see were left out."
    for word in stored.get("warnings", ()):
        if word == "ocr-missing":
            continue
        yield WARNINGS.get(word, word)
