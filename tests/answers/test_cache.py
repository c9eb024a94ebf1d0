"""Earlier answers given again: to whom, until what happens, and never with words that the asker may not see."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError
from django.utils import timezone

from answers import ask as walk
from answers import cache
from answers.models import Answer, AnswerOptions, CachedAnswer
from documents import lifecycle
from documents.models import Document
from portal.models import User
from portal.scope import principal
from tests.answers.conftest import GUIDE, Ask, answer_of
from tests.conftest import Cast
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in

ASKED = "How long must the motor cool after E4304?"
FRAMED = "Please, how long must the motor cool after E4304?"


def again(shelf: Shelf, ask: Ask, text: str, user: User | None = None, **options: Any) -> bool:
    """Whether the answer was an earlier one."""
    answer = answer_of(shelf, ask(text, user, gives_again=True, **options), user)
    assert answer.outcome == "answered", answer.reason
    return answer.earlier_at is not None


def stages(events: list[walk.Event]) -> list[str]:
    return [event.name for event in events if isinstance(event, walk.Stage)]


def test_the_same_question_is_answered_again_without_a_search(ask: Ask, shelf: Shelf) -> None:
    first = ask(ASKED, gives_again=True)
    second = ask(ASKED, gives_again=True)

    order = ["validate", "guard", "fingerprint", "embed", "cache"]
    assert stages(first) == [*order, "search", "gates", "write", "audit", "persist", "record"]
    assert stages(second) == [*order, "audit", "persist", "record"]
    one, two = answer_of(shelf, first), answer_of(shelf, second)
    assert (two.quotes, two.verdict, two.searched_chunks) == (one.quotes, one.verdict, one.searched_chunks)
    assert one.earlier_at is None and two.earlier_at is not None
    assert [event.text for event in first if isinstance(event, walk.Token)] == [
        event.text for event in second if isinstance(event, walk.Token)
    ]
    passages = shelf.rows("SELECT passage FROM answers_citation WHERE answer_id = %s", two.pk)
    assert any("30 minutes" in passage for (passage,) in passages)


def test_a_paraphrase_is_served_and_a_near_miss_is_not(ask: Ask, shelf: Shelf) -> None:
    again(shelf, ask, ASKED)

    assert again(shelf, ask, FRAMED)
    assert not again(shelf, ask, "How long must the motor not cool after E4304?")
    assert not again(shelf, ask, "How long must the pump cool after E4304?")


def test_two_members_who_see_the_same_share_it_and_empty_collections_do_not_part_them(ask: Ask, shelf: Shelf) -> None:
    again(shelf, ask, ASKED)

    assert again(shelf, ask, ASKED, shelf.cast.ben)
    assert not again(shelf, ask, ASKED, shelf.cast.ben, k=5)


def test_a_member_who_sees_more_is_answered_from_all_of_it(ask: Ask, shelf: Shelf) -> None:
    again(shelf, ask, ASKED)
    shelf.put_and_read(
        "secret.md", GUIDE.replace("30", "45"), user=shelf.cast.ben, collection=shelf.cast.private(shelf.cast.ben)
    )

    assert not again(shelf, ask, ASKED, shelf.cast.ben)
    assert again(shelf, ask, ASKED)


@pytest.mark.parametrize("change", ["ingest", "delete"])
def test_a_change_makes_it_unreachable_in_its_transaction(ask: Ask, shelf: Shelf, change: str) -> None:
    shelf.put_and_read("other.md", "# Other\n\nThe roof of the hall is flat and made of copper.\n")
    again(shelf, ask, ASKED)
    assert again(shelf, ask, ASKED)

    if change == "ingest":
        shelf.put_and_read("third.md", "# Third\n\nThe garden has nine trees.\n")
    else:
        scope = shelf.cast.scope(shelf.cast.ben)
        with principal(scope):
            lifecycle.delete(scope, Document.objects.visible_to(scope).get(name="other.md"))

    assert not again(shelf, ask, ASKED)


def test_it_expires_and_is_swept(ask: Ask, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LIFE", timedelta(0))
    again(shelf, ask, ASKED)

    assert not again(shelf, ask, ASKED)
    assert shelf.rows("SELECT count(*) FROM answers_cachedanswer WHERE expires_at < now() - interval '1 hour'") == [
        (0,)
    ]


def test_it_is_off_for_a_question_and_for_a_workspace(ask: Ask, shelf: Shelf) -> None:
    again(shelf, ask, ASKED)
    assert answer_of(shelf, ask(ASKED)).earlier_at is None

    name = shelf.cast.north.name
    call_command("answer_cache", "off", name, verbosity=0)
    assert not again(shelf, ask, ASKED) and not again(shelf, ask, ASKED)
    assert shelf.rows("SELECT count(*) FROM answers_cachedanswer") == [(0,)]

    call_command("answer_cache", "on", name, verbosity=0)
    again(shelf, ask, ASKED)
    assert again(shelf, ask, ASKED)


def test_it_keeps_no_word_of_the_question_or_the_passages(ask: Ask, shelf: Shelf) -> None:
    again(shelf, ask, "How long must the motor cool after E4304, zanzibarquux?")

    (kept,) = shelf.rows("SELECT row_to_json(c)::text FROM answers_cachedanswer c")[0]
    assert not any(word in kept.casefold() for word in ("motor", "cool", "e4304", "zanzibar", "minutes", "ada"))


def test_policies_hide_it_from_who_sees_less(ask: Ask, shelf: Shelf) -> None:
    again(shelf, ask, ASKED)
    counts = {}
    for name in ("ada", "ben", "cy"):
        scope = shelf.cast.scope(getattr(shelf.cast, name))
        with principal(scope):
            counts[name] = CachedAnswer.objects.unscoped(reason="the policy alone").count()

    assert counts == {"ada": 1, "ben": 1, "cy": 0}
    scope = shelf.cast.scope(shelf.cast.ben)
    with pytest.raises(DatabaseError), principal(scope):
        CachedAnswer.objects.create_for(
            scope, space="", exact="", terms=[], vector=[0.0, 1.0], collection_ids=[999_999_999], epochs=[1],
            evidence=[], quotes=[], created_at=timezone.now(), expires_at=timezone.now(),
        )  # fmt: skip
    with pytest.raises(DatabaseError), principal(scope):
        AnswerOptions.objects.create_for(scope, gives_again=False)


def test_declined_answers_are_not_kept(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask("Who won the football championship in Brazil?", gives_again=True))

    assert answer.outcome == Answer.Outcome.DECLINED
    assert shelf.rows("SELECT count(*) FROM answers_cachedanswer") == [(0,)]


def gives_again(cast: Cast, user: User) -> bool:
    scope = cast.scope(user)
    with principal(scope):
        return cache.gives_again(scope)


def test_an_owner_switches_it_on_the_history_page_and_a_member_cannot(shelf: Shelf, cast: Cast) -> None:
    before = gives_again(cast, cast.ben)
    member = signed_in(cast.ben).post("/history/again/", {"state": "off"})
    owner = signed_in(cast.ada).post("/history/again/", {"state": "off"}, follow=True).content.decode()
    seen = signed_in(cast.ben).get("/history/").content.decode()

    assert (before, member.status_code, gives_again(cast, cast.ben)) == (True, 404, False)
    assert "Every question of this workspace is answered afresh." in owner and "Give earlier answers again" in owner
    assert "answered afresh" in seen and 'name="state"' not in seen
