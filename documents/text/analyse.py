"""Turn text into the terms of BM25: the same function when a chunk is written and when a question is read."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import pairwise
from threading import Lock

import Stemmer

from documents.text import identifiers as shapes
from documents.text.scripts import ARABIC, CHINESE_JAPANESE, CYRILLIC, HANGUL, MARKS, SOUTHEAST_ASIAN, UNSPACED

_STEMMERS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "pt": "portuguese",
    "nl": "dutch", "sv": "swedish", "da": "danish", "no": "norwegian", "fi": "finnish", "hu": "hungarian",
    "ro": "romanian", "tr": "turkish", "pl": "polish", "cs": "czech", "ru": "russian", "ar": "arabic",
    "fa": "persian", "el": "greek", "hi": "hindi",
}  # fmt: skip
# Scripts that say their language by themselves; Latin script needs to be told, and is English when it is not.
_BY_SCRIPT = (
    (re.compile(f"[{CYRILLIC}]"), "ru"),
    (re.compile(f"[{ARABIC}]"), "ar"),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), "el"),
    (re.compile("[\u0900-\u097f]"), "hi"),
)
_CACHE_ENTRIES = 20_000
NAME_WEIGHT = 12
"""How often the exact name of an entry counts in each of its chunks."""
_VERSION_MARK = re.compile(r"^v(?=\d)")
_CACHED_LENGTH = 48

_UNIT = re.compile(rf"[\w{MARKS}.\-/'’:@+#]+")
_RUN = re.compile(rf"([{CHINESE_JAPANESE}]+)|([{HANGUL}]+)|([{SOUTHEAST_ASIAN}]+)|([^{UNSPACED}]+)")
_HAS_UNSPACED = re.compile(f"[{UNSPACED}]")
_WRAP = re.compile(f"(?<=[{CHINESE_JAPANESE}])[ \t]*\n[ \t]*(?=[{CHINESE_JAPANESE}])")
_CLUSTER = re.compile(f".[{MARKS}]*")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u0640]")
_VOWEL_SIGNS = re.compile("[\u0591-\u05c7\u064b-\u0652\u0670]")
_ELISION = re.compile(
    r"^(?:l|d|j|m|t|s|c|n|qu|un|dell|all|nell|sull|dall|gl|jusqu|lorsqu|puisqu|quelqu)'(?=\w)", re.IGNORECASE
)
_PLAIN_CODE = re.compile(r"^[A-Za-z](?:\+\+|#)$")
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DECIMAL = re.compile(r"^\d+(?:[.,]\d+)?$")
_LONGEST_TERM = 96

_caches: dict[str, dict[str, tuple[str, ...]]] = {}
_ids: dict[str, int] = {}
_stemmers: dict[str, Stemmer.Stemmer] = {}
_stemming = Lock()


def analyse(text: str, *, language: str = "") -> list[str]:
    """Return the terms of a text in order, repeats included.

    `language` is an ISO 639-1 code and matters for Latin script only, where it picks the stemmer ("" is English).
    Identifiers give their whole form and their parts; Chinese, Japanese, Korean and Thai give character bigrams.
    """
    language = language if language in _STEMMERS else "en"
    cache = _caches.setdefault(language, {})
    found: list[str] = []
    for raw in _prepare(text).split():
        known = cache.get(raw)
        if known is None:
            known = tuple(_terms_of(raw, language))
            if len(raw) <= _CACHED_LENGTH:
                if len(cache) >= _CACHE_ENTRIES:
                    cache.clear()
                cache[raw] = known
        found += known
    return found


def terms(text: str, *, language: str = "") -> list[str]:
    """Return the distinct terms of a text in order of first appearance."""
    return list(dict.fromkeys(analyse(text, language=language)))


def query_terms(question: str, *, languages: Iterable[str]) -> list[str]:
    """Return the distinct terms of a question under each language its documents may be written in, then its exact names.

    A short question does not say its own language surely, so it is stemmed as each candidate: a stem that no chunk
    holds costs nothing.
    """
    found: dict[str, None] = {}
    for language in languages:
        found |= dict.fromkeys(analyse(question, language=language))
    return [*(found or terms(question)), *exact_names(question)]


def identifiers(text: str) -> tuple[str, ...]:
    """Return the whole-form terms of the identifiers in a question, distinct, in order; empty when it names none."""
    found: dict[str, None] = {}
    for raw in _prepare(text).split():
        for candidate in _candidates(raw):
            if shapes.is_identifier(candidate) and (own := _terms_of(candidate, "en")):
                found[own[0]] = None
    return tuple(found)


def _candidates(raw: str) -> Iterator[str]:
    """A token as it stands when it is one identifier, else what its punctuation and its scripts separate."""
    if _HAS_UNSPACED.search(raw):
        yield from (other for *_, other in _RUN.findall(raw) if other)
    elif shapes.is_identifier(raw):
        yield raw
    else:
        yield from _UNIT.findall(raw)


def is_identifier(raw_token: str) -> bool:
    """Say whether a token as written names one exact thing (documents.text.identifiers has the shapes)."""
    return shapes.is_identifier(raw_token)


def term_id(token: str) -> int:
    """Return a stable signed 64-bit id of a term: the first 8 bytes of BLAKE2b, which fits PostgreSQL's bigint."""
    known = _ids.get(token)
    if known is None:
        digest = blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        known = int.from_bytes(digest, "big", signed=True)
        if len(_ids) >= _CACHE_ENTRIES * 2:
            _ids.clear()
        _ids[token] = known
    return known


def frequencies(text: str, *, language: str = "") -> tuple[dict[int, int], int]:
    """Return how often each term id occurs, and the length: the number of terms, repeats included."""
    found = analyse(text, language=language)
    return {term_id(token): count for token, count in Counter(found).items()}, len(found)


def exact_names(text: str) -> list[str]:
    """Return a term of its own for each token that names one thing or holds a digit: `=7.4.1`, `=e4304`, `=1347`; distinct.

    An entry is indexed under those of its name, so that 7.4.1 asked for is found before all that only mention it.
    """
    found: dict[str, None] = {}
    for raw in _prepare(text).split():
        for candidate in _candidates(raw):
            if (shapes.is_identifier(candidate) or any(map(str.isdigit, candidate))) and (
                own := _terms_of(candidate, "en")
            ):
                found[f"={_VERSION_MARK.sub('', own[0])}"] = None
    return list(found)


def with_names(found: dict[int, int], name: str) -> dict[int, int]:
    """Frequencies of a text together with those of the exact names of the entry that it is from."""
    return {**found, **dict.fromkeys(map(term_id, exact_names(name)), NAME_WEIGHT)}


def _prepare(text: str) -> str:
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return _WRAP.sub("", text)


def _terms_of(raw: str, language: str) -> list[str]:
    """Analyse what stands between two spaces."""
    if raw.isalpha() and raw.isascii() and (raw[1:].islower() or raw.isupper() or len(raw) == 1):
        return [_stem(raw.casefold(), language)]
    if "()" in raw and (bare := shapes.strip_edges(raw)).isalpha() and shapes.is_identifier(raw):
        return list(dict.fromkeys([bare.casefold()[:_LONGEST_TERM], *_unit_terms(bare, language)]))
    found: list[str] = []
    for unit in _UNIT.findall(_GROUPING.sub("", raw) if "," in raw else raw):
        if _HAS_UNSPACED.search(unit):
            found += _run_terms(unit, language)
        else:
            found += _unit_terms(unit, language)
    return found


def _run_terms(unit: str, language: str) -> list[str]:
    """Bigrams of the scripts without spaces; what stands between them is analysed as usual."""
    found: list[str] = []
    for chinese_japanese, hangul, southeast, other in _RUN.findall(unit):
        if other:
            found += _unit_terms(other, language)
        else:
            symbols = _CLUSTER.findall(southeast) if southeast else list(chinese_japanese or hangul)
            found += map("".join, pairwise(symbols)) if len(symbols) > 1 else symbols
    return found


def _unit_terms(unit: str, language: str) -> list[str]:
    if _PLAIN_CODE.match(unit.rstrip(".:")):
        return [unit.rstrip(".:").casefold()]
    if ":" in unit and "://" not in unit and "::" not in unit and not unit.replace(":", "").isdigit():
        return [term for side in unit.split(":") for term in _unit_terms(side, language)]
    bare = unit.strip("'’:+#@.-/")
    if not bare:
        return []
    if bare.isalpha() and not (bare.isascii() and any(map(str.isupper, bare[1:])) and not bare.isupper()):
        whole = _whole_form(unit)
        return [whole, _word(bare, language)] if whole[0] in "-/." else [_word(bare, language)]
    if "'" in bare or "’" in bare:
        return _apostrophe_terms(bare.replace("’", "'"), language)
    if not any(map(str.isalnum, bare)):
        return []
    if _is_marked_word(bare):
        return [_word(bare, language)]
    return _identifier_terms(_whole_form(unit), bare, language)


def _apostrophe_terms(bare: str, language: str) -> list[str]:
    if language in ("fr", "it", "pt") and (elided := _ELISION.match(bare)):
        return _unit_terms(bare[elided.end() :], language)
    if bare[-2:].lower() == "'s":
        return _unit_terms(bare[:-2], language)
    if all(map(str.isalpha, bare.split("'"))):
        return [_stem(bare.casefold().replace("'", ""), language)]
    return [term for side in bare.split("'") for term in _unit_terms(side, language)]


def _identifier_terms(whole: str, bare: str, language: str) -> list[str]:
    """The whole form first, then the parts that say something by themselves."""
    if _DECIMAL.match(bare):
        return [bare]
    found = [whole]
    for part in shapes.parts(bare):
        term = _word(part, language) if part.isalpha() else part
        if term != whole and (len(part) > 1 or not part.isascii()):
            found.append(term)
    return found


def _whole_form(unit: str) -> str:
    """`/v1/charges/` and `/v1/charges`, `--flag`, `.env` keep their leading mark; the rest of the punctuation goes."""
    bare = unit.strip("'’:+#@").rstrip(".-/")
    lead = bare[: len(bare) - len(bare.lstrip(".-/"))]
    kept = "--" if lead.startswith("--") else lead[-1:] if len(lead) == 1 else ""
    return (kept + bare[len(lead) :]).casefold()[:_LONGEST_TERM]


def _is_marked_word(bare: str) -> bool:
    """A word whose only non-letters are combining marks: Hindi, vocalised Arabic and Hebrew, decomposed accents."""
    return not bare.isascii() and all(char.isalpha() or unicodedata.category(char)[0] == "M" for char in bare)


def _word(word: str, language: str) -> str:
    word = word.casefold()
    if word.isascii():
        return _stem(word, language)
    for script, own in _BY_SCRIPT:
        if script.search(word):
            return _stem(
                _VOWEL_SIGNS.sub("", word).replace("ё", "е"), "fa" if own == "ar" and language == "fa" else own
            )
    return _fold(_stem(_VOWEL_SIGNS.sub("", word), language))


def _stem(word: str, language: str) -> str:
    if len(word) > _LONGEST_TERM:
        return word[:_LONGEST_TERM]
    with _stemming:  # a Stemmer is not safe to share between threads; this is the cache-miss path
        stemmer = _stemmers.get(language)
        if stemmer is None:
            stemmer = _stemmers[language] = Stemmer.Stemmer(_STEMMERS[language])
            stemmer.maxCacheSize = 0
        return str(stemmer.stemWord(word))


def _fold(word: str) -> str:
    """Take the accents off a Latin word: people leave them out when they ask."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f"))
