"""The declared rule of every tool for agents: one address, so the tool stands in the message and not in the route."""

from __future__ import annotations

from typing import Any

from tests.isolation.matrix import Case, Sent
from tests.isolation.sending import PAPERS, PEOPLE, ZEBRA, Send, filled, quoted
from tests.isolation.targets import Target

ROUTES = {"mcp", "mcp_slash"}


def call(tool: str, /, **arguments: Any) -> Send:
    """A call of the tool; values name attributes of the aimed target as everywhere."""

    def sent(mine: Target, aimed: Target) -> Sent:
        params = {"name": tool, "arguments": filled(arguments, aimed)}
        return Sent("POST", "/mcp", body={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})

    return sent


def case(tool: str, name: str, send: Send, needs: str, *, aims: tuple[str, ...] = PAPERS, **how: Any) -> Case:
    return Case(f"mcp {tool}", name, send, aims, needs=needs, **how)


AGENTS = (
    case("search", "everywhere", call("search", question=ZEBRA), "read", shows="text", is_list=True),
    case(
        "search",
        "in a collection",
        call("search", question=ZEBRA, collections=["collection_ref"]),
        "read",
        shows="text",
    ),
    case("search", "in a document", call("search", question=ZEBRA, documents=["document_ref"]), "read", shows="text"),
    case("ask", "everywhere", call("ask", question=ZEBRA), "ask", shows="text", is_list=True),
    case(
        "ask",
        "in a collection",
        call("ask", question=ZEBRA, collections=["collection_ref"]),
        "ask",
        did=quoted,
        fresh="ready",
    ),
    case(
        "ask",
        "after a question",
        call("ask", question=ZEBRA, previous="answer_ref"),
        "ask",
        aims=PEOPLE,
        shows="text",
    ),
    case("get_document", "by ref", call("get_document", document="document_ref"), "read", shows="text"),
    case(
        "get_document",
        "from its second passage",
        call("get_document", document="document_ref", from_passage=1, passages=1),
        "read",
        shows="name",
    ),
    case("list_collections", "", call("list_collections"), "read", shows="collection", is_list=True),
)
