"""Two lists into one: by the scores, which say how sure each list is, or by the ranks alone.

Figures, alternatives and the choice are in docs/adr/0005-fusion.md. nDCG@10 with MiniLM, chunks of at most 250 tokens,
a document as good as its best chunk, lists of 100 (SciFact train was tuned on, test was not):

| | SciFact train | test | Cranfield | faq-django | XQuAD en | de | zh |
|---|---|---|---|---|---|---|---|
| words alone | .697 | .688 | .375 | .305 | .968 | .928 | .963 |
| meaning alone | .680 | .657 | .409 | .692 | .946 | .693 | .253 |
| reciprocal ranks, k 60 | .720 | .714 | .433 | .534 | .973 | .857 | .622 |
| `fuse`, meaning 1.2, stop words among the words | .727 | .725 | .435 | .664 | .979 | .938 | .963 |

Meaning weighs 1 since every candidate has both scores and stop words are left out: .737 on SciFact train, .721 on test.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

# Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet (SIGIR 2009), section 3.
RRF_K = 60

# The list by meaning beside words at 1. Outside the model's languages it is noise on its own (XQuAD ar .073) and still
# helps a little where letters are shared: at .2 German gains .010 and zh, ar, ru lose .002 at most.
MEANING = 1.0
MEANING_UNDECLARED = 0.2
# A model for many languages (it declares none) is the better list in most: XQuAD even halves with multilingual-e5-small, de .9709
# at 1 and .9725 here, ru .9728 and .9743, en and zh within .0013. The words of a question in a language that no text here has are
# names and chance: German questions over the English paragraphs have .541 by words and .914 by meaning; together .887 with words
# at 1, .920 at .3.
MEANING_MANY = 1.2
WORDS_FOREIGN = 0.3


@dataclass(frozen=True, slots=True)
class Leg:
    """One list, (chunk id, score) best first, each chunk once.

    `floor` is the score that counts as nothing: 0 for BM25. None takes the least score of the list: cosines have no
    zero of their own (unrelated texts have -.02 with MiniLM and .7 with e5).
    """

    name: str
    scored: Sequence[tuple[int, float]]
    weight: float = 1.0
    floor: float | None = None


def meaning_weight(declared: Collection[str], languages: Collection[str]) -> float:
    """What the list by meaning weighs for a question over chunks in `languages` (ISO 639-1, the question's own included).

    A model that declares no language is one for many; texts whose language nobody knows are trusted.
    """
    if not declared:
        return MEANING_MANY
    if not languages or set(declared) & set(languages):
        return MEANING
    return MEANING_UNDECLARED


def words_weight(declared: Collection[str], language: str, held: Collection[str]) -> float:
    """What the list by words weighs for a question in `language` ("" for unknown) over chunks in `held`.

    Less where no chunk is in the question's language and the model knows it, so that its list can do better.
    """
    is_foreign = bool(language and held) and language not in held
    return WORDS_FOREIGN if is_foreign and (not declared or language in declared) else 1.0


def fuse(legs: Sequence[Leg]) -> list[tuple[int, float]]:
    """Every chunk of every leg with its weighted mean share of each leg's best score, in [0, 1], best first.

    A leg's best counts 1, its floor 0, a chunk that it does not name 0 (convex combination of min-max normalised scores:
    Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, TOIS 2023). Ties go to the better place
    in the first leg that names either, so a leg of weight 0 still orders what no other leg found; then by chunk id.
    """
    return _combined(legs, _shares)


def fuse_by_rank(legs: Sequence[Leg], *, k: int = RRF_K) -> list[tuple[int, float]]:
    """Reciprocal rank fusion: the weighted mean of (k + 1) / (k + rank), in [0, 1]; same ties as `fuse`.

    For lists whose scores mean nothing.
    """
    return _combined(legs, lambda leg: [(k + 1) / (k + rank) for rank, _ in enumerate(leg.scored, start=1)])


def _shares(leg: Leg) -> list[float]:
    scores = [score for _, score in leg.scored]
    if not scores:
        return []
    best = max(scores)
    floor = min(scores) if leg.floor is None else leg.floor
    if best <= floor:
        return [1.0] * len(scores)
    return [max(score - floor, 0.0) / (best - floor) for score in scores]


def _combined(legs: Sequence[Leg], worth: Callable[[Leg], list[float]]) -> list[tuple[int, float]]:
    total = sum(leg.weight for leg in legs) or 1.0
    fused: dict[int, float] = {}
    places: dict[int, tuple[int, int]] = {}
    for number, leg in enumerate(legs):
        for place, ((chunk_id, _), value) in enumerate(zip(leg.scored, worth(leg), strict=True)):
            fused[chunk_id] = fused.get(chunk_id, 0.0) + leg.weight / total * value
            places.setdefault(chunk_id, (number, place))
    return sorted(fused.items(), key=lambda scored: (-scored[1], places[scored[0]], scored[0]))
