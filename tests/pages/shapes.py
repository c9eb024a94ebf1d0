"""The shapes that the templates read, as plain objects: what each `{% comment %}context:` says, in types."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from documents.text.diff import Hunk
from documents.text.layout import Part


@dataclass(frozen=True, slots=True)
class Choice:
    ref: str
    name: str
    is_current: bool = False
    is_chosen: bool = True
    documents_label: str = ""


@dataclass(frozen=True, slots=True)
class Shell:
    workspace_name: str
    user_email: str
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class AskForm:
    label: str = "Your question"
    question: str = ""
    error: str = ""
    max_length: int = 4000
    collections: tuple[Choice, ...] = ()
    is_folded: bool = False
    scope_label: str = ""
    previous: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    question: str
    url: str
    verdict: Verdict
    said: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    before: tuple[Turn, ...] = ()
    after: tuple[Turn, ...] = ()
    typed: str = ""
    completed_by: str = ""
    before_ref: str = ""


@dataclass(frozen=True, slots=True)
class Welcome:
    has_sample: bool
    sample_name: str = ""
    sample_ref: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PastQuestion:
    ref: str
    question: str
    url: str
    verdict: Verdict
    asked_at: datetime
    found_label: str = ""


@dataclass(frozen=True, slots=True)
class Chip:
    number: int
    name: str
    id: str


@dataclass(frozen=True, slots=True)
class Quote:
    text: str
    where: str
    chips: tuple[Chip, ...]
    is_removed: bool = False
    parts: tuple[Part, ...] = ()
    support: str = "supported"

    @property
    def is_inline(self) -> bool:
        return [part.kind for part in self.parts] == ["prose"]


@dataclass(frozen=True, slots=True)
class Note:
    kind: str
    text: str
    url: str = ""
    url_label: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    rank_label: str
    score_label: str


@dataclass(frozen=True, slots=True)
class Source:
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
    stages: tuple[Stage, ...] = ()
    used_label: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    ref: str
    question: str
    asked_at: datetime
    verdict: Verdict
    found_label: str
    permalink: str = "http://localhost/answers/a1/"
    quotes: tuple[Quote, ...] = ()
    declined_reason: str = ""
    hints: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    took_label: str = "0.4 s"
    mode_label: str = "offline, extractive"
    searched_label: str = "1,284 passages searched"
    audit_label: str = ""
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    kind: str
    label: str
    detail: str = ""
    done: int = 0
    total: int = 0
    progress_label: str = ""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    ref: str
    title: str
    state: State
    added_at: datetime
    collection_name: str = "Shared"
    url: str = "/documents/d1/"
    version_label: str = ""
    pages_label: str = "–"
    passages_label: str = "–"
    poll_s: int = 0
    may_retry: bool = False


@dataclass(frozen=True, slots=True)
class UploadResult:
    filename: str
    kind: str
    label: str
    detail: str
    url: str = ""
    url_label: str = ""


@dataclass(frozen=True, slots=True)
class Upload:
    may_add: bool = True
    collections: tuple[Choice, ...] = ()
    kinds_label: str = "Markdown, HTML, PDF, reStructuredText and text"
    accept: str = ".md,.html,.pdf,.rst,.txt"
    max_bytes: int = 25 * 1024 * 1024
    max_label: str = "25 MB"
    error: str = ""
    results: tuple[UploadResult, ...] = ()
    results_label: str = ""


@dataclass(frozen=True, slots=True)
class StateChoice:
    value: str
    label: str
    count_label: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    search: str = ""
    collections: tuple[Choice, ...] = ()
    states: tuple[StateChoice, ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    summary_label: str
    rows: tuple[DocumentRow, ...] = ()
    filters: Filters = field(default_factory=Filters)
    is_filtered: bool = False
    is_busy: bool = False
    refresh_url: str = "/library/"


@dataclass(frozen=True, slots=True)
class Page:
    label: str
    of: str
    previous_url: str = ""
    next_url: str = ""


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
    facts: tuple[Fact, ...] = ()
    warnings: tuple[str, ...] = ()
    skipped: tuple[SkippedPart, ...] = ()
    skipped_more: str = ""


@dataclass(frozen=True, slots=True)
class VersionRow:
    label: str
    added_at: datetime
    url: str
    is_live: bool = False
    is_shown: bool = False


@dataclass(frozen=True, slots=True)
class DocumentPage:
    ref: str
    title: str
    collection_name: str
    state: State
    url: str = "/documents/d1/"
    version_label: str = ""
    is_old: bool = False
    live_url: str = ""
    poll_s: int = 0
    warning_label: str = ""
    range_label: str = ""
    may_edit: bool = True
    may_retry: bool = False
    may_cancel: bool = False
    is_off: bool = False
    tags: tuple[tuple[str, str], ...] = ()
    tags_text: str = ""
    suspects: tuple[Choice, ...] = ()
    compare_url: str = ""
    original_label: str = ""
    original_url: str = "/documents/d1/original/"
    facts: tuple[Fact, ...] = ()
    report: Report = field(default_factory=Report)
    versions: tuple[VersionRow, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownLink:
    label: str
    url: str
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class PassageRow:
    number: int
    anchor: str
    parts: tuple[Part, ...]
    heading_path: tuple[str, ...] = ()
    page_label: str = ""
    is_target: bool = False
    offsets_label: str = ""
    source_url: str = ""
    links: tuple[ShownLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Confirmation:
    title: str
    what_happens: str
    what_stays: str
    submit_label: str
    cancel_url: str
    nav: str


@dataclass(frozen=True, slots=True)
class Profile:
    splitter: str = "structure"
    max_tokens: int = 250
    overlap_tokens: int = 30
    keeps_original: bool = True


@dataclass(frozen=True, slots=True)
class CollectionRow:
    name: str
    url: str
    documents_label: str
    read_label: str = ""
    is_short: bool = False


@dataclass(frozen=True, slots=True)
class CollectionPage:
    name: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    splitters: tuple[Choice, ...]
    profile: Profile
    ref: str = "c1"
    who_label: str = "Everyone in the workspace"
    library_url: str = "/library/?collection=c1"
    may_edit: bool = True
    smallest: int = 32
    largest: int = 250
    error: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    title: str
    url: str
    old: tuple[Choice, ...]
    new: tuple[Choice, ...]
    summary: str
    hunks: tuple[Hunk, ...] = ()
    is_cut: bool = True


@dataclass(frozen=True, slots=True)
class Move:
    document_title: str
    document_url: str
    collection_name: str
    collections: tuple[Choice, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    ref: str
    headline: str
    deleted_at: datetime
    facts: tuple[tuple[str, str], ...]
    storage_label: str
    is_clean: bool = True
    is_purged: bool = False
    may_purge: bool = True


@dataclass(frozen=True, slots=True)
class Replacement:
    document_title: str
    document_ref: str
    document_url: str
    kinds_label: str
    accept: str
    max_label: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class History:
    items: tuple[PastQuestion, ...] = ()
    search: str = ""
    count_label: str = ""
    gives_again: bool = True
    may_switch: bool = True
    kept_label: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    kind: str
    label: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    kind: str
    label: str
    checks: tuple[Check, ...]
    checked_at: datetime


@dataclass(frozen=True, slots=True)
class SignIn:
    email: str = ""
    error: str = ""
    notice: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    code: str
    title: str
    advice: str
    detail: str = ""
    retry_after_s: int = 0


@dataclass(frozen=True, slots=True)
class JobLine:
    name: str
    state: str
    cause: str
    ref: str = "j1"
    what: str = "Read"
    url: str = "/documents/d1/"
    is_stuck: bool = False
    since: datetime = datetime(2026, 11, 30, 14, 20, tzinfo=UTC)
    tries_label: str = ""
    document_ref: str = "d1"
    may_stop: bool = True
    may_retry: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    waiting: int = 0
    running: int = 0
    lost: int = 0
    oldest_label: str = ""
    is_stuck: bool = False
    checks: tuple[Check, ...] = ()
    open_jobs: tuple[JobLine, ...] = ()
    more_label: str = ""
    lately: tuple[JobLine, ...] = ()
