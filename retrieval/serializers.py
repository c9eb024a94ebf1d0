"""A search as programs ask it and get it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from documents.parsers.kinds import NAMES
from retrieval.query import MODES, RANKERS

MAX_CHARACTERS = 4_000
MAX_K = 50
DEFAULT_K = 8


class SearchQuerySerializer(serializers.Serializer[Any]):
    """Without `collections` everything that the key sees is searched; every filter that is sent narrows it."""

    question = serializers.CharField(
        max_length=MAX_CHARACTERS, help_text="What stands in quotation marks must stand in a passage."
    )
    k = serializers.IntegerField(min_value=1, max_value=MAX_K, default=DEFAULT_K)
    collections = serializers.ListField(child=serializers.CharField(max_length=24), required=False, max_length=200)
    documents = serializers.ListField(child=serializers.CharField(max_length=24), required=False, max_length=200)
    kinds = serializers.ListField(child=serializers.ChoiceField(sorted(NAMES)), required=False, max_length=50)
    languages = serializers.ListField(
        child=serializers.RegexField(r"^[a-z]{2,3}$", help_text="ISO 639-1"), required=False, max_length=50
    )
    tags = serializers.ListField(
        child=serializers.CharField(max_length=40),
        required=False,
        max_length=50,
        help_text="Documents with one of them.",
    )
    since = serializers.DateField(required=False, help_text="The first day on which a live version became valid.")
    until = serializers.DateField(required=False, help_text="The last such day.")
    as_of = serializers.DateField(
        required=False, help_text="Search the versions that were valid at the end of this day."
    )
    mode = serializers.ChoiceField(
        MODES, required=False, help_text="Which lists are made; the deployment's own without."
    )
    ranker = serializers.ChoiceField(RANKERS, required=False, help_text="What makes the list by words.")
    rerank = serializers.BooleanField(default=True, help_text="False leaves a configured reranker out.")
    per_document = serializers.IntegerField(
        min_value=1, max_value=MAX_K, required=False, help_text="Passages of one document before those of the others."
    )
    facets = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("since") and attrs.get("until") and attrs["since"] > attrs["until"]:
            raise serializers.ValidationError({"until": ["This day is before `since`."]})
        return attrs


class ScoresSerializer(serializers.Serializer[Any]):
    """`fused` orders the passages; `similarity` is a cosine; null where a list did not hold the passage."""

    fused = serializers.FloatField()
    similarity = serializers.FloatField(allow_null=True)
    similarity_rank = serializers.IntegerField(allow_null=True)
    bm25 = serializers.FloatField(allow_null=True)
    bm25_rank = serializers.IntegerField(allow_null=True)
    matched_terms = serializers.IntegerField()
    identifier_hits = serializers.IntegerField()
    reranked = serializers.FloatField(allow_null=True)


class PassageSerializer(serializers.Serializer[Any]):
    rank = serializers.IntegerField()
    chunk = serializers.IntegerField()
    document = serializers.CharField(help_text="The document's ref.")
    title = serializers.CharField()
    source_url = serializers.CharField(allow_blank=True)
    heading_path = serializers.ListField(child=serializers.CharField())
    page = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    prefix = serializers.CharField(allow_blank=True)
    kind = serializers.CharField()
    language = serializers.CharField(allow_blank=True)
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    scores = ScoresSerializer()


class CandidateSerializer(serializers.Serializer[Any]):
    chunk = serializers.IntegerField()
    rank = serializers.IntegerField()
    score = serializers.FloatField()


class StageSerializer(serializers.Serializer[Any]):
    """A stage of the search with its best candidates; `note` says why one was left out."""

    name = serializers.CharField()
    ms = serializers.FloatField()
    note = serializers.CharField(allow_blank=True)
    candidates = CandidateSerializer(many=True)


class FacetSerializer(serializers.Serializer[Any]):
    """`found` documents of the result have the value, of `total` that the key sees."""

    value = serializers.CharField()
    name = serializers.CharField()
    found = serializers.IntegerField()
    total = serializers.IntegerField()


class FacetsSerializer(serializers.Serializer[Any]):
    collections = FacetSerializer(many=True)
    kinds = FacetSerializer(many=True)
    languages = FacetSerializer(many=True)
    years = FacetSerializer(many=True)
    tags = FacetSerializer(many=True)


class SearchNoteSerializer(serializers.Serializer[Any]):
    """What the asker should know of this result: a stage that was left out, why it is empty."""

    code = serializers.CharField()
    title = serializers.CharField()
    advice = serializers.CharField()


class SearchAnswerSerializer(serializers.Serializer[Any]):
    passages = PassageSerializer(many=True)
    stages = StageSerializer(many=True)
    searched_chunks = serializers.IntegerField()
    mode = serializers.ChoiceField(MODES)
    notes = SearchNoteSerializer(many=True)
    facets = FacetsSerializer(allow_null=True)
