"""What the search page shows: the form, the results with their words marked, what they can be narrowed by, how long it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from documents.models import Version
from documents.parsers import kinds
from documents.tags import LONGEST, cleaned
from documents.text.blocks import Block, passage_blocks, unpacked, within
from documents.text.layout import Part, lay_out
from portal.models import Collection
from portal.problems import words_for
from portal.scope import Scope, principal
from retrieval.asked import MAX_CHARACTERS, PER_DOCUMENT, Answered, Asked
from retrieval.facets import Facet
from retrieval.query import MODES, RANKERS
from retrieval.ranking.evidence import Passage
from retrieval.ranking.snippet import Span, cut, matches
from retrieval.ranking.topic import telling

PER_PAGE = 10
FACET_NAMES: Mapping[str, str] = {
    "collection": "Collections",
    "tag": "Tags",
    "kind": "Kinds of file",
    "language": "Languages",
    "year": "Years",
}
STAGE_NAMES: Mapping[str, str] = {
    "filters": "Filters", "phrases": "Words in quotation marks", "words": "By words", "meaning": "By meaning",
    "compared": "Each list's score of the other", "fused": "Together",
    "passages": "Passages read", "reranked": "Reranked", "joined": "Made whole",
}  # fmt: skip
RANKER_NAMES: Mapping[str, str] = {"": "As set", "bm25": "BM25", "tfidf": "TF-IDF"}
MODE_NAMES: Mapping[str, str] = {
    "": "As set", "hybrid": "Words and meaning", "words": "Words alone", "meaning": "Meaning alone",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sent:
    """The fields of the form as they came; `faults` are those whose value is unknown, by field."""

    text: str = ""
    collections: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    as_of: str = ""
    mode: str = ""
    ranker: str = ""
    faults: tuple[str, ...] = ()

    @property
    def is_narrowed(self) -> bool:
        return any(
            (
                self.collections,
                self.kinds,
                self.languages,
                self.years,
                self.tags,
                self.documents,
                self.since,
                self.until,
                self.as_of,
            )
        )


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    name: str
    count_label: str
    is_chosen: bool
    id: str


@dataclass(frozen=True, slots=True)
class Group:
    """One facet: a name of form fields with the values to tick."""

    field: str
    name: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stage put a passage."""

    name: str
    rank_label: str
    score_label: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `parts` is the snippet with the matched words marked."""

    number: int
    title: str
    url: str
    heading_path: tuple[str, ...]
    page_label: str
    collection_name: str
    version_label: str
    parts: tuple[Part, ...]
    is_cut: bool
    stages: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class StageRow:
    name: str
    ms_label: str
    found_label: str


@dataclass(frozen=True, slots=True)
class Found:
    """A result, or nothing yet: `searched_label` is "" before the first search."""

    hits: tuple[Hit, ...] = ()
    summary: str = ""
    searched_label: str = ""
    notes: tuple[str, ...] = ()
    stages: tuple[StageRow, ...] = ()
    groups: tuple[Group, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchForm:
    sent: Sent
    modes: tuple[Option, ...]
    rankers: tuple[Option, ...]
    error: str = ""
    max_length: int = MAX_CHARACTERS
    hidden: tuple[tuple[str, str], ...] = field(default=())


def sent_of(form: QueryDict) -> Sent:
    """What was sent. A value that no filter knows is named in `faults`, not guessed at."""
    listed = {name: tuple(dict.fromkeys(value for value in form.getlist(name) if value)) for name in FACET_NAMES}
    single = {name: form.get(name, "").strip() for name in ("since", "until", "as_of", "mode", "ranker")}
    faults = [name for name in ("since", "until", "as_of") if single[name] and _day(single[name]) is None]
    faults += ["kind"] if set(listed["kind"]) - kinds.NAMES.keys() else []
    faults += ["language"] if any(not code.isalpha() or not 2 <= len(code) <= 3 for code in listed["language"]) else []
    faults += (
        ["year"] if any(not (year.isdecimal() and len(year) == 4 and year > "0000") for year in listed["year"]) else []
    )
    faults += ["mode"] if single["mode"] not in ("", *MODES) else []
    faults += ["ranker"] if single["ranker"] not in ("", *RANKERS) else []
    since, until = _day(single["since"]), _day(single["until"])
    faults += ["until"] if since and until and since > until else []
    return Sent(
        text=form.get("q", ""),
        collections=tuple(ref[:24] for ref in listed["collection"]),
        kinds=listed["kind"],
        languages=listed["language"],
        years=listed["year"],
        tags=tuple(cleaned(tag[:LONGEST]) for tag in listed["tag"]),
        documents=tuple(ref[:24] for ref in form.getlist("document") if ref),
        faults=tuple(faults),
        **single,
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def asked_of(sent: Sent) -> Asked:
    """Years are a span of days: from the first of the earliest to the last of the latest."""
    years = [int(year) for year in sent.years]
    since = _day(sent.since) or (date(min(years), 1, 1) if years else None)
    until = _day(sent.until) or (date(max(years), 12, 31) if years else None)
    return Asked(
        sent.text,
        k=PER_PAGE,
        collections=sent.collections or None,
        documents=sent.documents,
        kinds=sent.kinds,
        languages=sent.languages,
        tags=sent.tags,
        since=since,
        until=until,
        as_of=_day(sent.as_of),
        mode=next((mode for mode in MODES if mode == sent.mode), None),
        ranker=next((ranker for ranker in RANKERS if ranker == sent.ranker), None),
        per_document=PER_DOCUMENT,
    )


def form_of(sent: Sent, *, error: str = "") -> SearchForm:
    return SearchForm(
        sent, _choices("mode", MODE_NAMES, sent.mode), _choices("ranker", RANKER_NAMES, sent.ranker), error
    )


def _choices(field: str, names: Mapping[str, str], sent: str) -> tuple[Option, ...]:
    """The first choice sends nothing: then what the searched collections are set to holds, or the deployment's way."""
    return tuple(
        Option(value, name, "", value == sent, f"{field}-{value or 'as-set'}") for value, name in names.items()
    )


def groups_of(sent: Sent, facets: Mapping[str, Sequence[Facet]], *, is_searched: bool) -> tuple[Group, ...]:
    """The facets as ticks: with counts of the result after a search, of everything before one."""
    chosen = {"collection": sent.collections, "kind": sent.kinds, "language": sent.languages, "year": sent.years}
    chosen["tag"] = sent.tags
    groups = []
    for name, title in FACET_NAMES.items():
        rows = facets["collections" if name == "collection" else f"{name}s"]
        options = tuple(
            Option(
                row.value,
                row.name,
                f"{row.found if is_searched else row.total:,}",
                row.value in chosen[name],
                f"{name}-{at if name == 'tag' else row.value}",
            )
            for at, row in enumerate(rows)
        )
        narrows = len(options) > 1 or (name == "tag" and options)  # one tag parts the tagged from the others
        if narrows or any(option.is_chosen for option in options):
            groups.append(Group(name, title, options))
    return tuple(groups)


@dataclass(frozen=True, slots=True)
class _Held:
    """What the page knows of a version."""

    ref: str
    label: str
    is_live: bool
    blocks: tuple[Block, ...]


def found_of(scope: Scope, answered: Answered, facets: Mapping[str, Sequence[Facet]], sent: Sent) -> Found:
    result = answered.result
    with principal(scope):
        names = dict(Collection.objects.visible_to(scope).values_list("pk", "name"))
        held = _held(scope, result.passages)
    hits = tuple(_hit(passage, answered, names, held) for passage in result.passages)
    stages = [StageRow("Question embedded", _ms(answered.embed_ms), "")] if answered.embed_ms else []
    stages += [
        StageRow(
            STAGE_NAMES.get(stage.name, stage.name),
            _ms(stage.ms),
            f"{len(stage.candidates):,}" if stage.candidates else "",
        )
        for stage in result.stages
    ]
    total = answered.embed_ms + sum(stage.ms for stage in result.stages)
    return Found(
        hits,
        _summary(hits, result.passages),
        f"{result.searched_chunks:,} passages searched in {_ms(total)}",
        tuple(f"{words_for(code).title} {words_for(code).advice}".strip() for code in answered.notes),
        tuple(stages),
        groups_of(sent, facets, is_searched=True),
    )


def _ms(ms: float) -> str:
    return f"{ms:.0f} ms" if ms >= 1 else "under 1 ms"


def _summary(hits: Sequence[Hit], passages: Sequence[Passage]) -> str:
    documents = len({passage.document_id for passage in passages})
    if not hits:
        return "Nothing found"
    return (
        f"The nearest {len(hits)} passage{'' if len(hits) == 1 else 's'}, "
        f"from {documents} document{'' if documents == 1 else 's'}"
    )


def _held(scope: Scope, passages: Sequence[Passage]) -> dict[int, _Held]:
    """By version id; one query."""
    rows = Version.objects.visible_to(scope).filter(pk__in={passage.version_id for passage in passages})
    values = rows.values_list("pk", "ref", "number", "valid_from", "document__live_version_id", "report__blocks")
    return {
        pk: _Held(
            ref, f"version {number} of {valid_from:%-d %b %Y}" if valid_from else "", live == pk, unpacked(blocks or ())
        )
        for pk, ref, number, valid_from, live, blocks in values
    }


def _hit(passage: Passage, answered: Answered, names: Mapping[int, str], held: Mapping[int, _Held]) -> Hit:
    version = held.get(passage.version_id) or _Held("", "", True, ())
    language = passage.language
    wanted = frozenset(telling(answered.result.query_terms, ("en", language)))
    found = matches(passage.text, wanted, language=language, phrases=answered.phrases)
    snippet = cut(passage.text, found, by_line=passage.kind in ("table", "code"))
    blocks = passage_blocks(within(version.blocks, passage.start, passage.end), passage.kind, passage.text)
    inside = [
        (a - snippet.start, b - snippet.start) for a, b in snippet.spans if snippet.start <= a and b <= snippet.end
    ]
    text = passage.text[snippet.start : snippet.end]
    return Hit(
        number=passage.rank,
        title=passage.title,
        url=_url(passage, version, [] if passage.is_joined else [span for span, _ in found]),
        heading_path=tuple(heading for heading in passage.heading_path if heading != passage.title),
        page_label=f"page {passage.page}" if passage.page else "",
        collection_name=names.get(passage.collection_id, ""),
        version_label="" if version.is_live else version.label,
        parts=_untitled(
            lay_out(text, within(blocks, snippet.start, snippet.end), spans=inside, prefix=passage.prefix), passage
        ),
        is_cut=len(text) < len(passage.text),
        stages=_places(passage),
    )


def _untitled(parts: tuple[Part, ...], passage: Passage) -> tuple[Part, ...]:
    """Without the heading that says no more than the title above it."""
    repeats = len(parts) > 1 and parts[0].kind == "heading" and parts[0].words.text == passage.title
    return parts[1:] if repeats else parts


def _url(passage: Passage, version: _Held, spans: Sequence[Span]) -> str:
    """The document at the passage, in the version that was found, with the words marked."""
    query = {"chunk": str(passage.chunk_id)}
    if spans:
        query["mark"] = ",".join(f"{start}-{end}" for start, end in spans[:20])
    if not version.is_live:
        query["version"] = version.ref
    return f"{reverse('document', args=[passage.document_ref])}?{urlencode(query, safe=',')}#chunk-{passage.chunk_id}"


def _places(passage: Passage) -> tuple[Place, ...]:
    places = [
        Place("Words", _rank(passage.lexical_rank), _score(passage.bm25, 2)),
        Place("Meaning (cosine)", _rank(passage.dense_rank), _score(passage.similarity, 3)),
        Place("Together", "", f"{passage.fused:.3f}"),
    ]
    if passage.reranked is not None:
        places.append(Place("Reranker", _rank(passage.rank), f"{passage.reranked:.3f}"))
    return tuple(places)


def _score(score: float | None, digits: int) -> str:
    return "–" if score is None else f"{score:.{digits}f}"


def _rank(rank: int | None) -> str:
    if rank is None:
        return "not among the first 100"
    suffix = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix}"
