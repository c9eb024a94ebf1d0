from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from documents.embedding.model import Encoder, ModelUnusable, default_files, files_in


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(default_files())


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    files = default_files()
    shutil.copy(files.onnx, tmp_path / "model.onnx")
    shutil.copy(files.tokenizer, tmp_path / "tokenizer.json")
    return tmp_path


def test_vectors_are_unit_float32_and_in_order(encoder: Encoder) -> None:
    matrix = encoder.embed(["one", "a longer text about two things", "one"])

    assert (matrix.shape, str(matrix.dtype)) == ((3, 384), "float32")
    assert np.allclose(np.linalg.norm(matrix, axis=1), 1)
    assert np.array_equal(matrix[0], matrix[2])


def test_no_texts_give_an_empty_matrix(encoder: Encoder) -> None:
    assert encoder.embed([]).shape == (0, 384)


def test_what_stands_after_the_limit_is_not_read(encoder: Encoder) -> None:
    long = encoder.embed_one("word " * 300)
    longer = encoder.embed_one("word " * 300 + "entirely different")

    assert long.tokens == longer.tokens == 256
    assert np.array_equal(long.vector, longer.vector)


@pytest.mark.parametrize("text", ["", " ", "\x00", "🙂", "黑豹队", "a" * 5000, "\n\n"])
def test_any_text_has_a_finite_vector(encoder: Encoder, text: str) -> None:
    assert np.isfinite(encoder.embed_one(text).vector).all()


def test_other_weights_are_refused_by_name_and_digest() -> None:
    files = dataclasses.replace(default_files(), sha256="ab" * 32)

    with pytest.raises(ModelUnusable, match=r"model\.onnx of all-MiniLM-L6-v2 .* instead of abab"):
        Encoder(files)


def test_directory_is_read_as_sentence_transformers_saves_it(directory: Path, encoder: Encoder) -> None:
    (directory / "1_Pooling").mkdir()
    (directory / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    (directory / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64}))

    files = files_in(directory)
    by_first_token = Encoder(files).embed(["a text"])

    assert (files.pooling, files.max_tokens) == ("cls", 64)
    assert not np.allclose(by_first_token, encoder.embed(["a text"]), atol=0.01)


def test_directory_without_configs_pools_the_mean(directory: Path, encoder: Encoder) -> None:
    assert np.allclose(Encoder(files_in(directory)).embed(["a text"]), encoder.embed(["a text"]))


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_missing_file_is_named(directory: Path, missing: str) -> None:
    (directory / missing).unlink()

    with pytest.raises(ModelUnusable, match=f"has no {missing}"):
        files_in(directory)


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json", "sentence_bert_config.json"])
def test_broken_file_is_named(directory: Path, broken: str) -> None:
    (directory / broken).write_bytes(b"\x00not it")

    with pytest.raises(ModelUnusable, match=broken):
        Encoder(files_in(directory))
