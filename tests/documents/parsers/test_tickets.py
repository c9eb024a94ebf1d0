"""Exports of tickets in the shapes that four help desks document: one ticket an entry, with its comments, state and address."""

from __future__ import annotations

import json
from typing import Any

import pytest

from documents.text.section import Parsed
from tests.documents.parsers.conftest import Read

ZENDESK: dict[str, Any] = {
    "tickets": [
        {
            "url": "https://company.zendesk.com/api/v2/tickets/35436.json", "id": 35436, "external_id": None, "type": "incident",
            "subject": "Help, my printer is on fire!", "description": "The fire is very colorful.", "priority": "high",
            "status": "open", "recipient": None, "requester_id": 20978392, "tags": ["enterprise", "other_tag"],
            "created_at": "2009-07-20T22:55:29Z",
            "comments": [
                {"author_id": 5, "body": "The fire is very colorful.", "html_body": "<p>The fire is <b>very</b> colorful.</p>",
                 "public": True, "created_at": "2009-07-20T22:55:29Z"},
                {"author_id": 6, "body": "Use water", "public": False, "created_at": "2009-07-21T22:55:29Z"},
                {"author_id": 5, "body": None, "public": True},
            ],
        },
        {"id": 35437, "subject": None, "description": None, "status": "solved", "requester_id": 4, "comments": []},
    ],
    "users": [{"id": 6, "name": "Mia"}], "next_page": None, "count": 2,
}  # fmt: skip
JIRA: dict[str, Any] = {
    "startAt": 0,
    "issues": [
        {
            "id": "10002", "key": "ED-1", "self": "https://your-domain.atlassian.net/rest/api/3/issue/10002",
            "fields": {
                "summary": "Main order flow broken", "status": {"name": "Open", "iconUrl": "https://x/i.png"}, "priority": None,
                "labels": ["orders"], "reporter": {"displayName": "Mia"}, "customfield_10010": None,
                "description": {"type": "doc", "version": 1, "content": [
                    {"type": "paragraph", "content": [{"type": "text", "text": "Fails with "}, {"type": "text", "text": "E4304"}]},
                    {"type": "bulletList", "content": [{"type": "listItem", "content": [
                        {"type": "paragraph", "content": [{"type": "text", "text": "in Safari"}]}]}]},
                    {"type": "codeBlock", "content": [{"type": "text", "text": "x = 1"}]},
                ]},
                "comment": {"comments": [{"author": {"displayName": "Ben"}, "created": "2021-01-17T12:34:00.000+0000",
                                          "body": {"type": "doc", "content": [{"type": "paragraph", "content": [
                                              {"type": "text", "text": "I see it too"}]}]}}]},
            },
        }
    ],
}  # fmt: skip
GITHUB: list[dict[str, Any]] = [
    {
        "url": "https://api.github.com/repos/octo/hello/issues/1347", "html_url": "https://github.com/octo/hello/issues/1347",
        "node_id": "MDU6", "number": 1347, "state": "open", "title": "Found a bug", "body": "I have a **problem**",
        "user": {"login": "octocat", "avatar_url": "https://x/a.png"}, "labels": [{"name": "bug", "url": "https://api"}],
        "comments": 2, "created_at": "2011-04-22T13:33:48Z", "closed_at": None,
    }
]  # fmt: skip
FRESHDESK: list[dict[str, Any]] = [
    {
        "helpdesk_ticket": {
            "display_id": 44, "subject": "Support needed", "status": 2, "status_name": None, "priority": 4,
            "description_html": "<div>Hi<br>there</div>", "created_at": "2015-07-09T13:08:06Z",
            "notes": [{"note": {"body": "Fix it", "body_html": "<div>Fix <i>it</i></div>", "private": True, "user_id": 3}}],
        }
    },
    {"id": 45, "subject": "Refund", "status": 5, "priority": 1, "responder_id": None, "description_text": "Give it back",
     "conversations": [{"body_text": "Done", "incoming": False, "private": False, "from_email": "help@example.org"}]},
]  # fmt: skip


def words_of(found: Parsed, entry: int) -> str:
    return "\n".join(section.text for section in found.sections if section.entry == entry)


def told(found: Parsed) -> list[tuple[str, str, str, str]]:
    return [(one.ident, one.title, one.source_url, one.date) for one in found.entries]


def test_zendesk(read: Read) -> None:
    found = read("json", json.dumps(ZENDESK))
    words = words_of(found, 1)

    assert told(found) == [
        (
            "35436",
            "Ticket 35436: Help, my printer is on fire!",
            "https://company.zendesk.com/agent/tickets/35436",
            "2009-07-20",
        ),
        ("35437", "Ticket 35437: (no subject)", "", ""),
    ]
    assert "- Status: open" in words and "- Tags: enterprise, other_tag" in words
    assert words.count("The fire is very colorful.") == 1
    assert "Internal note by Mia, 2009-07-21T22:55:29Z:\nUse water" in words
    assert "None" not in words and "null" not in words


def test_jira(read: Read) -> None:
    found = read("json", json.dumps(JIRA))
    words = words_of(found, 1)

    assert told(found) == [
        ("ED-1", "ED-1: Main order flow broken", "https://your-domain.atlassian.net/browse/ED-1", "")
    ]
    assert "- Status: Open\n- Labels: orders\n- Reporter: Mia" in words
    assert "Fails with E4304\n- in Safari\n```\nx = 1\n```" in words
    assert "Comment by Ben, 2021-01-17T12:34:00.000+0000:\nI see it too" in words


def test_github(read: Read) -> None:
    found = read("json", json.dumps(GITHUB))
    words = words_of(found, 1)

    assert told(found) == [("1347", "#1347: Found a bug", "https://github.com/octo/hello/issues/1347", "2011-04-22")]
    assert "- Status: open\n- Author: octocat\n- Labels: bug" in words and "I have a problem" in words
    assert "avatar" not in words and "api.github.com" not in words


def test_github_from_its_command_line_has_the_comments(read: Read) -> None:
    one = {"number": 7, "title": "Slow", "state": "CLOSED", "url": "https://github.com/o/h/issues/7", "body": "",
           "author": {"login": "ada"}, "createdAt": "2024-02-03T00:00:00Z",
           "comments": [{"author": {"login": "ben"}, "body": "Faster now", "createdAt": "2024-02-04T00:00:00Z"}]}  # fmt: skip

    found = read("json", json.dumps([one]))

    assert "- Status: closed" in words_of(found, 1)
    assert "Comment by ben, 2024-02-04T00:00:00Z:\nFaster now" in words_of(found, 1)


def test_freshdesk(read: Read) -> None:
    found = read("json", json.dumps(FRESHDESK))

    assert [one[:2] for one in told(found)] == [("44", "Ticket 44: Support needed"), ("45", "Ticket 45: Refund")]
    assert "- Status: Open\n- Priority: Urgent" in words_of(found, 1)
    assert "Hi\nthere" in words_of(found, 1) and "Internal note by 3:\nFix it" in words_of(found, 1)
    assert "- Status: Closed" in words_of(found, 2)
    assert "Comment by help@example.org:\nDone" in words_of(found, 2)


def test_a_ticket_a_line_is_an_export_too(read: Read) -> None:
    found = read("ndjson", "\n".join(json.dumps({"ticket": one}) for one in ZENDESK["tickets"]))

    assert [one.ident for one in found.entries] == ["35436", "35437"]


def test_comments_in_comments_keep_their_order(read: Read) -> None:
    one = {"id": 1, "subject": "s", "status": "open", "comments": [
        {"body": "first", "replies": [{"body": "second", "replies": [{"body": "third"}]}]}, {"body": "fourth"}]}  # fmt: skip

    words = words_of(read("json", json.dumps([one])), 1)

    assert [words.index(word) for word in ("first", "second", "third", "fourth")] == sorted(
        words.index(word) for word in ("first", "second", "third", "fourth")
    )


FRESHDESK_SHEET = """Ticket ID,Subject,Status,Priority,Agent,Created time,Description
12,"Printer, again",Open,High,,2024-03-01 10:00:00,"<p>It <b>burns</b></p>"
"""
ZENDESK_SHEET = "Id;Requester;Subject;Status;Created at\n35436;Mia;On fire;Open;2024-03-01\n"
JIRA_SHEET = """Summary,Issue key,Issue id,Status,Created,Description,Comment,Comment
Orders,ED-7,1007,Done,28/May/19 9:11 AM,"h2. Steps",28/May/19 9:11 AM;admin;Works; now,
"""
GITHUB_SHEET = "number\ttitle\tstate\turl\tbody\n9\tBug\topen\thttps://github.com/o/h/issues/9\tIt **fails**\n"


@pytest.mark.parametrize(
    ("kind", "text", "ident", "title", "url"),
    [
        ("csv", FRESHDESK_SHEET, "12", "Ticket 12: Printer, again", ""),
        ("csv", ZENDESK_SHEET, "35436", "Ticket 35436: On fire", ""),
        ("csv", JIRA_SHEET, "ED-7", "ED-7: Orders", ""),
        ("tsv", GITHUB_SHEET, "9", "#9: Bug", "https://github.com/o/h/issues/9"),
    ],
)
def test_a_sheet_of_tickets_is_told_by_its_header(
    read: Read, kind: str, text: str, ident: str, title: str, url: str
) -> None:
    assert [one[:3] for one in told(read(kind, text))] == [(ident, title, url)]


def test_the_cells_of_a_ticket_are_read_and_empty_ones_are_not_told(read: Read) -> None:
    found = read(
        "csv",
        "\ufeffId,Subject,Status,Assignee,Description,Comment\n12,Fire,Open,NULL,<p>It <b>burns</b></p>,\n13,null,,Ben,,\n",
    )

    assert words_of(found, 1) == "Ticket 12: Fire\n- Status: Open\nIt burns"
    assert words_of(found, 2) == "Ticket 13: (no subject)\n- Assignee: Ben"


def test_comments_of_jira_in_columns_say_who_and_when(read: Read) -> None:
    text = "Summary,Issue key,Status,Comment,Comment\nOrders,ED-7,Done,28/May/19 9:11 AM;admin;Works; now,plain words\n"

    words = words_of(read("csv", text), 1)

    assert "Comment by admin, 28/May/19 9:11 AM:\nWorks; now\nComment:\nplain words" in words


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("csv", "id,name,price\n1,Trowel,3\n"),
        ("csv", "id,title,year\n1,Dune,1965\n"),
        ("csv", "subject,status\nhello,open\n"),
        ("json", '[{"id": 1, "title": "Dune", "status": "sold"}]'),
        (
            "json",
            '{"items": [{"id": 1, "subject": "x", "status": "open", "body": "y"}, {"name": "other"}, {"name": "third"}]}',
        ),
        ("json", '{"tickets": []}'),
        ("json", '{"tickets": "none"}'),
    ],
)
def test_other_data_stays_data(read: Read, kind: str, text: str) -> None:
    if "tickets" in text:
        text = text.replace("}", ', "words": "kept"}')
    found = read(kind, text)

    assert found.entries == ()


def test_a_script_in_a_body_and_an_address_that_is_none_do_not_arrive(read: Read) -> None:
    one = {"id": 1, "subject": "s", "status": "open", "url": "javascript:alert(1)",
           "comments": [{"html_body": "<p>seen</p><script>alert(1)</script><div style='display:none'>unseen</div>"}]}  # fmt: skip

    found = read("json", json.dumps([one]))

    assert found.entries[0].source_url == ""
    assert "seen" in words_of(found, 1) and "alert(1)<" not in words_of(found, 1) and "unseen" not in words_of(found, 1)
    assert found.report.hidden_characters == len("unseen")


def test_a_document_of_atlassian_without_end_is_cut(read: Read) -> None:
    node: dict[str, Any] = {"type": "text", "text": "deep"}
    for _ in range(90):
        node = {"type": "panel", "content": [node]}
    one = {"key": "A-1", "fields": {"summary": "s", "description": {"type": "doc", "content": [node]}}}

    assert [entry.ident for entry in read("json", json.dumps({"issues": [one]})).entries] == ["A-1"]


def test_what_its_name_does_not_say_its_content_does(read: Read) -> None:
    lines = "\n".join(json.dumps(one) for one in ZENDESK["tickets"])

    assert [one.ident for one in read("text", json.dumps(JIRA)).entries] == ["ED-1"]
    assert [one.ident for one in read("text", lines).entries] == ["35436", "35437"]


@pytest.mark.parametrize("text", ['{"a": "words"}', "[1, 2, words", "{curly words}", '{"subject": "cut', "[" * 5_000])
def test_plain_text_that_begins_like_data_is_plain_text(read: Read, text: str) -> None:
    found = read("text", text)

    assert found.entries == () and found.sections[0].text == text
