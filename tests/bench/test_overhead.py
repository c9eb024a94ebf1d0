"""What stands in for the model when ingest is measured without it."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

from bench.made_vectors import DIMS, answer, vector_of
from bench.processes import role_of
from documents.embedding.client import embedder_from
from documents.embedding.transport import read_vectors


def test_a_made_vector_is_its_texts_own_and_of_length_one() -> None:
    one, again, other = vector_of("The pump."), vector_of("The pump."), vector_of("The valve.")

    assert one == again != other
    assert len(one) == DIMS
    assert sum(value * value for value in one) == pytest.approx(1.0)


def test_a_reply_holds_one_vector_a_text_in_order() -> None:
    first, second = read_vectors(answer(["a", "b"]), 2)

    assert first == pytest.approx(vector_of("a"), abs=1e-6)
    assert second == pytest.approx(vector_of("b"), abs=1e-6)


def test_a_file_that_is_named_like_a_part_makes_no_process_that_part() -> None:
    command = [sys.executable, "-c", "input()", "bench.inside", '{"files": ["ref/postgres/search.rst"]}']
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        role = role_of(psutil.Process(process.pid))
        process.communicate(b"\n")

    assert role.startswith("other")


def test_the_process_answers_as_the_embedder_does_and_is_counted_as_it() -> None:
    command = [sys.executable, "-m", "bench.made_vectors", "documents.embedding"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = process.stdout.readline().strip()
        embedder = embedder_from(f"http://127.0.0.1:{port}/v1", "", "any")

        vectors = embedder.embed(["x"] * 40, priority="bulk")

        assert len(vectors) == 40
        assert role_of(psutil.Process(process.pid)) == "embedder"
        embedder.close()
        process.kill()
