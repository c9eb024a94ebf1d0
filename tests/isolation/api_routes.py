"""The declared rule of every API route. The suite compares them with the API's own description."""

from __future__ import annotations

from tests.isolation.matrix import Case
from tests.isolation.sending import (
    PAPERS,
    PEOPLE,
    ZEBRA,
    delete,
    deleted,
    forgotten,
    get,
    own_then,
    post,
    post_json,
    queued,
    quoted,
    upload,
    uploaded,
)

OPEN = {"api_schema": "describes the API"}

API = (
    Case(
        "api_search", "POST", post_json("api_search", question=ZEBRA), PAPERS, shows="text", needs="read", is_list=True
    ),
    Case(
        "api_search",
        "POST into a collection",
        post_json("api_search", question=ZEBRA, collections=["collection_ref"]),
        PAPERS,
        shows="text",
        needs="read",
    ),
    Case("api_questions", "GET", get("api_questions"), PEOPLE, shows="question", needs="ask", is_list=True),
    Case(
        "api_questions",
        "POST",
        post_json("api_questions", question=ZEBRA),
        PAPERS,
        shows="text",
        needs="ask",
        is_list=True,
    ),
    Case(
        "api_questions",
        "POST into a collection",
        post_json("api_questions", question=ZEBRA, collections=["collection_ref"]),
        PAPERS,
        did=quoted,
        fresh="ready",
        needs="ask",
    ),
    Case("api_question", "GET", get("api_question", "question_ref"), PEOPLE, shows="question", needs="ask"),
    Case(
        "api_question",
        "DELETE",
        delete("api_question", "question_ref"),
        PEOPLE,
        did=forgotten,
        fresh="ready",
        needs="ask",
    ),
    Case("api_collections", "GET", get("api_collections"), PAPERS, shows="collection", needs="read", is_list=True),
    Case("api_documents", "GET", get("api_documents"), PAPERS, shows="name", needs="read", is_list=True),
    Case(
        "api_documents",
        "GET of a collection",
        get("api_documents", collection="collection_ref"),
        PAPERS,
        shows="name",
        needs="read",
    ),
    Case(
        "api_documents",
        "GET a state",
        get("api_documents", state="=ready", collection="collection_ref"),
        PAPERS,
        shows="name",
        needs="read",
    ),
    Case(
        "api_documents",
        "POST into a collection",
        upload("api_documents", collection="collection_ref"),
        PAPERS,
        did=uploaded,
        fresh="ready",
        needs="ingest",
        is_write=True,
    ),
    Case("api_document", "GET", get("api_document", "document_ref"), PAPERS, shows="name", needs="read"),
    Case(
        "api_document",
        "DELETE",
        delete("api_document", "document_ref"),
        PAPERS,
        did=deleted,
        fresh="ready",
        needs="ingest",
        is_write=True,
    ),
    Case(
        "api_document_retry",
        "POST",
        post("api_document_retry", "document_ref"),
        PAPERS,
        did=queued,
        fresh="ready",
        needs="ingest",
        is_write=True,
    ),
    Case(
        "api_document_versions", "GET", get("api_document_versions", "document_ref"), PAPERS, shows="name", needs="read"
    ),
    Case("api_document_chunks", "GET", get("api_document_chunks", "document_ref"), PAPERS, shows="text", needs="read"),
    Case(
        "api_document_chunks",
        "GET a version",
        get("api_document_chunks", "document_ref", version="version_ref"),
        PAPERS,
        shows="text",
        needs="read",
    ),
    Case(
        "api_document_chunks",
        "GET a version of another",
        own_then("api_document_chunks", "document_ref", version="version_ref"),
        PAPERS,
        shows="text",
        needs="read",
        mixed=True,
    ),
)
