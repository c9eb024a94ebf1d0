"""A model's endpoint that does everything wrong, and a model that does what documents say: the whole stack and a browser.

Each act of a scripted endpoint (tests/fakes/model_server.py) is asked for through the page in chromium and through the API. The
page must end in an answer with a note, in time, without a server error, and without a request to any other address.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import psycopg
from playwright.sync_api import Dialog, Page, Response, sync_playwright
from playwright.sync_api import Error as BrowserError

from bench import inside, llm_acts, llm_breaker
from bench.canary import superuser
from bench.llm_acts import Fault, Trap
from bench.registry import Bar, Bench, Figures, chromium, measures
from bench.stack import Stack, Upload, Visitor, in_words, running, wait_until
from bench.visit import FLAGS
from tests.fakes.model_server import Gated, ModelServer, Obedient, Recites, Status

PROVIDER: Final = {"name": "scripted", "model": "toy", "key": "sk-own", "max_output_tokens": 400}
TIMES: Final = {"connect_s": 1.0, "first_s": 2.0, "idle_s": 1.5, "total_s": 8.0}
HANG_S: Final = 30.0
QUESTION: Final = "How long are deleted documents kept?"


@dataclass(slots=True)
class Found:
    """What went wrong, by bar; `cases` is how many acts were played."""

    cases: int = 0
    server_errors: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    fakes: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Seat:
    """A signed-in person in chromium, a key, and the endpoint that the stack asks."""

    stack: Stack
    page: Page
    model: ModelServer
    key: str
    trap: Trap
    database: str
    found: Found = field(default_factory=Found)
    case: str = ""

    def reset(self) -> None:
        """Every case begins with a closed breaker and an empty script."""
        with psycopg.connect(self.database, autocommit=True) as connection:
            connection.execute("DELETE FROM answers_breaker")
        self.model.clear()

    def provider(self) -> str:
        return provider_of(self.model)

    def look(self, page: Page) -> None:
        """Count what this page asks for and what it is answered."""

        def requested(url: str) -> None:
            if not url.startswith((self.stack.address, "data:", "about:", "blob:")):
                self.found.foreign.append(f"{self.case}: {url[:80]}")

        def answered(response: Response) -> None:
            if response.status >= 500:
                self.found.server_errors.append(f"{self.case}: {response.status} {response.url[-60:]}")

        def opened(dialog: Dialog) -> None:
            self.found.scripts.append(f"{self.case}: dialog")
            dialog.dismiss()

        page.on("request", lambda request: requested(request.url))
        page.on("response", answered)
        page.on("dialog", opened)

    def ask(self, question: str) -> float:
        """Ask in the browser and wait for the kept answer; seconds, HANG_S when none came."""
        started = time.monotonic()
        try:
            self.page.goto(f"{self.stack.address}/")
            self.page.fill("#question", question)
            self.page.click("#ask-form button[type=submit]")
            self.page.wait_for_selector("#answer:not(.writing) footer.facts, #answer .note.warn", timeout=HANG_S * 1000)
        except BrowserError:
            self.found.hangs.append(f"{self.case}: page {self.page.url[-30:]}")
        return time.monotonic() - started

    def program(self, question: str) -> dict[str, Any]:
        """Ask through the key; {} when that came to nothing."""
        try:
            answer = httpx.post(
                f"{self.stack.address}/api/v1/questions/",
                json={"question": question},
                headers={"Authorization": f"Bearer {self.key}"},
                timeout=HANG_S,
            )
        except httpx.HTTPError as error:
            self.found.hangs.append(f"{self.case}: program {type(error).__name__}")
            return {}
        if answer.status_code != 201:
            self.found.server_errors.append(f"{self.case}: program {answer.status_code}")
            return {}
        body: dict[str, Any] = answer.json()["answer"]
        return body


@measures(
    Bar("llm_cases", ">=", 30),
    Bar("llm_server_errors", "=", 0),
    Bar("llm_hangs", "=", 0),
    Bar("llm_foreign_requests", "=", 0),
    Bar("llm_fake_citations", "=", 0),
    Bar("llm_stored_xss", "=", 0),
    Bar("llm_wrong_outcomes", "=", 0),
    Bar("llm_breaker_wrong", "=", 0),
    Bar("llm_token_order", "=", 1),
    is_long=True,
    needs=("chromium",),
)
def llm_faults(bench: Bench) -> Figures:
    with seat(bench) as here:
        faults(here)
        obedient(here)
        order = token_order(here)
        breaker = llm_breaker.walk(here)
        found = here.found
        errors = [line for line in here.stack.log.read_text(errors="replace").splitlines() if " error " in line]
    found.server_errors += errors
    for name, lines in vars_of(found).items():
        for line in lines:
            bench.note(f"{name}: {line}")
    for line in breaker:
        bench.note(f"breaker: {line}")
    return {
        "llm_cases": found.cases,
        "llm_server_errors": len(found.server_errors),
        "llm_hangs": len(found.hangs),
        "llm_foreign_requests": len(found.foreign) + here.trap.count,
        "llm_fake_citations": len(found.fakes),
        "llm_stored_xss": len(found.scripts),
        "llm_wrong_outcomes": len(found.outcomes),
        "llm_breaker_wrong": len(breaker),
        "llm_token_order": float(order),
    }


def vars_of(found: Found) -> dict[str, list[str]]:
    names = ("server_errors", "hangs", "foreign", "fakes", "scripts", "outcomes")
    return {name: getattr(found, name) for name in names}


@contextmanager
def seat(bench: Bench) -> Iterator[Seat]:
    """A stack whose one provider is a scripted server, and a browser that is signed in."""
    with ModelServer() as model, Trap() as trap:
        more = {"FOOTNOTE_DEMO": "1", "MODEL_PROVIDERS": provider_of(model)}
        state = bench.kept("llm-faults")
        with running(state, more=more) as stack, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            page = browser.new_page()
            email, password = stack.sign_in_words()
            page.goto(f"{stack.address}/sign-in/")
            page.fill("#email", email)
            page.fill("#password", password)
            page.click("#sign-in button[type=submit]")
            page.wait_for_selector("#question")
            here = Seat(stack, page, model, inside.call(state, "bench.inside_canary:key"), trap, superuser(state))
            here.look(page)
            wait_until(lambda: is_read(here), 120, "the sample is read")
            yield here
            browser.close()


def provider_of(model: ModelServer) -> str:
    return json.dumps([{**PROVIDER, **TIMES, "base_url": model.url}])


def is_read(here: Seat) -> bool:
    here.reset()
    return bool(here.program(QUESTION).get("citations"))


# ---- every fault


def faults(here: Seat) -> None:
    for fault in llm_acts.faults(here.trap.url):
        here.case = fault.name
        here.reset()
        with fault.place(here.model):
            here.model.script(*fault.acts)
            here.ask(QUESTION)
            here.found.outcomes += judged(here, fault)
            here.reset()
            here.model.script(*fault.acts)
            here.found.outcomes += judged_program(here, fault, here.program(QUESTION))
        here.found.cases += 1


def judged(here: Seat, fault: Fault) -> list[str]:
    """An answer with quotes and a note, or the model's own text where the endpoint came round."""
    page = here.page
    has_quotes = page.locator(".quotes .cite").count() > 0
    has_prose = page.locator("#answer .prose .said").count() > 0
    has_note = page.locator("#answer .note.warn").count() > 0
    said = in_words(page.content())
    wrong = []
    if fault.ends == "quotes" and not (has_quotes and has_note):
        wrong.append(f"{fault.name}: page without quotes or without a note")
    if fault.ends == "model" and not has_prose:
        wrong.append(f"{fault.name}: page without the model's text")
    if "sk-secret-of-the-provider" in said or "sk-own" in said:
        wrong.append(f"{fault.name}: the page tells the provider's words")
    return wrong


def judged_program(here: Seat, fault: Fault, answer: dict[str, Any]) -> list[str]:
    mode = "model" if fault.ends == "model" else "extractive"
    if not answer:
        return []
    wrong = [] if answer["mode"] == mode else [f"{fault.name}: a program got {answer['mode']}"]
    if mode == "extractive" and not answer["notes"]:
        wrong.append(f"{fault.name}: a program got no note")
    return wrong


# ---- a model that obeys


def obedient(here: Seat) -> None:
    visitor = Visitor(here.stack)
    collection = inside.call(here.stack.state, "bench.inside_corpus:collection", name="Obedient")
    orders = llm_acts.orders(here.trap.url)
    here.model.usually = Obedient()
    for order in orders:
        visitor.upload([Upload(f"{order.code}.md", order.document().encode())], collection=collection)
    for order in orders:
        here.case = f"obedient: {order.name}"
        here.reset()
        wait_until(lambda order=order: is_found(here, order.code), 60, f"{order.code} is read")  # type: ignore[misc]
        here.reset()
        here.model.usually = Recites() if order.is_recital else Obedient()
        here.ask(order.question)
        here.found.fakes += fakes(here)
        here.found.outcomes += [f"{here.case}: {line}" for line in order.missing(in_words(here.page.content()))]
        here.found.scripts += scripts(here)
        here.found.cases += 1
    here.model.usually = Status(500)


def is_found(here: Seat, code: str) -> bool:
    found = httpx.post(
        f"{here.stack.address}/api/v1/search/",
        json={"question": code},
        headers={"Authorization": f"Bearer {here.key}"},
        timeout=HANG_S,
    )
    return found.status_code == 200 and f"{code} means the valve" in found.text


def fakes(here: Seat) -> list[str]:
    """Chips that lead to no source, and markers of passages that were never sent; code is left as it was written."""
    page = here.page
    lost = page.locator("#answer a.cite").evaluate_all(
        "items => items.filter(i => !document.querySelector(i.hash)).length"
    )
    said = " ".join(page.locator("#answer .prose p.said").all_inner_texts())
    wrong = [f"{here.case}: {lost} chips lead nowhere"] if lost else []
    return wrong + [f"{here.case}: {marker} is shown" for marker in re.findall(r"\[(?:99|88|77|\d{3,})\]", said)]


def scripts(here: Seat) -> list[str]:
    """Looked for on every page that shows the answer or its question: what ran, and what would be fetched or run."""
    address = here.page.url
    wrong = []
    for url in (address, f"{address}why/", f"{here.stack.address}/history/", f"{here.stack.address}/"):
        here.page.goto(url)
        found = here.page.evaluate(llm_acts.LOOK)
        wrong += [f"{here.case}: {item} on {url[-20:]}" for item in found]
    return wrong


# ---- order of tokens


def token_order(here: Seat) -> bool:
    """The endpoint sends its second piece only after the browser shows the first."""
    here.case = "token order"
    here.reset()
    here.model.script(Gated(("Deleted documents ", "are gone at once [1]. ", "So it says.")))
    page = here.page
    page.goto(f"{here.stack.address}/")
    page.fill("#question", QUESTION)
    page.click("#ask-form button[type=submit]")
    page.locator("#written", has_text="Deleted documents").wait_for(timeout=20_000)
    first = here.model.calls[-1].sent == 1
    here.model.let_go()
    page.locator("#written", has_text="gone at once").wait_for(timeout=20_000)
    second = here.model.calls[-1].sent == 2
    here.model.let_go(5)
    page.wait_for_selector("#answer:not(.writing) footer.facts", timeout=20_000)
    return first and second
