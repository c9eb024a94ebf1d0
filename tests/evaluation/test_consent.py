"""A standing consent: what is asked while it stands is offered, nobody else's is, and taking it back takes the words back."""

from __future__ import annotations

import pytest
from django.db import DatabaseError
from django.urls import reverse

from evaluation import consent, feedback, shadow
from evaluation.models import Consent, Feedback, GoldenQuestion, Judgement
from portal.models import User
from portal.scope import principal
from tests.answers.conftest import Ask, answer_of
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in


def offers(shelf: Shelf, user: User) -> list[tuple[str, str]]:
    scope = shelf.cast.scope(user)
    with principal(scope):
        rows = Feedback.objects.visible_to(scope).filter(kind="offer").order_by("pk")
        return list(rows.values_list("question_text", "outcome"))


def test_what_is_asked_while_the_consent_stands_is_offered_to_the_editors(shelf: Shelf, ask: Ask) -> None:
    cast = shelf.cast
    ask("Who may open the housing?", cast.dot)

    consent.give(cast.scope(cast.dot))
    consent.give(cast.scope(cast.dot))
    ask("What does E4304 mean?", cast.dot)
    ask("What is the capital of Australia?", cast.dot)
    ask("Who may open the motor housing?", cast.ben)

    expected = [("What does E4304 mean?", "answered"), ("What is the capital of Australia?", "declined")]
    assert Consent.objects.using("owner").count() == 1
    assert offers(shelf, cast.ada) == expected
    assert offers(shelf, cast.dot) == expected
    assert offers(shelf, cast.ben) in ([], expected)  # his own are not offered, whatever his role
    assert offers(shelf, cast.cy) == []


def test_taking_it_back_takes_back_the_words_but_for_what_an_editor_took(shelf: Shelf, ask: Ask) -> None:
    cast = shelf.cast
    scope = cast.scope(cast.dot)
    consent.give(scope)
    ask("What does E4304 mean?", cast.dot)
    ask("Who may open the motor housing?", cast.dot)
    golden_set = shadow.offered_set(cast.scope(cast.ada))
    assert golden_set is not None
    taken = Feedback.objects.using("owner").order_by("pk")[0]
    feedback.take(cast.scope(cast.ada), taken, None)

    count = consent.withdraw(scope)
    ask("What does E4304 mean then?", cast.dot)

    texts = dict(GoldenQuestion.objects.using("owner").filter(golden_set=golden_set).values_list("text", "origin"))
    assert count == 1
    assert not consent.is_given(scope)
    assert list(Feedback.objects.using("owner").values_list("question_text", flat=True)) == ["What does E4304 mean?"]
    assert texts == {"What does E4304 mean?": "offer", "(withdrawn by its asker)": "offer"}


def test_nobody_consents_for_somebody_else_or_sees_that_they_did(shelf: Shelf) -> None:
    cast = shelf.cast
    consent.give(cast.scope(cast.dot))
    scope = cast.scope(cast.ada)

    with principal(scope):
        seen = Consent.objects.unscoped(reason="the policy alone").count()
    with pytest.raises(DatabaseError), principal(scope):
        Consent.objects.using("default").create(workspace_id=scope.workspace_id, user_id=cast.ben.pk)

    assert seen == 0


def test_judgements_are_the_editors_of_their_own_workspace(shelf: Shelf) -> None:
    cast = shelf.cast
    values = {"key": b"k" * 32, "verdict": "right", "model": "toy", "prompt_version": "p"}
    scope = cast.scope(cast.ada)
    with principal(scope):
        Judgement.objects.create_for(scope, **values)
    counted = {}
    for name in ("ada", "cy", "dot"):
        scope = cast.scope(getattr(cast, name))
        with principal(scope):
            counted[name] = Judgement.objects.unscoped(reason="the policy alone").count()
    scope = cast.scope(cast.cy)
    with pytest.raises(DatabaseError), principal(scope):
        Judgement.objects.using("default").create(workspace_id=cast.north.pk, **{**values, "key": b"x" * 32})

    assert (counted["ada"], counted["cy"]) == (1, 0)


def test_the_page_says_what_is_offered_and_every_answer_leads_to_it(shelf: Shelf, ask: Ask) -> None:
    cast = shelf.cast
    client = signed_in(cast.dot)
    page = reverse("question_offers")
    answer = answer_of(shelf, ask("What does E4304 mean?", cast.dot), cast.dot)

    beside = client.get(reverse("answer", args=[answer.ref])).content.decode()
    before = client.get(page).content.decode()
    sent = client.post(page, {"do": "give"})
    ask("Who may open the motor housing?", cast.dot)
    after = client.get(page).content.decode()
    taken_back = client.post(page, {"do": "withdraw"}, follow=True).content.decode()

    assert sent.status_code == 302
    assert f'href="{page}"' in beside
    assert "Not offered" in before
    assert "Who may open the motor housing?" in after
    assert "Stop, and take back" in after
    assert "1 offers were taken back" in taken_back
    assert client.post(page, {"do": "else"}).status_code >= 400
