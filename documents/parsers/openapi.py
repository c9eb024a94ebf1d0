"""OpenAPI 3 and Swagger 2: one operation an entry, with its parameters, its bodies and its answers spelled out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from documents.parsers.builder import Builder
from documents.parsers.inner import add_words
from documents.parsers.openapi_schema import References, Schemas
from documents.parsers.plain_values import Plain, dict_at, dicts_in, first_text, list_at, text_at, value_of_plain
from documents.parsers.records import Records, TooMuch
from documents.text.section import Entry

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_SAID = frozenset(("operationId", "summary", "description", "tags", "parameters", "requestBody", "responses", "deprecated",
                   "security", "externalDocs", "consumes", "produces", "schemes", "callbacks"))  # fmt: skip
_GROUPS = ("paths", "webhooks", "x-webhooks")
_LONGEST_TITLE = 120


def is_openapi(value: Plain) -> bool:
    """Say whether a file's value describes an API: by what it says it is, and by what it holds."""
    says = text_at(value, "openapi").startswith("3.") or text_at(value, "swagger").startswith("2")
    return says and any(isinstance(value.get(name), dict) for name in (*_GROUPS, "components", "definitions"))


def add_openapi(builder: Builder, value: dict[str, Plain], *, most_characters: int) -> None:
    """Add what the file says of the API, then its operations in order, then all that stands beside them.

    References are followed inside the file alone; one that leads back to itself is cut there. Raises TooMuch.
    """
    references = References(value)
    _about(builder, value)
    for group in _GROUPS:
        for path, item in dict_at(value, group).items():
            _path(builder, references, path, item, is_webhook=group != "paths", most_characters=most_characters)
    builder.leave()
    rest = {name: inner for name, inner in value.items() if name not in (*_GROUPS, "openapi", "swagger", "info")}
    Records(builder, most_characters).write(value_of_plain(rest))
    for target in references.outside:
        builder.skip("reference", target, "not fetched")


def _about(builder: Builder, value: dict[str, Plain]) -> None:
    info = dict_at(value, "info")
    builder.title = text_at(info, "title")
    version, form = text_at(info, "version"), text_at(value, "openapi") or text_at(value, "swagger")
    builder.prose(f"{builder.title or 'API'}{f', version {version}' if version else ''} (OpenAPI {form})")
    add_words(builder, text_at(info, "summary"))
    add_words(builder, text_at(info, "description"))
    rest = {name: inner for name, inner in info.items() if name not in ("title", "version", "summary", "description")}
    Records(builder, 1_000_000).write(value_of_plain(rest))


def _path(
    builder: Builder, references: References, path: str, item: Plain, *, is_webhook: bool, most_characters: int
) -> None:
    shared = references.followed(item)
    if not isinstance(shared, dict):
        return
    for method in METHODS:
        if isinstance(operation := shared.get(method), dict):
            if builder.characters > most_characters:
                raise TooMuch
            _Operation(builder, references, path, method, is_webhook=is_webhook).add(operation, shared)


class _Operation:
    """Writes one operation under its own heading."""

    def __init__(self, builder: Builder, references: References, path: str, method: str, *, is_webhook: bool) -> None:
        self.builder = builder
        self.references = references
        self.path = path
        self.method = method
        self.call = f"{'Webhook' if is_webhook else method.upper()} {path}"

    def add(self, operation: dict[str, Plain], shared: dict[str, Plain]) -> None:
        name = text_at(operation, "operationId")
        summary = " ".join((text_at(operation, "summary") or text_at(shared, "summary")).split())
        call = f"{self.call} ({name})" if name else self.call
        title = f"{call}: {summary}" if summary else call
        is_short = len(title) <= _LONGEST_TITLE
        self.builder.begin(
            Entry(
                "operation",
                name or self.call,
                title,
                text_at(operation, "externalDocs", "url"),
            )
        )
        self.builder.heading(1, title if is_short else call)
        self.builder.prose("" if is_short else summary)
        for words in (text_at(shared, "description"), text_at(operation, "description")):
            add_words(self.builder, words)
        self.builder.items("\n".join(self._facts(operation)))
        self._parameters(operation, shared)
        self._body(operation)
        self._answers(operation)
        self._rest(operation)

    def _facts(self, operation: dict[str, Plain]) -> Iterator[str]:
        if text_at(operation, "deprecated") == "true":
            yield "- Deprecated: do not use it in new code."
        if tags := [tag for tag in list_at(operation, "tags") if isinstance(tag, str)]:
            yield f"- Tags: {', '.join(tags)}"
        for name in ("consumes", "produces"):
            if kinds := [kind for kind in list_at(operation, name) if isinstance(kind, str)]:
                yield f"- {name.capitalize()}: {', '.join(kinds)}"
        if "security" in operation:
            yield f"- Authorization: {_security(list_at(operation, 'security'))}"
        if outside := dict_at(operation, "externalDocs"):
            yield f"- See also: {text_at(outside, 'description')} {text_at(outside, 'url')}"

    def _parameters(self, operation: dict[str, Plain], shared: dict[str, Plain]) -> None:
        """The operation's own parameters go before those of its path that have the same name and place."""
        rows: dict[tuple[str, str], list[str]] = {}
        for raw in (*list_at(operation, "parameters"), *list_at(shared, "parameters")):
            one = self.references.followed(raw)
            key = text_at(one, "name"), text_at(one, "in")
            if isinstance(one, dict) and key[1] != "body":
                rows.setdefault(key, self._parameter(one, *key))
        if rows:
            self.builder.prose("Parameters:")
            self.builder.table([["Name", "In", "Required", "Type", "Description"], *rows.values()])

    def _parameter(self, one: dict[str, Plain], name: str, place: str) -> list[str]:
        schemas = Schemas(self.references)
        content: Plain = next(iter(dict_at(one, "content").values()), {})
        schema = one.get("schema") or dict_at(content, "schema") or one
        required = "yes" if text_at(one, "required") == "true" or place == "path" else "no"
        words = [text_at(one, "description"), schemas.rules(self.references.followed(schema))]
        if text_at(one, "deprecated") == "true":
            words.append("Deprecated.")
        if (example := text_at(one, "example")) or dict_at(one, "examples"):
            words.append(f"Example: {example or _first_example(one)}")
        return [name, place, required, schemas.label(schema), " ".join(word for word in words if word)]

    def _body(self, operation: dict[str, Plain]) -> None:
        body = self.references.followed(operation.get("requestBody") or {})
        for raw in (*list_at(operation, "parameters"),):
            one = self.references.followed(raw)
            if text_at(one, "in") == "body":  # as Swagger 2 says it
                body = {**one, "content": {"": {"schema": one.get("schema") or {}}}}
        if not isinstance(body, dict) or not body:
            return
        needed = " (required)" if text_at(body, "required") == "true" else ""
        self.builder.prose(f"Request body{needed}: {text_at(body, 'description')}".strip(" :") + ":")
        self._content(body)

    def _answers(self, operation: dict[str, Plain]) -> None:
        responses = dict_at(operation, "responses")
        for status in sorted(responses, key=_errors_last):
            answer = self.references.followed(responses[status])
            noun = "Error" if status[:1] in ("4", "5") else "Response"
            self.builder.prose(f"{noun} {status}: {text_at(answer, 'description')}".strip(" :"))
            headers = Schemas(self.references).fields(_headers(self.references, answer))
            self.builder.items("\n".join(f"- Header {line.removeprefix('- ')}" for line in headers))
            if isinstance(answer, dict) and "schema" in answer:  # as Swagger 2 says it
                answer = {**answer, "content": {"": {"schema": answer["schema"]}}}
            self._content(answer)

    def _content(self, holder: Plain) -> None:
        """What a body looks like. Kinds of media that have one schema are told together."""
        told: list[tuple[Plain, list[str]]] = []
        for kind, media in dict_at(holder, "content").items():
            schema = media.get("schema") if isinstance(media, dict) else None
            same = next((kinds for known, kinds in told if known == schema), None)
            same.append(kind) if same is not None else told.append((schema, [kind]))
        for schema, kinds in told:
            lines = Schemas(self.references).lines(schema or {})
            self.builder.items(
                "\n".join((f"- {', '.join(filter(None, kinds)) or 'Content'}", *(f"  {line}" for line in lines)))
            )
        for media in dict_at(holder, "content").values():
            for name in ("example", "examples"):
                if isinstance(media, dict) and media.get(name):
                    self._leftover({name: media[name]})

    def _rest(self, operation: dict[str, Plain]) -> None:
        self._leftover({name: inner for name, inner in operation.items() if name not in _SAID})
        for name, callback in dict_at(operation, "callbacks").items():
            for path, item in dict_at({"": self.references.followed(callback)}, "").items():
                calls = [f"{method.upper()} {path}: {first_text(inner, 'summary', 'description')}"
                         for method, inner in dict_at({"": item}, "").items() if method in METHODS]  # fmt: skip
                self.builder.prose("\n".join(f"Callback {name}: {call}" for call in calls))

    def _leftover(self, values: dict[str, Plain]) -> None:
        for line in Schemas(self.references).leftover(values):
            self.builder.prose(line)


def _headers(references: References, answer: Plain) -> dict[str, Plain]:
    """The headers of an answer as if they were properties of an object."""
    found = {name: references.followed(header) for name, header in dict_at(answer, "headers").items()}
    return {
        "properties": {
            name: {**header, **dict_at(header, "schema")} for name, header in found.items() if isinstance(header, dict)
        }
    }


def _first_example(one: Mapping[str, Plain]) -> str:
    return next((text_at(example, "value") for example in dict_at(one, "examples").values()), "")


def _security(needed: list[Plain]) -> str:
    ways = [" and ".join(f"{name} ({', '.join(filter(_is_text, scopes))})" if scopes else name
                         for name, scopes in one.items()) for one in dicts_in(needed)]  # fmt: skip
    return " or ".join(way or "none" for way in ways) or "none"


def _is_text(value: Plain) -> bool:
    return isinstance(value, str)


def _errors_last(status: str) -> tuple[bool, str]:
    return status == "default", status
