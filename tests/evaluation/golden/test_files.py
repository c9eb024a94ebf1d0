from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.golden import files
from evaluation.golden.item import GoldPassage, Item, Malformed

FULL = Item(
    "q1",
    "Who, if anyone, may open it?",
    "answer",
    answers=("a technician", 'a "trained" one'),
    key_facts=("trained | technician",),
    gold=(
        GoldPassage("pump.md", "Only a trained technician"),
        GoldPassage("care.md", start=3, end=9),
        GoldPassage("x", gain=2.0),
    ),
    tags=("care",),
    language="en",
    weight=2.5,
)
ITEMS = [FULL, Item("q2", "What is the capital of Australia?", "decline"), Item("q3", "Wer öffnet „es“?\u2009", "open")]


def tidy(items: list[Item]) -> list[Item]:
    return [
        Item(**{**{name: getattr(item, name) for name in item.__slots__}, "text": item.text.strip()}) for item in items
    ]


def test_jsonl_and_csv_give_back_what_was_written() -> None:
    assert files.read_text(files.to_jsonl(ITEMS), "jsonl") == tidy(ITEMS)
    assert files.read_text(files.to_csv(ITEMS), "csv") == tidy(ITEMS)


def test_a_beir_folder_gives_back_its_questions_and_documents(tmp_path: Path) -> None:
    judged = [Item("1", "Where?", gold=(GoldPassage("d1"), GoldPassage("d2", gain=2.0)))]

    files.write_beir(tmp_path, [*judged, ITEMS[1]], [("d1", "Title", "Text"), ("d2", "", "Plain")])

    assert files.read_path(tmp_path) == judged
    assert list(files.corpus_of(tmp_path)) == [("d1.md", b"# Title\n\nText\n"), ("d2.txt", b"Plain\n")]


def test_a_beir_folder_needs_no_corpus(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text('{"_id": "7", "text": "Where?"}\n{"_id": "8", "text": "Unjudged?"}\n')
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n7\td1\t1\n7\td2\t0\n")

    assert files.read_path(tmp_path) == [Item("7", "Where?", gold=(GoldPassage("d1"),))]


def test_squad_rows_are_read_as_they_are() -> None:
    rows = [
        {"id": "a", "question": "When?", "answers": ["1973", "1973"], "unanswerable": False, "context_id": "oil#0"},
        {"id": "b", "question": "Why?", "answers": [], "unanswerable": True, "context_id": "oil#0"},
    ]

    read = files.read_text("\n".join(json.dumps(row) for row in rows), "jsonl")

    assert read == [Item("a", "When?", answers=("1973",), gold=(GoldPassage("oil#0"),)), Item("b", "Why?", "decline")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense", "Line 1 is not JSON"),
        ("[1]", "Line 1 is JSON, but no object"),
        ('{"id": "a"}', "Question 1 has no question"),
        ('{"question": "a", "expects": "magic"}', "expects something else"),
        ('{"question": "a", "weight": 0}', "not above 0"),
        ('{"question": "a", "gold": [{"quote": "b"}]}', "without a document"),
        ('{"question": "a", "gold": [{"document": "b", "start": 5, "end": 5}]}', "no span"),
        ('{"id": "1", "question": "a"}\n{"id": "1", "question": "b"}', "id of an earlier one"),
    ],
)
def test_what_is_no_golden_question_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(Malformed, match=says):
        files.read_text(text, "jsonl")


def test_the_sample_set_reads_and_names_documents_that_ship() -> None:
    from documents.demo import SAMPLES
    from evaluation.golden.sample import PATH

    items = files.read_path(PATH)

    texts = {path.name: " ".join(path.read_text().split()) for path in SAMPLES.glob("*.md")}
    lost = [item.key for item in items for p in item.gold if p.quote not in texts.get(p.document, "").replace("**", "")]
    assert lost == []
    assert {item.expects for item in items} == {"answer", "decline"}
