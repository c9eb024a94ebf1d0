"""What the typed API takes and gives, as pydantic models: the same fields as answers/serializers.py, and OpenAI's."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_CHARACTERS = 100_000


class NewQuestion(BaseModel):
    """Without `collections` everything that the key sees is searched. `stream` asks for events, as does Accept."""

    question: str = Field(max_length=MOST_CHARACTERS)
    collections: list[str] | None = Field(None, max_length=200, description="Refs of the collections to search.")
    previous: str = Field("", max_length=24, description="The question before, or its answer: completes a follow-up.")
    as_written: bool = Field(False, description="Ask the text as it stands, within that conversation.")
    stream: bool = Field(False, description="Answer as server-sent events: stage, token, void, then one meta, last.")


class Quote(BaseModel):
    text: str
    citation: int = Field(description="The number of the citation that it is quoted from.")


class CitedPassage(BaseModel):
    """A passage under the answer. A removed source keeps its number and nothing else."""

    number: int
    role: Literal["cited", "nearest"]
    is_removed: bool
    document: str | None = Field(description="The document's ref.")
    url: str | None = Field(description="The passage on this Footnote's pages.")
    version: int | None
    is_live: bool = Field(description="False when a newer version has replaced the quoted one.")
    chunk: int
    title: str
    source_url: str
    page: int | None
    heading_path: list[str]
    snippet: str
    start: int = Field(description="Character offset of the snippet in the version's text.")
    end: int
    similarity: float | None
    bm25: float | None
    fused: float


class SourcesSince(BaseModel):
    """What became of the cited passages since."""

    cited: int
    changed: int
    disabled: int
    removed: int


class Sentence(BaseModel):
    """`text[start:end]` of a model's answer, and what the audit found of it."""

    start: int
    end: int
    support: str
    faults: list[str]
    citations: list[int]


class FullAnswer(BaseModel):
    """`text` is the whole answer with its [n] markers. Also the data of a stream's meta event."""

    ref: str
    question_ref: str
    question: str = Field(description="It stands alone; `typed` is what was sent where it was completed.")
    typed: str
    completed_by: str = Field(description="rules or model, where the question was completed.")
    conversation: str = Field(description="The ref of the first question of its turns.")
    outcome: Literal["answered", "declined", "blocked", "small_talk", "stopped"]
    verdict: str
    reason: str = Field(description="Why it was declined: a stable code.")
    text: str
    quotes: list[Quote]
    citations: list[CitedPassage]
    sources_since: SourcesSince
    sentences: list[Sentence]
    mode: str = Field(description="extractive or model")
    model: str
    provider: str
    prompt_version: str
    tokens_in: int
    tokens_out: int
    cost_usd: float = Field(description="Estimated, from the price table.")
    first_token_ms: int | None
    removed_markers: int = Field(description="Citations of passages that were never given.")
    searched_chunks: int
    notes: list[str]
    unread_pages: int
    unread_documents: int
    total_ms: int
    timings_ms: dict[str, float]
    created_at: datetime


class ContentPart(BaseModel):
    type: str
    text: str | None = None


class ChatMessage(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None


class StreamOptions(BaseModel):
    include_usage: bool | None = None


class ChatRequest(BaseModel):
    """The last message is the question; those of the user before it complete a follow-up. What steers style has no effect."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(max_length=200, description="`footnote`, or `footnote:REF` for one collection.")
    messages: list[ChatMessage] = Field(min_length=1, max_length=2_000)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(1, description="1: there is one answer.")
    collections: list[str] | None = Field(None, max_length=200, description="Refs of the collections to search.")


class UrlCitation(BaseModel):
    """`content[start_index:end_index]` is the marker; `url` opens the passage that it cites."""

    start_index: int
    end_index: int
    url: str
    title: str


class Annotation(BaseModel):
    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class ChatAnswer(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str
    refusal: str | None = None
    annotations: list[Annotation]


class ChatChoice(BaseModel):
    index: int = 0
    message: ChatAnswer
    logprobs: None = None
    finish_reason: Literal["stop", "length"]


class ChatUsage(BaseModel):
    """What a model read and wrote; 0 where the answer is quoted without one."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(BaseModel):
    """OpenAI's object; `footnote` is the answer as /api/answer gives it."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: ChatUsage
    footnote: FullAnswer


class Model(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "footnote"
    name: str = Field(description="A collection's name, or what the model is for.")


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[Model]


class EmbeddingRequest(BaseModel):
    model_config = ConfigDict(extra="allow")

    model: str = Field(max_length=200)
    input: str | list[str] | list[int] | list[list[int]] = Field(description="Texts; lists of tokens are refused.")
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: int | None = Field(None, description="The model's own number; others are refused.")


class EmbeddingOf(BaseModel):
    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(BaseModel):
    """Estimated from above, as a third of the UTF-8 bytes."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingList(BaseModel):
    object: Literal["list"] = "list"
    data: list[EmbeddingOf]
    model: str
    usage: EmbeddingUsage


Extra = dict[str, Any]
