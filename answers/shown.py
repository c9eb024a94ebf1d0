"""An answer as its page shows it: plain objects with every label ready, built from what was kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.urls import reverse

from answers import written
from answers.models import Answer, Citation, Question
from answers.prose import Chip, Prose
from answers.quoted import Group, Span, blocks_of, cited_of, groups_of, parts_of
from answers.rules import extract
from answers.sight import citations_of, unread_label, unread_of
from answers.standing import Standing, standings
from documents.models import Document, Version
from documents.text.addresses import web_address
from documents.text.blocks import Block, path_at
from documents.text.layout import Part, lay_out, plain
from portal.models import Collection
from portal.problems import words_for
from portal.scope import Scope


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Quote:
    """`text` is what is copied and sent to programs; `parts` are what the page lays out of it."""

    text: str
    where: str
    chips: tuple[Chip, ...]
    is_removed: bool = False
    parts: tuple[Part, ...] = ()
    support: str = ""

    @property
    def is_inline(self) -> bool:
        """One paragraph, which its marker follows on the line."""
        return [part.kind for part in self.parts] == ["prose"]


@dataclass(frozen=True, slots=True)
class Note:
    kind: str
    text: str
    url: str = ""
    url_label: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stage of the search put a passage."""

    name: str
    rank_label: str
    score_label: str


@dataclass(frozen=True, slots=True)
class Source:
    """An evidence card. What is quoted is marked in its parts; without a mark the words could not be located."""

    number: int
    title: str
    collection_name: str = ""
    heading_path: tuple[str, ...] = ()
    page_label: str = ""
    version_label: str = ""
    is_removed: bool = False
    parts: tuple[Part, ...] = ()
    is_located: bool = True
    url: str = ""
    url_label: str = ""
    source_url: str = ""
    newer_label: str = ""
    newer_url: str = ""
    back_id: str = ""
    stages: tuple[Place, ...] = ()
    used_label: str = ""


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    ref: str
    question: str
    asked_at: datetime
    verdict: Verdict
    found_label: str
    permalink: str
    quotes: tuple[Quote, ...]
    declined_reason: str
    hints: tuple[str, ...]
    notes: tuple[Note, ...]
    took_label: str
    mode_label: str
    searched_label: str
    audit_label: str
    sources: tuple[Source, ...]
    prose: Prose | None = None
    cost_label: str = ""


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """A line of the history."""

    ref: str
    question: str
    url: str
    verdict: Verdict
    asked_at: datetime
    found_label: str = ""
    stale_label: str = ""
    is_follow_up: bool = False


@dataclass(frozen=True, slots=True)
class _Sources:
    """What the cited rows point at today, as far as the asker sees it."""

    documents: Mapping[int, Document]
    versions: Mapping[int, Version]
    collections: Mapping[int, str]
    blocks: Mapping[int, tuple[Block, ...]]


VERDICT_KINDS = {
    Answer.Verdict.SUPPORTED: "ok",
    Answer.Verdict.PARTLY: "warn",
    Answer.Verdict.NOT_SUPPORTED: "warn",
    Answer.Verdict.NOT_FOUND: "none",
}
HINTS = (
    "Use the words that the document itself would use.",
    "Name the exact thing: a product, a setting, an error code, a person.",
    "Check that the right collections are chosen, and that the file is in the Library and says Ready.",
)
SMALL_TALK = "Glad to help. Ask about your documents whenever you like; nothing was searched for this."


def show(scope: Scope, answer: Answer, *, permalink: str) -> ShownAnswer:
    """The whole answer. Needs an open principal for the asker; eight queries whatever it cites."""
    citations = citations_of(scope, answer)
    today = _today(scope, citations)
    groups = groups_of(answer, cited_of(citations), today.blocks)
    prose = written.prose_of(scope, answer, ((c.number, _chip_name(c.number, c)) for c in citations))
    return ShownAnswer(
        ref=answer.ref,
        question=answer.question.text,
        asked_at=answer.created_at,
        verdict=verdict_of(answer),
        found_label=found_label(answer, citations),
        permalink=permalink,
        quotes=tuple(_quote(group, place, _days(answer, today)) for place, group in enumerate(groups, 1)),
        declined_reason=_declined_reason(answer),
        hints=HINTS if answer.outcome == Answer.Outcome.DECLINED else (),
        notes=(
            *_stale(answer, standings(scope, [answer], citations)[answer.pk]),
            *_notes(answer),
            *_unread(scope, answer, citations),
        ),
        took_label=took_label(answer.total_ms),
        mode_label=mode_label(answer),
        searched_label=_count(answer.searched_chunks, "passage") + " searched",
        audit_label=_removed_label(answer.removed_markers),
        sources=tuple(_of_prose(_source(c, groups, today), c, prose) for c in citations),
        prose=prose,
        cost_label=written.cost_label(answer),
    )


def _of_prose(source: Source, citation: Citation, prose: Prose | None) -> Source:
    """A source of a model's text: the whole passage stands for it, none of its words is marked."""
    if prose is None or source.is_removed or citation.role != Citation.Role.CITED:
        return source
    used = written.used_label(citation.number, prose)
    return replace(source, is_located=True, back_id=f"cite-{citation.number}-1" if used else "", used_label=used)


def mode_label(answer: Answer) -> str:
    if answer.earlier_at is not None:
        return f"from an earlier answer, {ago(answer.created_at - answer.earlier_at)}"
    return "offline, extractive" if answer.mode == "extractive" else f"written by {answer.model}"


def ago(passed: timedelta) -> str:
    minutes = int(passed.total_seconds() // 60)
    return "a moment ago" if minutes < 1 else f"{_count(minutes, 'minute')} ago"


def took_label(total_ms: int) -> str:
    return f"{total_ms / 1000:.1f} s" if total_ms >= 100 else "under 0.1 s"


def verdict_of(answer: Answer) -> Verdict:
    if answer.outcome == Answer.Outcome.BLOCKED:
        return Verdict("warn", "Not asked")
    if answer.outcome == Answer.Outcome.SMALL_TALK:
        return Verdict("none", "Nothing to search for")
    if answer.outcome == Answer.Outcome.STOPPED:
        return Verdict("none", "Stopped")
    verdict = Answer.Verdict(answer.verdict)
    return Verdict(VERDICT_KINDS[verdict], str(verdict.label))


def found_label(answer: Answer, citations: Sequence[Citation]) -> str:
    if answer.outcome not in (Answer.Outcome.ANSWERED, Answer.Outcome.STOPPED):
        return _count(answer.searched_chunks, "passage") + " searched"
    cited = [citation for citation in citations if citation.role == Citation.Role.CITED]
    documents = {citation.document_id for citation in cited}
    return f"{_count(len(cited), 'passage')} from {_count(len(documents), 'document')}"


def past(question: Question, answer: Answer, standing: Standing) -> PastQuestion:
    """A history line, from rows already read."""
    return PastQuestion(
        question.ref,
        question.text,
        reverse("answer", args=[answer.ref]),
        verdict_of(answer),
        question.asked_at,
        found_label(answer, list(answer.citations.all())),
        standing.label,
        bool(question.conversation),
    )


def _today(scope: Scope, citations: Sequence[Citation]) -> _Sources:
    documents = Document.objects.visible_to(scope).filter(
        pk__in={citation.document_id for citation in citations}, deleted_at__isnull=True
    )
    versions = Version.objects.visible_to(scope).filter(document__in=documents).defer("text", "report", "boxes")
    names = Collection.objects.visible_to(scope).values_list("pk", "name")
    return _Sources({d.pk: d for d in documents}, {v.pk: v for v in versions}, dict(names), blocks_of(scope, citations))


def _days(answer: Answer, today: _Sources) -> dict[int, str]:
    """Of passages that do not agree, the day of each version by its id: which is the newer is what a reader asks next."""
    if extract.DISAGREE not in answer.notes:
        return {}
    return {pk: f"as of {version.created_at:%-d %b %Y}" for pk, version in today.versions.items()}


def _quote(group: Group, place: int, days: Mapping[int, str]) -> Quote:
    parts = parts_of(group)
    chip = Chip(group.number, _chip_name(group.number, group.citation), f"cite-{group.number}-{place}")
    where = "" if group.citation is None or group.is_gone else _where(group.citation, group)
    if group.citation is not None and (day := days.get(group.citation.version_id)) and where:
        where = f"{where}, {day}"
    return Quote(plain(parts), where, (chip,), is_removed=group.is_gone, parts=parts, support=group.support)


def _chip_name(number: int, citation: Citation | None) -> str:
    if citation is None or citation.redacted:
        return f"Source {number}: removed"
    return f"Source {number}: {citation.title}" + (f", page {citation.page}" if citation.page else "")


def _path(citation: Citation, group: Group | None, blocks: tuple[Block, ...]) -> tuple[str, ...]:
    """The headings above the first quoted words; those above the whole passage when none of it is quoted."""
    if group is None:
        return tuple(citation.heading_path)
    return path_at(citation.passage, blocks, citation.heading_path, group.spans[0][0])


def _where(citation: Citation, group: Group) -> str:
    nearest = [heading for heading in _path(citation, group, group.blocks)[-1:] if heading != citation.title]
    place = " › ".join((citation.title, *nearest))
    return f"{place}, page {citation.page}" if citation.page else place


def _source(citation: Citation, groups: Sequence[Group], today: _Sources) -> Source:
    document = today.documents.get(citation.document_id)
    version = today.versions.get(citation.version_id)
    if citation.redacted or document is None:
        return Source(citation.number, "", is_removed=True)
    is_cited = citation.role == Citation.Role.CITED
    mine = [(place, group) for place, group in enumerate(groups, 1) if is_cited and group.number == citation.number]
    blocks = today.blocks[citation.pk]
    spans = [span for _, group in mine for span in group.spans]
    url = f"{reverse('document', args=[document.ref])}?{_at(citation, document, version, spans)}"
    newer = _newer(document, version, today)
    return Source(
        number=citation.number,
        title=citation.title,
        collection_name=today.collections.get(citation.collection_id, ""),
        heading_path=_path(citation, mine[0][1] if mine else None, blocks),
        page_label=f"page {citation.page}" if citation.page else "",
        version_label=f"version of {version.created_at:%-d %b %Y}" if version and version.number > 1 else "",
        parts=lay_out(citation.passage, blocks, spans=spans, prefix=citation.prefix),
        is_located=not is_cited or bool(mine),
        url=url,
        url_label=f"Open page {citation.page}" if citation.page else "Open the document",
        source_url=web_address(citation.source_url),
        newer_label=newer,
        newer_url=reverse("document", args=[document.ref]) if newer else "",
        back_id=f"cite-{citation.number}-{mine[0][0]}" if mine else "",
        stages=_places(citation),
        used_label="Used in " + ", ".join(f"quote {place}" for place, _ in mine) if mine else "",
    )


def _at(citation: Citation, document: Document, version: Version | None, spans: Sequence[Span]) -> str:
    """The query that opens the cited passage in the version it was quoted from, with the quoted words marked."""
    marks = ",".join(f"{start}-{end}" for start, end in spans)
    old = version is not None and version.pk != document.live_version_id
    return (
        f"chunk={citation.chunk_id}"
        + (f"&mark={marks}" if marks else "")
        + (f"&version={version.ref}" if old and version else "")
        + f"#chunk-{citation.chunk_id}"
    )


def _newer(document: Document, version: Version | None, today: _Sources) -> str:
    live = today.versions.get(document.live_version_id or 0)
    if version is None or live is None or live.pk == version.pk:
        return ""
    return f"Version {live.number} of {live.created_at:%-d %b %Y} replaced this text."


def _places(citation: Citation) -> tuple[Place, ...]:
    return (
        Place("Words (BM25)", _rank(citation.lexical_rank), "–" if citation.bm25 is None else f"{citation.bm25:.2f}"),
        Place(
            "Meaning (cosine)",
            _rank(citation.dense_rank),
            "–" if citation.similarity is None else f"{citation.similarity:.3f}",
        ),
        Place("Together", "", f"{citation.fused:.3f}"),
    )


def _rank(rank: int | None) -> str:
    if rank is None:
        return "not among the first 100"
    suffix = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix}"


def _declined_reason(answer: Answer) -> str:
    if answer.outcome == Answer.Outcome.SMALL_TALK:
        return SMALL_TALK
    if answer.outcome == Answer.Outcome.BLOCKED:
        words = words_for("answers.blocked")
        return f"{words.title} {words.advice}"
    if answer.outcome == Answer.Outcome.STOPPED:
        return "It was stopped before anything was written."
    if answer.outcome == Answer.Outcome.DECLINED:
        return words_for(answer.reason).title if answer.reason else "No passage answers this question."
    return ""


def _stale(answer: Answer, standing: Standing) -> list[Note]:
    if not standing.is_stale:
        return []
    return [Note("warn", standing.sentence, reverse("answer_why", args=[answer.ref]), "See what would change today")]


def _notes(answer: Answer) -> list[Note]:
    return [Note("warn", f"{words_for(code).title} {words_for(code).advice}") for code in answer.notes]


def _unread(scope: Scope, answer: Answer, citations: list[Citation]) -> list[Note]:
    """Said where something was searched."""
    if answer.outcome not in (Answer.Outcome.ANSWERED, Answer.Outcome.DECLINED):
        return []
    label = unread_label(unread_of(scope, answer, citations))
    return [Note("info", label, reverse("library"), "See what was read")] if label else []


def _removed_label(count: int) -> str:
    return "" if not count else f"{_count(count, 'citation')} removed: not in the sources"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
