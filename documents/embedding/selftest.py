"""Does an encoder tell what belongs together? Asked at each start: wrong pooling or another tokenizer give vectors all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.embedding.model import ModelUnusable, TextEncoder

LEAST_GAP = 0.04
"""all-MiniLM-L6-v2 has .45 or more on the English pairs (-.06 with its vocabulary shuffled), multilingual-e5-small .06 on all."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, the passage that answers it, and one of another subject."""

    question: str
    passage: str
    other: str


# What does not answer shares words with the question, what does answer hardly any: matching words alone do not pass.
ENGLISH = (
    Pair(
        "How do I change my password?",
        "To reset login credentials, open the account's security settings.",
        "The weather may change on the way to my village.",
    ),
    Pair(
        "Which bread needs no yeast?",
        "Soda loaf: flour and buttermilk, raised by baking powder.",
        "A law needs two readings in parliament.",
    ),
)
MANY = (
    *ENGLISH,
    Pair("Wie \u00e4ndere ich mein Passwort?", ENGLISH[0].passage, ENGLISH[0].other),
    Pair("如何更改我的密码?", ENGLISH[0].passage, ENGLISH[0].other),
)


def gaps(encoder: TextEncoder, pairs: Sequence[Pair] = ENGLISH) -> list[float]:
    """How much nearer the right passage is, in cosine."""
    return [_gap(encoder, pair) for pair in pairs]


def prove(encoder: TextEncoder, pairs: Sequence[Pair] = ENGLISH) -> None:
    """Raises ModelUnusable when a passage of another subject is as near to a question as the one that answers it."""
    least = min(gaps(encoder, pairs))
    if not least >= LEAST_GAP:
        raise ModelUnusable(
            f"{encoder.name} does not tell texts apart: the right passage is only {least:.2f} nearer than a wrong one. Its "
            "pooling (1_Pooling/config.json), its prefixes (config_sentence_transformers.json) or its tokenizer is another's."
        )


def _gap(encoder: TextEncoder, pair: Pair) -> float:
    question = encoder.embed_one(pair.question, as_question=True).vector
    right, wrong = (encoder.embed_one(text).vector for text in (pair.passage, pair.other))
    return float(question @ right) - float(question @ wrong)
