"""The examples of the API's description are sent as they stand there: each is accepted, and fits its own schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from drf_spectacular.generators import SchemaGenerator

from documents.worker import work_through
from portal import api_examples
from portal.keys import make_key
from tests.conftest import Cast
from tests.documents.api.conftest import Program
from tests.fakes.openai_server import OpenAIServer

LOGS = b"# Logging\n\n## Retention\n\nAccess logs are kept for 90 days and then deleted automatically.\n"
JSON = "application/json"


def described() -> Any:
    generator: Any = SchemaGenerator
    return generator().get_schema(request=None, public=True)


def reading_json(schema: Any) -> dict[str, tuple[str, str, Any]]:
    """By operationId: method, path, and what the description says of the JSON body."""
    return {
        operation["operationId"]: (method.upper(), path, operation["requestBody"]["content"][JSON])
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if JSON in operation.get("requestBody", {}).get("content", {})
    }


def test_every_operation_that_reads_json_shows_an_example_that_fits() -> None:
    schema = described()

    assert set(api_examples.EXAMPLES) == set(reading_json(schema)), "portal/api_examples.py"
    for _, _, body in reading_json(schema).values():
        reference = {"$ref": body["schema"]["$ref"], "components": schema["components"]}
        jsonschema.Draft202012Validator(reference).validate(body["example"])


class World:
    """A portal in use: what the examples' refs stand for, and the things that their paths name."""

    def __init__(self, cast: Cast) -> None:
        _, key = make_key(cast.scope(cast.ada), "all", scopes=("read", "ask", "ingest", "admin"))
        self.program = Program(key)
        shelf = cast.shared(cast.north).ref
        own = cast.private(cast.ada).ref
        document = self.program.upload("mine.md", LOGS, collection=own).json()["document"]["ref"]
        shared = self.program.upload("logging.md", LOGS, collection=shelf).json()["document"]["ref"]
        work_through()
        asked = self._made("/questions/", {"question": "How long are access logs kept?"})
        answer = asked["answer"]["ref"]
        feedback = self._made(f"/answers/{answer}/feedback/", {"kind": "down"})["ref"]
        golden = self._made("/golden-sets/", {"name": "Night shift"})["ref"]
        self.stands_for = {
            api_examples.COLLECTION: shelf,
            api_examples.DOCUMENT: shared,
            api_examples.QUESTION: asked["ref"],
            api_examples.GOLDEN_SET: golden,
            "hooks.example.org": "93.184.215.14",  # a host that nobody needs to look up
        }
        self.refs = {
            "answers": answer,
            "collections": shelf,
            "documents": document,
            "feedback": feedback,
            "golden-sets": golden,
            "keys": key.split("_")[1],
        }

    def _made(self, path: str, body: Any) -> Any:
        response = self.program.post(path, body)
        assert response.status_code < 300, response.content
        return response.json()

    def send(self, method: str, path: str, example: Any) -> Any:
        kind = path.split("/")[3]
        text = json.dumps(example)
        for stand_in, ref in self.stands_for.items():
            text = text.replace(stand_in, ref)
        here = path.removeprefix("/api/v1").replace("{ref}", self.refs.get(kind, ""))
        response = self.program.call(method, here, json.loads(text))
        if kind == "webhooks" and "ref" in response.json():
            self.refs[kind] = response.json()["ref"]
        return response


def test_every_example_is_accepted_by_the_portal(cast: Cast, toy_model: OpenAIServer) -> None:
    world = World(cast)
    told = {}

    for name, (method, path, body) in sorted(reading_json(described()).items()):
        response = world.send(method, path, body["example"])
        told[name] = (response.status_code, response.content[:300])

    assert [f"{name}: {said}" for name, said in told.items() if said[0] >= 300] == []
    assert len(told) == len(api_examples.EXAMPLES)
