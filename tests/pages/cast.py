"""Pages as they look on a bad day: long titles, long words, many documents, removed sources, every state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from documents.text.blocks import Block, BlockKind
from documents.text.diff import compare
from documents.text.layout import Part, Words, lay_out
from tests.pages import cast_search, cast_why
from tests.pages import shapes as s

NOW = datetime(2026, 11, 30, 14, 30, tzinfo=UTC)
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft_Satzung_final_FINAL(2).pdf"
TITLE = (
    "Information security handbook for employees, contractors and visiting researchers of the Northwind group, "
    "2026 edition"
)

COLLECTIONS = (
    s.Choice("c1", "Shared", documents_label="1,102 documents"),
    s.Choice("c2", "My documents", documents_label="12 documents"),
    s.Choice("c3", "Sample: running Footnote", is_chosen=False, documents_label="6 documents"),
)
MANY = tuple(
    s.Choice(f"c{i}", f"Project {name}", is_chosen=i % 2 == 0, documents_label="40 documents")
    for i, name in enumerate(
        (
            "Aurora",
            "Borealis",
            "Calypso",
            "Rechtsschutzversicherungsgesellschaften",
            "Delphi",
            "Echo",
            "Fjord",
            "Gaia",
            "Helios",
        )
    )
)
SHELL = s.Shell("Northwind", "ada@northwind.example")
SHELL_TWO = s.Shell(
    "Northwind Research and Development, Reykjavík",
    "adelheid.von-und-zu-hohenlohe@research.northwind.example",
    (s.Choice("w1", "Northwind Research and Development, Reykjavík", is_current=True), s.Choice("w2", "Contoso")),
)
SUPPORTED = s.Verdict("ok", "Supported")
PARTLY = s.Verdict("warn", "Partly supported")
DECLINED = s.Verdict("none", "Not found in your documents")
ASK = s.AskForm(collections=COLLECTIONS)
FOLLOW = replace(ASK, label="Ask on", previous="q1")

RETENTION = (
    "Access logs are written to the central store within a minute. They are kept for 90 days and then deleted "
    "automatically. Deletion is checked by a weekly job, which reports to the security lead."
)
EXCEPTION = "The security lead may extend a period in writing, for at most one year at a time."
PAYMENTS = "Systems in scope of the card standard keep theirs for 13 months, of which three are at hand."
TABLE = (
    "| System | Kept | At hand |\n|---|---|---|\n| web-frontend-access | 90 days | 30 days |\n"
    "| payment-gateway-audit-trail | 13 months | 3 months |"
)
STAGES = (
    s.Stage("Words (BM25)", "1st", "14.21"),
    s.Stage("Meaning (cosine)", "3rd", "0.712"),
    s.Stage("Joined (RRF)", "1st", "0.0325"),
)


def said(text: str, marked: str = "", kind: BlockKind | None = None, *, prefix: str = "") -> tuple[Part, ...]:
    """A passage of one kind, `marked` being its evidence."""
    start = text.index(marked)
    spans = ((start, start + len(marked)),) if marked else ()
    return lay_out(text, (Block(0, len(text), kind),) if kind else (), spans=spans, prefix=prefix)


WEEKLY = "- the inlet filter\n  every Monday\n  - the hose\n- the display\n```\npump --check --verbose --log=/var/log/pump\n```"
MIXED = f"Care\n\nLook at these every week:\n\n{WEEKLY}\n\n{TABLE}"
MIXED_BLOCKS = (
    Block(0, 4, "heading", 1),
    Block(MIXED.index(WEEKLY), MIXED.index(WEEKLY) + len(WEEKLY), "list"),
    Block(MIXED.index(TABLE), len(MIXED), "table"),
)


SOURCES = (
    s.Source(
        1,
        TITLE,
        "Shared",
        ("Operations", "Logging", "Retention"),
        "page 14",
        "version of 3 Oct 2026",
        parts=said(RETENTION, "They are kept for 90 days and then deleted automatically."),
        url="/documents/d1/?chunk=k1#passage-7",
        url_label="Open page 14",
        source_url="https://handbook.example.org/operations/a-rather-long-name-of-a-page.html#retention",
        back_id="cite-1-1",
        stages=STAGES,
        used_label="Used in quote 1.",
        newer_label="Version 4 of 1 Mar 2027 replaced this text.",
        newer_url="/documents/d1/",
    ),
    s.Source(
        2,
        "payment-systems.md",
        "Shared",
        ("Payments",),
        parts=lay_out(MIXED, MIXED_BLOCKS),
        is_located=False,
        url="/documents/d2/?chunk=k2#passage-2",
        url_label="Open the document",
        back_id="cite-2-1",
        stages=(*STAGES[:1], s.Stage("Meaning (cosine)", "not among the first 50", "–"), STAGES[2]),
    ),
    s.Source(
        3,
        "Retention policy 2026",
        "My documents",
        ("4 Exceptions",),
        parts=said(EXCEPTION, EXCEPTION),
        url="/documents/d3/?chunk=k3#passage-4",
        url_label="Open the document",
        back_id="cite-3-1",
        stages=STAGES,
    ),
    s.Source(4, "", is_removed=True),
)
QUOTES = (
    s.Quote(
        "They are kept for 90 days and then deleted automatically.",
        f"{TITLE} › Retention, page 14",
        (s.Chip(1, f"Source 1: {TITLE}, page 14", "cite-1-1"),),
        parts=said("They are kept for 90 days and then deleted automatically."),
    ),
    s.Quote(
        TABLE,
        "payment-systems.md › Payments",
        (s.Chip(2, "Source 2: payment-systems.md", "cite-2-1"), s.Chip(1, f"Source 1: {TITLE}, page 14", "cite-1-2")),
        parts=said(TABLE, kind="table"),
    ),
    s.Quote(
        EXCEPTION,
        "Retention policy 2026 › 4 Exceptions",
        (s.Chip(3, "Source 3: Retention policy 2026", "cite-3-1"),),
        parts=said(EXCEPTION),
    ),
    s.Quote("", "", (s.Chip(4, "Source 4: removed", "cite-4-1"),), is_removed=True),
)
ANSWER = s.Answer(
    "a1",
    "How long do we keep access logs, and who can extend it?",
    NOW - timedelta(minutes=4),
    SUPPORTED,
    "4 passages from 3 documents",
    quotes=QUOTES,
    sources=SOURCES,
    audit_label="1 citation removed: not in the sources",
    notes=(
        s.Note(
            "warn",
            "Search by meaning was not available; the answer was looked for by words alone.",
            "/status/",
            "See the status",
        ),
    ),
)
SHORT = replace(
    ANSWER,
    quotes=QUOTES[:1],
    sources=(replace(SOURCES[0], newer_label="", title="Security handbook"),),
    notes=(),
    audit_label="",
    found_label="1 passage from 1 document",
    verdict=PARTLY,
    question="アクセスログの保存期間は何日ですか",
)
NEAR = replace(
    ANSWER,
    question="What is the airspeed velocity of an unladen swallow, and does "
    "Rechtsschutzversicherungsgesellschaften/Überweisungsträger matter?",
    verdict=DECLINED,
    found_label="1,284 passages searched",
    quotes=(),
    notes=(),
    audit_label="",
    sources=tuple(
        replace(x, back_id="", newer_label="", used_label="", parts=said(text), is_located=True)
        for x, text in zip(SOURCES[:3], (RETENTION, PAYMENTS, EXCEPTION), strict=True)
    ),
    declined_reason="No passage holds at least two of the question's words or comes close enough in meaning.",
    hints=(
        "Name the thing as your documents name it, an error code or a product name for instance.",
        "Search all collections: Sample is left out now.",
        "Add the document that should answer this.",
    ),
)

READY = s.State("ready", "Ready")
WORDS = s.State("words", "Searchable by words", done=212, total=339, progress_label="212 of 339 vectors")
SCAN = s.State(
    "attention",
    "Needs attention",
    "No text was found on pages 3–21: they are pictures. The other pages can be searched. "
    "Upload a version with a text layer to have them all.",
)


def row(ref: str, title: str, state: s.State, minutes: int = 2, **more: object) -> s.DocumentRow:
    return replace(s.DocumentRow(ref, title, state, NOW - timedelta(minutes=minutes)), **more)  # type: ignore[arg-type]


ROWS = (
    row("d1", f"{TITLE}.pdf", READY, version_label="version 3", pages_label="42", passages_label="188"),
    row("d2", "openapi-billing.yaml", WORDS, 0, passages_label="339", poll_s=2),
    row(
        "d3",
        "Board minutes 2019 (scan).pdf",
        SCAN,
        70,
        collection_name="My documents",
        pages_label="21",
        passages_label="6",
        may_retry=True,
    ),
    row("d4", "CHANGELOG.md", READY, 1800, version_label="version 41", passages_label="1,902"),
    row("d5", LONG, s.State("queued", "Queued, third in line"), 0, poll_s=5),
    row("d6", "報告書_令和八年度_最終版.pdf", s.State("reading", "Reading", "Page 12 of 300"), 1, poll_s=2),
    row("d7", "تقرير سنوي ٢٠٢٦.html", READY, 90000, pages_label="–", passages_label="12"),
    *(row(f"x{i}", f"release-notes-2.{i}.0.md", READY, 3000 * i, passages_label=str(3 + i)) for i in range(1, 14)),
)
FILTERS = s.Filters(
    "",
    tuple(replace(choice, is_chosen=False) for choice in COLLECTIONS),
    (
        s.StateChoice("", "All", "1,284", is_chosen=True),
        s.StateChoice("busy", "Being read", "3"),
        s.StateChoice("ready", "Ready", "1,279"),
        s.StateChoice("attention", "Needs attention", "2"),
    ),
)
LIBRARY = s.Library("1,284 documents, 3 being read, 2 need attention", ROWS, FILTERS)
UPLOAD = s.Upload(collections=COLLECTIONS[:2])
RESULTS = (
    s.UploadResult(
        "release-notes-3.0.0.md",
        "accepted",
        "Taken",
        "Queued, third in line.",
        "/documents/x/",
        "Open release-notes-3.0.0.md",
    ),
    s.UploadResult(LONG, "duplicate", "Already here", "The same file is in Shared.", "/documents/d5/", "Open it"),
    s.UploadResult(
        "empty.txt",
        "refused",
        "Not taken",
        "The file is empty. Nothing was stored. Check the file and upload it again.",
    ),
)
PAGE = s.Page("51–100 of 1,284", "documents", "/library/?page=1", "/library/?page=3")

DOCUMENT = s.DocumentPage(
    "d1",
    f"{TITLE}.pdf",
    "Shared",
    SCAN,
    version_label="version 3",
    warning_label="No text was found on pages 3–21.",
    range_label="Passages 1–6 of 188",
    may_retry=True,
    tags=(
        ("audit 2026", "/search/?tag=audit+2026"),
        ("Rindfleischetikettierungsüberwachung".lower(), "/search/?tag=r"),
    ),
    tags_text="audit 2026, rindfleischetikettierungsüberwachung",
    original_label="Download original (PDF, 2.1 MB)",
    facts=(
        s.Fact("Kind", "PDF"),
        s.Fact("Size", "2.1 MB"),
        s.Fact("Pages", "42"),
        s.Fact("Passages", "188"),
        s.Fact("Added by", SHELL_TWO.user_email),
    ),
    report=s.Report(
        (s.Fact("Reader", "pypdfium2"), s.Fact("Pages with text", "23 of 42"), s.Fact("Language", "English")),
        ("White text on white ground was found on page 7 (212 characters). It is not searched.",),
        (
            s.SkippedPart("picture", "page 3", "no text layer"),
            s.SkippedPart("embedded-file", "page 9", "attachments are not read"),
        ),
        "and 31 more",
    ),
    versions=(
        s.VersionRow("Version 3", NOW - timedelta(days=58), "/documents/d1/", is_live=True, is_shown=True),
        s.VersionRow("Version 2", NOW - timedelta(days=300), "/documents/d1/?version=2"),
        s.VersionRow("Version 1", NOW - timedelta(days=700), "/documents/d1/?version=1"),
    ),
)
CODE = (
    "location /internal/ {\n    deny all;  # every address, the loopback one too, because "
    "the proxy forwards with its own address as the client\n}"
)
PASSAGES = (
    s.PassageRow(
        5,
        "passage-5",
        said("This handbook applies to everyone who works with the systems of the group."),
        ("Operations",),
        "page 13",
        offsets_label="characters 1–75",
    ),
    s.PassageRow(
        6,
        "passage-6",
        said(RETENTION),
        ("Operations", "Logging"),
        offsets_label="characters 77–265",
        source_url="https://help.example.org/agent/tickets/35436",
        links=(
            s.ShownLink("the proxy", "/documents/d2/", is_here=True),
            s.ShownLink(
                "the standard", "https://standards.example.org/a/very/long/path/that/has/to/break/somewhere.html"
            ),
        ),
    ),
    s.PassageRow(
        7,
        "passage-7",
        (Part("heading", Words("Retention"), level=2, outline=3), *said(RETENTION, "kept for 90 days")),
        ("Operations", "Logging"),
        "page 14",
        is_target=True,
        offsets_label="characters 267–455",
    ),
    s.PassageRow(8, "passage-8", said(CODE, kind="code"), ("Operations", "Proxy"), offsets_label="characters 457–600"),
    s.PassageRow(
        9,
        "passage-9",
        said(TABLE.split("\n", 2)[2], kind="table", prefix="\n".join(TABLE.split("\n")[:2])),
        ("Payments",),
        "page 15",
        offsets_label="characters 602–700",
    ),
    s.PassageRow(
        10, "passage-10", (*lay_out(MIXED, MIXED_BLOCKS), *said(LONG * 3)), offsets_label="characters 702–1,020"
    ),
)
HISTORY = s.History(
    (
        s.PastQuestion(
            "q1", ANSWER.question, "/answers/a1/", SUPPORTED, NOW - timedelta(minutes=4), "4 passages from 3 documents"
        ),
        s.PastQuestion("q2", NEAR.question, "/answers/a2/", DECLINED, NOW - timedelta(hours=20), "nothing cited"),
        s.PastQuestion("q3", "E4304?", "/answers/a3/", PARTLY, NOW - timedelta(days=40), "1 passage from 1 document"),
    ),
    count_label="214 questions",
    kept_label="Kept for 90 days, visible to you alone.",
)
CHECKS = (
    s.Check("Database", "ok", "Runs", "PostgreSQL 18 with pgvector, row security on"),
    s.Check(
        "Broker",
        "warn",
        "Missing",
        "Files are still taken; the worker looks for them every few seconds, so reading starts a little later.",
    ),
    s.Check("Worker", "ok", "Runs", "Last seen 2 s ago"),
    s.Check("Embedder", "ok", "Runs", "all-MiniLM-L6-v2, 384 dimensions"),
    s.Check("Language model", "none", "Not set up", "Answers are quotes from your documents. Nothing else is missing."),
)
RECENT = HISTORY.items


def signed_in(**context: object) -> dict[str, object]:
    return {"shell": SHELL, "now": NOW, "ask": ASK, "upload": UPLOAD, "library": LIBRARY, "page": None, **context}


MOVE = s.Move(
    "Security handbook of the northern plants, third edition.pdf",
    "/documents/d1/",
    "Shared",
    MANY,
    "A document of this name is in that collection already. Nothing was changed.",
)
STUCK = s.JobLine(
    "Security handbook of the northern plants, third edition.pdf",
    "Queued",
    "It has waited for over a minute, and no worker is running. The file is stored and reading starts by itself.",
    is_stuck=True,
    tries_label="2 claims, lost 1×",
)
LINE = s.Line(
    waiting=12,
    running=1,
    lost=1,
    oldest_label="74 s",
    is_stuck=True,
    checks=(s.Check("Worker", "warn", "Does not take work", "12 jobs wait, the oldest for 74 s. Start a worker."),),
    open_jobs=(STUCK, replace(STUCK, name="notes.md", state="Running", cause="At work: host:411.", is_stuck=False)),
    more_label="and 31 more",
    lately=(replace(STUCK, name="a deleted document", url="", state="Done", cause="", is_stuck=False, may_stop=False),),
)
COMPARISON = s.Comparison(
    "Security handbook of the northern plants, third edition.pdf",
    "/documents/d1/",
    (s.Choice("v2", "Version 2, 3 Oct 2026", is_chosen=False), s.Choice("v1", "Version 1, 1 Oct 2026")),
    (s.Choice("v2", "Version 2, 3 Oct 2026"), s.Choice("v1", "Version 1, 1 Oct 2026", is_chosen=False)),
    "1 line went and 2 lines came from version 1 to 2.",
    compare("One.\nThe gate is 3 m wide.\nThe end.\n", "One.\nThe gate is 4 m wide.\nThe end.\nOf it all.\n").hunks,
)
COLLECTION = s.CollectionPage(
    "Handbooks of the northern plants and of everything that belongs to them",
    (
        ("Documents", "1,284"),
        ("Read", "1,280"),
        ("Pages with text", "9,120 of 9,420"),
        ("Languages", "English (1,200), German (84)"),
    ),
    (
        "No text was found on 300 pages; no answer knows them.",
        "2 places read like orders to a program. They are never obeyed; the reading report of each document leads there.",
    ),
    (
        s.Choice("structure", "By structure", documents_label="Along headings, lists, tables, code and pages."),
        s.Choice("window", "Word windows", is_chosen=False, documents_label="Pieces of one size that overlap."),
    ),
    s.Profile(),
    error="The overlap is a number of tokens below the size.",
)
PLACES = (
    s.CollectionRow(
        "Shared", "/library/collections/c1/", "1,284 documents", "9,120 of 9,420 pages read", is_short=True
    ),
    s.CollectionRow("My documents", "/library/collections/c2/", "3 documents"),
)
RECEIPT = s.Receipt(
    "6c90350167b76f7fe3",
    "0 of 12 passages retrievable",
    NOW,
    (
        ("Deleted by", "somebody-with-a-long-name@northern-plants.example.org"),
        ("Passages looked for by their ids", "12, found 0"),
        ("Sentences searched word for word", "5, found 0"),
        ("Vectors searched for neighbours", "5, found 0"),
    ),
    "12 passages wait to be removed from storage; none of them can be retrieved.",
)

THREAD = s.Thread(
    before=(
        s.Turn(
            "How long are access logs kept?", "/answers/a1/", s.Verdict("ok", "Supported"), RETENTION[:180] + " … [1]"
        ),
        s.Turn(f"And {LONG}?", "/answers/a2/", s.Verdict("none", "Not found in your documents")),
        s.Turn("thanks", "/answers/a3/", s.Verdict("none", "Nothing to search for")),
    ),
    after=(
        s.Turn("Who may read the access logs?", "/answers/a4/", s.Verdict("warn", "Partly supported"), "Auditors [1]."),
    ),
    typed="and backups?",
    completed_by="rules",
    before_ref="q1",
)


def pages() -> Mapping[str, tuple[str, dict[str, object]]]:
    """Every page in every state worth a look: name → (template, context)."""
    samples = (
        "Which services does Footnote start, and in which order?",
        "What happens to an answer when its source is deleted?",
        "How large may a file be?",
    )
    removing = s.Confirmation(
        f"Delete {LONG}?",
        "Its text, passages and vectors are removed at once. Answers that quoted it will say “source removed”.",
        "The audit log keeps a line that it was deleted, without its name.",
        "Delete the document",
        "/documents/d1/",
        "library",
    )
    swap = s.Replacement(LONG, "d1", "/documents/d1/", UPLOAD.kinds_label, UPLOAD.accept, UPLOAD.max_label)
    behind = cast_why.pages("How long are access logs kept?", LONG, NOW)
    searches = cast_search.pages(TITLE, LONG)
    return {
        **{name: (template, signed_in(**context)) for name, (template, context) in {**behind, **searches}.items()},
        "sign-in": ("sign_in.html", {"sign_in": s.SignIn()}),
        "sign-in-wrong": (
            "sign_in.html",
            {"sign_in": s.SignIn("ada@northwind.example", "This e-mail and password do not match an account.")},
        ),
        "sign-in-expired": (
            "sign_in.html",
            {
                "sign_in": s.SignIn(
                    notice="Your session ended. Sign in again: what you typed is kept in this tab.", next="/"
                )
            },
        ),
        "ask": ("ask.html", signed_in(recent=RECENT)),
        "ask-first": ("ask.html", signed_in(welcome=s.Welcome(True, "Sample: running Footnote", "c3", samples))),
        "ask-empty": ("ask.html", signed_in(welcome=s.Welcome(False), shell=SHELL_TWO)),
        "ask-many": (
            "ask.html",
            signed_in(
                ask=replace(
                    ASK,
                    collections=MANY,
                    is_folded=True,
                    scope_label="5 of 9 collections",
                    error="There is no question yet. Type one, then ask.",
                )
            ),
        ),
        "answer": ("answer.html", signed_in(answer=ANSWER, ask=FOLLOW)),
        "answer-turn": ("answer.html", signed_in(answer=ANSWER, ask=FOLLOW, thread=THREAD)),
        "answer-short": ("answer.html", signed_in(answer=SHORT, ask=FOLLOW, shell=SHELL_TWO)),
        "answer-declined": ("answer.html", signed_in(answer=NEAR, ask=FOLLOW)),
        "library": ("library.html", signed_in(page=PAGE, collections=PLACES)),
        "library-uploaded": (
            "library.html",
            signed_in(
                upload=replace(UPLOAD, results=RESULTS, results_label="1 taken, 1 already here, 1 not taken"),
                shell=SHELL_TWO,
            ),
        ),
        "library-error": (
            "library.html",
            signed_in(upload=replace(UPLOAD, error="No file was chosen. Choose one or more files, then upload.")),
        ),
        "library-empty": ("library.html", signed_in(library=replace(LIBRARY, rows=(), summary_label="No documents"))),
        "library-filtered": ("library.html", signed_in(library=replace(LIBRARY, rows=(), is_filtered=True))),
        "library-reader": (
            "library.html",
            signed_in(library=replace(LIBRARY, rows=()), upload=replace(UPLOAD, may_add=False)),
        ),
        "document": (
            "document.html",
            signed_in(document=DOCUMENT, passages=PASSAGES, page=replace(PAGE, of="passages", previous_url="")),
        ),
        "document-busy": (
            "document.html",
            signed_in(
                document=replace(
                    DOCUMENT,
                    state=WORDS,
                    poll_s=2,
                    warning_label="",
                    is_old=True,
                    live_url="/documents/d1/",
                    may_edit=False,
                ),
                passages=PASSAGES[:2],
            ),
        ),
        "document-queued": (
            "document.html",
            signed_in(
                document=s.DocumentPage(
                    "d9", "notes.md", "Shared", s.State("queued", "Queued, third in line"), poll_s=5, may_cancel=True
                )
            ),
        ),
        "document-delete": ("confirm.html", signed_in(confirmation=removing)),
        "queue": ("queue.html", signed_in(line=LINE)),
        "queue-empty": ("queue.html", signed_in(line=s.Line())),
        "collection": ("collection.html", signed_in(collection=COLLECTION)),
        "collection-reader": (
            "collection.html",
            signed_in(collection=replace(COLLECTION, may_edit=False, error="", warnings=())),
        ),
        "document-compare": ("document_compare.html", signed_in(comparison=COMPARISON)),
        "document-off": (
            "document.html",
            signed_in(
                document=replace(DOCUMENT, state=s.State("off", "Switched off"), is_off=True), passages=PASSAGES[:1]
            ),
        ),
        "document-move": ("document_move.html", signed_in(move=MOVE)),
        "document-move-nowhere": ("document_move.html", signed_in(move=replace(MOVE, collections=(), error=""))),
        "document-receipt": ("document_receipt.html", signed_in(receipt=RECEIPT)),
        "document-receipt-found": (
            "document_receipt.html",
            signed_in(
                receipt=replace(RECEIPT, headline="2 of 12 passages retrievable", is_clean=False, may_purge=False)
            ),
        ),
        "document-replace": (
            "document_replace.html",
            signed_in(
                replacement=replace(
                    swap, error="The file is empty. Nothing was stored. Check the file and upload it again."
                )
            ),
        ),
        "history": ("history.html", signed_in(history=HISTORY, page=replace(PAGE, of="questions"))),
        "history-empty": (
            "history.html",
            signed_in(history=s.History(count_label="No questions", kept_label=HISTORY.kept_label)),
        ),
        "history-none": ("history.html", signed_in(history=s.History(search="swallow", count_label="214 questions"))),
        "status": (
            "status.html",
            signed_in(status=s.Status("warn", "Answers work, new files wait a little", CHECKS, NOW)),
        ),
        "help": ("help.html", signed_in()),
        "error": (
            "error.html",
            signed_in(
                problem=s.Problem(
                    "portal.rate_limited",
                    "That was a lot at once.",
                    "Nothing was lost, and your question is kept in this tab.",
                    retry_after_s=12,
                )
            ),
        ),
        "error-signed-out": (
            "error.html",
            {
                "problem": s.Problem(
                    "documents.mislabelled",
                    "The file's content is not what its name says.",
                    "Nothing was stored.",
                    LONG,
                )
            },
        ),
        **{code: (f"{code}.html", signed_in()) for code in ("400", "403", "404", "413", "429", "503", "403_csrf")},
        "500": ("500.html", {}),
    }
