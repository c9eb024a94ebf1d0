"""The words of a piece of LaTeX: accents become letters, commands go, what stands in their braces stays."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307",
            "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a"}  # fmt: skip
_ACCENT = re.compile(r"\\(?:([`'^~\"=.])\s*\{?\s*\\?([A-Za-z])\s*\}?|([uvHckr])\s*\{\s*\\?([A-Za-z])\s*\})")
_LETTERS = {"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å",
            "AA": "Å", "i": "i", "dots": "…", "ldots": "…", "LaTeX": "LaTeX", "TeX": "TeX", "textbackslash": "\\",
            "S": "§", "copyright": "©", "euro": "€", "quad": " ", "qquad": " ", "newline": " ", "par": " "}  # fmt: skip
_LETTER = re.compile(r"\\([A-Za-z]+)\b(?:\{\})?")
_MATH = re.compile(r"\$\$.+?\$\$|(?<!\\)\$(?:[^$\\]|\\.)+\$|\\\[.+?\\\]|\\\(.+?\\\)", re.DOTALL)
# Their arguments are names for the program and no words for a reader.
_NO_WORDS = re.compile(
    r"\\(?:label|ref|eqref|pageref|autoref|cref|Cref|cite[a-z]*|nocite|bibliography|bibliographystyle|input|include|"
    r"includegraphics|usepackage|documentclass|begin|end|vspace|hspace|setlength|newcommand|renewcommand|let|def|"
    r"hypersetup|setcounter|addtocounter|pagestyle|thispagestyle|color|definecolor|graphicspath|index|bibitem)\*?"
    r"\s*(?:\[[^\]]*\]\s*)*(?:\{[^{}]*\}\s*)?"
)
_HREF = re.compile(r"\\href\s*\{[^{}]*\}\s*(?=\{)")
_COMMAND = re.compile(r"\\[A-Za-z@]+\*?[ \t]*(?:\[[^\]\n]{0,200}\])?|\\[,;:!/ @]")
_ESCAPED = re.compile(r"\\([#$%&_{}~^])")
_HELD = re.compile("\ue000(\\d+)\ue001")


def words(text: str) -> str:
    """Return the words of a piece of LaTeX; formulas are kept as they are written."""
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found.group(0))
        return f"\ue000{len(held) - 1}\ue001"

    text = _MATH.sub(hold, text)
    text = _ACCENT.sub(_accented, text)
    text = _HREF.sub("", _NO_WORDS.sub(" ", text))
    text = _LETTER.sub(lambda found: _LETTERS.get(found.group(1), found.group(0)), text)
    text = text.replace("\\\\", " ").replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–")
    text = _COMMAND.sub("", text).replace("~", " ")
    text = re.sub(r"(?<!\\)[{}]", "", text)
    text = _ESCAPED.sub(r"\1", text)
    return _HELD.sub(lambda found: held[int(found.group(1))] if int(found.group(1)) < len(held) else "", text)


def _accented(found: re.Match[str]) -> str:
    mark, letter = (found.group(1), found.group(2)) if found.group(1) else (found.group(3), found.group(4))
    return unicodedata.normalize("NFC", letter + _ACCENTS[mark])


def balanced(text: str, start: int) -> tuple[str, int]:
    """What stands between the brace at `start` and its partner, and where that ends; all when there is no partner."""
    if start < 0 or text[start : start + 1] != "{":
        return "", max(start, 0)
    depth = 0
    at = start
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1 : at], at + 1
        at += 1
    return text[start + 1 :], len(text)
