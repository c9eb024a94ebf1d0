"""What a question is about, as words that can stand in another one: a name, or a noun with what belongs to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from answers.rules.follow_up_words import (
    ARTICLES,
    ASKERS,
    AUXILIARIES,
    FIRST_WORDS,
    JOINS,
    OPENERS,
    PREPOSITIONS,
    VERBS_AT_END,
)
from documents.text.analyse import is_identifier
from documents.text.language import detect

_WORD: Final = re.compile(r"[^\s?？!！,;:()\"“”]+")


def topic_of(question: str) -> str:
    """The topic of one question, "" where rules find none.

    A question that names something is about what it names. Else it is about what follows "what is" or "how do I <verb>",
    or the first noun with an article, without a verb at its end.
    """
    words = _WORD.findall(question)
    body, has_verb_at_end = _body(words)
    if not body:
        return ""
    led = next((place for place, word in enumerate(body) if word.casefold() in ARTICLES), None)
    named = _named(body, question)
    phrase = _phrase(body[led:] if led is not None else body)
    if named and not (led is not None and named in " ".join(phrase) and _is_inside(phrase, named)):
        return named
    return " ".join(
        _without_verb(phrase, is_whole=len(phrase) == len(body[led or 0 :]), has_verb_at_end=has_verb_at_end)
    )


def _is_inside(phrase: Sequence[str], named: str) -> bool:
    """“a dependency in FastAPI”, “an API key”: the name tells which, it is not what is asked about."""
    first, last = named.split(maxsplit=1)[0], named.rsplit(maxsplit=1)[-1]
    at = phrase.index(first) if first in phrase else 0
    ties = phrase[at - 1].casefold() in JOINS
    goes_on = last in phrase and phrase.index(last) + 1 < len(phrase) and phrase[phrase.index(last) + 1].islower()
    return (at > 1 and ties) or (at == 1 and goes_on)


def language_of(text: str) -> str:
    """As detected, else by its first words, else English."""
    found = detect(text)
    if found:
        return found
    words = {word.casefold().lstrip("¿") for word in text.split()}
    return next((language for language, first in FIRST_WORDS.items() if words & first), "en")


def _body(words: Sequence[str]) -> tuple[list[str], bool]:
    """Without what asks: "how do I install", "what is"; and whether a verb must stand at the end of what is left."""
    rest = list(words)
    helped = False
    while rest and rest[0].casefold().lstrip("¿") in OPENERS | AUXILIARIES:
        helped = helped or rest[0].casefold() in {"do", "does", "did"}
        rest = rest[1:]
    if rest and rest[0].casefold() in ASKERS:
        return rest[2:], False  # the person, and the verb
    inside = next((at for at, word in enumerate(rest) if word.casefold() in AUXILIARIES), None)
    if inside is not None and inside <= 4 and rest[inside + 1 :]:
        later, is_helped = _body(rest[inside:])
        return (later or rest), is_helped
    if (
        not helped
        and len(rest) > 1
        and rest[0].casefold() not in ARTICLES
        and words[0].casefold() in {"who", "wer", "qui", "chi"}
    ):
        second = words[1].casefold()
        rest = rest if second in AUXILIARIES else rest[1:]
    return rest, helped


def _named(body: Sequence[str], question: str) -> str:
    """The first run of names, or the first identifier with the noun before it ("status code 422")."""
    first = question.split(maxsplit=1)[:1]
    for place, word in enumerate(body):
        is_exact = is_identifier(word)
        if is_exact or re.fullmatch(r"\d{3,}|[A-Z]", word):
            start = place
            while start and _is_noun(body[start - 1]) and place - start < 3:
                start -= 1
            if is_exact or start < place:
                return " ".join(body[start : place + 1])
    if _is_german(question):
        return ""
    run: list[str] = []
    for word in body:
        if word[:1].isupper() and [word] != first and word.casefold() not in ASKERS:
            run.append(word)
        elif run:
            break
    return " ".join(run)


def _is_german(question: str) -> bool:
    """Where every noun is a capital, capitals name nothing."""
    return language_of(question).startswith("de")


def _is_noun(word: str) -> bool:
    plain = word.casefold()
    return plain.isalpha() and plain not in ARTICLES | PREPOSITIONS | AUXILIARIES | OPENERS


def _phrase(words: Sequence[str]) -> list[str]:
    """From an article on to the end of the noun and what "of" or "in" ties to it."""
    taken: list[str] = []
    for place, word in enumerate(words):
        plain = word.casefold()
        if place and plain in AUXILIARIES:
            break
        if place and plain in PREPOSITIONS and plain not in JOINS:
            break
        if place > 1 and plain in ARTICLES and taken[-1].casefold() not in JOINS:
            break
        taken.append(word)
    while taken and taken[-1].casefold() in PREPOSITIONS | ARTICLES:
        taken.pop()
    return taken[:8]


def _without_verb(phrase: Sequence[str], *, is_whole: bool, has_verb_at_end: bool) -> list[str]:
    taken = list(phrase)
    floor = 2 if taken and taken[0].casefold() in ARTICLES else 1
    if len(taken) > floor:
        last = taken[-1].casefold()
        if last in VERBS_AT_END or last.endswith("ed") or (is_whole and has_verb_at_end):
            taken.pop()
    return taken
