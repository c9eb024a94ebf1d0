"""The local embedding process: `python -m documents.embedding.server --port 8901`. OpenAI-compatible, on loopback.

It serves the model that EMBEDDER_MODEL or --model names when that one is local, else the default one; or the one in --model-dir.
One model in memory for web and worker alike. The key comes from EMBEDDER_KEY (or EMBEDDER_KEY_FILE). No text of a
request ever reaches a log line or an error.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from documents.embedding import selftest
from documents.embedding.listener import EmbeddingServer
from documents.embedding.model import Encoder, ModelUnusable, TextEncoder, default_files, files_in
from portal import env

MULTILINGUAL = "multilingual-e5-small"
log = logging.getLogger("footnote.embedder")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="documents.embedding.server")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8901)
    parser.add_argument("--model", default="", help="its name; EMBEDDER_MODEL when left out")
    parser.add_argument("--model-dir", type=Path, help="a directory with model.onnx and tokenizer.json")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stderr)
    settings = env.current()
    key = settings.embedder_key
    if not key and options.host not in {"127.0.0.1", "::1", "localhost"}:
        sys.stderr.write("Without EMBEDDER_KEY the embedding process listens on 127.0.0.1 alone.\n")
        return 2
    model = options.model or settings.embedder_model
    return serve(options.host, options.port, key=key, load=lambda: encoder_of(model, options.model_dir))


def encoder_of(model: str, model_dir: Path | None) -> TextEncoder:
    """The encoder, proved to tell texts apart. Raises ModelUnusable."""
    if model == MULTILINGUAL and model_dir is None:
        from documents.embedding.multilingual import MultilingualEncoder  # of an extra

        many = MultilingualEncoder()
        selftest.prove(many, selftest.MANY)
        return many
    encoder = Encoder(files_in(model_dir) if model_dir else default_files())
    selftest.prove(encoder)
    return encoder


def serve(host: str, port: int, *, key: str, load: Callable[[], TextEncoder]) -> int:
    """Until SIGTERM or SIGINT; 0 after a clean stop, 2 when it cannot start (said in words on stderr)."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        server = EmbeddingServer(host, port, key=key)
    except OSError as error:
        sys.stderr.write(f"The embedding process cannot listen on {host}:{port}: {error.strerror}.\n")
        return 2
    with server:
        try:
            server.use(load())
        except ModelUnusable as error:
            sys.stderr.write(f"The embedding process cannot start. {error}\n")
            return 2
        threading.Thread(target=server.serve_forever, args=(0.1,), name="accept", daemon=True).start()
        encoder = server.encoder
        log.info("embedder.ready model=%s dims=%d port=%d", encoder.name, encoder.dims, server.server_port)
        stop.wait()
        server.shutdown()
        server.line.close()
    log.info("embedder.stopped")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
