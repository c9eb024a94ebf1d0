from __future__ import annotations

import pytest

from documents.parsers.outcome import Refused
from documents.text.section import Section
from tests.documents.parsers.conftest import Read, Try

PAGE = """<!doctype html><html lang="en"><head><title>Ports - Site</title><style>p{}</style></head><body>
<nav><a href="/">Home</a></nav>
<ul><li><a>One</a><li><a>Two</a><li><a>Three</a></ul>
<main><h1>Ports<a href="#p">¶</a></h1><p>The port is <b>8443</b>.<br>Really.</p>
<div style="display: none">secret <span hidden>more</span></div><template>no</template><script>var x</script>
<h2>Files</h2><ul><li>a<ul><li>b</ul><li>c</ul>
<pre><code class="language-py">x = 1\n  y</code></pre>
<dl><dt>Term<dd>Meaning</dl></main>
<footer>Imprint</footer></body></html>"""


def test_a_page_is_read_as_its_visitors_see_it(read: Read) -> None:
    found = read("html", PAGE)

    assert found.title == "Ports"
    assert found.sections == (
        Section("Ports", "heading"),
        Section("The port is 8443.\nReally."),
        Section("Files", "heading"),
        Section("- a\n  - b\n- c", "list", ("Files",)),
        Section("```py\nx = 1\n  y\n```", "code", ("Files",)),
        Section("Term\nMeaning", "prose", ("Files",)),
    )
    assert found.report.hidden_characters == len("secretmore")


def test_navigation_goes_even_without_a_main_element(read: Read) -> None:
    source = "<nav>Home</nav><header>Brand</header><h1>Title</h1><p>Words of the page.</p><footer>Imprint</footer>"

    assert [section.text for section in read("html", source).sections] == ["Title", "Words of the page."]


def test_a_page_that_is_nothing_but_navigation_is_read(read: Read) -> None:
    assert [section.text for section in read("html", "<nav>The only words</nav>").sections] == ["The only words"]


def test_merged_cells_stand_in_every_place_they_cover(read: Read) -> None:
    source = "<table><tr><th>A<th>B<th>C</tr><tr><td rowspan=2>1<td colspan=2>2</tr><tr><td>3<td>4</tr><tr><td>5<td>6<td>7</table>"

    (table,) = read("html", source).sections

    assert table.text == "| A | B | C |\n|---|---|---|\n| 1 | 2 | 2 |\n| 1 | 3 | 4 |\n| 5 | 6 | 7 |"


def test_a_layout_table_is_no_table(read: Read) -> None:
    source = "<table><tr><td><h1>Title</h1><p>Words</p></td></tr></table>"

    assert [section.kind for section in read("html", source).sections] == ["heading", "prose"]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ('<meta charset="windows-1251">', "cp1251"),
        ('<meta http-equiv=x content="text/html; charset=koi8-r">', "koi8_r"),
        ("", "utf-8"),
    ],
)
def test_the_declared_charset_is_used(read: Read, declared: str, encoding: str) -> None:
    found = read("html", f"{declared}<p>Привет, мир".encode(encoding))

    assert [section.text for section in found.sections] == ["Привет, мир"]


@pytest.mark.parametrize(
    "source",
    ["<div>" * 50_000 + "deep", "<ul><li>" * 3_000 + "deep", "<b>" * 5_000 + "deep", "<table><tr><td>" * 500 + "deep"],
)
def test_very_deep_pages_keep_their_words(read: Read, source: str) -> None:
    assert "deep" in read("html", source).sections[0].text


@pytest.mark.parametrize("source", ["<script>x</script>", "<p hidden>all hidden</p>", "<html></html>"])
def test_a_page_without_visible_text_is_refused(attempt: Try, source: str) -> None:
    found = attempt("html", source)

    assert isinstance(found, Refused)
    assert found.code == "documents.no_text"
