"""Follow-ups in Chinese, Japanese and Korean, where words have no spaces and the topic stands before its particle."""

from __future__ import annotations

import re
from typing import Final

_SUCH: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_END: Final = " ?？!！.。…"
_LEAD: Final = re.compile(r"^(?:那么|那麼|那|还有|還有|では|じゃあ|それでは|それなら|그럼|그러면|그렇다면)[，、, ]*")
_TAIL: Final = re.compile(
    r"(?:呢|はどうですか|はどう|についてはどうですか|については|は|は何ですか|는요|은요|는|은|은 어때요|는 어때요)$"
)
_PRONOUN: Final = re.compile(
    r"它们|它|他们|她们|他|她|这个|那个|這個|那個|それら|それ|これ|あれ|そこ|그것들|그것|그거|이것|이거|거기"
)
_TOPIC_END: Final = re.compile(
    r"是|的|有|怎么|怎麼|如何|在|需要|可以|能|什么|什麼|多少|多长|多久|几|は|が|を|の|について|은 |는 |을 |를 |의 |이 |가 |에서 "
)
_ASKS_FIRST: Final = re.compile(r"^(?:什么是|什麼是|谁是|誰是|请问|請問|如何|怎么|怎麼|怎样)")
_SLOT: Final = re.compile(r"^(.+?)(的|是|有|の|は|が|의 |은 |는 )")
_BARE: Final = re.compile(
    r"^(?:为什么|為什麼|怎么|什么时候|谁|在哪里|多少|なぜ|どうして|いつ|誰|どこ|왜|언제|누가|어디)(?:ですか)?$"
)


def is_such(text: str) -> bool:
    return bool(_SUCH.search(text))


def standalone(typed: str, last: str) -> str:
    """As follow_up.standalone, for one text and the question before it, both tidied."""
    base = last.rstrip(_END)
    said = typed.rstrip(_END)
    rest = _LEAD.sub("", said)
    if _BARE.match(rest):
        return f"{rest}？{last}"
    core = _TAIL.sub("", rest)
    if core and core != rest and len(core) <= 16 and not _PRONOUN.fullmatch(core):
        return _in_place(base, core) + "？"
    found = _PRONOUN.search(said)
    topic = topic_of(base)
    if found and topic:
        return said[: found.start()] + topic + said[found.end() :] + "？"
    return typed


def topic_of(base: str) -> str:
    """What stands before the particle or the verb; "" when that is nothing."""
    plain = _ASKS_FIRST.sub("", base)
    found = _TOPIC_END.search(plain)
    if found and found.start() >= 1:
        return plain[: found.start()].strip()
    return plain.strip() if plain != base else ""


def _in_place(base: str, core: str) -> str:
    """A number, year or Latin name takes the place of its like, anything else that of the topic."""
    for kind in (
        r"\d{4}(?=年|년|$|\D)",
        r"[A-Za-z]+[\d.]+",
        r"[\d.]+",
        r"[A-Za-z][A-Za-z0-9 .+-]*[A-Za-z0-9+]|[A-Za-z]",
    ):
        mine = re.search(kind, core)
        if mine and (like := list(re.finditer(kind, base))):
            is_all = mine.group() == core
            year = (
                core
                if not is_all and core[mine.end() :] and base[like[-1].end() :].startswith(core[mine.end() :])
                else ""
            )
            end = like[-1].end() + (len(core) - mine.end() if year else 0)
            return base[: like[-1].start()] + (year or (core if is_all else mine.group())) + base[end:]
    if slot := _SLOT.match(base):
        return core + base[slot.end(1) :]
    return f"{base}（{core}）"
