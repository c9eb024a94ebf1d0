"""Kinds that are marked up in text: code, notebooks, RTF, subtitles, calendars, mailboxes, Org, AsciiDoc, LaTeX."""

from __future__ import annotations

import json

import pytest

from documents.parsers.outcome import Refused
from documents.text.section import Parsed
from tests.documents.parsers.conftest import Read, Try


def texts(parsed: Parsed) -> list[str]:
    return [section.text for section in parsed.sections]


def headings(parsed: Parsed) -> list[str]:
    return [section.text for section in parsed.sections if section.kind == "heading"]


def test_each_function_is_a_unit_with_the_comments_above_it(read: Read) -> None:
    found = read(
        "code",
        "import os\n\n# opens the door\n@cached\ndef knock(times):\n    return times\n\n\n"
        "class Door:\n    def shut(self):\n        pass\n",
    )

    assert headings(found) == ["knock", "Door", "shut"]
    assert "# opens the door" in texts(found)[2]
    assert found.sections[-1].heading_path == ("Door", "shut")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("export async function pay(a) {\n}\n", "pay"),
        ("const pay = async (a) => {\n}\n", "pay"),
        ("func (s *Shop) Pay(a int) error {\n}\n", "Pay"),
        ("pub(crate) fn pay(a: u8) {\n}\n", "pay"),
        ("static int pay(struct shop *s)\n{\n}\n", "pay"),
        ("CREATE TABLE IF NOT EXISTS pay (id int);\n", "pay"),
        ("[pay]\nrate = 1\n", "pay"),
    ],
)
def test_definitions_are_found_in_many_languages(read: Read, source: str, name: str) -> None:
    assert headings(read("code", "x\n\n" + source)) == [name]


def test_a_notebook_gives_words_code_and_what_it_printed(read: Read) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Study\n", "We *look*."]},
        {"cell_type": "code", "source": "1+1", "outputs": [
            {"output_type": "execute_result", "data": {"text/plain": ["2"], "image/png": "…"}}]},
    ]  # fmt: skip

    found = read("notebook", json.dumps({"cells": cells, "metadata": {}}))

    assert texts(found) == ["Study", "We look.", "```python\n1+1\n```", "```\n2\n```"]
    assert [one.what for one in found.report.skipped] == ["picture"]


@pytest.mark.parametrize("content", ["[]", '{"cells": 3}', "{"])
def test_what_is_no_notebook_is_refused(attempt: Try, content: str) -> None:
    assert isinstance(attempt("notebook", content), Refused)


def test_rich_text_gives_letters_tables_and_no_deletions(read: Read) -> None:
    found = read(
        "rtf",
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 A;}}{\*\generator x;}{\pict ffff}"
        rb"caf\'e9 {\f1\'f0\'f3\'e1\'eb\'fc} \u20013?{\deleted gone}{\v hid}\par"
        rb"\trowd\intbl a\cell b\cell\row\intbl 1\cell 2\cell\row\pard end{\footnote note}\par}",
    )

    assert texts(found) == ["café рубль 中", "| a | b |\n|---|---|\n| 1 | 2 |", "end [note]"]
    assert found.report.hidden_characters == 3


def test_subtitles_say_when(read: Read) -> None:
    found = read("subtitles", "WEBVTT\n\nNOTE x\n\n1\n00:00:01.000 --> 00:00:02.000 align:start\n<v Ada>Good <i>day</i>.\n\n"
                              "01:30.000 --> 01:31.000\nLater &amp; on\n")  # fmt: skip

    assert texts(found) == ["[0:00:01] Ada: Good day.", "[0:01:30] Later & on"]


def test_each_event_of_a_calendar_is_a_unit(read: Read) -> None:
    found = read(
        "ics",
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Berlin:20260102T093000\r\nSUMMARY:Board\\, spring\r\n"
        "ORGANIZER;CN=Ada:mailto:ada@x.org\r\nDESCRIPTION:Bring\\nthe long\r\n er list\r\nBEGIN:VALARM\r\nTRIGGER:-PT5M\r\n"
        "END:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    )

    assert texts(found) == [
        "Board, spring", "- Starts: 2026-01-02 09:30\n- Organizer: Ada <ada@x.org>", "Bring\nthe longer list",
    ]  # fmt: skip


def test_each_message_of_a_mailbox_is_a_unit(read: Read) -> None:
    found = read("mbox", "From a@b Mon Jun 01 10:00:00 2009\nSubject: One\n\nfirst\n>From here on\n\n"
                         "From c@d Mon Jun 01 10:00:00 2009\nSubject: Two\n\nsecond\n")  # fmt: skip

    assert headings(found) == ["One", "Two"]
    assert "first\nFrom here on" in texts(found)


def test_org_headings_blocks_and_links(read: Read) -> None:
    found = read("org", "#+TITLE: Guide\n* TODO Start :tag:\n:PROPERTIES:\n:ID: 7\n:END:\nSee [[http://x][the =site=]].\n"
                        "#+BEGIN_SRC python\nrun()\n#+END_SRC\n| a | b |\n|---+---|\n| 1 | 2 |\n"
                        "- one\n  more\n- two\n")  # fmt: skip

    assert found.title == "Guide"
    assert texts(found) == [
        "Start", "See the site.", "```python\nrun()\n```", "| a | b |\n|---|---|\n| 1 | 2 |", "- one more\n- two",
    ]  # fmt: skip


def test_asciidoc_blocks_tables_and_attributes(read: Read) -> None:
    found = read(
        "asciidoc",
        "= Guide\n:product: Footnote\n\nUse {product} *now*, see https://x.org[the site].\n\n== Steps\n\n. one\n. two\n\n"
        "[source,bash]\n----\nmake run\n----\n\n////\nhidden\n////\n\n.Ports\n|===\n|name |port\n\n|web |8000\n|===\n"
        "include::secret.adoc[]\n",
    )

    assert texts(found) == [
        "Guide", "Use Footnote now, see the site.", "Steps", ". one\n. two", "```bash\nmake run\n```", "Ports",
        "| name | port |\n|---|---|\n| web | 8000 |",
    ]  # fmt: skip
    assert [(one.what, one.where) for one in found.report.skipped] == [("include", "secret.adoc")]


def test_latex_gives_words_lists_tables_and_formulas(read: Read) -> None:
    found = read(
        "tex",
        "\\documentclass{article}\\title{On \\emph{Doors}}\\begin{document}\\maketitle\n\\section{Locks} % why\n"
        'A door by M\\"uller costs $x^2$ \\textbf{euros}~\\cite{m}.\n\n\\begin{itemize}\\item one \\item[b] two\\end{itemize}'
        "\\begin{tabular}{ll}a & b \\\\ \\hline 1 & 2\\end{tabular}\\begin{verbatim}\n\\raw\n\\end{verbatim}\\input{more}"
        "\\end{document}",
    )

    assert found.title == "On Doors"
    assert texts(found) == [
        "Locks", "A door by Müller costs $x^2$ euros .", "- one\n- b: two", "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\n\\raw\n```",
    ]  # fmt: skip
    assert [(one.what, one.where) for one in found.report.skipped] == [("include", "more")]
