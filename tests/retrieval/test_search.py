"""What a search narrows, demands, puts first and makes whole."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from documents.models import Document, Version
from documents.worker import work_through
from portal.scope import principal
from retrieval.query import Filters
from retrieval.ranking.rerank import RerankerUnavailable
from tests.documents.ingest.conftest import Shelf
from tests.retrieval.conftest import Find

PUMP = "# Pump\n\nThe inlet filter of the pump is cleaned every month by a technician."
VALVE = "# Valve\n\nThe valve is oiled every year. A technician opens the inlet."
VENTIL = "# Ventil\n\nDas Ventil der Pumpe wird jedes Jahr von einem Techniker geölt und danach geprüft."


def names(shelf: Shelf, found: object) -> list[str]:
    titles = dict(Document.objects.using("owner").values_list("pk", "name"))
    return [titles[passage.document_id] for passage in found.passages]  # type: ignore[attr-defined]


@pytest.fixture
def three(shelf: Shelf) -> Shelf:
    for name, text in (("pump.md", PUMP), ("valve.txt", VALVE), ("ventil.md", VENTIL)):
        shelf.put(name, text)
    work_through()
    return shelf


def test_filters_narrow_by_document_kind_language_and_day(three: Shelf, find: Find) -> None:
    refs = dict(Document.objects.using("owner").values_list("name", "ref"))
    now = datetime.now(UTC)

    def narrowed(**fields: object) -> set[str]:
        return set(names(three, find("technician technicians techniker inlet", filters=Filters(**fields))))  # type: ignore[arg-type]

    assert narrowed() == {"pump.md", "valve.txt", "ventil.md"}
    assert narrowed(documents=(refs["valve.txt"],)) == {"valve.txt"}
    assert narrowed(kinds=("text",)) == {"valve.txt"}
    assert narrowed(languages=("de",)) == {"ventil.md"}
    assert narrowed(since=now - timedelta(hours=1)) == {"pump.md", "valve.txt", "ventil.md"}
    assert narrowed(since=now + timedelta(hours=1)) == set()
    assert narrowed(until=now - timedelta(hours=1)) == set()
    assert narrowed(documents=("nobody-knows-this",)) == set()


def test_a_filter_keeps_the_list_by_meaning_full(three: Shelf, find: Find) -> None:
    found = find("zyzzyva", meaning=True, k=2, filters=Filters(kinds=("markdown",)))

    assert sorted(names(three, found)) == ["pump.md", "ventil.md"]


def test_a_phrase_must_stand_in_the_passage_as_it_is(three: Shelf, find: Find) -> None:
    assert names(three, find('"inlet filter"', phrases=True)) == ["pump.md"]
    assert names(three, find('technician "INLET  filter of"', phrases=True)) == ["pump.md"]
    assert names(three, find('"filter inlet"', phrases=True)) == []
    assert names(three, find('"inlet filte"', phrases=True)) == []
    assert set(names(three, find('"inlet" technician', phrases=True))) == {"pump.md", "valve.txt"}
    assert set(names(three, find('"filter inlet"', phrases=False))) == {"pump.md", "valve.txt"}


def test_a_phrase_binds_the_list_by_meaning_too(three: Shelf, find: Find) -> None:
    found = find('"is oiled every year"', meaning=True, phrases=True, k=3)

    assert names(three, found) == ["valve.txt"]
    assert found.passages[0].similarity is not None


def test_as_of_a_day_the_version_of_that_day_is_found(shelf: Shelf, find: Find) -> None:
    document = shelf.put_and_read("price.md", "# Price\n\nThe licence costs 40 crowns.")
    shelf.put_and_read("price.md", "# Price\n\nThe licence costs 55 crowns.")
    first, second = Version.objects.using("owner").filter(document=document).order_by("number")
    then = datetime.now(UTC) - timedelta(days=10)
    Version.objects.using("owner").filter(pk=first.pk).update(valid_from=then, valid_to=then + timedelta(days=5))
    Version.objects.using("owner").filter(pk=second.pk).update(valid_from=then + timedelta(days=5))

    def texts(as_of: datetime | None) -> list[str]:
        found = find("licence crowns", filters=Filters(as_of=as_of))
        return [word for passage in found.passages for word in ("40", "55") if word in passage.text]

    assert texts(None) == ["55"]
    assert texts(then + timedelta(days=1)) == ["40"]
    assert texts(then + timedelta(days=6)) == ["55"]
    assert texts(then - timedelta(days=1)) == []


def test_as_of_a_day_shows_nothing_of_another_workspace(shelf: Shelf, find: Find) -> None:
    for text in ("The secret costs 40 crowns.", "The secret costs 55 crowns."):
        shelf.put_and_read("secret.md", text, user=shelf.cast.cy)
    Version.objects.using("owner").filter(number=1).update(valid_from=datetime(2020, 1, 1, tzinfo=UTC))
    day = Filters(as_of=datetime(2021, 1, 1, tzinfo=UTC))
    Version.objects.using("owner").filter(number=1).update(valid_to=datetime(2022, 1, 1, tzinfo=UTC))

    assert [p.text for p in find("secret crowns", shelf.cast.cy, filters=day).passages] == [
        "The secret costs 40 crowns."
    ]
    assert find("secret crowns", shelf.cast.ada, filters=day).passages == ()


def test_one_document_does_not_fill_the_list(shelf: Shelf, find: Find) -> None:
    sections = "\n\n".join(
        f"## Part {n}\n\nThe turbine part {n} turns. " + f"Detail {n} follows here. " * 60 for n in range(6)
    )
    shelf.put_and_read("turbine.md", f"# Turbine\n\n{sections}")
    shelf.put_and_read("other.md", "# Other\n\nA turbine is mentioned here, among many other things.")

    plain, capped = find("turbine part", k=4), find("turbine part", k=4, per_document=2)

    assert names(shelf, plain) == ["turbine.md"] * 4
    assert names(shelf, capped) == ["turbine.md", "turbine.md", "other.md", "turbine.md"]
    assert [passage.rank for passage in capped.passages] == [1, 2, 3, 4]


def test_a_table_that_was_cut_is_shown_whole_with_its_very_text(shelf: Shelf, find: Find) -> None:
    rows = "\n".join(
        f"| E{n} | The motor number {n} is too hot to touch | Let it cool for {n} minutes |" for n in range(40)
    )
    document = shelf.put_and_read("codes.md", f"# Codes\n\n| Code | Meaning | Remedy |\n|---|---|---|\n{rows}\n")
    version = Version.objects.using("owner").get(document=document)

    plain, joined = find("E25 motor", k=1), find("E25 motor", k=1, join=True)

    [piece], [whole] = plain.passages, joined.passages
    assert whole.chunk_id == piece.chunk_id
    assert whole.is_joined
    assert whole.start <= piece.start
    assert whole.end >= piece.end
    assert len(whole.text) > len(piece.text)
    assert version.text[whole.start : whole.end] == whole.text


def test_k_passages_come_back_though_pieces_were_joined(shelf: Shelf, find: Find) -> None:
    rows = "\n".join(
        f"| E{n} | The motor number {n} is too hot to touch | Let it cool for {n} minutes |" for n in range(40)
    )
    shelf.put_and_read("codes.md", f"# Codes\n\n| Code | Meaning | Remedy |\n|---|---|---|\n{rows}\n")
    for n in range(6):
        shelf.put(f"{n}.md", f"# Note {n}\n\nThe motor was looked at on day {n}.")
    work_through()

    found = find("motor", k=6, join=True)

    assert len(found.passages) == 6
    assert len({passage.chunk_id for passage in found.passages}) == 6


class Backwards:
    """Prefers what is shortest."""

    name = "backwards"

    def scores(self, question: str, passages: list[str]) -> list[float]:
        assert question == "technician inlet"
        return [-float(len(passage)) for passage in passages]


class Gone:
    name = "gone"

    def scores(self, question: str, passages: list[str]) -> list[float]:
        raise RerankerUnavailable


def test_a_reranker_places_the_first_anew_and_the_trace_says_so(three: Shelf, find: Find) -> None:
    found = find("technician inlet", reranker=Backwards())

    assert [passage.text for passage in found.passages] == sorted((p.text for p in found.passages), key=len)
    assert [stage.note for stage in found.stages if stage.name == "reranked"] == ["backwards"]
    assert found.passages[0].reranked is not None


def test_without_an_answer_of_the_reranker_the_fused_order_stands_and_is_said(three: Shelf, find: Find) -> None:
    plain, found = find("technician inlet"), find("technician inlet", reranker=Gone())

    assert names(three, found) == names(three, plain)
    assert found.notes == ("retrieval.reranker_down",)
    assert [stage.note for stage in found.stages if stage.name == "reranked"] == ["retrieval.reranker_down"]


def test_tfidf_is_a_list_of_its_own_and_needs_no_vector(three: Shelf, find: Find) -> None:
    found = find("inlet filter", ranker="tfidf")

    assert names(three, found)[0] == "pump.md"
    assert found.passages[0].bm25 != find("inlet filter").passages[0].bm25


def test_a_search_does_not_write_through_the_role_that_serves(three: Shelf, find: Find) -> None:
    from django.db import connections
    from django.db.utils import DatabaseError

    scope = three.cast.scope(three.cast.ada)
    with pytest.raises(DatabaseError), principal(scope, using="serve"), connections["serve"].cursor() as cursor:
        cursor.execute("UPDATE documents_version SET text = ''")


def test_a_document_that_was_switched_off_is_found_by_no_way(three: Shelf, find: Find) -> None:
    Document.objects.using("owner").filter(name="pump.md").update(disabled_at=datetime.now(UTC))

    everywhere = Filters(since=datetime(2020, 1, 1, tzinfo=UTC))
    assert "pump.md" not in names(three, find("inlet filter of the pump", meaning=True, k=8))
    assert "pump.md" not in names(three, find("inlet filter of the pump", filters=everywhere))
    assert names(three, find('"inlet filter"', phrases=True)) == []
    assert len(find("zyzzyva", meaning=True, k=8).passages) == 2
