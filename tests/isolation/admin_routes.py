"""The rules of the admin's routes, which Django makes from the models that are registered: list, change, history, delete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import admin
from django.urls import reverse

from tests.isolation.canaries import HOMES
from tests.isolation.matrix import Case, Sent
from tests.isolation.sending import PAPERS, PEOPLE, PLACES, Send, get
from tests.isolation.targets import Target

OPEN = {
    "admin:login": "leads to the portal's own page",
    "admin:logout": "ends the own session",
    "admin:jsi18n": "words",
    "admin:app_list": "names of models",
    "admin:catch-all": "nothing but 404",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A registered model: which id of a target is its, what a list and a page of it shows, and whose it may be."""

    slot: str
    listed: str
    opened: str
    aims: tuple[str, ...]


TENANT_MODELS = {
    "documents_document": Shown("document_id", "name", "name", PAPERS),
    "documents_version": Shown("version_id", "name", "name", PAPERS),
    "documents_chunk": Shown("chunk_id", "title", "text", PAPERS),
    "documents_ingestjob": Shown("job_id", "", "job", PAPERS),
    "portal_collection": Shown("collection_id", "collection", "collection", PAPERS),
    "portal_apikey": Shown("key_id", "key", "key", PEOPLE),
    "portal_auditevent": Shown("audit_id", "audit", "audit", PLACES),
    "portal_membership": Shown("membership_id", "email", "email", PLACES),
    "evaluation_goldenset": Shown("golden_set_id", "set", "set", PLACES),
    "evaluation_run": Shown("run_id", "set", "set", PLACES),
    "answers_modelprovider": Shown("provider_id", "provider", "provider", PLACES),
    "answers_budget": Shown("budget_id", "", "", PLACES),
    "portal_webhook": Shown("hook_id", "hook", "hook", PLACES),
    "portal_delivery": Shown("delivery_id", "hook", "hook", PLACES),
    "portal_grant": Shown("grant_id", "collection", "collection", ("granted",)),
}
GLOBAL_MODELS = ("documents_embeddingmodel",)
ACTIONS = ("changelist", "add", "history", "delete", "change", "redirect")


def model_names() -> list[str]:
    return [f"{model._meta.app_label}_{model._meta.model_name}" for model in admin.site._registry]


def cases() -> Iterator[Case]:
    for name, shown in TENANT_MODELS.items():
        yield from _cases_of(name, shown)
    yield Case("admin:autocomplete", "GET", _autocomplete, PAPERS, is_list=True)
    yield Case("admin:index", "GET", get("admin:index"), (*HOMES, "north", "south"), is_list=True)


def _cases_of(name: str, shown: Shown) -> Iterator[Case]:
    base, slot = f"admin:{name}", shown.slot
    scanned = shown.aims[:1] + shown.aims[2:3]
    yield Case(f"{base}_changelist", "GET", get(f"{base}_changelist"), shown.aims, shows=shown.listed, is_list=True)
    yield Case(f"{base}_changelist", "GET a search", get(f"{base}_changelist", q="=canary"), shown.aims, is_list=True)
    yield Case(f"{base}_changelist", "GET by id", get(f"{base}_changelist", id__exact=slot), scanned, is_list=True)
    yield Case(
        f"{base}_changelist",
        "GET by collection",
        get(f"{base}_changelist", collection__id__exact="collection_id"),
        scanned,
        is_list=True,
    )
    yield Case(f"{base}_changelist", "POST an action", _action(name, slot), scanned, is_list=True)
    yield Case(f"{base}_change", "GET", get(f"{base}_change", slot), shown.aims, shows=shown.opened)
    yield Case(f"{base}_history", "GET", get(f"{base}_history", slot), scanned)
    yield Case(f"{base}_delete", "GET", get(f"{base}_delete", slot), scanned)
    yield Case(f"{base}_redirect", "GET", _redirect(name, slot), scanned)
    yield Case(f"{base}_add", "GET", get(f"{base}_add"), shown.aims, is_list=True)


def _action(name: str, slot: str) -> Send:
    return lambda mine, aimed: Sent(
        "POST",
        reverse(f"admin:{name}_changelist"),
        form={
            "action": "delete_selected",
            "_selected_action": getattr(aimed, slot),
            "index": "0",
            "select_across": "0",
        },
    )


def _redirect(name: str, slot: str) -> Send:
    return lambda mine, aimed: Sent("GET", reverse(f"admin:{name}_changelist") + f"{getattr(aimed, slot)}/")


def _autocomplete(mine: Target, aimed: Target) -> Sent:
    query = {"term": "canary", "app_label": "portal", "model_name": "grant", "field_name": "collection"}
    return Sent("GET", reverse("admin:autocomplete"), query=query)
