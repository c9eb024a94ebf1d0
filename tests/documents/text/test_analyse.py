from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.text.analyse import (
    NAME_WEIGHT,
    analyse,
    exact_names,
    frequencies,
    identifiers,
    is_identifier,
    query_terms,
    term_id,
    terms,
    with_names,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Charging customers", ["charg", "custom"]),
        ("createCheckoutSession", ["createcheckoutsession", "creat", "checkout", "session"]),
        ("Error E4304.", ["error", "e4304", "4304"]),
        ("version 2.0.10", ["version", "2.0.10", "2.0"]),
        ("POST /v1/charges", ["post", "/v1/charges", "charg"]),
        ("max_length", ["max_length", "max", "length"]),
        ("use `--no-input` and -v", ["use", "--no-input", "no", "input", "and", "-v", "v"]),
        ("settings.DEBUG", ["settings.debug", "set", "debug"]),
        ("connect()", ["connect"]),
        ("ada@example.com", ["ada@example.com", "ada", "exampl", "com"]),
        ("1,234.56 and 3.5", ["1234.56", "and", "3.5"]),
        ("C++ or C#", ["c++", "or", "c#"]),
        ("don't users'", ["dont", "user"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("猫", ["猫"]),
        ("ﾃｽﾄ", ["テス", "スト"]),
        ("한국어 문서", ["한국", "국어", "문서"]),
        ("สวัสดี", ["สวั", "วัส", "สดี"]),
        ("错误E4304码", ["错误", "e4304", "4304", "码"]),
        ("Café CAFÉ cafe", ["cafe", "cafe", "cafe"]),
        ("اَلْكِتَابُ الكتاب", ["كتاب", "كتاب"]),
        ("ёлка елка", ["елк", "елк"]),
        ("", []),
        ("— … !!! 🎉", []),
    ],
)
def test_text_becomes_these_terms(text: str, expected: list[str]) -> None:
    assert analyse(text) == expected


def test_language_picks_the_stemmer_of_latin_script() -> None:
    assert analyse("Häuser", language="de") == analyse("Haus", language="de")
    assert analyse("l'homme", language="fr") == analyse("homme", language="fr")


def test_cyrillic_and_arabic_need_no_language() -> None:
    assert analyse("документы", language="de") == analyse("документы", language="ru") == analyse("документы")


def test_a_question_is_stemmed_under_every_language_of_its_documents() -> None:
    found = query_terms("Häuser", languages=("en", "de"))

    assert set(terms("Häuser", language="en")) | set(terms("Häuser", language="de")) == set(found)


@pytest.mark.parametrize(
    "token",
    [
        "E4304", "createCheckoutSession", "2.0.10", "v1.2", "/v1/charges", "snake_case", "settings.DEBUG", "--flag",
        "-v", "ada@example.com", "a.b.c()", "connect()", "INV-2024-001", "1002345", "HttpResponse", "std::vector",
        "utf8", "src/main.py", "`DATABASE_URL`",
    ],
)  # fmt: skip
def test_exact_names_are_identifiers(token: str) -> None:
    assert is_identifier(token)


@pytest.mark.parametrize(
    "token",
    [
        "word",
        "Word",
        "HTTP",
        "well-known",
        "and/or",
        "2022",
        "5000",
        "10,000",
        "3.5",
        "U.S.",
        "e.g.",
        "1st",
        "5GB",
        "GitHub",
        "it's",
        "a",
    ],
)
def test_ordinary_words_are_not_identifiers(token: str) -> None:
    assert not is_identifier(token)


def test_identifiers_of_a_question_are_terms_of_its_text() -> None:
    question = "Why does createCheckoutSession() raise E4304 (see /v1/charges?) 从E4305"

    assert identifiers(question) == ("createcheckoutsession", "e4304", "/v1/charges", "e4305")
    assert set(identifiers(question)) <= set(analyse(question))


def test_a_version_is_never_near_its_neighbour() -> None:
    assert "2.0.1" not in analyse("2.0.10")


def test_term_ids_are_stable_and_fit_a_bigint() -> None:
    assert term_id("charg") == 3391268657791681022
    assert -(2**63) <= term_id("e4304") < 2**63


def test_frequencies_count_every_term() -> None:
    counts, length = frequencies("cats and cats")

    assert counts == {term_id("cat"): 2, term_id("and"): 1}
    assert length == 3


@given(st.text(max_size=300))
def test_any_text_is_analysed_the_same_twice(text: str) -> None:
    found = analyse(text)

    assert found == analyse(text)
    assert all(0 < len(term) <= 96 and not any(map(str.isspace, term)) for term in found)
    counts, length = frequencies(text)
    assert sum(counts.values()) == length == len(found)


@given(st.text(max_size=80))
def test_identifiers_of_any_text_are_among_its_terms(text: str) -> None:
    assert set(identifiers(text)) <= set(analyse(text))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what changed in v2.0.10?", ["=2.0.10"]),
        ("7.4 LTS", ["=7.4"]),
        ("createCheckoutSession fails", ["=createcheckoutsession"]),
        ("#1347 and SHOP-12", ["=1347", "=shop-12"]),
        ("ticket 42", ["=42"]),
        ("plain words only", []),
        ("", []),
    ],
)
def test_exact_names_are_terms_of_their_own(text: str, names: list[str]) -> None:
    asked = query_terms(text, languages=["en"])

    assert exact_names(text) == names
    assert [term for term in asked if term.startswith("=")] == names


def test_an_entry_is_indexed_under_its_exact_name_and_only_under_its_own() -> None:
    plain, _ = frequencies("7.4.1 mends 7.4", language="en")

    found = with_names(plain, "7.4.1")

    assert found == {**plain, term_id("=7.4.1"): NAME_WEIGHT}
    assert term_id("=7.4") not in found
