"""Golden sets as files: JSONL, CSV, and BEIR folders (queries.jsonl, qrels, and a corpus that may be absent)."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from evaluation.golden.item import GoldPassage, Item, Malformed, read_item

Format = Literal["jsonl", "csv", "beir"]
COLUMNS = ("id", "question", "expects", "answers", "key_facts", "gold", "tags", "language", "weight")
MAX_QUESTIONS = 50_000
QRELS = ("qrels/test.tsv", "qrels.tsv", "qrels/dev.tsv", "qrels/train.tsv")


def format_of(path: Path) -> Format:
    """By what it is: a folder is BEIR's, .csv is a table, anything else JSONL."""
    if path.is_dir():
        return "beir"
    return "csv" if path.suffix.lower() == ".csv" else "jsonl"


def read_path(path: Path, kind: Format | None = None) -> list[Item]:
    """Every question of a file or folder. Raises Malformed with the line, and OSError when it cannot be opened."""
    kind = kind or format_of(path)
    return read_beir(path) if kind == "beir" else read_text(path.read_text(encoding="utf-8-sig"), kind)


def read_text(text: str, kind: Format) -> list[Item]:
    """As read_path, for what a form sent."""
    rows = csv.DictReader(io.StringIO(text)) if kind == "csv" else _json_lines(text.splitlines())
    return _items(rows)


def _items(rows: Iterable[dict[str, Any]]) -> list[Item]:
    items: list[Item] = []
    seen: set[str] = set()
    for number, row in enumerate(rows, 1):
        if number > MAX_QUESTIONS:
            raise Malformed(f"More than {MAX_QUESTIONS:,} questions: split the file.")
        try:
            item = read_item(row)
        except Malformed as trouble:
            raise Malformed(f"Question {number} {trouble}.") from None
        if item.key in seen:
            raise Malformed(f"Question {number} has the id of an earlier one.")
        seen.add(item.key)
        items.append(item)
    return items


def _json_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            raise Malformed(f"Line {number} is not JSON.") from None
        if not isinstance(row, dict):
            raise Malformed(f"Line {number} is JSON, but no object.")
        yield row


def read_beir(folder: Path) -> list[Item]:
    """The judged queries, with their documents as gold; a query without a judgement is left out."""
    found = next((folder / name for name in QRELS if (folder / name).is_file()), None)
    if found is None:
        raise Malformed("The folder holds no qrels.tsv and no qrels/test.tsv.")
    judged: dict[str, list[GoldPassage]] = defaultdict(list)
    with found.open(encoding="utf-8") as file:
        for row in csv.reader(file, delimiter="\t"):
            if len(row) >= 3 and row[0] != "query-id" and float(row[-1]) > 0:
                judged[row[0]].append(GoldPassage(row[-2], gain=float(row[-1])))
    with (folder / "queries.jsonl").open(encoding="utf-8") as file:
        queries = [(str(row.get("_id") or row.get("id")), row) for row in _json_lines(file)]
    kept = [{"id": key, "text": row["text"]} for key, row in queries if key in judged]
    return [_with_gold(item, judged[item.key]) for item in _items(kept)]


def _with_gold(item: Item, gold: list[GoldPassage]) -> Item:
    return Item(item.key, item.text, "answer", gold=tuple(gold), language=item.language)


def corpus_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(file name, content) of each document: Markdown where there is a title, else plain text."""
    with (folder / "corpus.jsonl").open(encoding="utf-8") as file:
        for row in _json_lines(file):
            key, title = str(row.get("_id") or row.get("id")), row.get("title") or ""
            text = f"# {title}\n\n{row['text']}\n" if title else f"{row['text']}\n"
            yield f"{key}.md" if title else f"{key}.txt", text.encode()


def to_jsonl(items: Iterable[Item]) -> str:
    return "".join(json.dumps(item.plain(), ensure_ascii=False) + "\n" for item in items)


def to_csv(items: Iterable[Item]) -> str:
    """A table whose list cells are JSON, so that reading it again gives the same items."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    for item in items:
        row = item.plain()
        cells = {
            name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
            for name, value in row.items()
        }
        writer.writerow(cells)
    return out.getvalue()


def write_beir(folder: Path, items: Iterable[Item], corpus: Iterable[tuple[str, str, str]] = ()) -> None:
    """queries.jsonl and qrels/test.tsv; with `corpus`, (id, title, text) each, corpus.jsonl too."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    with (
        (folder / "queries.jsonl").open("w", encoding="utf-8") as queries,
        (folder / "qrels" / "test.tsv").open("w", encoding="utf-8") as qrels,
    ):
        qrels.write("query-id\tcorpus-id\tscore\n")
        for item in items:
            queries.write(json.dumps({"_id": item.key, "text": item.text}, ensure_ascii=False) + "\n")
            gains = {passage.document: passage.gain for passage in item.gold}
            qrels.writelines(f"{item.key}\t{name}\t{gain:g}\n" for name, gain in gains.items())
    if documents := list(corpus):
        with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
            for key, title, text in documents:
                file.write(json.dumps({"_id": key, "title": title, "text": text}, ensure_ascii=False) + "\n")
