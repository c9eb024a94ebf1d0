"""A documentation site among files: which of them are pages, and which only make it look and move."""

from __future__ import annotations

from collections.abc import Collection

from documents.parsers.kinds import ending_of

_PAGES = frozenset(("html", "htm", "xhtml"))
_LOOKS = frozenset((
    "css", "scss", "less", "js", "mjs", "cjs", "map", "woff", "woff2", "ttf", "otf", "eot", "ico", "svg", "png", "jpg", "jpeg",
    "gif", "webp", "avif", "bmp", "json", "xml", "webmanifest", "inv", "xsl", "wasm", "gz", "br",
))  # fmt: skip
_TOOLS = frozenset((
    "search.html", "genindex.html", "py-modindex.html", "404.html", "robots.txt", ".buildinfo", ".nojekyll", "cname", "sitemap.txt",
))  # fmt: skip
_JUNK = frozenset((".ds_store", "thumbs.db", "desktop.ini", ".gitignore", ".gitattributes", ".gitkeep"))
_JUNK_FOLDERS = frozenset(("__macosx", ".git", ".svn", ".hg", "__pycache__", "node_modules"))
_SHARE = 0.5


def is_junk(path: str) -> bool:
    """Say whether an operating system or a tool left the file: nobody meant to add it."""
    *folders, name = path.lower().split("/")
    return name in _JUNK or name.startswith("._") or any(folder in _JUNK_FOLDERS for folder in folders)


def common_folder(paths: Collection[str]) -> str:
    """The one folder at the top that all files stand in, with its slash; "" when there is none."""
    tops = {path.partition("/")[0] for path in paths}
    return f"{tops.pop()}/" if len(tops) == 1 and all("/" in path for path in paths) else ""


def looks_of_a_site(paths: Collection[str]) -> frozenset[str]:
    """Style sheets, scripts, pictures, indexes and raw copies of a site; none among files that are no site.

    A site has a page `index.html`, and at least half of the files that are not its looks are pages.
    """
    names = [path.rpartition("/")[2].lower() for path in paths]
    looks = frozenset(path for path in paths if _is_look(path))
    pages = sum(ending_of(name) in _PAGES for name in names)
    is_site = any(name in ("index.html", "index.htm") for name in names) and pages >= (len(names) - len(looks)) * _SHARE
    return looks if is_site else frozenset()


def _is_look(path: str) -> bool:
    *folders, name = path.lower().split("/")
    return ending_of(name) in _LOOKS or name in _TOOLS or "_sources" in folders
