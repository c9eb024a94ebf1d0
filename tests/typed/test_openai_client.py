"""The official `openai` client against a live server: chat whole and streamed, models, embeddings, every refusal."""

from __future__ import annotations

import math
from typing import Any

import openai
import pytest

from answers import shown
from answers.models import Answer, LiveAnswer
from portal import counting, keys, limits
from portal.models import ApiKey
from tests.answers.conftest import Name
from tests.documents.ingest.conftest import Shelf
from tests.fakes.model_server import CutAfter, ModelServer, Says
from tests.fakes.openai_server import OpenAIServer, Status, toy_vector
from tests.typed.conftest import ASKED, KeyFor

OWNER = "owner"
MESSAGES: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED}]


def chat(client: openai.OpenAI, **more: Any) -> Any:
    return client.chat.completions.create(**{"model": "footnote", "messages": MESSAGES, **more})


def test_an_answer_comes_with_its_citations_in_the_annotations(client: openai.OpenAI, site: str, shelf: Shelf) -> None:
    done = chat(client, temperature=0, user="somebody", seed=3)

    [choice] = done.choices
    [note] = choice.message.annotations
    text, cited = choice.message.content, note.url_citation
    answer = Answer.objects.using(OWNER).get()
    assert (choice.finish_reason, choice.message.role, done.object) == ("stop", "assistant", "chat.completion")
    assert "E4304 means the motor is too hot." in text
    assert text[cited.start_index : cited.end_index] == "[1]"
    assert cited.url.startswith(f"{site}/documents/") and "?chunk=" in cited.url
    assert cited.title.startswith("Pump guide")
    assert done.id == f"chatcmpl-{answer.ref}"
    assert done.footnote["ref"] == answer.ref and done.footnote["verdict"] == "supported"
    assert done.usage.total_tokens == 0


def test_what_the_documents_do_not_hold_is_said_with_the_nearest_passages(client: openai.OpenAI) -> None:
    done = chat(client, messages=[{"role": "user", "content": "Who won the football world cup in Brazil?"}])

    assert done.choices[0].message.content.startswith("Not found in your documents.")
    assert done.footnote["outcome"] == "declined"
    assert done.choices[0].finish_reason == "stop"


def test_courtesy_is_answered_without_a_search(client: openai.OpenAI) -> None:
    done = chat(client, messages=[{"role": "user", "content": "thank you"}])

    assert done.choices[0].message.content == shown.SMALL_TALK
    assert done.choices[0].message.annotations == []


def test_a_stream_ends_once_and_its_text_is_the_answer(client: openai.OpenAI, shelf: Shelf) -> None:
    chunks = list(chat(client, stream=True))
    whole = chat(client)

    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    last = [chunk for chunk in chunks if chunk.choices[0].finish_reason]
    assert text == whole.choices[0].message.content
    assert len(last) == 1 and last[0] is chunks[-1]
    assert chunks[0].choices[0].delta.role == "assistant"
    assert {chunk.id for chunk in chunks} == {f"chatcmpl-{chunks[-1].footnote['ref']}"}
    [note] = chunks[-1].choices[0].delta.annotations
    assert text[note["url_citation"]["start_index"] : note["url_citation"]["end_index"]] == "[1]"


def test_a_model_s_words_arrive_as_they_are_written_and_usage_when_it_is_asked_for(
    client: openai.OpenAI, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    model.script(Says(("E4304 means the motor ", "is too hot [1]."), between_s=0.2))

    chunks = list(chat(client, stream=True, stream_options={"include_usage": True}))

    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert pieces[0].startswith("E4304 means the motor") and len(pieces) >= 2
    assert "".join(pieces) == "E4304 means the motor is too hot [1]."
    assert [chunk.usage is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens > 0
    assert sum(bool(chunk.choices and chunk.choices[0].finish_reason) for chunk in chunks) == 1


def test_a_model_that_breaks_off_is_withdrawn_and_the_checked_answer_follows(
    client: openai.OpenAI, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model)
    model.usually = CutAfter(("The pump explodes on Tuesdays and then ",))

    chunks = list(chat(client, stream=True))

    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    void, _, checked = text.partition("is withdrawn")
    assert void.startswith("The pump explodes") or checked == ""
    assert "E4304 means the motor is too hot." in text
    assert sum(bool(chunk.choices[0].finish_reason) for chunk in chunks) == 1


def test_parts_of_text_are_one_question(client: openai.OpenAI) -> None:
    parts = [{"type": "text", "text": "What does E4304 mean"}, {"type": "text", "text": "for the motor?"}]

    done = chat(client, messages=[{"role": "user", "content": parts}])

    assert "too hot" in done.choices[0].message.content


def test_earlier_turns_complete_a_follow_up(client: openai.OpenAI) -> None:
    turns = [
        {"role": "user", "content": "How often is the inlet filter cleaned?"},
        {"role": "assistant", "content": "Monthly [1]. Ask me about the vault."},
        {"role": "user", "content": [{"type": "text", "text": "And why?"}]},
    ]

    done = chat(client, messages=turns)

    assert done.footnote["completed_by"] == "rules" and "filter" in done.footnote["question"]
    assert "vault" not in done.footnote["question"]


IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}


NOT_OFFERED: tuple[tuple[Any, str | None], ...] = (
    ({"n": 2}, "n"),
    ({"tools": [TOOL]}, "tools"),
    ({"logprobs": True}, "logprobs"),
    ({"response_format": {"type": "json_object"}}, "response_format"),
    ({"messages": [{"role": "user", "content": [IMAGE]}]}, "messages.0.content.0.type"),
    ({"messages": [*MESSAGES, {"role": "assistant", "content": "So?"}]}, "messages.2.role"),
    ({"messages": []}, "messages"),
    ({"stream_options": {"include_usage": True}}, "stream_options"),
    ({"messages": [{"role": "user", "content": " "}]}, None),
    ({"messages": [{"role": "user", "content": "x" * 5_000}]}, None),
    ({"extra_body": {"collections": ["0" * 18]}}, None),
)


def test_what_is_not_offered_is_a_clear_400(client: openai.OpenAI) -> None:
    found = []
    for more, _ in NOT_OFFERED:
        with pytest.raises(openai.BadRequestError) as raised:
            chat(client, **more)
        found.append((raised.value.param, raised.value.type, bool(raised.value.body["message"])))  # type: ignore[index]

    assert found == [(param, "invalid_request_error", True) for _, param in NOT_OFFERED]
    assert not LiveAnswer.objects.using(OWNER).exists()


def test_parameters_of_style_and_unknown_ones_do_nothing(client: openai.OpenAI) -> None:
    done = chat(client, top_p=0.1, max_tokens=5, presence_penalty=1, extra_body={"reasoning": {"effort": "high"}})

    assert "too hot" in done.choices[0].message.content


def test_a_collection_is_a_model_of_its_own(client: openai.OpenAI, shelf: Shelf) -> None:
    shared, private = shelf.cast.shared(shelf.cast.north), shelf.cast.private(shelf.cast.ada)

    listed = {one.id: one.name for one in client.models.list()}  # type: ignore[attr-defined]
    in_shared = chat(client, model=f"footnote:{shared.ref}")
    in_private = chat(client, model=f"footnote:{private.ref}")

    assert listed == {
        "footnote": "All collections",
        f"footnote:{shared.ref}": shared.name,
        f"footnote:{private.ref}": private.name,
        "toy": "Embeddings",
    }
    assert client.models.retrieve(f"footnote:{shared.ref}").id == f"footnote:{shared.ref}"
    assert "too hot" in in_shared.choices[0].message.content
    assert in_private.footnote["outcome"] == "declined"


@pytest.mark.parametrize("name", ["gpt-4o", "footnote:" + "0" * 18, "footnote:x", "toy"])
def test_a_model_that_is_none_is_not_found(client: openai.OpenAI, name: str) -> None:
    with pytest.raises(openai.NotFoundError) as raised:
        chat(client, model=name)

    assert raised.value.code == "model_not_found"


def test_another_s_collection_is_no_model(client: openai.OpenAI, shelf: Shelf) -> None:
    foreign = f"footnote:{shelf.cast.private(shelf.cast.ben).ref}"

    for ask in (lambda: chat(client, model=foreign), lambda: client.models.retrieve(foreign)):
        with pytest.raises(openai.NotFoundError):
            ask()
    assert foreign not in {one.id for one in client.models.list()}


def test_a_key_for_one_collection_searches_that_one(site: str, key_for: KeyFor, shelf: Shelf) -> None:
    narrow = key_for(collections=[shelf.cast.private(shelf.cast.ada)])

    with openai.OpenAI(base_url=f"{site}/v1", api_key=narrow, max_retries=0) as client:
        done = chat(client)
        models = [one.id for one in client.models.list()]

    assert done.footnote["outcome"] == "declined"
    assert models == ["footnote", f"footnote:{shelf.cast.private(shelf.cast.ada).ref}", "toy"]


def test_wrong_and_revoked_keys_and_one_without_the_scope(site: str, key_for: KeyFor, shelf: Shelf) -> None:
    revoked = key_for()
    keys.revoke(shelf.cast.scope(shelf.cast.ada), ApiKey.objects.using(OWNER).get(ref=revoked.split("_")[1]).ref)
    reads = key_for(None, "read")
    faults = []

    for key in ("sk-wrong", revoked, reads):
        with openai.OpenAI(base_url=f"{site}/v1", api_key=key, max_retries=0) as client:
            with pytest.raises(openai.APIStatusError) as raised:
                chat(client)
            faults.append((type(raised.value), raised.value.code))

    assert faults == [
        (openai.AuthenticationError, "invalid_api_key"),
        (openai.AuthenticationError, "invalid_api_key"),
        (openai.PermissionDeniedError, "portal.key_scope"),
    ]


def test_too_often_is_429_with_the_time_to_wait(
    client: openai.OpenAI, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = counting.OwnMemory()
    monkeypatch.setattr(limits, "counter", lambda: fresh)
    settings.LIMIT_PROGRAM = 2

    first = client.chat.completions.with_raw_response.create(model="footnote", messages=MESSAGES)
    client.embeddings.create(model="toy", input="a")
    with pytest.raises(openai.RateLimitError) as raised:
        chat(client, stream=True)

    assert (first.headers["RateLimit-Limit"], first.headers["RateLimit-Remaining"]) == ("2", "1")
    assert raised.value.code == "rate_limit_exceeded"
    assert 0 < int(raised.value.response.headers["Retry-After"]) <= 60


@pytest.mark.parametrize("encoding", ["float", "base64", None])
def test_embeddings_are_those_of_the_live_model(client: openai.OpenAI, encoding: Any) -> None:
    more = {} if encoding is None else {"encoding_format": encoding}

    one = client.embeddings.create(model="toy", input="the motor is hot")
    many = client.embeddings.create(model="toy", input=["the motor is hot", "cold"], **more)

    assert [row.index for row in many.data] == [0, 1]
    if encoding != "base64":  # the client leaves to the caller what the caller asked for by name
        assert math.isclose(math.dist(many.data[0].embedding, toy_vector("the motor is hot")), 0, abs_tol=1e-6)
    assert len(one.data) == 1 and one.model == "toy" and one.usage.prompt_tokens > 0


NOT_EMBEDDED: tuple[tuple[dict[str, Any], type[openai.APIStatusError], str], ...] = (
    ({"model": "text-embedding-3-small"}, openai.NotFoundError, "model_not_found"),
    ({"input": []}, openai.BadRequestError, "answers.unsupported_parameter"),
    ({"input": [[1, 2]]}, openai.BadRequestError, "answers.unsupported_parameter"),
    ({"input": ["a"] * 129}, openai.BadRequestError, "answers.unsupported_parameter"),
    ({"input": ""}, openai.BadRequestError, "answers.unsupported_parameter"),
    ({"dimensions": 7}, openai.BadRequestError, "answers.unsupported_parameter"),
    ({"encoding_format": "int8"}, openai.BadRequestError, "portal.invalid"),
)


def test_embeddings_that_are_not_made_are_refused(client: openai.OpenAI) -> None:
    found = []
    for more, _, _ in NOT_EMBEDDED:
        with pytest.raises(openai.APIStatusError) as raised:
            client.embeddings.create(**{"model": "toy", "input": "a", **more})
        found.append((type(raised.value), raised.value.code))

    assert found == [(error, code) for _, error, code in NOT_EMBEDDED]


def test_an_embedder_that_is_down_is_a_503_that_clients_try_again(
    client: openai.OpenAI, embedder: OpenAIServer
) -> None:
    embedder.script(Status(500), Status(500), Status(500), Status(500))

    with pytest.raises(openai.InternalServerError) as raised:
        client.embeddings.create(model="toy", input="a")

    assert (raised.value.status_code, raised.value.code) == (503, "answers.embedder_down")


def test_methods_and_addresses_that_are_none(client: openai.OpenAI, site: str) -> None:
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="footnote", input="a")
    with pytest.raises(openai.APIStatusError) as raised:
        client.get("/chat/completions", cast_to=object)

    assert (raised.value.status_code, raised.value.response.headers["Allow"]) == (405, "POST")


def test_behind_a_proxy_that_ends_tls_citations_lead_to_https(client: openai.OpenAI, settings: Any, site: str) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_HSTS_SECONDS = 60

    with_header = chat(client, extra_headers={"X-Forwarded-Proto": "https"})
    without = chat(client)

    urls = [done.choices[0].message.annotations[0].url_citation.url for done in (with_header, without)]
    assert urls[0].startswith("https://") and urls[1].startswith(f"{site}/")
