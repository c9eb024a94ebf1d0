"""How near an answer's text is to the expected one, as SQuAD counts it (Rajpurkar et al. 2016, evaluate-v2.0)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Small letters, without ASCII punctuation, English articles and repeated spaces."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def exact_match(answer: str, expected: Sequence[str]) -> float:
    """1.0 when the answer equals one of the expected texts after normalisation; no expected text means "" is right."""
    return max(float(normalised(answer) == normalised(text)) for text in expected or [""])


def token_f1(answer: str, expected: Sequence[str]) -> float:
    """Best F1 over the expected texts of the words both share, repeats counted; no expected text means "" is right.

    Where either side has no word left, it is 1.0 if both are empty, else 0.0.
    """
    return max(_f1(normalised(answer).split(), normalised(text).split()) for text in expected or [""])


def _f1(answer: Sequence[str], expected: Sequence[str]) -> float:
    if not answer or not expected:
        return float(answer == expected)
    shared = (Counter(answer) & Counter(expected)).total()
    return 2 * shared / (len(answer) + len(expected))
