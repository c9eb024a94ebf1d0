"""A follow-up as a question that stands alone, by rules: what is left out is taken from the question before.

A model does it better where there is one (answers/conversation.py). Rules look at three kinds of leaning: a fragment that
takes the place of something of its kind ("and 2023?"), a word that stands for something ("how do I install it?"), and a
question with nothing of its own ("why?"). What they cannot tell apart they leave as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from answers.rules import follow_up_cjk
from answers.rules.follow_up_topic import language_of, topic_of
from answers.rules.follow_up_words import (
    ARTICLES,
    AUXILIARIES,
    DUMMY_IT,
    GERMAN_WITH,
    LEADS,
    MORE,
    OPENERS,
    OWNERS,
    PERSONS,
    POINTING,
    PREPOSITIONS,
    PRONOUNS,
)
from answers.rules.question import MAX_CHARACTERS, kind_of, tidy
from answers.rules.words import content_terms
from documents.text.analyse import identifiers

FRAGMENT_WORDS: Final = 7
BARE_WORDS: Final = 4
_END: Final = " ?？!！.。…"
_LEADS: Final = tuple(re.compile(lead, re.IGNORECASE) for lead in LEADS)
_WORD: Final = re.compile(r"[^\s?？!！,;:()\"“”]+")


def standalone(text: str, earlier: Sequence[str]) -> str:
    """`text` completed from the newest of the `earlier` questions (oldest first); tidied `text` itself when it does not lean."""
    typed = tidy(text)
    if not earlier or not typed or len(typed) > MAX_CHARACTERS:
        return typed
    last = tidy(earlier[-1])
    if follow_up_cjk.is_such(typed):
        return follow_up_cjk.standalone(typed, last)
    lead, rest = _without_lead(typed)
    language = language_of(f"{last} {typed}")
    if not rest:
        return typed
    if _has_nothing_of_its_own(rest, has_lead=bool(lead), language=language):
        return f"{rest.rstrip(_END)[:1].upper()}{rest.rstrip(_END)[1:]}? {last}"
    if _is_fragment(rest, has_lead=bool(lead)):
        return _asking(_in_place(last, rest, language))
    return _with_topic(rest if lead and _opens(rest) else typed, last, language)


def may_lean(text: str, earlier: Sequence[str]) -> bool:
    """Whether a model is worth asking: rules see a leaning, or the text is short enough to have one that they do not see."""
    return bool(earlier) and (standalone(text, earlier) != tidy(text) or len(tidy(text)) <= 60)


def is_faithful(rewritten: str, typed: str, earlier: Sequence[str]) -> bool:
    """Whether a model's rewriting says nothing that nobody said: no new number or name, few new words, no essay."""
    said = " ".join((*earlier, typed))
    language = language_of(said)
    if len(rewritten) > len(typed) + max(len(text) for text in earlier) + 80:
        return False
    known = set(content_terms(said, language))
    terms = set(content_terms(rewritten, language))
    new = terms - known
    if any(any(c.isdigit() for c in term) for term in new) or set(identifiers(rewritten)) - set(identifiers(said)):
        return False
    own = set(content_terms(typed, language))
    return len(new) * 3 <= len(terms) and len(own & terms) * 2 >= len(own)


# ---- what kind of leaning


def _without_lead(text: str) -> tuple[str, str]:
    """("and what about ", "2023?"): the longest lead, and the rest."""
    found = [match.group() for lead in _LEADS if (match := lead.match(text))]
    lead = max(found, key=len, default="")
    return lead, text[len(lead) :].strip()


def _opens(text: str) -> bool:
    first = _words(text)[:1]
    return bool(first) and first[0].casefold().lstrip("¿") in OPENERS


def _is_fragment(rest: str, *, has_lead: bool) -> bool:
    words = _words(rest)
    if not words or _opens(rest):
        return False
    if has_lead:
        return len(words) <= FRAGMENT_WORDS and words[0].casefold() not in {"if", "wenn", "si", "se"}
    is_number = all(re.fullmatch(r"[\W\d]+", word) or word.casefold() in PREPOSITIONS for word in words)
    leads_on = words[0].casefold() in PREPOSITIONS and rest.endswith(("?", "？"))
    return len(words) <= BARE_WORDS and (is_number or leads_on)


def _has_nothing_of_its_own(rest: str, *, has_lead: bool, language: str) -> bool:
    """“why?”, “since when?”, “tell me more”, and after “and” a question of one word: “and who approves?”."""
    words = {word.casefold() for word in _words(rest)}
    own = [word for word in words - MORE - PREPOSITIONS - OPENERS if content_terms(word, language)]
    if words & PRONOUNS.get(language[:2], PRONOUNS["en"]) - {"it"} or "it" in words:
        return False
    if not own:
        return True
    return has_lead and _opens(rest) and len(own) == 1 and len(words) <= 3 and own[0].isalpha()


# ---- a fragment in the place of something of its kind


def _in_place(last: str, fragment: str, language: str) -> str:
    said = fragment.rstrip(_END)
    base = last.rstrip(_END)
    words = _words(said)
    first = words[0].casefold()
    core = [word for word in words if word.casefold() not in PREPOSITIONS | ARTICLES]
    if len(core) == 1 and (swapped := _same_shape(base, core[0])):
        return swapped
    is_article = language == "en" and first in {"a", "an"}
    if first in PREPOSITIONS and not is_article and len(words) > 1:
        return _after_preposition(base, first, said, language) or f"{base} {said}"
    return _same_noun(base, words) or _same_article(base, words) or _same_part(base, words) or f"{base} ({said})"


def _same_shape(base: str, word: str) -> str:
    """2023 for 2022, Q3 for Q1, 2.1 for 2.0.10, E4305 for E4304."""
    if not any(c.isdigit() for c in word):
        return ""
    like = [match for match in _WORD.finditer(base) if _shape(match.group()) == _shape(word)]
    return base[: like[-1].start()] + word + base[like[-1].end() :] if like else ""


def _shape(word: str) -> str:
    plain = re.sub(
        r"\d+", "9", re.sub(r"[^\W\d_]+", lambda m: "A" if m.group()[0].isupper() else "a", word.strip(".,"))
    )
    return re.sub(r"(?:\.9)+", ".9", plain)


def _after_preposition(base: str, preposition: str, said: str, language: str) -> str:
    """“for pumps” for “for motors”; a number only takes a number's place."""
    spans = list(_WORD.finditer(base))
    most = len(_words(said)) if language in {"de", "nl"} else len(spans)  # there the verb may stand at the end
    for place in reversed(range(len(spans) - 1)):
        if spans[place].group().casefold() != preposition:
            continue
        end = place + 1
        while end < min(len(spans), place + most) and (
            end == place + 1 or spans[end].group().casefold() not in PREPOSITIONS | AUXILIARIES
        ):
            end += 1
        old = base[spans[place].start() : spans[end - 1].end()]
        if bool(re.search(r"\d", old)) == bool(re.search(r"\d", said)):
            return base[: spans[place].start()] + said + base[spans[end - 1].end() :]
    return ""


def _same_noun(base: str, words: Sequence[str]) -> str:
    """“pump B” for “pump A”: from the shared noun on."""
    spans = list(_WORD.finditer(base))
    for at, word in enumerate(words):
        for place, span in enumerate(spans):
            is_shared = span.group().casefold() == word.casefold() and word.casefold() not in PREPOSITIONS | ARTICLES
            if is_shared and len(words) > 1:
                start = spans[max(0, place - at)].start()
                end = spans[min(len(spans) - 1, place + len(words) - 1 - at)].end()
                return base[:start] + " ".join(words) + base[end:]
    return ""


def _same_article(base: str, words: Sequence[str]) -> str:
    """“a collection” for “a document”: the last noun that an article of the same form leads, else of any form."""
    if words[0].casefold() not in ARTICLES or len(words) < 2:
        return ""
    spans = list(_WORD.finditer(base))
    led = [place for place, span in enumerate(spans[:-1]) if span.group().casefold() in ARTICLES]
    same = [place for place in led if spans[place].group().casefold() == words[0].casefold()]
    if not led:
        return ""
    place = (same or led)[-1]
    return (
        base[: spans[place].start()]
        + " ".join(words)
        + base[spans[min(place + len(words) - 1, len(spans) - 1)].end() :]
    )


def _same_part(base: str, words: Sequence[str]) -> str:
    """A bare name or noun: for the last name in mid-sentence, the subject after the auxiliary, or the noun at the end."""
    spans = list(_WORD.finditer(base))
    if words[0][:1].isupper() or any(c.isdigit() for c in words[0]):
        names = [place for place, span in enumerate(spans) if place and span.group()[:1].isupper()]
        if names:
            first = last = names[-1]
            while first - 1 in names:
                first -= 1
            return base[: spans[first].start()] + " ".join(words) + base[spans[last].end() :]
    for place, span in enumerate(spans[:-1]):
        follows = spans[place + 1].group()
        if (
            span.group().casefold() in AUXILIARIES
            and follows.casefold() not in ARTICLES | PREPOSITIONS | PRONOUNS["en"]
        ):
            if follows.casefold() in {"i", "you", "we", "one", "ich", "man", "wir"}:
                return ""
            return base[: spans[place + 1].start()] + " ".join(words) + base[spans[place + 1].end() :]
    if len(spans) > 2 and spans[-2].group().casefold() in PREPOSITIONS and len(words) == 1:
        return base[: spans[-1].start()] + words[0] + base[spans[-1].end() :]
    return ""


# ---- a word that stands for something


def _with_topic(text: str, last: str, language: str) -> str:
    table = PRONOUNS.get(language[:2], PRONOUNS["en"])
    if re.search(DUMMY_IT, text, re.IGNORECASE):
        return text
    topic = topic_of(last)
    lean = _leaning(text, language, table)
    if lean is None:
        return text
    start, end, with_word = lean
    said = text[start:end].casefold()
    if not topic or (
        said in PERSONS and kind_of(last) == "who" and not re.match(r"who (?:is|was)\b", last, re.IGNORECASE)
    ):
        return f"{text.rstrip(_END)} ({last.rstrip(_END)})?"
    put = f"{with_word} {topic}".strip() + ("'s" if said in OWNERS and language.startswith("en") else "")
    return text[:start] + put + text[end:]


def _leaning(text: str, language: str, table: frozenset[str]) -> tuple[int, int, str] | None:
    """Where the word stands that leans, and what goes before the topic in its place."""
    spans = list(_WORD.finditer(text))
    plain = [span.group().casefold() for span in spans]
    for place, word in enumerate(plain):
        if place and word in table:
            return spans[place].start(), spans[place].end(), ""
        if language.startswith("de") and word in GERMAN_WITH and place:
            return spans[place].start(), spans[place].end(), GERMAN_WITH[word]
        if language.startswith("de") and word == "das" and place == len(plain) - 1:
            return spans[place].start(), spans[place].end(), ""
        if _points(plain, place):
            return spans[place].start(), spans[place].end(), ""
        if word == "there" and place and place == len(plain) - 1 and plain[place - 1] not in AUXILIARIES:
            return spans[place].start(), spans[place].end(), "in"
    return _clitic(text, language)


def _points(plain: Sequence[str], place: int) -> bool:
    """“What does that mean?”, “Can I undo this?”, “How do I add one?”; “this error” and “a setting that …” do not."""
    is_last = place == len(plain) - 1
    if plain[place] in {"one", "ones", "these", "those"}:
        return bool(place) and is_last
    if plain[place] not in {"this", "that"} or not place:
        return False
    follows = plain[place + 1] if not is_last else ""
    return is_last or (
        plain[place - 1] in POINTING and follows in POINTING | {"mean", "work", "happen", "cost", "apply", "also"}
    )


def _clitic(text: str, language: str) -> tuple[int, int, str] | None:
    """“Comment l'installer”, “¿Cómo instalarlo?”, “Come installarlo?”: the pronoun goes, the topic follows the verb."""
    if language.startswith("fr") and (found := re.search(r"\b(?:l'|l[ea]s? )(\w+(?:er|ir|re))\b", text)):
        return found.start(), found.end(), found.group(1)
    if language.startswith(("es", "it")) and (found := re.search(r"\b(\w+[aei]r)(?:l[aoie]s?)\b", text)):
        return found.start(), found.end(), found.group(1) + ("e" if language.startswith("it") else "")
    return None


def _words(text: str) -> list[str]:
    return [match.group() for match in _WORD.finditer(text)]


def _asking(text: str) -> str:
    return text.rstrip(_END) + "?"
