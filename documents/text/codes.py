"""What a question names exactly: identifiers, and numbers that are one by the word before them (status code 422)."""

from __future__ import annotations

import re
from typing import Final

from documents.text.analyse import identifiers

_CODED: Final = re.compile(
    r"(?i)(?:\b(?:https?|status|error|exit|response|return|fehler|erreur|errore|erro)[\s-]*(?:codes?)?|\bcodes?|statuscode"
    r"|fehlercode|c[oó]digo(?: de (?:error|estado))?|状态码|狀態碼|错误码|錯誤碼|エラー(?:コード)?|ステータスコード|오류|상태 코드)"
    r"[\s:#№]*(\d{3,5})(?![\d.,]?\d)"
)


def named_in(question: str) -> tuple[str, ...]:
    """Distinct: identifiers as analyse.identifiers() gives them, then the numbers of codes."""
    return tuple(dict.fromkeys((*identifiers(question), *_CODED.findall(question))))
