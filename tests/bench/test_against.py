"""Beside other libraries: when we count as ahead, what the peers are handed, and the picture."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from bench.against import Found, named, ours_ahead
from bench.peers import task
from bench.picture import drawn

FOUND: Found = {
    "Footnote, vector": {"ndcg": 0.65, "cpu_p50": 6, "cpu_p95": 9, "load_s": 0},
    "Footnote, hybrid": {"ndcg": 0.72, "cpu_p50": 12, "cpu_p95": 20, "load_s": 0},
    "haystack, vector": {"ndcg": 0.65, "cpu_p50": 20, "cpu_p95": 30, "load_s": 60},
    "haystack, hybrid": {"ndcg": 0.70, "cpu_p50": 40, "cpu_p95": 60, "load_s": 60},
    "langchain, vector": {"ndcg": 0.73, "cpu_p50": 5, "cpu_p95": 8, "load_s": 60},
    "langchain, hybrid": {"ndcg": 0.60, "cpu_p50": 10, "cpu_p95": 15, "load_s": 60},
}


def test_ahead_in_quality_of_the_peers_better_way_and_in_time_of_its_hybrid() -> None:
    assert ours_ahead(FOUND, "haystack", "ndcg")
    assert ours_ahead(FOUND, "haystack", "cpu_p95")
    assert not ours_ahead(FOUND, "langchain", "ndcg")
    assert not ours_ahead(FOUND, "langchain", "cpu_p95")


def test_a_peer_that_failed_is_not_behind() -> None:
    assert not ours_ahead(FOUND, "llamaindex", "ndcg")


def test_the_picture_is_well_formed_and_names_everybody_best_first() -> None:
    picture = ET.fromstring(drawn(named(FOUND), "A <set> & more"))

    words = [element.text for element in picture.iter() if element.text]
    assert "A <set> & more" in words
    names = [word for word in words if word in named(FOUND)]
    assert names[0] == "LangChain, vector"
    assert sorted(names) == sorted(named(FOUND))


def test_a_peer_reads_what_it_was_handed_and_answers_every_question_each_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chunks.jsonl").write_text('{"id": 5, "text": "five"}\n{"id": 6, "text": "six"}\n', encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text('{"text": "which?"}\n', encoding="utf-8")
    np.save(tmp_path / "vectors.npy", np.eye(2, dtype=np.float32))
    np.save(tmp_path / "asked.npy", np.ones((1, 2), dtype=np.float32))
    monkeypatch.setenv("PEER_K", "1")
    monkeypatch.setenv("PEER_DATABASE", "postgresql://anna:a%40b@127.0.0.1:5432/peers")
    monkeypatch.setattr("sys.argv", ["peer", str(tmp_path), str(tmp_path / "out.json")])
    seen: list[task.Task] = []

    def load(given: task.Task) -> dict[str, task.Search]:
        seen.append(given)
        return {"vector": lambda text, vector: [5], "hybrid": lambda text, vector: [6]}

    task.run(load)

    assert seen[0].texts == ["five", "six"]
    assert seen[0].parts["password"] == "a@b"
    answer = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert answer["vector"]["found"] == [[5]]
    assert answer["hybrid"]["found"] == [[6]]
    assert len(answer["hybrid"]["ms"]) == 1
    assert answer["hybrid"]["cpu"][0] >= 0
