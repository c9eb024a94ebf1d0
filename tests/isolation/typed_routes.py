"""The declared rule of the typed API's routes: /api/answer and OpenAI's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import reverse

from tests.isolation.matrix import Case, Sent
from tests.isolation.sending import PAPERS, PEOPLE, ZEBRA, get, post, post_json, stopped
from tests.isolation.targets import Target

OPEN = {"typed_schema": "describes the typed API"}


def chat(**more: Any) -> Callable[[Target, Target], Sent]:
    """Over everything that the key sees."""

    def sent(mine: Target, aimed: Target) -> Sent:
        body = {"model": "footnote", "messages": [{"role": "user", "content": ZEBRA[1:]}], **more}
        return Sent("POST", reverse("openai_chat"), body=body)

    return sent


def chat_with(mine: Target, aimed: Target) -> Sent:
    """The aimed collection as the model."""
    body = {"model": f"footnote:{aimed.collection_ref}", "messages": [{"role": "user", "content": ZEBRA[1:]}]}
    return Sent("POST", reverse("openai_chat"), body=body)


def the_model(mine: Target, aimed: Target) -> Sent:
    return Sent("GET", f"/v1/models/footnote:{aimed.collection_ref}")


def embed(mine: Target, aimed: Target) -> Sent:
    return Sent("POST", reverse("openai_embeddings"), body={"model": "toy", "input": "zebra"})


def models(mine: Target, aimed: Target) -> Sent:
    return Sent("GET", reverse("openai_models"))


TYPED = (
    Case("typed_answer", "POST", post_json("typed_answer", question=ZEBRA), PAPERS, shows="text", needs="ask", is_list=True),
    Case(
        "typed_answer",
        "POST for events",
        post_json("typed_answer", question=ZEBRA, stream=True),
        PAPERS,
        shows="text",
        needs="ask",
        is_list=True,
    ),
    Case(
        "typed_answer",
        "POST into a collection",
        post_json("typed_answer", question=ZEBRA, collections=["collection_ref"]),
        PAPERS,
        shows="text",
        needs="ask",
    ),
    Case(
        "typed_answer",
        "POST after a question",
        post_json("typed_answer", question="=What about it?", previous="question_ref"),
        PEOPLE,
        shows="question",
        needs="ask",
    ),
    Case("typed_kept", "GET", get("typed_kept", "answer_ref"), PEOPLE, shows="question", needs="ask"),
    Case("typed_stop", "POST", post("typed_stop", "answer_ref"), PEOPLE, did=stopped, fresh="ready", needs="ask"),
    Case("openai_chat", "POST", chat(), PAPERS, shows="text", needs="ask", is_list=True),
    Case("openai_chat", "POST for chunks", chat(stream=True), PAPERS, shows="text", needs="ask", is_list=True),
    Case("openai_chat", "POST to a collection's model", chat_with, PAPERS, shows="text", needs="ask"),
    Case("openai_models", "GET", models, PAPERS, shows="collection", needs="ask", is_list=True),
    Case("openai_model", "GET", the_model, PAPERS, shows="collection", needs="ask"),
    Case("openai_embeddings", "POST", embed, ("ada",), needs="ask", is_list=True),
)  # fmt: skip
