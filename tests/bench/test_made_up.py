"""Made-up corpora: what their sizes, words and postings are, and that they are written as PostgreSQL reads them."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from bench.bulk import Shelf, documents, posting_rows, vector_rows
from bench.made_up import CHUNK_WORDS, DIMS, VOCABULARY, Topics, Vocabulary, postings, zipf_sizes


@pytest.fixture
def few_words() -> Vocabulary:
    return Vocabulary(("alpha", "beta", "gamma"), np.array([11, 12, 13], dtype=np.int64))


def test_zipf_sizes_add_up_and_fall() -> None:
    sizes = zipf_sizes(200_000, 20, 1.6)

    assert sum(sizes) == 200_000
    assert sizes == sorted(sizes, reverse=True)
    assert 95_000 < sizes[0] < 105_000


def test_more_parts_than_chunks_still_have_one_each() -> None:
    assert zipf_sizes(5, 4, 3.0)[1:] == [1, 1, 1]


def test_postings_are_one_row_for_a_word_of_a_document() -> None:
    ranks = np.array([[0, 0, 1], [1, 2, 2], [0, 1, 1]])
    ends = np.array([2, 3])

    assert sorted(postings(ranks, ends)) == [
        (0, 0, [0], [2]),
        (0, 1, [0, 1], [1, 1]),
        (0, 2, [1], [2]),
        (1, 0, [2], [1]),
        (1, 1, [2], [2]),
    ]


def test_vectors_of_another_world_are_farther_than_those_of_the_same() -> None:
    random = np.random.default_rng(3)
    here = Topics(random)
    elsewhere = Topics(random, mean=here.mean)
    stored, near, far = here.draw(random, 2_000), here.draw(random, 20), elsewhere.draw(random, 20)

    assert np.allclose(np.linalg.norm(stored, axis=1), 1, atol=1e-5)
    assert (near @ stored.T).max(axis=1).mean() > (far @ stored.T).max(axis=1).mean() + 0.05


def test_a_question_holds_words_of_its_chunk_but_not_the_commonest(few_words: Vocabulary) -> None:
    many = Vocabulary(tuple(f"w{n}" for n in range(100)), np.arange(100))
    chunk = np.array([0, 1, 2, 50, 60, 60, 70])

    words = many.question(np.random.default_rng(1), chunk).split()

    assert sorted(words) == ["w50", "w60", "w70"]


def test_drawn_words_are_all_in_the_vocabulary() -> None:
    words = Vocabulary(tuple(str(n) for n in range(VOCABULARY)), np.arange(VOCABULARY))

    ranks = words.draw(np.random.default_rng(1), 50)

    assert ranks.shape == (50, CHUNK_WORDS)
    assert ranks.min() >= 0
    assert ranks.max() < VOCABULARY


def test_a_vectors_row_is_what_binary_copy_reads() -> None:
    vectors = np.full((1, DIMS), 0.5, dtype=np.float32)

    raw = vector_rows(Shelf(7, 8, 9), 100, 200, 0, vectors).tobytes()

    assert struct.unpack_from(">h", raw)[0] == 6
    assert [struct.unpack_from(">iq", raw, 2 + 12 * place) for place in range(5)] == [
        (8, 7), (8, 8), (8, 100), (8, 200), (8, 9),
    ]  # fmt: skip
    assert struct.unpack_from(">ihh", raw, 62) == (4 + 2 * DIMS, DIMS, 0)
    assert struct.unpack_from(">e", raw, 70)[0] == 0.5
    assert len(raw) == 70 + 2 * DIMS


def test_postings_name_the_documents_and_chunks_that_were_written(few_words: Vocabulary) -> None:
    words = np.zeros((21, CHUNK_WORDS), dtype=np.int64)
    ends = np.array([20, 21])

    rows = [line.rstrip("\n").split("\t") for line in posting_rows(Shelf(1, 2, 3), 50, 900, words, few_words, ends)]

    assert [row[:4] for row in rows] == [["1", "2", "50", "11"], ["1", "2", "51", "11"]]
    assert rows[1][4:] == ["{920}", f"{{{CHUNK_WORDS}}}", f"{{{CHUNK_WORDS}}}"]
    assert rows[0][4] == "{" + ",".join(str(900 + place) for place in range(20)) + "}"


def test_a_document_counts_its_own_chunks() -> None:
    rows = [line.split("\t") for line in documents(Shelf(1, 2, 3), 50, np.array([20, 21]))]

    assert [row[0] for row in rows] == ["50", "51"]
    assert [row[13] for row in rows] == ["20", "1"]
