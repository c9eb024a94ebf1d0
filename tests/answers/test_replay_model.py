"""A model's answer asked again: by the model of today, with its own words beside those of then."""

from __future__ import annotations

from django.utils import timezone

from answers import ask as walk
from answers.model_writer import writer_for
from answers.models import WrittenText
from tests.answers.conftest import Ask, Name, answer_of
from tests.answers.test_why import QUESTION, page_of
from tests.documents.ingest.conftest import Shelf
from tests.fakes.model_server import ModelServer, Says


def test_the_model_writes_again_and_nothing_of_it_is_kept(
    ask: Ask, shelf: Shelf, model: ModelServer, operator_names: Name
) -> None:
    operator_names(model, price_out_usd=1.0)
    model.script(
        Says.text("E4304 means the motor is too hot [1]."), Says.text("The motor is too hot: that is E4304 [1].")
    )
    scope = shelf.cast.scope(shelf.cast.ada)
    events = list(walk.ask(scope, QUESTION, settings=walk.AskSettings(), now=timezone.now(), writer=writer_for(scope)))
    answer = answer_of(shelf, events)

    page = page_of(shelf, answer, "replay/", method="post")

    then, today = (section.get_text() for section in page.select(".beside > section"))
    assert "E4304 means the motor is too hot [1]." in then
    assert "The motor is too hot: that is E4304 [1]." in today
    assert "The same passages, other words of them." in page.get_text()
    assert WrittenText.objects.using("owner").count() == 1
