"""compose.yaml: in the form of the specification, with the supervisor's processes, and each secret where it belongs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from portal import env
from portal.embedded import deploy, embedder, stack

COMPOSE: dict[str, Any] = yaml.safe_load((env.ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
SERVING = ("web", "worker")
ONE_IMAGE = ("embedder", "migrate", "web", "worker")


def test_the_file_has_the_form_of_the_specification() -> None:
    schema = json.loads((Path(__file__).parent / "compose_schema.json").read_text(encoding="utf-8"))

    jsonschema.Draft7Validator(schema).validate(COMPOSE)


def test_a_misspelt_key_would_fail() -> None:
    schema = json.loads((Path(__file__).parent / "compose_schema.json").read_text(encoding="utf-8"))
    wrong = {**COMPOSE, "services": {**SERVICES, "web": {**SERVICES["web"], "depend_on": {}}}}

    with pytest.raises(jsonschema.ValidationError, match="depend_on"):
        jsonschema.Draft7Validator(schema).validate(wrong)


def test_the_processes_are_those_of_the_supervisor() -> None:
    settings = env.load({})
    services = stack.Services()
    started = [
        "postgres",
        "valkey",
        embedder.Embedder(1).program({}).name,
        *(program.name for program in stack.serving_programs(services, settings)),
    ]
    once = {"migrate"}

    assert set(SERVICES) - once == set(started)


def test_web_worker_and_embedder_run_the_supervisors_commands() -> None:
    worker = stack.worker_program(stack.Services())
    assert SERVICES["web"]["command"] == ["python", "-m", "uvicorn", *stack.web_options("0.0.0.0", 8000)]
    assert SERVICES["worker"]["command"] == ["python", *worker.argv[1:]]
    local = embedder.Embedder(8901).program({}).argv[1:]
    assert SERVICES["embedder"]["command"] == ["python", *(part.replace("127.0.0.1", "0.0.0.0") for part in local)]
    once = stack.bootstrap_program(stack.Services()).argv
    assert SERVICES["migrate"]["command"] == ["python", "manage.py", *once[2:]]


def test_the_image_starts_the_web_process_by_itself() -> None:
    dockerfile = (env.ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    command = re.findall(r"^CMD (\[.*\])$", dockerfile, flags=re.MULTILINE)

    assert json.loads(command[0]) == SERVICES["web"]["command"]


def test_our_services_share_one_image_and_run_without_rights() -> None:
    shared = {(SERVICES[name]["image"], SERVICES[name]["read_only"], *SERVICES[name]["cap_drop"]) for name in ONE_IMAGE}

    assert shared == {("footnote:local", True, "ALL")}


def test_only_the_migrate_job_holds_the_owners_keys() -> None:
    for name, service in SERVICES.items():
        holds = {*service.get("environment", {}), *service.get("secrets", [])}
        owners = {key for key in holds if "OWNER" in key.upper() or "ADMIN" in key.upper()}
        assert bool(owners) == (name == "migrate"), (name, owners)
    assert {SERVICES[name]["environment"]["FOOTNOTE_PROCESS"] for name in SERVING} == set(SERVING)


def test_every_secret_is_declared_mounted_and_made(tmp_path: Path) -> None:
    declared = set(COMPOSE["secrets"])
    mounted = {secret for service in SERVICES.values() for secret in service.get("secrets", [])}

    made = set(deploy.make_secrets(tmp_path))

    assert declared == mounted == made
    for name, service in SERVICES.items():
        read = set(re.findall(r"/run/secrets/(\w+)", json.dumps(service)))
        assert read == set(service.get("secrets", [])), name


def test_no_password_stands_in_the_file() -> None:
    text = (env.ROOT / "compose.yaml").read_text(encoding="utf-8")

    assert not re.search(r"://[^/\s]*:[^/\s]*@", text)
    for service in SERVICES.values():
        for variable in service.get("environment", {}):
            secretive = re.search(r"PASSWORD|_KEY|BROKER_URL|ADMIN", variable)
            assert not secretive or variable.endswith("_FILE"), variable


def test_secrets_are_made_once_and_fit_together(tmp_path: Path) -> None:
    deploy.make_secrets(tmp_path)
    before = {file.name: file.read_text() for file in tmp_path.iterdir()}

    assert deploy.make_secrets(tmp_path) == []
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == before
    assert before["valkey_password"].strip() in before["broker_url"]
    assert before["postgres_password"].strip() in before["admin_database_url"]


def test_every_variable_is_one_that_footnote_reads() -> None:
    example = (env.ROOT / ".env.example").read_text(encoding="utf-8")
    for name in ONE_IMAGE:
        own = [
            each for each in SERVICES[name]["environment"] if not each.startswith("MALLOC_")
        ]  # those are the C library's
        for variable in own:
            assert f"# {variable.removesuffix('_FILE')}=" in example, variable


def test_everyone_with_a_door_says_whether_he_is_well() -> None:
    assert {name for name, service in SERVICES.items() if "healthcheck" not in service} == {"migrate"}
