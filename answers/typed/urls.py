"""The typed API's addresses. ninja's own are not mounted: a door stands before each (answers/typed/door.py)."""

from django.urls import path

from answers.typed.door import door
from answers.typed.schema import openapi

urlpatterns = [
    path("api/openapi.json", openapi, name="typed_schema"),
    path("api/answer", door("typed_answer", {"POST": "ask"}), name="typed_answer"),
    path("api/answer/<str:ref>", door("typed_kept", {"GET": "ask"}), name="typed_kept"),
    path("api/answer/<str:ref>/stop", door("typed_stop", {"POST": "ask"}), name="typed_stop"),
    path("v1/chat/completions", door("openai_chat", {"POST": "ask"}), name="openai_chat"),
    path("v1/models", door("openai_models", {"GET": "ask"}), name="openai_models"),
    path("v1/models/<path:model>", door("openai_model", {"GET": "ask"}), name="openai_model"),
    path("v1/embeddings", door("openai_embeddings", {"POST": "ask"}), name="openai_embeddings"),
]
