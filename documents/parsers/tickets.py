"""Exports of tickets as Zendesk, Jira, GitHub and Freshdesk write them, told by the names in them: one ticket an entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import urlsplit

from documents.parsers.plain_values import Plain, dict_at, dicts_in, first_text, list_at, text_at, value_of_plain
from documents.parsers.records import Records, TooMuch
from documents.parsers.ticket import Comment, Ticket, add_ticket, named, person, without_noise, words_of

_LISTS: Final = ("tickets", "issues", "helpdesk_tickets", "results", "items", "nodes", "data", "values", "requests")
_WRAPPERS: Final = ("ticket", "helpdesk_ticket", "issue", "request", "node")
_PAGING: Final = (
    "count", "total", "totalCount", "startAt", "maxResults", "next_page", "previous_page", "nextPageToken", "isLast", "expand",
    "meta", "links", "pageInfo", "end_time", "end_of_stream", "after_cursor", "before_cursor",
)  # fmt: skip
_SHARE = 0.9
_FRESHDESK_STATUS = {"2": "Open", "3": "Pending", "4": "Resolved", "5": "Closed"}
_FRESHDESK_PRIORITY = {"1": "Low", "2": "Medium", "3": "High", "4": "Urgent"}
_BODIES = ("comments", "conversations", "notes", "description", "description_text", "body", "requester_id", "requester",
           "responder_id", "submitter_id", "reporter", "assignee", "user", "author")  # fmt: skip

Shape = Callable[[dict[str, Plain]], Ticket]


@dataclass(frozen=True, slots=True)
class Export:
    """The tickets of a file, out of whatever wraps them, the names of people by their ids, and what stands beside them."""

    tickets: Sequence[dict[str, Plain]]
    people: Mapping[str, str] = field(default_factory=dict)
    rest: Plain = ""


def export_in(value: Plain) -> Export | None:
    """What a file exports; None when its records are not tickets."""
    where = next((name for name in _LISTS if list_at(value, name)), "")
    found = value if isinstance(value, list) else list_at(value, where) or [value]
    records = [_unwrapped(one) for one in found if isinstance(one, dict)]
    told = sum(_shape(one) is not None for one in records)
    if not records or told < len(found) * _SHARE:
        return None
    people = {text_at(one, "id"): person(one) for one in dicts_in(list_at(value, "users"))}
    beside = {name: inner for name, inner in value.items() if name not in (where, *_PAGING)} if where else ""
    return Export(records, people, without_noise(beside))


def _unwrapped(one: dict[str, Plain]) -> dict[str, Plain]:
    """A ticket that stands in an object of its own, with what stands beside it (its comments, in some exports)."""
    for name in _WRAPPERS:
        if inner := dict_at(one, name):
            return {**{key: value for key, value in one.items() if key != name}, **inner}
    return one


def add_tickets(records: Records, export: Export) -> None:
    """Add each ticket as an entry, in the order of the file, and what is none as it is. Raises TooMuch."""
    for one in export.tickets:
        if records.builder.characters > records.most_characters:
            raise TooMuch
        if shape := _shape(one):
            add_ticket(records, _with_names(shape(one), export.people))
        else:
            records.record(value_of_plain(one), "Record")
    records.write(value_of_plain(export.rest))


def _with_names(ticket: Ticket, people: Mapping[str, str]) -> Ticket:
    """Who wrote a comment by name, where the export says who the ids are."""
    comments = [replace(one, author=people.get(one.author, one.author)) for one in ticket.comments]
    return replace(ticket, comments=comments)


def _shape(one: dict[str, Plain]) -> Shape | None:
    """Who wrote it, by the names that only they use; None for a record that is no ticket."""
    if text_at(one, "key") and text_at(one, "fields", "summary"):
        return _jira
    title = first_text(one, "subject", "raw_subject", "title", "summary")
    state = first_text(one, "status", "state", "status_name") or named(one.get("status"))
    has_body = any(one.get(name) for name in _BODIES)
    if "number" in one and "title" in one and state and has_body:
        return _github
    if not (state and has_body and (title or "subject" in one)):
        return None
    if "display_id" in one or "description_text" in one or "conversations" in one or "responder_id" in one:
        return _freshdesk
    return _zendesk if first_text(one, "id", "key", "number", "ticket_id") else None


def _zendesk(one: dict[str, Plain]) -> Ticket:
    """Also what any other help desk of the same plain shape writes."""
    ident = first_text(one, "id", "ticket_id", "key", "number")
    comments = list_at(one, "comments") or list_at(dict_at(one, "comments"), "comments")
    return Ticket(
        ident=ident,
        name=f"Ticket {ident}",
        title=first_text(one, "subject", "raw_subject", "title", "summary"),
        url=_page_of_zendesk(first_text(one, "html_url", "url", "link"), ident),
        facts=[
            ("Status", named(one.get("status")) or text_at(one, "state")),
            ("Priority", named(one.get("priority"))),
            ("Type", named(one.get("type"))),
            ("Requester", person(one.get("requester"))),
            ("Assignee", person(one.get("assignee"))),
            ("Created", first_text(one, "created_at", "created")),
            ("Updated", first_text(one, "updated_at", "updated")),
            ("Tags", named(one.get("tags"))),
        ],
        words=_not_twice(first_text(one, "description", "body"), comments),
        comments=[*_comments(comments)],
        rest=_rest(one, "id", "ticket_id", "key", "number", "subject", "raw_subject", "title", "summary", "html_url", "url",
                   "link", "status", "state", "priority", "type", "requester", "assignee", "created_at", "created",
                   "updated_at", "updated", "tags", "description", "body", "comments"),
    )  # fmt: skip


def _page_of_zendesk(url: str, ident: str) -> str:
    """The page that people open, for the address that the API calls."""
    parts = urlsplit(url) if "/api/v2/" in url else None
    return f"https://{parts.netloc}/agent/tickets/{ident}" if parts and parts.netloc else url


def _not_twice(description: str, comments: Sequence[Plain]) -> str:
    """The first comment is the description in Zendesk's exports."""
    first: Plain = next(iter(comments), {})
    said = " ".join(first_text(first, "plain_body", "body").split())
    return "" if description and " ".join(description.split()) == said else description


def _jira(one: dict[str, Plain]) -> Ticket:
    fields, key = dict_at(one, "fields"), text_at(one, "key")
    parts = urlsplit(text_at(one, "self"))
    rendered = dict_at(one, "renderedFields")
    comments = list_at(dict_at(fields, "comment"), "comments") or list_at(fields, "comments")
    named_facts = ("status", "issuetype", "priority", "resolution", "labels", "components", "fixVersions")
    return Ticket(
        ident=key,
        name=key,
        title=text_at(fields, "summary"),
        url=f"{parts.scheme}://{parts.netloc}/browse/{key}" if parts.netloc else "",
        facts=[
            *((_words(name), named(fields.get(name))) for name in named_facts),
            ("Reporter", person(fields.get("reporter"))),
            ("Assignee", person(fields.get("assignee"))),
            ("Created", text_at(fields, "created")),
            ("Updated", text_at(fields, "updated")),
        ],
        words=words_of(fields.get("description")) or text_at(rendered, "description"),
        comments=[*_comments(comments)],
        rest=_rest(fields, "summary", *named_facts, "reporter", "assignee", "created", "updated", "description", "comment",
                   "comments", "creator", "project", "statuscategory", "avatarUrls"),
    )  # fmt: skip


def _github(one: dict[str, Plain]) -> Ticket:
    number = text_at(one, "number")
    comments = one.get("comments")
    held = list_at(dict_at(one, "comments"), "nodes") or (comments if isinstance(comments, list) else [])
    return Ticket(
        ident=number,
        name=f"#{number}",
        title=text_at(one, "title"),
        url=first_text(one, "html_url", "url"),
        facts=[
            ("Status", text_at(one, "state").lower()),
            ("Reason", text_at(one, "state_reason")),
            ("Author", person(one.get("user")) or person(one.get("author"))),
            ("Labels", named(one.get("labels"))),
            ("Assignees", named(one.get("assignees"))),
            ("Milestone", named(one.get("milestone"))),
            ("Created", first_text(one, "created_at", "createdAt")),
            ("Closed", first_text(one, "closed_at", "closedAt")),
            ("Updated", first_text(one, "updated_at", "updatedAt")),
        ],
        words=first_text(one, "body", "description"),
        comments=[*_comments(held)],
        rest=_rest(one, "number", "title", "html_url", "url", "state", "state_reason", "user", "author", "labels", "assignees",
                   "assignee", "milestone", "created_at", "createdAt", "closed_at", "closedAt", "updated_at", "updatedAt",
                   "body", "description", "comments", "reactions", "id", "performed_via_github_app"),
    )  # fmt: skip


def _freshdesk(one: dict[str, Plain]) -> Ticket:
    ident = first_text(one, "display_id", "id")
    comments = list_at(one, "conversations") or list_at(one, "notes")
    status, priority = text_at(one, "status"), text_at(one, "priority")
    return Ticket(
        ident=ident,
        name=f"Ticket {ident}",
        title=text_at(one, "subject"),
        url=first_text(one, "html_url", "url", "link"),
        facts=[
            ("Status", text_at(one, "status_name") or _FRESHDESK_STATUS.get(status, status)),
            ("Priority", text_at(one, "priority_name") or _FRESHDESK_PRIORITY.get(priority, priority)),
            ("Type", first_text(one, "type", "ticket_type")),
            ("Requester", text_at(one, "requester_name") or person(one.get("requester"))),
            ("Agent", text_at(one, "responder_name") or person(one.get("responder"))),
            ("Created", text_at(one, "created_at")),
            ("Updated", text_at(one, "updated_at")),
            ("Tags", named(one.get("tags"))),
        ],
        words=first_text(one, "description_html", "description", "description_text"),
        comments=[*_comments(comments)],
        rest=_rest(one, "display_id", "id", "subject", "html_url", "url", "link", "status", "status_name", "priority",
                   "priority_name", "type", "ticket_type", "requester_name", "requester", "responder_name", "responder",
                   "created_at", "updated_at", "tags", "description", "description_html", "description_text",
                   "conversations", "notes"),
    )  # fmt: skip


def _comments(found: Sequence[Plain]) -> Iterator[Comment]:
    """Comments, and those nested in them, in the order of the file."""
    waiting = [_unwrapped_note(one) for one in reversed(list(dicts_in(found)))]
    while waiting:
        one = waiting.pop()
        words = first_text(one, "html_body", "body_html", "body_text", "plain_body", "bodyText") or words_of(
            one.get("body")
        )
        author = next(
            (name for key in ("author", "user", "updateAuthor", "updated_by") if (name := person(one.get(key)))), ""
        )
        author = author or first_text(one, "author_name", "from_email", "user_name", "author_id", "user_id")
        internal = (
            text_at(one, "public") == "false"
            or text_at(one, "private") == "true"
            or text_at(one, "jsdPublic") == "false"
        )
        yield Comment(author, first_text(one, "created_at", "createdAt", "created"), words, internal)
        nested = next((list_at(one, name) for name in ("replies", "comments", "children") if list_at(one, name)), [])
        waiting += [_unwrapped_note(inner) for inner in reversed(list(dicts_in(nested)))]


def _unwrapped_note(one: dict[str, Plain]) -> dict[str, Plain]:
    return dict_at(one, "note") or dict_at(one, "comment") or one


def _rest(one: dict[str, Plain], *told: str) -> dict[str, Plain]:
    left = {name: value for name, value in one.items() if name not in told}
    cleaned: dict[str, Plain] = without_noise(left)
    return cleaned


def _words(name: str) -> str:
    return {"issuetype": "Type", "fixVersions": "Fix versions"}.get(name, name.capitalize())
