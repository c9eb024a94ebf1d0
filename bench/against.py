"""Our search beside what a user would pick instead: the same chunks and vectors, one run, a virtual environment for each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench import inside, picture
from bench.registry import Bar, Bench, Figures, measures

REQUIREMENTS = {
    "bare": ("psycopg[binary]==3.3.9", "pgvector==0.5.1", "numpy==2.4.6"),
    "words": ("bm25s==0.3.16", "PyStemmer==3.1.0", "numpy==2.4.6"),
    "langchain": ("langchain-postgres==0.0.19", "psycopg[binary]==3.3.9"),
    "llamaindex": ("llama-index-core==0.14.25", "llama-index-vector-stores-postgres==0.9.0"),
    "haystack": ("haystack-ai==3.4.1", "pgvector-haystack==8.1.2", "psycopg[binary]==3.3.9"),
}
NAMES = {
    "bare": "bare pgvector",
    "words": "bm25s",
    "langchain": "LangChain",
    "llamaindex": "LlamaIndex",
    "haystack": "Haystack",
}
SETS = ("scifact", "cranfield", "faq-django", "xquad/en", "xquad/de", "xquad/zh", "xquad/ar", "xquad/ru")
FRAMEWORKS = ("langchain", "llamaindex", "haystack")
QUESTIONS = 300
Found = dict[str, dict[str, float]]


@measures(
    Bar("peers_behind_in_quality", "=", 1), Bar("peers_behind_in_latency", "=", 1), is_long=True, needs=("linux",)
)
def peers(bench: Bench) -> Figures:
    """Share of (set, framework) where our hybrid search beats the framework's better way in nDCG@10, and its hybrid in
    CPU time at p95, which other work on the machine does not change; wall times are noted.
    """
    found = {name: one_set(bench, name) for name in SETS}
    (bench.state / "peers" / "search.svg").write_text(
        picture.drawn(named(found["scifact"]), "SciFact"), encoding="utf-8"
    )
    better = [ours_ahead(each, peer, "ndcg") for each in found.values() for peer in FRAMEWORKS]
    faster = [ours_ahead(each, peer, "cpu_p95") for each in found.values() for peer in FRAMEWORKS]
    return {"peers_behind_in_quality": sum(better) / len(better), "peers_behind_in_latency": sum(faster) / len(faster)}


@measures(Bar("peers_behind_on_scifact", "=", 1), is_long=True, needs=("linux",))
def on_scifact(bench: Bench) -> Figures:
    """The same on one set alone, both ways at once."""
    found = one_set(bench, "scifact")
    (bench.state / "peers" / "search.svg").write_text(picture.drawn(named(found), "SciFact"), encoding="utf-8")
    ahead = [ours_ahead(found, peer, figure) for peer in FRAMEWORKS for figure in ("ndcg", "cpu_p95")]
    return {"peers_behind_on_scifact": sum(ahead) / len(ahead)}


def one_set(bench: Bench, name: str) -> Found:
    """Figures by "who, way", kept as JSON beside the peers and noted line by line."""
    place = bench.state / "peers"
    exchange = place / name.replace("/", "-")
    found: Found = inside.beside(
        bench.kept("sets"),
        "bench.inside_peers:measure",
        without=("valkey",),
        folder=str(bench.data / "sets" / name),
        limit=QUESTIONS,
        pythons={peer: str(environment(bench, place, peer)) for peer in REQUIREMENTS},
        exchange=str(exchange),
    )
    (place / f"{name.replace('/', '-')}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    for who, figures in found.items():
        bench.note(f"{name}, {who}: " + ", ".join(f"{figure} {value:.4g}" for figure, value in figures.items()))
    return found


def named(found: Found) -> Found:
    """With the names that people know them by."""
    parts = {key: key.split(", ") for key in found}
    return {f"{NAMES.get(who, who)}, {way}": found[key] for key, (who, way) in parts.items()}


def environment(bench: Bench, place: Path, peer: str) -> Path:
    """The Python of the peer's own virtual environment, made when it is not there or names other versions."""
    home, wanted = place / peer, "\n".join(REQUIREMENTS[peer])
    mark, python = home / "requirements.txt", home / "bin" / "python"
    if not mark.exists() or mark.read_text(encoding="utf-8") != wanted:
        bench.note(f"installing {NAMES[peer]}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        subprocess.run(
            [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *REQUIREMENTS[peer]],
            check=True,
        )
        mark.write_text(wanted, encoding="utf-8")
    return python


def ours_ahead(found: Found, peer: str, figure: str) -> bool:
    """A peer that gave no answer is not behind."""
    theirs = [found[f"{peer}, {way}"][figure] for way in ("vector", "hybrid") if f"{peer}, {way}" in found]
    if len(theirs) < 2:
        return False
    ours = found["Footnote, hybrid"][figure]
    return ours > max(theirs) if figure == "ndcg" else ours < theirs[1]
