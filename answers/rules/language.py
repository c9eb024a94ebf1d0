"""The language of a question, by script and by its small words: enough to choose stop words and question words."""

from __future__ import annotations

import re
from typing import Final

from answers.rules.stopwords import STOP_WORDS

_SCRIPTS: Final = (
    ("ja", re.compile("[\u3040-\u30ff\uff66-\uff9d]")),
    ("ko", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
_LATIN: Final = ("en", "de", "fr", "es", "it", "pt", "nl")


def language_of(text: str, fallback: str = "en") -> str:
    """An ISO 639-1 code. A Latin text without a telling small word is `fallback`; a tie goes to the earlier of the list."""
    letters = sum(c.isalpha() for c in text)
    for code, script in _SCRIPTS:
        if len(script.findall(text)) * 4 > letters:
            return code
    words = set(re.findall(r"[^\W\d_]{2,}", text.casefold()))
    scores = {code: len(words & STOP_WORDS[code]) for code in _LATIN}
    best = max(_LATIN, key=lambda code: scores[code])
    return best if scores[best] > scores.get(fallback, 0) else fallback
