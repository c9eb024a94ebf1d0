"""One request to an https provider through the `openai` SDK, which owns its TLS, proxies and headers.

Imported only when such a provider is configured: the SDK costs 17 MB in each process that loads it.
"""

from __future__ import annotations

from collections.abc import Sequence

import openai

from documents.embedding.transport import CONNECT_SECONDS, Priority, TransportFault, fault_of_status, read_vectors
from documents.embedding.vector import Vector


class ProviderTransport:
    """The SDK sends and keeps connections; retries stay in one place, documents.embedding.client."""

    def __init__(self, base_url: str, key: str, model: str) -> None:
        self._client = openai.OpenAI(base_url=base_url, api_key=key or "none", max_retries=0)
        self._model = model

    def send(self, texts: Sequence[str], priority: Priority, *, read_s: float) -> list[Vector]:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        try:
            raw = self._client.embeddings.with_raw_response.create(
                input=clean,
                model=self._model,
                encoding_format="base64",
                extra_headers={"X-Priority": priority},
                timeout=openai.Timeout(read_s, connect=CONNECT_SECONDS),
            )
        except openai.APITimeoutError as error:
            raise TransportFault("unreachable", f"no reply within {read_s:g} s", may_pass=True) from error
        except openai.APIConnectionError as error:
            raise TransportFault("unreachable", "no connection to the embedder", may_pass=True) from error
        except openai.APIStatusError as error:
            raise fault_of_status(error.status_code, error.response.headers.get("Retry-After", "")) from error
        return read_vectors(raw.content, len(texts))

    def close(self) -> None:
        self._client.close()
