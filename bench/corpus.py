"""Five hundred and fifty-three real files through the upload, then the forty questions of bench/questions.toml."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import inside, pipeline
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Asked, Upload, Visitor, running

QUESTIONS = Path(__file__).with_name("questions.toml")
BATCH = 20
WITHIN_S = 7200.0
DEPTH = 8


@dataclass(frozen=True, slots=True)
class Asking:
    """A question of the list, and the documents that hold its answer; none for an off-topic one."""

    text: str
    right: frozenset[str] = frozenset()


@measures(
    Bar("docs_ready_share", ">=", 0.99),
    Bar("questions_first3", ">=", 18),
    Bar("questions_first", ">=", 14),
    Bar("offtopic_declined", ">=", 19),
    is_long=True,
)
def docs(bench: Bench) -> Figures:
    """The embedded corpus stays in the bench's state directory; the next run uploads only duplicates."""
    plan = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))
    files = list(corpus(bench.data / "docs", plan))
    with running(bench.kept("docs")) as stack:
        collection = inside.call(stack.state, "bench.inside_corpus:collection", name=f"bench {pipeline.key()}")
        visitor = Visitor(stack)
        for start in range(0, len(files), BATCH):
            visitor.upload(
                [Upload(name, path.read_bytes()) for name, path in files[start : start + BATCH]], collection=collection
            )
        settled = inside.call(
            stack.state, "bench.inside_corpus:await_settled", collection=collection, total=len(files), within_s=WITHIN_S
        )
        report_uploads(bench, len(files), settled)
        asked = [(item, visitor.ask(item.text, collection=collection)) for item in questions(plan)]
        refs = [answer.ref for _, answer in asked]
        found = inside.call(stack.state, "bench.inside_corpus:evidence", answers=refs, depth=DEPTH)
    return {"docs_ready_share": settled["states"].get("ready", 0) / len(files), **judge(bench, asked, found)}


def corpus(docs: Path, plan: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """(name, file) of the corpus, by the rule that questions.toml states."""
    for folder in plan["corpus_folders"]:
        for path in sorted((docs / folder).rglob("*")):
            if path.is_file():
                yield path.relative_to(docs).as_posix(), path
    root = docs / plan["hashed_folder"]
    paths = [path for path in root.rglob("*") if path.is_file()]
    paths.sort(key=lambda path: hashlib.sha256(path.relative_to(root).as_posix().encode()).hexdigest())
    for path in paths[: plan["hashed_count"]]:
        yield path.relative_to(docs).as_posix(), path


def questions(plan: dict[str, Any]) -> list[Asking]:
    within = [Asking(item["text"], frozenset(item["right"])) for item in plan["question"]]
    return within + [Asking(item["text"]) for item in plan["off_topic"]]


def report_uploads(bench: Bench, total: int, settled: dict[str, Any]) -> None:
    bench.note(
        f"{total} files: {settled['states']}, {settled['chunks']} chunks, {settled['vectors']} vectors; "
        f"waited {settled['seconds']} s after the last upload"
    )
    for name, problem, detail in settled["attention"]:
        bench.note(f"not ready: {name}: {problem} {detail}".rstrip())


def judge(bench: Bench, asked: list[tuple[Asking, Asked]], found: dict[str, Any]) -> dict[str, float]:
    """Places of the right documents among the passages, and how many off-topic questions were declined."""
    first = first3 = declined = answered = 0
    for item, answer in asked:
        seen = found[answer.ref]
        if not item.right:
            declined += not answer.is_answered
            if answer.is_answered:
                bench.note(f"answered though off-topic: {item.text} → {seen['documents'][:2]}")
            continue
        place = next((rank for rank, name in enumerate(seen["documents"], 1) if name in item.right), 0)
        first += place == 1
        first3 += 1 <= place <= 3
        answered += answer.is_answered
        if place != 1 or not answer.is_answered:
            said = answer.verdict if answer.is_answered else f"declined ({seen['reason']})"
            bench.note(f"right document at {place or 'none'}, {said}: {item.text} → {seen['documents'][:3]}")
    within = sum(1 for item, _ in asked if item.right)
    bench.note(f"{answered} of {within} questions within the corpus were answered")
    times = sorted(answer.seconds for _, answer in asked)
    bench.note(f"a question took {times[len(times) // 2]:.2f} s at p50, {times[int(len(times) * 0.95)]:.2f} s at p95")
    return {"questions_first3": first3, "questions_first": first, "offtopic_declined": declined}
