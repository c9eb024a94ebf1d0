from __future__ import annotations

import resource
from pathlib import Path

import pytest

from documents.parsers.outcome import Limits, Refused
from documents.parsers.registry import parse
from documents.text.chunk import chunk
from documents.text.piece import ChunkProfile
from documents.text.section import Parsed
from tests.documents.parsers.conftest import Read, Try


def texts(parsed: Parsed) -> list[str]:
    return [section.text for section in parsed.sections]


def test_a_row_stays_one_line_and_its_header_is_known(read: Read) -> None:
    found = read("csv", '\ufeffid,note\n1,"two\nlines, one cell"\n2,plain\n')

    assert texts(found) == ["| id | note |\n|---|---|\n| 1 | two lines, one cell |\n| 2 | plain |"]
    assert found.sections[0].header == "| id | note |\n|---|---|"


def test_every_passage_of_a_long_table_repeats_the_header(read: Read) -> None:
    found = read("csv", "name,port\n" + "".join(f"service{number},{number}\n" for number in range(500)))

    pieces = chunk(found, ChunkProfile(max_tokens=60), lambda text: len(text.split()))

    assert len(pieces) > 10
    assert all("| name | port |" in piece.prefix for piece in pieces[1:])
    assert all(piece.text.startswith("| service") for piece in pieces[1:])


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
def test_the_separator_is_found(read: Read, separator: str) -> None:
    found = read("csv", separator.join(("name", "city")) + "\n" + separator.join(("Ada", "London")) + "\n")

    assert texts(found) == ["| name | city |\n|---|---|\n| Ada | London |"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "gb18030", "cp932"])
def test_every_encoding_gives_its_words(read: Read, encoding: str) -> None:
    found = read("csv", "名前,住所\n佐藤太郎,東京都\n三木英子,大阪府\n高橋,名古屋市\n".encode(encoding))

    assert "| 佐藤太郎 | 東京都 |" in texts(found)[0]
    assert found.sections[0].header.startswith("| 名前 | 住所 |")


def test_numbers_above_numbers_are_no_header(read: Read) -> None:
    assert read("csv", "1,2\n3,4\n").sections[0].header == ""


def test_a_single_cell_above_a_table_is_its_caption(read: Read) -> None:
    assert texts(read("csv", "Cups,,\nTeam,Town,Won\nBlues,STL,1\n"))[0] == "Cups"


def test_rows_of_long_cells_become_named_values(read: Read) -> None:
    found = read("csv", "id,title,body\n7,Printer," + "it does not print " * 60 + "\n8,Mail,works\n")

    assert texts(found)[0].startswith("- id: 7\n- title: Printer\n- body: it does not print")
    assert texts(found)[1] == "- id: 8\n- title: Mail\n- body: works"


def test_a_hundred_thousand_rows_stay_in_bounds(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,name,town\n" + "".join(f"{n},person {n},town {n % 97}\n" for n in range(100_000)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    found = parse(file, kind="csv", limits=Limits())

    assert isinstance(found, Parsed)
    assert found.sections[0].text.count("\n") == 100_001
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 120_000


def test_thousands_of_columns_are_read_without_their_names(read: Read) -> None:
    found = read("csv", ",".join(f"c{n}" for n in range(3_000)))

    assert found.report.warnings == ("too-many-columns",)


def test_a_million_columns_are_refused_with_the_limit(attempt: Try) -> None:
    found = attempt("csv", ",".join(f"c{n}" for n in range(1_000_000)))

    assert found == Refused("documents.too_much_text", "It has 1,000,000 columns; the limit is 20,000.")
