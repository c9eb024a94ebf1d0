from __future__ import annotations

from documents.models import Version
from documents.text.boxes import unpacked
from tests.documents.ingest.conftest import Shelf
from tests.documents.parsers.test_pdf import pdf


def test_where_the_words_of_a_pdf_stand_is_kept_with_its_version(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.pdf", pdf([[(20, 700, "Pump"), (11, 600, "Check the seal every month.")]]))

    version = Version.objects.using("owner").get(document=document)
    boxes = unpacked(bytes(version.boxes))
    at = version.text.index("seal")
    (box,) = boxes.within(at, at + len("seal"))
    assert document.state == "ready"
    assert box.page == 1
    assert 6120 > box.right > box.left > 720
    assert 7920 - 6000 > box.top > 7920 - 6200


def test_a_text_file_has_no_boxes(shelf: Shelf) -> None:
    document = shelf.put_and_read("pump.md", "# Pump\n\nCheck the seal.")

    assert bytes(Version.objects.using("owner").get(document=document).boxes) == b""
