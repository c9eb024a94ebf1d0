"""What citations point at, the debugger, and a cleared history, as a program uses them."""

from __future__ import annotations

from typing import Any

import pytest

from answers.models import Answer, LiveAnswer, Question
from documents.models import Document
from documents.worker import work_through
from portal.scope import principal
from tests.conftest import Cast
from tests.documents.api.conftest import Program, ProgramFor
from tests.fakes.openai_server import OpenAIServer

OWNER = "owner"
FIRST = b"# Logging\n\n## Retention\n\nAccess logs are kept for 90 days and then deleted automatically.\n"
SECOND = b"# Logging\n\n## Retention\n\nAccess logs are kept for 30 days and then deleted automatically.\n"
OTHER = b"# Canteen\n\nLunch is served at noon in the canteen on the second floor.\n"
QUESTION = "How long are access logs kept?"


@pytest.fixture
def ada(cast: Cast, program: ProgramFor, toy_model: OpenAIServer) -> Program:
    made = program(cast.ada)
    for name, text in (("logs.md", FIRST), ("canteen.md", OTHER)):
        assert made.upload(name, text, collection=cast.shared(cast.north).ref).status_code == 202
    work_through()
    return made


def asked(program: Program) -> dict[str, Any]:
    answer: dict[str, Any] = program.post("/questions/", {"question": QUESTION}).json()["answer"]
    return answer


def test_a_citation_is_followed_to_its_passage_and_the_text_it_was_cut_from(ada: Program) -> None:
    [cited] = asked(ada)["citations"]

    passage = ada.get(f"/chunks/{cited['chunk']}/")
    text = ada.get(f"/documents/{cited['document']}/text/").json()

    body = passage.json()
    assert (body["document"], body["version"], body["is_live"]) == (cited["document"], 1, True)
    assert body["text"] == cited["snippet"] == text["text"][cited["start"] : cited["end"]]
    assert passage.headers["ETag"]
    assert (text["version"], text["language"]) == (1, "en")


def test_an_old_version_s_text_and_file_stay_readable_by_its_ref(ada: Program, cast: Cast) -> None:
    [cited] = asked(ada)["citations"]
    ada.upload("logs.md", SECOND, collection=cast.shared(cast.north).ref)
    work_through()
    path = f"/documents/{cited['document']}"
    old = ada.get(f"{path}/versions/").json()["results"][-1]["ref"]

    passage = ada.get(f"/chunks/{cited['chunk']}/").json()
    texts = [ada.get(f"{path}/text/{query}").json()["text"] for query in ("", f"?version={old}")]
    files = [b"".join(ada.get(f"{path}/original/{query}").streaming_content) for query in ("", f"?version={old}")]

    assert (passage["version"], passage["is_live"]) == (1, False)
    assert ["30 days" in texts[0], "90 days" in texts[1]] == [True, True]
    assert files == [SECOND, FIRST]


def test_a_file_is_an_attachment_that_no_browser_runs_whatever_form_is_asked_for(ada: Program) -> None:
    ref = Document.objects.using(OWNER).get(name="logs.md").ref

    file = ada.call("GET", f"/documents/{ref}/original/")
    file.close()
    missing = ada.get(f"/documents/{'0' * 18}/original/")

    assert file.headers["Content-Type"] == "application/octet-stream"
    assert file.headers["Content-Disposition"] == 'attachment; filename="logs.md"'
    assert "sandbox" in file.headers["Content-Security-Policy"]
    assert (missing.status_code, missing.headers["Content-Type"]) == (404, "application/problem+json")


def test_what_was_deleted_is_not_read_by_any_address(ada: Program) -> None:
    [cited] = asked(ada)["citations"]
    ada.delete(f"/documents/{cited['document']}/")

    paths = [
        f"/chunks/{cited['chunk']}/",
        *(f"/documents/{cited['document']}/{part}/" for part in ("text", "original")),
    ]

    assert [ada.get(path).status_code for path in paths] == [404, 404, 404]


def test_others_passages_are_as_if_they_were_not(ada: Program, cast: Cast, program: ProgramFor) -> None:
    [cited] = asked(ada)["citations"]
    cy = program(cast.cy)

    hidden = [cy.get(f"/chunks/{cited['chunk']}/"), cy.get(f"/documents/{cited['document']}/text/")]
    never = [cy.get("/chunks/900000000/"), cy.get(f"/documents/{'0' * 18}/text/")]

    assert [answer.status_code for answer in hidden] == [404, 404]
    assert [answer.json() for answer in hidden] == [answer.json() for answer in never]


def test_a_program_hears_which_stage_lost_a_passage(ada: Program) -> None:
    answer = asked(ada)
    used = answer["citations"][0]["chunk"]

    def why(**mark: Any) -> Any:
        return ada.post(f"/answers/{answer['ref']}/why-not/", mark)

    verdicts = [why(chunk=used).json(), why(document="canteen.md", words="served at noon").json()]
    nowhere = why(document="secret.md").json()

    assert [bool(one["verdicts"][0]["code"]) for one in verdicts] == [False, True]
    assert verdicts[1]["verdicts"][0]["title"] == "Canteen"
    assert nowhere["verdicts"][0]["code"] == "hidden"
    assert why().json()["code"] == "portal.invalid"
    assert why(chunk="x").status_code == 400


def test_the_same_question_today_says_what_changed_and_keeps_nothing(ada: Program, cast: Cast) -> None:
    answer = asked(ada)
    same = ada.post(f"/answers/{answer['ref']}/replay/").json()
    ada.upload("logs.md", SECOND, collection=cast.shared(cast.north).ref)
    work_through()

    changed = ada.post(f"/answers/{answer['ref']}/replay/").json()

    assert same["changes"] == [] and same["then"] == same["now"] | {"passages": same["then"]["passages"]}
    assert "90 days" in changed["then"]["text"] and "30 days" in changed["now"]["text"]
    assert any("newer version" in line for line in changed["changes"])
    assert Question.objects.using(OWNER).count() == 1


def test_the_history_is_cleared_with_what_is_being_answered_and_no_one_else_s(
    ada: Program, cast: Cast, program: ProgramFor
) -> None:
    ben = program(cast.ben)
    asked(ada), asked(ben)
    scope = cast.scope(cast.ada)
    with principal(scope):
        LiveAnswer.objects.create_for(scope, text="on its way", collection_ids=[], state=LiveAnswer.State.RUNNING)

    done = ada.delete("/questions/")

    assert (done.status_code, done.content) == (204, b"")
    assert ada.get("/questions/").json()["results"] == []
    assert not LiveAnswer.objects.using(OWNER).exists()
    assert [row.user_id for row in Answer.objects.using(OWNER).all()] == [cast.ben.pk]
