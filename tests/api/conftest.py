"""The programs and documents of tests/documents/api, for the whole API."""

from tests.documents.api.conftest import program, toy_model

__all__ = ["program", "toy_model"]
