"""The list by words in SQL against the rankers in Python, on random corpora, and what deletions and filters do to it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connections

from documents import indexing
from documents.models import Chunk, Document
from documents.text import analyse
from documents.worker import work_through
from portal.scope import principal
from retrieval import lexical
from retrieval.lexical import Beside, Place
from retrieval.query import Ranker
from retrieval.ranking import bm25, tfidf
from tests.documents.ingest.conftest import Shelf

WORDS = [f"w{chr(97 + i)}{chr(97 + j)}" for i in range(6) for j in range(6)]
LIMIT = 20


def prose(rng: random.Random, words: int) -> str:
    """Words of Zipf frequencies: some in nearly every text, some in one."""
    weights = [1 / rank for rank in range(1, len(WORDS) + 1)]
    return " ".join(rng.choices(WORDS, weights, k=words)) + "."


def stored(shelf: Shelf) -> dict[int, list[str]]:
    """By chunk id, the analysed terms of what is searched of every live chunk."""
    chunks = Chunk.objects.using("owner").filter(version__in=live_versions())
    titles = dict(Document.objects.using("owner").values_list("pk", "title"))
    found = {}
    for chunk in chunks:
        lead = " › ".join(part for part in (titles[chunk.document_id], *chunk.heading_path) if part)
        whole = "\n".join(part for part in (lead, chunk.prefix, chunk.text) if part)
        found[chunk.pk] = analyse.analyse(whole, language=chunk.language)
    return found


def live_versions() -> list[int]:
    rows = Document.objects.using("owner").filter(deleted_at__isnull=True, live_version__isnull=False)
    return list(rows.values_list("live_version_id", flat=True))


def ranked(shelf: Shelf, words: Sequence[str], ranker: Ranker = "bm25", limit: int = LIMIT) -> list[tuple[int, float]]:
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope, using="serve"):
        place = Place("serve", scope.workspace_id, scope.collection_ids)
        found = lexical.statistics(place, [analyse.term_id(word) for word in words])
        return [(hit.chunk_id, hit.score) for hit in lexical.search(place, found, ranker=ranker, limit=limit).hits]


def assert_same(got: list[tuple[int, float]], want: list[tuple[int, float]]) -> None:
    """The same scores in the same order, and the same chunks but where scores are equal to the last digits."""
    assert [score for _, score in got] == pytest.approx([score for _, score in want])
    scores = dict(want)
    assert [scores.get(chunk, score) for chunk, score in got] == pytest.approx([score for _, score in got])


@pytest.fixture
def corpus(shelf: Shelf) -> Shelf:
    rng = random.Random(7)
    for number in range(30):
        shelf.put(f"{number}.txt", prose(rng, rng.randrange(5, 60)))
    work_through()
    return shelf


def test_bm25_in_sql_gives_what_the_formula_gives(corpus: Shelf) -> None:
    chunks = stored(corpus)
    rng = random.Random(8)

    for size in (1, 2, 5, 12):
        words = rng.sample(WORDS, size)
        want = bm25.rank(chunks, words)[:LIMIT]
        got = ranked(corpus, words)
        assert_same(got, want)


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_words_that_most_chunks_hold_are_counted_though_they_are_read_for_few(corpus: Shelf, limit: int) -> None:
    chunks = stored(corpus)
    words = [*WORDS[:6], WORDS[-1], WORDS[-7]]

    got = ranked(corpus, words, limit=limit)

    assert_same(got, bm25.rank(chunks, words)[:limit])


def test_tfidf_in_sql_gives_what_the_formula_gives(corpus: Shelf) -> None:
    chunks = stored(corpus)
    words = [WORDS[0], WORDS[4], WORDS[20]]

    got = ranked(corpus, words, "tfidf")

    assert_same(got, tfidf.rank(chunks, words)[:LIMIT])


def test_what_was_deleted_is_gone_from_the_list_and_the_counts_before_a_worker_removes_it(corpus: Shelf) -> None:
    word = WORDS[0]
    victim = Document.objects.using("owner").filter(name="3.txt").get()
    Document.objects.using("owner").filter(pk=victim.pk).update(deleted_at=datetime.now(UTC))
    gone = set(Chunk.objects.using("owner").filter(document=victim).values_list("pk", flat=True))

    got = ranked(corpus, [word, WORDS[9]])

    scope = corpus.cast.scope(corpus.cast.ada)
    with principal(scope, using="serve"):
        place = Place("serve", scope.workspace_id, scope.collection_ids)
        counts = lexical.statistics(place, [analyse.term_id(word)]).counts
    assert not gone & {chunk for chunk, _ in got}
    assert counts[analyse.term_id(word)] == sum(word in terms for terms in stored(corpus).values())


def test_no_word_and_an_unknown_word_find_nothing(corpus: Shelf) -> None:
    assert ranked(corpus, []) == []
    assert ranked(corpus, ["nowhere"]) == []
    assert ranked(corpus, ["nowhere"], "tfidf") == []


@pytest.mark.parametrize("ranker", ["bm25", "tfidf"])
def test_the_score_of_named_chunks_is_that_of_the_list(corpus: Shelf, ranker: Ranker) -> None:
    words = [WORDS[0], WORDS[3], WORDS[11]]
    whole = dict(ranked(corpus, words, ranker, limit=500))
    some = sorted(whole)[::3]
    scope = corpus.cast.scope(corpus.cast.ada)

    with principal(scope, using="serve"):
        place = Place("serve", scope.workspace_id, scope.collection_ids)
        found = lexical.statistics(place, [analyse.term_id(word) for word in words])
        listed = lexical.search(place, found, ranker=ranker, limit=1, beside=Beside([*some, 10**9]))

    assert [hit.chunk_id for hit in listed.hits] == [next(iter(whole))]
    assert listed.beside == pytest.approx({chunk: whole[chunk] for chunk in some})


@pytest.fixture
def long_document(shelf: Shelf) -> Shelf:
    """One document of several chunks beside short ones: its postings are arrays, theirs plain numbers."""
    rng = random.Random(9)
    shelf.put("long.txt", "\n\n".join(prose(rng, 120) for _ in range(12)))
    for number in range(5):
        shelf.put(f"{number}.txt", prose(rng, 20))
    work_through()
    return shelf


@pytest.mark.parametrize("ranker", ["bm25", "tfidf"])
def test_chunks_that_share_a_document_rank_among_those_that_do_not(long_document: Shelf, ranker: Ranker) -> None:
    chunks = stored(long_document)
    words = [WORDS[0], WORDS[2], WORDS[15], WORDS[30]]
    reference = bm25.rank if ranker == "bm25" else tfidf.rank

    got = ranked(long_document, words, ranker)

    assert len(chunks) > 8
    assert_same(got, reference(chunks, words)[:LIMIT])


def test_which_terms_a_chunk_holds_is_known_of_more_terms_than_a_number_has_bits(
    long_document: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = stored(long_document)
    words = [*WORDS, *(f"nowhere{number}" for number in range(5))]
    of_all = {analyse.term_id(word): word for word in words}
    scope = long_document.cast.scope(long_document.cast.ada)

    with principal(scope, using="serve"):
        place = Place("serve", scope.workspace_id, scope.collection_ids)
        found = lexical.statistics(place, list(of_all))
        few = lexical.search(place, found, limit=LIMIT).hits
        monkeypatch.setattr(lexical, "MOST_BITS", 3)
        many = lexical.search(place, found, limit=LIMIT).hits

    assert few == many
    assert all({of_all[term] for term in hit.terms} == set(chunks[hit.chunk_id]) & set(words) for hit in few)


def test_the_words_are_read_inside_the_index_under_the_askers_policies(long_document: Shelf) -> None:
    scope = long_document.cast.scope(long_document.cast.ada)

    with principal(scope, using="serve"), connections["serve"].cursor() as cursor:
        place = Place("serve", scope.workspace_id, scope.collection_ids)
        found = lexical.statistics(place, [analyse.term_id(WORDS[0])])
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        sql, values = lexical.statement_of(found, "bm25", place, limit=5)
        cursor.execute(f"EXPLAIN {sql}", values)
        plan = " ".join(row[0] for row in cursor.fetchall())

    assert "Index Only Scan using posting_lookup on" in plan
    assert "Index Only Scan using posting_lookup_many on" in plan
    assert "Seq Scan" not in plan


def test_a_posting_names_no_more_chunks_than_an_index_entry_holds(long_document: Shelf) -> None:
    with connections["owner"].cursor() as cursor, pytest.raises(IntegrityError, match="posting_fits_index"):
        cursor.execute(
            "UPDATE documents_posting SET chunk_ids = array_fill(1::bigint, ARRAY[%s]) WHERE id ="
            " (SELECT min(id) FROM documents_posting)",
            [indexing.BLOCK + 1],
        )
