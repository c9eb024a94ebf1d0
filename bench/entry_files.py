"""Files that hold many things, made alike each time: an API of 320 operations, and exports of tickets in four shapes."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import dataclass
from typing import Any

NOUNS = (
    "invoice", "refund", "charge", "customer", "payout", "dispute", "subscription", "coupon", "product", "price", "order",
    "shipment", "warehouse", "carrier", "parcel", "label", "return", "voucher", "ledger", "account", "webhook", "event", "report",
    "export", "template", "campaign", "audience", "segment", "contact", "message", "channel", "ticket", "agent", "team", "shift",
    "badge", "device", "sensor", "reading", "alarm",
)  # fmt: skip
ACTIONS = (
    ("list", "get", ""), ("create", "post", ""), ("retrieve", "get", "/{id}"), ("update", "patch", "/{id}"),
    ("delete", "delete", "/{id}"), ("archive", "post", "/{id}/archive"), ("restore", "post", "/{id}/restore"),
    ("history", "get", "/{id}/history"),
)  # fmt: skip
TROUBLES = ("cannot sign in", "was charged twice", "sees an empty page", "lost the invoice", "gets no mail", "waits for a refund",
            "has a broken link", "cannot export", "needs another seat", "reports a slow search")  # fmt: skip
TICKETS = 200


@dataclass(frozen=True, slots=True)
class Made:
    """A file, and by what each of its entries is asked for: (question, identity)."""

    name: str
    body: bytes
    asked: tuple[tuple[str, str], ...]


def api() -> Made:
    """40 resources with eight operations each; every schema refers to another one and to itself. One in eight has no id."""
    paths: dict[str, Any] = {}
    asked = []
    for noun in NOUNS:
        for action, method, rest in ACTIONS:
            path = f"/v1/{noun}s{rest}"
            name = "" if action == "history" else f"{action}{noun.capitalize()}"
            paths.setdefault(path, {})[method] = _operation(noun, action, name)
            call = f"{method.upper()} {path}"
            asked.append((name or call, name or call))
    value = {
        "openapi": "3.0.3",
        "info": {"title": "Shop", "version": "2.4.0"},
        "paths": paths,
        "components": {
            "schemas": {noun.capitalize(): _schema(at) for at, noun in enumerate(NOUNS)},
            "responses": _ERRORS,
        },
    }
    return Made("shop-api.json", json.dumps(value).encode(), tuple(asked))


_ERRORS = {
    "Missing": {"description": "There is no such thing, or it is not yours."},
    "Invalid": {"description": "A field has a value that is not allowed."},
}


def _operation(noun: str, action: str, name: str) -> dict[str, Any]:
    ref = {"$ref": f"#/components/schemas/{noun.capitalize()}"}
    one: dict[str, Any] = {
        "summary": f"{action.capitalize()} {'all' if action == 'list' else 'one'} {noun}",
        "tags": [noun],
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        "responses": {
            "200": {"description": f"The {noun}.", "content": {"application/json": {"schema": ref}}},
            "404": {"$ref": "#/components/responses/Missing"},
            "422": {"$ref": "#/components/responses/Invalid"},
        },
    }  # fmt: skip
    if action in ("create", "update"):
        one["requestBody"] = {"required": True, "content": {"application/json": {"schema": ref}}}
    return {**one, "operationId": name} if name else one


def _schema(at: int) -> dict[str, Any]:
    noun, other = NOUNS[at], NOUNS[(at + 7) % len(NOUNS)].capitalize()
    return {
        "type": "object",
        "required": ["id", "created"],
        "properties": {
            "id": {"type": "string", "description": f"What the {noun} is called by."},
            "created": {"type": "string", "format": "date-time"},
            "state": {"type": "string", "enum": ["draft", "open", "closed"], "default": "draft"},
            "amount": {"type": "integer", "minimum": 0, "description": "In the smallest unit of the currency."},
            "parent": {"$ref": f"#/components/schemas/{noun.capitalize()}"},
            "related": {"type": "array", "items": {"$ref": f"#/components/schemas/{other}"}},
        },
    }


def zendesk() -> Made:
    chance = random.Random(1)
    rows = [
        {
            "id": 35_101 + n, "url": f"https://shop.zendesk.example/api/v2/tickets/{35_101 + n}.json", "external_id": None,
            "subject": _subject(chance), "status": chance.choice(("open", "solved")), "priority": None, "requester_id": 7_001 + n,
            "created_at": "2024-03-01T10:00:00Z", "tags": [chance.choice(NOUNS)], "description": "It began yesterday.",
            "comments": [{"author_id": 7_001 + n, "html_body": "<p>It began <b>yesterday</b>.</p>", "public": True},
                         {"author_id": 1, "body": "We look into it.", "public": n % 2 == 0}],
        }
        for n in range(TICKETS)
    ]  # fmt: skip
    asked = tuple((str(row["id"]), str(row["id"])) for row in rows)
    return Made("zendesk.ndjson", "\n".join(json.dumps(row) for row in rows).encode(), asked)


def jira() -> Made:
    chance = random.Random(2)
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(
        ["Summary", "Issue key", "Issue id", "Issue Type", "Status", "Created", "Description", "Comment", "Comment"]
    )
    for n in range(TICKETS):
        comment = f"28/May/19 9:{n % 60:02} AM;mia;Seen it, too; will follow"
        writer.writerow(
            [
                _subject(chance),
                f"SHOP-{n + 1}",
                10_001 + n,
                "Bug",
                "Done",
                "28/May/19 9:11 AM",
                "h2. Steps\n* one",
                comment,
                "",
            ]
        )
    keys = [f"SHOP-{n + 1}" for n in range(TICKETS)]
    return Made("jira.csv", sheet.getvalue().encode(), tuple(zip(keys, keys, strict=True)))


def github() -> Made:
    chance = random.Random(3)
    rows = [
        {
            "number": 1_301 + n, "title": _subject(chance), "state": "open",
            "html_url": f"https://github.example/shop/app/issues/{1_301 + n}",
            "body": "Steps:\n\n1. open\n2. **click**\n", "user": {"login": "mia"}, "labels": [{"name": "bug"}], "comments": 0,
            "created_at": "2024-03-01T10:00:00Z", "closed_at": None,
        }
        for n in range(TICKETS)
    ]  # fmt: skip
    return Made(
        "github.json", json.dumps(rows).encode(), tuple((f"#{row['number']}", str(row["number"])) for row in rows)
    )


def freshdesk() -> Made:
    chance = random.Random(4)
    rows = [
        {
            "helpdesk_ticket": {
                "display_id": 90_211 + n, "subject": _subject(chance), "status": 2, "priority": 1, "status_name": None,
                "description_html": "<div>Hello,<br>it does not work.</div>", "created_at": "2015-07-09T13:08:06Z",
                "notes": [{"note": {"body_html": "<div>Try again</div>", "private": n % 3 == 0, "user_id": 3}}],
            }
        }
        for n in range(TICKETS)
    ]  # fmt: skip
    idents = [str(90_211 + n) for n in range(TICKETS)]
    return Made("freshdesk.json", json.dumps(rows).encode(), tuple((f"ticket {ident}", ident) for ident in idents))


def _subject(chance: random.Random) -> str:
    return f"A {chance.choice(NOUNS)} customer {chance.choice(TROUBLES)}"
