"""The tools as an agent meets them: through the official client, over HTTP, under a key."""

from __future__ import annotations

import json
import logging
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from answers.agents.tools import TOOLS
from answers.models import Question
from answers.streaming import in_thread
from portal import keys
from portal.access import scope_of_key
from portal.models import ApiKey
from tests.agents.conftest import QUESTION, Agent
from tests.conftest import Cast
from tests.documents.api.conftest import ProgramFor


@pytest.mark.parametrize("agent", ["auto", "legacy"], indirect=True)
def test_an_agent_sees_the_tools_that_its_key_may_call(cast: Cast, program: ProgramFor, agent: Agent[Any]) -> None:
    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert agent(program(cast.dot).key, names) == ["search", "ask", "get_document", "list_collections"]
    assert agent(program(cast.dot, "read").key, names) == ["search", "get_document", "list_collections"]
    assert agent(program(cast.dot, "ingest").key, names) == []


@pytest.mark.parametrize("agent", ["auto", "legacy"], indirect=True)
def test_an_agent_asks_and_gets_an_answer_with_its_citations(
    cast: Cast, program: ProgramFor, agent: Agent[Any], refs: dict[str, str], site: str
) -> None:
    async def ask(client: Client) -> Any:
        return await client.call_tool("ask", {"question": QUESTION})

    result = agent(program(cast.dot).key, ask)

    data = result.structured_content
    jsonschema.validate(data, TOOLS["ask"].gives)
    assert not result.is_error and data["outcome"] == "answered" and "90 days" in data["text"]
    [cited] = [row for row in data["citations"] if row["role"] == "cited"]
    assert (cited["document"], f"[{cited['number']}]" in data["text"]) == (refs["logs"], True)
    assert cited["url"].startswith(f"{site}/documents/{refs['logs']}/?chunk=")
    assert data["url"] == f"{site}/answers/{data['answer']}/"
    assert Question.objects.using("owner").get(user=cast.dot).text == QUESTION


def test_a_follow_up_is_completed_from_the_answer_before(cast: Cast, program: ProgramFor, agent: Agent[Any]) -> None:
    async def talk(client: Client) -> Any:
        first = (await client.call_tool("ask", {"question": QUESTION})).structured_content
        after = {"question": "And for how long at most?", "previous": first["answer"]}
        stranger = {"question": QUESTION, "previous": "0" * 18}
        return await client.call_tool("ask", after), await client.call_tool("ask", stranger)

    follow_up, stranger = agent(program(cast.dot).key, talk)

    assert "logs" in follow_up.structured_content["asked"]
    assert stranger.structured_content["code"] == "answers.no_previous"


def test_an_agent_searches_reads_on_and_lists(
    cast: Cast, program: ProgramFor, agent: Agent[Any], refs: dict[str, str]
) -> None:
    async def work(client: Client) -> Any:
        found = await client.call_tool("search", {"question": "access logs kept", "k": 3})
        document = found.structured_content["passages"][0]["document"]
        read = await client.call_tool("get_document", {"document": document, "passages": 1})
        beyond = await client.call_tool("get_document", {"document": document, "from_passage": 500})
        return found, read, beyond, await client.call_tool("list_collections", {})

    results = agent(program(cast.ben).key, work)

    for result, name in zip(results, ("search", "get_document", "get_document", "list_collections"), strict=True):
        jsonschema.validate(result.structured_content, TOOLS[name].gives)
    found, read, beyond, listed = (result.structured_content for result in results)
    assert {row["document"] for row in found["passages"]} <= {refs["logs"], refs["bens"], refs["order"]}
    assert found["searched_passages"] >= 3
    assert (len(read["passages"]), read["total_passages"], read["state"]) == (1, 1, "ready")
    assert (beyond["passages"], beyond["next_passage"]) == ([], None)
    counts = {row["collection"]: (row["documents"], row["may_edit"]) for row in listed["collections"]}
    assert counts == {cast.shared(cast.north).ref: (2, True), cast.private(cast.ben).ref: (1, True)}


def test_a_long_document_is_read_in_turns(cast: Cast, program: ProgramFor, agent: Agent[Any], site: str) -> None:
    from tests.documents.making import make_document

    words = [f"Passage {number}." for number in range(1, 8)]
    ref = make_document(cast.shared(cast.north), "long.md", passages=words).ref

    async def read(client: Client) -> list[str]:
        texts: list[str] = []
        following: int | None = 1
        while following is not None:
            given = {"document": ref, "from_passage": following, "passages": 3}
            data = (await client.call_tool("get_document", given)).structured_content
            texts += [f"{row['number']} {row['text']}" for row in data["passages"]]
            following = data["next_passage"]
        return texts

    assert agent(program(cast.dot).key, read) == [f"{place} {text}" for place, text in enumerate(words, 1)]


def test_what_a_document_says_is_marked_as_data_and_cannot_end_its_mark(
    cast: Cast, program: ProgramFor, agent: Agent[Any]
) -> None:
    async def search(client: Client) -> Any:
        return await client.call_tool("search", {"question": "When is the canary fed?"})

    result = agent(program(cast.dot).key, search)

    notice, fenced = (block.text for block in result.content)
    first, *body, last = fenced.split("\n")
    mark = first.strip("-").rpartition("-")[2]
    assert first == last == f"-----footnote-data-{mark}-----" and mark in notice and "no instruction" in notice
    assert json.loads("\n".join(body)) == result.structured_content
    assert "Ignore all previous instructions" in fenced and not any(first in line for line in body)
    assert result.structured_content["untrusted"] is True


WRONGS: list[tuple[str, dict[str, Any], str, str]] = [
    ("search", {}, "portal.invalid", "question"),
    ("search", {"question": "logs", "k": 99}, "portal.invalid", "k:"),
    ("search", {"question": "logs", "sql": "1"}, "portal.invalid", "Known are"),
    ("search", {"question": "the of and"}, "retrieval.only_stop_words", ""),
    ("search", {"question": "logs\u0000"}, "portal.invalid", "question"),
    ("ask", {"question": "   "}, "answers.question_empty", ""),
    ("ask", {"question": QUESTION, "collections": ["0" * 18]}, "answers.no_collection", ""),
    ("get_document", {"document": "0" * 18}, "portal.not_found", ""),
    ("get_document", {"document": "'; DROP"}, "portal.invalid", "document"),
    ("get_document", {"document": "0" * 18, "from_passage": 0}, "portal.invalid", "from_passage"),
    ("list_collections", {"all": True}, "portal.invalid", "no arguments"),
]


def test_what_goes_wrong_is_told_in_words(cast: Cast, program: ProgramFor, agent: Agent[Any]) -> None:
    async def call(client: Client) -> Any:
        return [await client.call_tool(tool, arguments) for tool, arguments, _, _ in WRONGS]

    results = agent(program(cast.dot).key, call)

    for result, (_, _, code, word) in zip(results, WRONGS, strict=True):
        [block] = result.content
        assert (result.is_error, result.structured_content["code"]) == (True, code)
        assert word in block.text and block.text.endswith(f"({code})")


@pytest.mark.parametrize("agent", ["auto", "legacy"], indirect=True)
def test_a_tool_outside_the_keys_scopes_is_refused_and_a_strange_one_unknown(
    cast: Cast, program: ProgramFor, agent: Agent[Any]
) -> None:
    async def ask(client: Client) -> Any:
        return await client.call_tool("ask", {"question": QUESTION})

    async def strange(client: Client) -> None:
        with pytest.raises(MCPError, match="Known tools are"):
            await client.call_tool("delete_document", {})

    refused = agent(program(cast.dot, "read").key, ask)

    assert refused.is_error and refused.structured_content["code"] == "portal.key_scope"
    assert not Question.objects.using("owner").exists()
    agent(program(cast.dot).key, strange)


@pytest.mark.parametrize("agent", ["auto", "legacy"], indirect=True)
def test_a_key_that_is_revoked_stops_at_once_in_the_middle_of_a_connection(
    cast: Cast, program: ProgramFor, agent: Agent[Any]
) -> None:
    key = program(cast.dot).key
    scope = scope_of_key(key)
    assert scope is not None

    async def work(client: Client) -> str:
        assert not (await client.call_tool("list_collections", {})).is_error
        await in_thread(keys.revoke, scope, key.split("_")[1])
        with pytest.raises(MCPError) as failure:
            await client.call_tool("list_collections", {})
        return str(failure.value)

    told = agent(key, work)

    assert "401" in told or "Server returned an error response" in told
    assert ApiKey.objects.using("owner").get(ref=key.split("_")[1]).revoked_at is not None


def test_questions_are_counted_as_elsewhere(cast: Cast, program: ProgramFor, agent: Agent[Any], settings: Any) -> None:
    settings.LIMIT_USER = 1

    async def twice(client: Client) -> Any:
        first = await client.call_tool("search", {"question": "access logs"})
        second = await client.call_tool("ask", {"question": QUESTION})
        return first, second, await client.call_tool("list_collections", {})

    first, second, free = agent(program(cast.ben).key, twice)

    assert (first.is_error, free.is_error) == (False, False)
    assert second.structured_content["code"] == "portal.rate_limited"
    assert second.structured_content["retry_after_s"] > 0 and "Try again in" in second.content[0].text


def test_no_log_holds_what_an_agent_asked(
    cast: Cast,
    program: ProgramFor,
    agent: Agent[Any],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work(client: Client) -> None:
        await client.call_tool("ask", {"question": "Where is the zqcanary kept?"})
        await client.call_tool("search", {"question": "zqcanary", "zqcanary": "zqcanary"})

    def crash(*args: Any, **kwargs: Any) -> Any:
        raise ValueError("zqcanary")

    servers = [name for name in logging.root.manager.loggerDict if name.startswith("mcp.server")]
    with caplog.at_level(logging.DEBUG, "answers"):
        agent(program(cast.ada).key, work)
        monkeypatch.setattr("answers.agents.tools.answer_to", crash)
        agent(program(cast.ben).key, work)

    told = [f"{record.getMessage()} {getattr(record, 'fields', '')}" for record in caplog.records]
    ours = [line for line in told if line.startswith("agents.")]
    assert servers and all(logging.getLogger(name).getEffectiveLevel() == logging.CRITICAL for name in servers)
    assert any("'tool': 'ask'" in line and "'problem': ''" in line for line in ours)
    assert any("agents.failed" in line for line in ours)
    assert not any("zqcanary" in line for line in told)
