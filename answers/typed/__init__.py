"""The typed API (django-ninja): `/api/answer`, and the OpenAI-compatible addresses under `/v1/`.

Nothing of ninja or pydantic is loaded before the first request that holds a good key (docs/adr/0016-typed-api.md).
"""
