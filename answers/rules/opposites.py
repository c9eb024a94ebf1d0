"""English words that turn a sentence round: a question with one of them is not answered by a sentence with the other."""

from __future__ import annotations

import re
from typing import Final

_PAIRS: Final = """
first last, largest smallest, biggest smallest, largest fewest, most least, more less, more fewer, most fewest, many
few, highest lowest, higher lower, high low, longest shortest, longer shorter, long short, oldest newest, oldest
youngest, older newer, older younger, old new, old young, earliest latest, earlier later, early late, before after,
best worst, better worse, good bad, strong weak, stronger weaker, strongest weakest, fast slow, faster slower, fastest
slowest, hot cold, warm cool, warmest coldest, wet dry, rich poor, richest poorest, wealthy poor, easy difficult, easy
hard, easier harder, simple complex, cheap expensive, large small, larger smaller, big small, wide narrow, thick thin,
deep shallow, full empty, light dark, light heavy, near far, same different, similar different, alike different, north
south, northern southern, east west, eastern western, east western, west eastern, northeast southwest, northwest
southeast, upper lower, up down, top bottom, above below, front back, left right, inside outside, internal external,
inner outer, upstream downstream, inland coastal, increase decrease, increases decreases, increased decreased,
increasing decreasing, rise fall, rises falls, rose fell, rising falling, grow shrink, growth decline, gain lose,
gained lost, win lose, won lost, victory defeat, success failure, successful unsuccessful, succeed fail, accept
reject, accepted rejected, accept refuse, accepted refused, agree disagree, agreed disagreed, support oppose,
supported opposed, supports opposes, allow forbid, allowed forbidden, allowed banned, permit prohibit, permitted
prohibited, legal illegal, lawful unlawful, include exclude, includes excludes, included excluded, add remove, added
removed, begin end, began ended, beginning end, start stop, started stopped, open close, opened closed, open closed,
build destroy, built destroyed, create destroy, created destroyed, enter leave, arrive leave, arrived left, join
leave, joined left, import export, imports exports, buy sell, bought sold, borrow lend, give take, gave took, send
receive, sent received, attack defend, attacked defended, love hate, like dislike, remember forget, appear disappear,
public private, male female, men women, man woman, boys girls, king queen, father mother, son daughter, husband wife,
urban rural, domestic foreign, local foreign, national international, modern ancient, natural artificial, temporary
permanent, direct indirect, active inactive, active passive, positive negative, majority minority, maximum minimum,
always never, everyone nobody, all none, former latter, true false, right wrong, correct incorrect, possible
impossible, likely unlikely, equal unequal, equality inequality, stable unstable, common rare, known unknown, famous
unknown, dependent independent, formal informal, regular irregular, visible invisible, democrat republican, catholic
protestant, christian muslim, liberal conservative, civilian military, soft hard, acid base, solid liquid, summer
winter, day night, sunrise sunset, morning evening, prohibit require, encourage discourage, encouraged discouraged,
admit deny, admitted denied, confirm deny, confirmed denied, strengthen weaken, improve worsen, expand contract,
connected disconnected, united divided, demand supply, employer employee, teacher student, buyer seller, winner loser,
ally enemy, allies enemies, friend enemy
"""


def _both_ways() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for first, second in re.findall(r"(\w+) (\w+)", _PAIRS):
        found.setdefault(first, set()).add(second)
        found.setdefault(second, set()).add(first)
    return {word: frozenset(opposites) for word, opposites in found.items()}


OPPOSITES: Final = _both_ways()


def opposed(asked: str, said: str) -> int:
    """How many words of the question stand in the sentence only as their opposite."""
    here, there = (frozenset(re.findall(r"[a-z]+", text.casefold())) for text in (asked, said))
    return sum(1 for word in here - there if OPPOSITES.get(word, frozenset()) & there)
