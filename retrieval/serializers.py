"""A search as programs ask it and get it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

MAX_CHARACTERS = 4_000
MAX_K = 50
DEFAULT_K = 8


class SearchQuerySerializer(serializers.Serializer[Any]):
    """Without `collections` everything that the key sees is searched."""

    question = serializers.CharField(max_length=MAX_CHARACTERS)
    k = serializers.IntegerField(min_value=1, max_value=MAX_K, default=DEFAULT_K)
    collections = serializers.ListField(child=serializers.CharField(max_length=24), required=False, max_length=200)


class ScoresSerializer(serializers.Serializer[Any]):
    """`fused` orders the passages; `similarity` is a cosine; null where a list did not hold the passage."""

    fused = serializers.FloatField()
    similarity = serializers.FloatField(allow_null=True)
    similarity_rank = serializers.IntegerField(allow_null=True)
    bm25 = serializers.FloatField(allow_null=True)
    bm25_rank = serializers.IntegerField(allow_null=True)
    matched_terms = serializers.IntegerField()
    identifier_hits = serializers.IntegerField()


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


class SearchAnswerSerializer(serializers.Serializer[Any]):
    passages = PassageSerializer(many=True)
    stages = StageSerializer(many=True)
    searched_chunks = serializers.IntegerField()
