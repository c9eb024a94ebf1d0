"""Upload in chromium: by the script with a folder dropped on the page, and by the plain form without script."""

from __future__ import annotations

import zipfile
from pathlib import Path

from playwright.sync_api import expect

from documents.models import Document
from tests.conftest import Cast
from tests.documents.pages.conftest import Browse
from tests.pages.test_browser import pytestmark

__all__ = ["pytestmark"]

DROP_A_FOLDER = """form => {
    const fileEntry = (fullPath, text) => ({
        isFile: true, name: fullPath.split("/").at(-1), fullPath,
        file: done => done(new File([text], fullPath.split("/").at(-1), {type: "text/markdown"})),
    });
    const folder = (fullPath, children) => ({
        isDirectory: true, name: fullPath.split("/").at(-1), fullPath,
        createReader: () => { let rest = children; return {readEntries: done => { done(rest); rest = []; }}; },
    });
    const docs = folder("/docs", [
        folder("/docs/a", [fileEntry("/docs/a/index.md", "# A")]),
        folder("/docs/b", [fileEntry("/docs/b/index.md", "# B")]),
    ]);
    const event = new Event("drop", {bubbles: true, cancelable: true});
    event.dataTransfer = {items: [{webkitGetAsEntry: () => docs}], files: []};
    form.dispatchEvent(event);
}"""


def names() -> list[str]:
    return sorted(Document.objects.using("owner").values_list("name", flat=True))


def test_a_dropped_folder_keeps_its_namesakes_apart_and_the_list_follows(cast: Cast, browse: Browse) -> None:
    with browse(cast.ben) as page:
        page.goto("/library/")
        page.eval_on_selector("form[data-drop]", DROP_A_FOLDER)
        expect(page.locator("#upload-results li[data-kind=accepted]")).to_have_count(2)
        expect(page.locator("tr.document-row")).to_have_count(2)
        shown = sorted(page.locator("a.document-title").all_inner_texts())

    assert shown == names() == ["docs/a/index.md", "docs/b/index.md"]


def test_the_plain_form_takes_many_files_without_script(cast: Cast, browse: Browse, tmp_path: Path) -> None:
    good, empty = tmp_path / "good.md", tmp_path / "empty.md"
    good.write_text("# Good")
    empty.write_text(" ")

    with browse(cast.ben, scripts=False) as page:
        page.goto("/library/")
        page.set_input_files("#files", [good, empty])
        page.get_by_role("button", name="Upload").click()
        results = page.locator("#upload-results li").all_inner_texts()

    assert [" ".join(result.split())[:40] for result in results] == [
        "good.md Taken Queued, first in line. Ope",
        "empty.md Not taken The file is empty. No",
    ]
    assert names() == ["good.md"]


def test_an_archive_is_told_file_by_file(cast: Cast, browse: Browse, tmp_path: Path) -> None:
    packed = tmp_path / "docs.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in (("a.md", "# A"), ("b.md", "# B"), ("empty.md", "")):
            archive.writestr(name, text)

    with browse(cast.ben) as page:
        page.goto("/library/")
        page.get_by_text("Are these files published somewhere?").click()
        page.get_by_label("Address of the folder").fill("https://docs.example.org/")
        page.set_input_files("#files", packed)
        expect(page.locator("#upload-results li[data-kind=accepted]")).to_have_count(2)
        expect(page.locator("#upload-results li[data-kind=refused] .file-name")).to_have_text("empty.md")
        tally = page.locator("[data-tally]").inner_text()

    assert tally == "2 taken, 1 not taken"
    assert set(Document.objects.using("owner").values_list("source_url", flat=True)) == {
        "https://docs.example.org/a.md",
        "https://docs.example.org/b.md",
    }
