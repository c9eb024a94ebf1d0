"""A request for every operation that reads JSON, as the API's description shows it and tests/api/test_examples.py sends it.

COLLECTION, DOCUMENT, QUESTION and GOLDEN_SET stand for refs; the test puts real ones in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

COLLECTION: Final = "4c0e2b9a7d13f85e60"
DOCUMENT: Final = "9b7f0a2c64d8e1355f"
QUESTION: Final = "1d5e8c3b90af274f6a"
GOLDEN_SET: Final = "7a31f6d2c8e04b95ef"

EXAMPLES: Final[Mapping[str, Any]] = {
    "answers_feedback": {"kind": "down", "comment": "The answer is older than our contract.", "passage": 1},
    "answers_why_not": {"words": "deleted after 90 days", "document": "logging.md"},
    "collections_create": {"name": "Contracts", "kind": "shared"},
    "collections_profile_update": {
        "splitter": "structure",
        "max_tokens": 220,
        "overlap_tokens": 20,
        "keeps_original": True,
    },
    "collections_sync": {
        "manifest": {"start.md": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"},
        "prefix": "guide",
        "base_url": "https://docs.example.org/guide/",
    },
    "collections_update": {"name": "Contracts 2026"},
    "documents_bulk": {"action": "retry", "documents": [DOCUMENT]},
    "documents_create": {"url": "https://docs.example.org/guide/start.html", "collection": COLLECTION},
    "documents_move": {"collection": COLLECTION},
    "documents_update": {"name": "logging-2026.md", "source_url": "https://docs.example.org/logging"},
    "feedback_settle": {"do": "take", "golden_set": GOLDEN_SET},
    "golden_questions_save": {
        "questions": [
            {
                "id": "logs-1",
                "question": "How long are access logs kept?",
                "answers": ["90 days"],
                "gold": [{"document": "logging.md", "quote": "Access logs are kept for 90 days"}],
                "tags": ["retention"],
            }
        ]
    },
    "golden_sets_create": {"name": "Operations", "description": "What the night shift asks."},
    "keys_rotate": {"overlap_minutes": 60},
    "questions_create": {
        "question": "And how are they deleted?",
        "collections": [COLLECTION],
        "previous": QUESTION,
    },
    "runs_create": {
        "golden_set": GOLDEN_SET,
        "collections": [COLLECTION],
        "configuration": {"k": 8},
        "name": "Baseline",
    },
    "search": {
        "question": "How long are access logs kept?",
        "k": 5,
        "collections": [COLLECTION],
        "kinds": ["markdown"],
        "languages": ["en"],
        "facets": True,
    },
    "webhooks_create": {
        "name": "Deploy hook",
        "url": "https://hooks.example.org/footnote",
        "events": ["document.ready", "document.needs_attention"],
    },
    "webhooks_replay": {"since": "2026-01-31T00:00:00Z"},
    "webhooks_update": {"is_on": False},
}
