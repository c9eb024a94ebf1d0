"""LangChain's OpenAI chat and embedding classes against a live server."""

from __future__ import annotations

import math
import os

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import SecretStr

from tests.answers.conftest import Name
from tests.fakes.model_server import ModelServer, Says
from tests.fakes.openai_server import toy_vector
from tests.typed.conftest import ASKED, KeyFor

MESSAGES = [SystemMessage("Be brief."), HumanMessage(ASKED)]


@pytest.fixture(autouse=True)
def no_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """No library reports to its maker."""
    for name in [name for name in os.environ if name.startswith(("LANGCHAIN", "LANGSMITH"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def chat(site: str, key_for: KeyFor) -> ChatOpenAI:
    return ChatOpenAI(model="footnote", base_url=f"{site}/v1", api_key=SecretStr(key_for()), max_retries=0)


def test_it_is_answered_with_its_citations(chat: ChatOpenAI) -> None:
    said = chat.invoke(MESSAGES)

    assert said.text == "E4304 means the motor is too hot. [1]"
    assert said.response_metadata["finish_reason"] == "stop"
    assert said.usage_metadata == {
        "input_tokens": 0,
        "output_tokens": 0,
        "total_tokens": 0,
        "input_token_details": {},
        "output_token_details": {},
    }


def test_it_streams_what_a_model_writes(chat: ChatOpenAI, model: ModelServer, operator_names: Name) -> None:
    operator_names(model)
    model.script(Says(("E4304 means the motor ", "is too hot [1]."), between_s=0.2))

    chunks = list(chat.stream(MESSAGES, stream_usage=True))

    said = [chunk.text for chunk in chunks if chunk.text]
    assert "".join(said) == "E4304 means the motor is too hot [1]." and len(said) >= 2
    assert len([chunk for chunk in chunks if chunk.response_metadata.get("finish_reason")]) == 1
    assert [chunk.usage_metadata["output_tokens"] > 0 for chunk in chunks if chunk.usage_metadata] == [True]


def test_it_embeds_texts(site: str, key_for: KeyFor) -> None:
    made = OpenAIEmbeddings(
        model="toy", base_url=f"{site}/v1", api_key=SecretStr(key_for()), check_embedding_ctx_length=False
    )

    vectors = made.embed_documents(["a motor", "a filter"])

    assert [math.isclose(math.dist(vector, toy_vector(text)), 0, abs_tol=1e-6) for vector, text in zip(
        vectors, ["a motor", "a filter"], strict=True
    )] == [True, True]  # fmt: skip
