"""Golden sets and runs for programs: kept in step with a file, started, watched, compared."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation import queue
from evaluation.compare import Comparison, compare
from evaluation.configuration import Configuration
from evaluation.golden import store
from evaluation.golden.item import Malformed, read_item
from evaluation.models import GoldenQuestion, GoldenSet, Result, Run
from evaluation.serializers import (
    ComparisonQuerySerializer,
    ComparisonSerializer,
    GoldenQuestionSerializer,
    GoldenSetSerializer,
    ManyQuestionsSerializer,
    NewGoldenSetSerializer,
    NewRunSerializer,
    RunResultSerializer,
    RunSerializer,
    RunsQuerySerializer,
    SavedSerializer,
)
from evaluation.summary import lines_of
from portal.api import Listing, ProgramView
from portal.idempotency import Kept
from portal.listing import Newest
from portal.pages import chosen_ids
from portal.problems import UserProblem
from portal.scope import Scope, principal

BY_AGE = {"newest": ("-id",), "oldest": ("id",)}


class Oldest(Newest):
    ordering = "id"


def find_set(scope: Scope, ref: str) -> GoldenSet:
    """Raises Http404. Needs an open principal."""
    found: GoldenSet | None = GoldenSet.objects.visible_to(scope).filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


def find_run(scope: Scope, ref: str) -> Run:
    """Raises Http404. Needs an open principal."""
    found = runs_of(scope).filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


def runs_of(scope: Scope) -> QuerySet[Run]:
    rows: QuerySet[Run] = Run.objects.visible_to(scope).select_related("golden_set")
    return rows


class GoldenSets(Listing):
    serializer_class = GoldenSetSerializer
    key_scopes = {"GET": "read", "POST": "admin"}
    orders = {**BY_AGE, "name": ("name", "id")}

    @extend_schema(operation_id="golden_sets_list", summary="The workspace's golden sets")
    def get(self, request: Request) -> Response:
        with principal(self.scope):
            return self.answer(GoldenSet.objects.visible_to(self.scope), GoldenSetSerializer)

    @extend_schema(
        operation_id="golden_sets_create",
        summary="Make a golden set",
        request=NewGoldenSetSerializer,
        responses={201: GoldenSetSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = NewGoldenSetSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        store.refuse_readers(self.scope)
        with principal(self.scope):
            if GoldenSet.objects.visible_to(self.scope).filter(name=sent.validated_data["name"]).exists():
                raise UserProblem("evaluation.name_taken")
        made = store.open_set(self.scope, **sent.validated_data)
        return self._made(made.ref)

    def _made(self, ref: str) -> Response:
        with principal(self.scope):
            body = GoldenSetSerializer(find_set(self.scope, ref)).data
        return Response(body, status=201, headers={"Location": reverse("api_golden_set", args=[ref])})

    def kept_of(self, response: Response) -> dict[str, Any]:
        return {"ref": response.data["ref"]}

    def again(self, kept: Kept) -> Response:
        return self._made(kept.body["ref"])


class OneGoldenSet(ProgramView):
    serializer_class = GoldenSetSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(operation_id="golden_sets_retrieve", summary="One golden set")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return Response(GoldenSetSerializer(find_set(self.scope, ref)).data)


class GoldenQuestions(Listing):
    serializer_class = GoldenQuestionSerializer
    pagination_class = Oldest
    key_scopes = {"GET": "read", "POST": "admin"}

    @extend_schema(
        operation_id="golden_questions_list", summary="The questions of the newest version that the key sees"
    )
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            found = find_set(self.scope, ref)
            page = self.paginate_queryset(store.questions_of(self.scope, found.pk, found.version))
            return self.get_paginated_response([store.item_of(row).plain() for row in page or ()])

    @extend_schema(
        operation_id="golden_questions_save",
        summary="Add and change questions by id, as one new version",
        request=ManyQuestionsSerializer,
        responses={200: SavedSerializer},
    )
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            found = find_set(self.scope, ref)
        sent = ManyQuestionsSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            items = [read_item(row) for row in sent.validated_data["questions"]]
        except Malformed as trouble:
            raise UserProblem("evaluation.malformed", f"A question {trouble}.") from None
        replace = sent.validated_data["replace"]
        saved = store.save(self.scope, found, items, origin=GoldenQuestion.Origin.IMPORT, replace=replace)
        return Response(SavedSerializer(saved).data)

    def kept_of(self, response: Response) -> dict[str, Any]:
        return dict(response.data)


class Runs(Listing):
    serializer_class = RunSerializer
    key_scopes = {"GET": "read", "POST": "admin"}
    orders = BY_AGE

    @extend_schema(operation_id="runs_list", summary="Runs, newest first", parameters=[RunsQuerySerializer])
    def get(self, request: Request) -> Response:
        asked = RunsQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        names = {"golden_set": "golden_set__ref", "state": "state"}
        with principal(self.scope):
            rows = runs_of(self.scope).filter(**{names[n]: value for n, value in asked.validated_data.items()})
            return self.answer(rows, RunSerializer)

    @extend_schema(
        operation_id="runs_create",
        summary="Start a run; read it again to see how far it is",
        request=NewRunSerializer,
        responses={202: RunSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = NewRunSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        with principal(self.scope):
            golden_set = find_set(self.scope, given["golden_set"])
        refs = given.get("collections")
        made = queue.start(
            self.scope,
            golden_set,
            Configuration.read(given.get("configuration", {})),
            collection_ids=None if refs is None else chosen_ids(self.scope, refs),
            name=given.get("name", ""),
            seed=given["seed"],
        )
        return self._started(made.ref)

    def _started(self, ref: str) -> Response:
        with principal(self.scope):
            body = RunSerializer(find_run(self.scope, ref)).data
        return Response(body, status=202, headers={"Location": reverse("api_run", args=[ref])})

    def kept_of(self, response: Response) -> dict[str, Any]:
        return {"ref": response.data["ref"]}

    def again(self, kept: Kept) -> Response:
        return self._started(kept.body["ref"])


class OneRun(ProgramView):
    serializer_class = RunSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(operation_id="runs_retrieve", summary="One run: how far it is, and what it came to")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return Response(RunSerializer(find_run(self.scope, ref)).data)


class CancelRun(ProgramView):
    repeats_safely = True
    serializer_class = RunSerializer
    key_scopes = {"POST": "admin"}

    @extend_schema(operation_id="runs_cancel", summary="Stop a run; what was measured is kept", request=None)
    def post(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            found = find_run(self.scope, ref)
        queue.cancel(self.scope, found)
        with principal(self.scope):
            return Response(RunSerializer(find_run(self.scope, found.ref)).data)


class RunResults(Listing):
    serializer_class = RunResultSerializer
    pagination_class = Oldest
    key_scopes = {"GET": "read"}

    @extend_schema(operation_id="runs_results", summary="What each question came to, as far as the key sees it")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            found = find_run(self.scope, ref)
            seen = {"question__collection_ids__contained_by": list(self.scope.collection_ids)}
            rows = Result.objects.visible_to(self.scope).filter(run=found, **seen).select_related("question")
            return self.answer(rows, RunResultSerializer)


class Comparisons(ProgramView):
    serializer_class = ComparisonSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(
        operation_id="comparisons_retrieve",
        summary="Two runs over the same questions: what differs, and how surely",
        parameters=[ComparisonQuerySerializer],
    )
    def get(self, request: Request) -> Response:
        asked = ComparisonQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        with principal(self.scope):
            before, after = (find_run(self.scope, asked.validated_data[n]) for n in ("baseline", "candidate"))
        found = compare(lines_of(self.scope, before), lines_of(self.scope, after), seed=after.seed, rounds=2000)
        return Response(ComparisonSerializer(_shown(found, before, after)).data)


def _shown(found: Comparison, before: Run, after: Run) -> dict[str, Any]:
    return {
        "baseline": before.ref,
        "candidate": after.ref,
        "baseline_name": before.name,
        "candidate_name": after.name,
        "verdict": found.verdict,
        "questions": len(found.pairs),
        "differences": [
            {
                "metric": one.name,
                "questions": one.questions,
                "baseline": one.baseline,
                "candidate": one.candidate,
                "change": one.change.mean,
                "low": one.change.low,
                "high": one.change.high,
                "p": one.p,
                "call": one.call,
            }
            for one in found.differences
        ],
        "better": [pair.key for pair in found.pairs if pair.went == "better"],
        "worse": [pair.key for pair in found.pairs if pair.went == "worse"],
    }
