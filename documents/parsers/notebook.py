"""Jupyter notebooks: the words, the code and what it printed, in the order of the cells; pictures are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from documents.parsers.builder import Builder
from documents.parsers.html import add_html
from documents.parsers.markdown import add_markdown
from documents.parsers.outcome import Limits, Refused
from documents.parsers.written import opened
from documents.text.section import Parsed

_LONGEST_OUTPUT = 4_000


def read(path: Path, *, limits: Limits) -> Parsed | Refused:
    """Read a notebook of version 3 or 4. Long outputs are cut and reported."""
    found = opened(path, "a notebook", "notebook", limits=limits)
    if isinstance(found, Refused):
        return found
    builder, text = found
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return Refused("documents.broken", "It is no valid JSON.")
    cells = _cells(notebook)
    if cells is None:
        return Refused("documents.mislabelled", "Its name says notebook, but it has no cells.")
    language = _language(notebook)
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            _add_cell(builder, cell, number, language)
    return builder.finish()


def _cells(notebook: Any) -> list[Any] | None:
    if not isinstance(notebook, dict):
        return None
    cells = notebook.get("cells")
    if not isinstance(cells, list) and isinstance(sheets := notebook.get("worksheets"), list):
        cells = [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or []]
    return cells if isinstance(cells, list) else None


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and name.isalnum() else "python"


def _add_cell(builder: Builder, cell: dict[str, Any], number: int, language: str) -> None:
    source = _joined(cell.get("source", cell.get("input", "")))
    if cell.get("cell_type") == "markdown":
        add_markdown(builder, source)
    elif cell.get("cell_type") == "heading":
        builder.heading(int(cell.get("level") or 1), source)
    elif cell.get("cell_type") == "code":
        builder.code(source, language)
    else:
        builder.prose(source)
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            _add_output(builder, output, number)


def _add_output(builder: Builder, output: dict[str, Any], number: int) -> None:
    data = output.get("data")
    data = data if isinstance(data, dict) else output
    if any(str(name).startswith("image/") or name in ("png", "svg", "jpeg") for name in data):
        builder.skip("picture", f"cell {number}", "not read")
    page, text = _joined(data.get("text/html", "")), _joined(data.get("text/plain", data.get("text", "")))
    if "<table" in page:
        add_html(builder, page)
        return
    if output.get("output_type") in ("error", "pyerr"):
        text = f"{_joined(output.get('ename', ''))}: {_joined(output.get('evalue', ''))}"
    if len(text) > _LONGEST_OUTPUT:
        builder.skip("output", f"cell {number}", f"cut after {_LONGEST_OUTPUT:,} characters")
    builder.code(text[:_LONGEST_OUTPUT])


def _joined(source: Any) -> str:
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
