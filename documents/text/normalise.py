"""Make text safe to store and to count offsets in, bytes readable, and names one identity each."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufdd0-\ufdef]")
# Soft hyphen, zero-width space, word joiner and invisible operators, BOM, interlinear marks, tag characters.
# Zero-width joiner and non-joiner stay: Persian, Indic scripts and emoji are written with them.
_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
_CONTROL_BYTES = bytes(byte for byte in range(32) if byte not in b"\t\n\r\x0c\x1b")
_SAMPLE_BYTES = 65_536
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Cleaned:
    """`removed` counts characters a reader could not see (controls, zero-width and bidi marks, lone surrogates)."""

    text: str
    removed: int


@dataclass(frozen=True, slots=True)
class Decoded:
    """`encoding` is the name of the codec that was used; `lossy` says that some bytes could not be read in it."""

    text: str
    encoding: str
    lossy: bool = False


def clean(text: str) -> str:
    """Return the text as columns store it: LF line ends, nothing PostgreSQL refuses, nothing a reader cannot see."""
    return clean_counted(text).text


def clean_counted(text: str) -> Cleaned:
    """Clean a text and say how many invisible characters went."""
    if not _SUSPECT.search(text):
        return Cleaned(text, 0)
    text = _LINE_ENDS.sub("\n", text)
    text, controls = _CONTROLS.subn("", text)
    text, invisible = _INVISIBLE.subn("", text)
    text, bidi = _BIDI.subn("", text)
    return Cleaned(text, controls + invisible + bidi)


def decode(data: bytes, *, declared: str = "") -> Decoded:
    """Turn bytes into text by byte order mark, declared charset, UTF-8, UTF-16 without mark, or a code page.

    The text is not cleaned. Bytes that no code page reads become U+FFFD and make the result lossy.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _lenient(data[len(mark) :], encoding)
    if declared and (found := _strict(data, declared)):
        return found
    if b"\x1b$" in data[:_SAMPLE_BYTES] and (found := _strict(data, "iso2022_jp")):
        return found
    if (found := _strict(data, "utf-8")) and "\x00" not in found.text:
        return found
    wide = _unmarked_utf16(data)
    if wide and (found := _strict(data[: len(data) // 2 * 2], wide)):
        return found
    if b"\x00" not in data and _is_nearly_utf8(data):
        return _lenient(data, "utf-8")
    return _legacy(data)


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _strict(data: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(data.decode(encoding), codecs.lookup(encoding).name)
    except (UnicodeDecodeError, LookupError, ValueError):
        return None


def _lenient(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    return Decoded(text, encoding, lossy="\ufffd" in text)


def _unmarked_utf16(data: bytes) -> str:
    """Guess UTF-16 by where the zero bytes (Latin text) or the line ends and spaces (any text) stand."""
    sample = data[:_SAMPLE_BYTES]
    if len(sample) < 4 or len(data) % 2:
        return ""
    even, odd = sample[0::2], sample[1::2]
    zero_even, zero_odd = even.count(0) / len(even), odd.count(0) / len(odd)
    if zero_odd > 0.3 and zero_even < 0.05:
        return "utf-16-le"
    if zero_even > 0.3 and zero_odd < 0.05:
        return "utf-16-be"
    if not _controls(sample):
        return ""
    few_high = sum(byte >= 0x80 for byte in sample) < len(sample) * 0.15
    if few_high and not (max(zero_even, zero_odd) >= 0.04 and min(zero_even, zero_odd) == 0):
        return ""
    shares = {
        encoding: _usual_share(sample[: len(sample) // 2 * 2], encoding) for encoding in ("utf-16-le", "utf-16-be")
    }
    best = max(shares, key=lambda encoding: shares[encoding])
    return best if shares[best] >= 0.97 else ""


_USUAL = re.compile(
    "[\t\n\r -~\u00a0-\u024f\u0370-\u06ff\u0900-\u0e7f\u2010-\u203a\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
    "\uff01-\uffef]"
)


def _usual_share(sample: bytes, encoding: str) -> float:
    text = sample.decode(encoding, errors="replace")
    return len(_USUAL.findall(text)) / len(text)


def _is_nearly_utf8(data: bytes) -> bool:
    """A UTF-8 file with a few broken bytes is still UTF-8: most of its non-ASCII bytes form valid sequences."""
    sample = data[:_SAMPLE_BYTES]
    text = sample.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    return broken > 0 and sum(char > "\x7f" for char in text) - broken > 10 * broken


def _legacy(data: bytes) -> Decoded:
    sample = data[:_SAMPLE_BYTES]
    encoding = _western(sample) or _east_asian(sample) or _cyrillic_or_hebrew(sample)
    if encoding:
        return _lenient(data, encoding)
    from charset_normalizer import from_bytes  # 30 ms to import; most files are UTF-8

    match = from_bytes(sample).best()
    return _lenient(data, match.encoding if match and match.encoding != "ascii" else "cp1252")


_WESTERN = frozenset(
    "àâäáãåæçèéêëìíîïñòóôöõøœùúûüýÿßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜÝ" + "“”‘’„‚–—…•€£©®™°§«»·¿¡´½¼²³±×º\u00a0"
)
_FREQUENT = {
    **dict.fromkeys(("cp1251", "koi8_r", "cp866", "iso8859_5"), frozenset("оеаинтсрвл")),
    "cp1255": frozenset("יוהלאמרתבש"),
}


def _western(sample: bytes) -> str:
    """Windows-1252 when its accents are sprinkled among ASCII letters and every one is usual."""
    high = [char for char in sample.decode("cp1252", errors="replace") if char > "\x7f"]
    letters = sum(byte | 32 in range(97, 123) for byte in sample)
    return "cp1252" if len(high) < letters / 2 and _WESTERN.issuperset(high) else ""


def _cyrillic_or_hebrew(sample: bytes) -> str:
    """The code page under which the language's frequent letters come out most often, and in lower case."""
    high = sum(byte >= 0x80 for byte in sample) or 1
    shares = {
        encoding: sum(char in frequent for char in sample.decode(encoding, errors="replace")) / high
        for encoding, frequent in _FREQUENT.items()
    }
    best = max(shares, key=lambda encoding: shares[encoding])
    return best if shares[best] > 0.45 else ""


# First byte ranges of the common half of each set. Korean first: its hangul are all common Han in GB 18030, never the
# reverse.
_COMMON_LEADS = {
    "euc_kr": (0xB0, 0xC8),
    "gb18030": (0xB0, 0xD7),
    "cp932": (0x88, 0x97),
    "euc_jp": (0xB0, 0xCF),
    "big5": (0xA4, 0xC6),
}


def _east_asian(sample: bytes) -> str:
    """Pick the East Asian code page in which nearly every character is a common one; empty when none fits.

    charset-normalizer needs long samples for these. Common is the level-1 part of each set: kana, frequent Han, hangul,
    full-width marks.
    """
    best, best_share = "", 0.85
    for encoding in _COMMON_LEADS:
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        wide = [char for char in decoder.decode(sample) if char > "\x7f"]
        if not wide or len(wide) * 2 > len(sample) or "\ufffd" in wide:
            continue
        share = sum(_is_common(char, encoding) for char in wide) / len(wide)
        if share > best_share + 0.001:
            best, best_share = encoding, share
    return best


def _is_common(char: str, encoding: str) -> bool:
    if "\u3040" <= char <= "\u30ff":
        return encoding in ("cp932", "euc_jp")
    if "\uff01" <= char <= "\uff5e" or "\u3000" <= char <= "\u3011" or char in "“”‘’…—·":
        return True
    try:
        lead = char.encode(encoding)
    except UnicodeEncodeError:
        return False
    if len(lead) != 2:
        return False
    low, high = _COMMON_LEADS[encoding]
    return low <= lead[0] <= high and (encoding in ("cp932", "big5") or lead[1] >= 0xA1)


def looks_binary(data: bytes) -> bool:
    """Say whether bytes cannot be text in any encoding: zero or control bytes that are not UTF-16 or UTF-32."""
    sample = data[:_SAMPLE_BYTES]
    if (
        not sample
        or any(sample.startswith(mark) for mark, _ in _MARKS)
        or _unmarked_utf16(sample[: len(sample) // 2 * 2])
    ):
        return False
    zeros = sample.count(0)
    if (_controls(sample) - zeros) / len(sample) > 0.02 or zeros / len(sample) > 0.1:
        return True
    return zeros / len(sample) > 0.002 and not _is_utf8(sample)


def _is_utf8(sample: bytes) -> bool:
    """A sample that was cut inside a character counts; stray zero bytes in real text are cleaned away later."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _controls(sample: bytes) -> int:
    return len(sample) - len(sample.translate(None, _CONTROL_BYTES))


def name_key(filename: str) -> str:
    """Return the identity of a file name: two names with the same key are versions of one document."""
    return clean_name(filename)


def clean_name(filename: str) -> str:
    """Return a file name as it is kept and shown: last path part, NFC, nothing invisible, at most 255 bytes.

    What has nothing left of it is "unnamed".
    """
    name = re.split(r"[/\\]", filename.replace("\x00", ""))[-1]
    name = unicodedata.normalize("NFC", clean(name).replace("\n", " ").replace("\t", " "))
    name = " ".join(name.split()).strip(". ") if name.strip(". ") else ""
    return _shortened(name) or "unnamed"


def _shortened(name: str) -> str:
    """Cut a name to 255 UTF-8 bytes from the middle, so that its extension stays."""
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    stem, dot, extension = name.rpartition(".")
    tail = f"{dot}{extension}" if stem and len(extension.encode()) <= 16 else ""
    kept = (stem if tail else name).encode()[: _LONGEST_NAME - len(tail.encode())]
    return kept.decode(errors="ignore") + tail
