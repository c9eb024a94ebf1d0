"""Overview, runs, one question of a run, two runs side by side. What a viewer may not see of a run is only counted."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from evaluation import queue, report, shown
from evaluation.compare import Comparison, Pair, compare
from evaluation.gate import read_rules
from evaluation.golden.store import drafts_by_set
from evaluation.labels import LABELS, label_of
from evaluation.labels import shown as said
from evaluation.models import Feedback, GoldenSet, Result, Run
from evaluation.summary import lines_of, lost_words
from portal.pages import MemberRequest, member_page, wants_partial
from portal.paging import page_of
from portal.scope import Scope, principal

PER_PAGE = 50
TREND = 30
TYPES = {
    "md": "text/markdown; charset=utf-8",
    "xml": "application/xml; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
SHOWN = ("wrong", "unsupported", "all")


@require_safe
@member_page
def overview(request: MemberRequest) -> HttpResponseBase:
    scope = request.scope
    metric = request.GET.get("metric", "right")
    metric = metric if metric in LABELS else "right"
    with principal(scope):
        sets = list(GoldenSet.objects.visible_to(scope).order_by("name"))
        chosen = next((row for row in sets if row.ref == request.GET.get("set")), None)
        runs = list(_runs(scope).filter(**({"golden_set": chosen} if chosen else {})).order_by("-pk")[:TREND])
        newest = next((run for run in runs if run.state == Run.State.DONE), None)
        # A trend over several sets would compare different questions: it follows the newest run's set.
        alike = [
            run for run in runs if newest and run.golden_set_id == newest.golden_set_id and run.state == Run.State.DONE
        ]
        waiting = (
            Feedback.objects.visible_to(scope).filter(state=Feedback.State.NEW).exclude(kind=Feedback.Kind.UP).count()
        )
        drafts = drafts_by_set(scope)
        context = {
            "sets": [(row, reverse("golden_set", args=[row.ref]), drafts.get(row.pk, 0)) for row in sets],
            "chosen": chosen,
            "runs": [shown.run_line(run) for run in runs],
            "newest": shown.run_line(newest) if newest else None,
            "cards": shown.cards_of(newest.summary) if newest else (),
            "trend": shown.trend_of(alike[::-1], metric),
            "metric": metric,
            "metrics": [(name, label.name) for name, label in LABELS.items()],
            "waiting": waiting,
            "may_edit": _may_edit(scope),
            "now": timezone.now(),
        }
    return render(request, "evaluation.html", context)


@require_safe
@member_page
def run(request: MemberRequest, ref: str) -> HttpResponseBase:
    scope = request.scope
    found = _run(scope, ref)
    lines = lines_of(scope, found)
    wanted = request.GET.get("show", "wrong")
    wanted = wanted if wanted in SHOWN else "wrong"
    with principal(scope):
        rows = _shown_results(scope, found, wanted)
        current = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
        others = _runs(scope).filter(golden_set_id=found.golden_set_id, state=Run.State.DONE).exclude(pk=found.pk)
        context: dict[str, Any] = {
            "run": shown.run_line(found),
            "cards": shown.cards_of(found.summary),
            "figures": shown.figures_of(found.summary.get("means", {})),
            "lost": shown.lost_of(found.summary),
            "charts": shown.charts_of(found, lines),
            "judged": shown.judged_of(found.summary),
            "hidden": found.done - len(lines),
            "results": [shown.result_line(found.ref, row) for row in current.object_list],
            "show": wanted,
            "page": page_of(current, url=reverse("evaluation_run", args=[ref]), query={"show": wanted}, of="questions"),
            "others": [shown.run_line(other) for other in others.order_by("-pk")[:20]],
            "may_edit": _may_edit(scope),
            "now": timezone.now(),
        }
    context["is_part"] = wants_partial(request)
    template = "_evaluation_run_head.html" if context["is_part"] else "evaluation_run.html"
    return render(request, template, context)


@require_POST
@member_page
def stop(request: MemberRequest, ref: str) -> HttpResponseBase:
    found = _run(request.scope, ref)
    stopped = queue.cancel(request.scope, found)
    messages.info(request, "The run is stopped; what was measured is kept." if stopped else "The run was over already.")
    return redirect("evaluation_run", ref)


@require_safe
@member_page
def result(request: MemberRequest, ref: str, question: str) -> HttpResponseBase:
    scope = request.scope
    found = _run(scope, ref)
    with principal(scope):
        rows = Result.objects.visible_to(scope).filter(run=found, question__ref=question)
        row: Result | None = (
            rows.filter(question__collection_ids__contained_by=list(scope.collection_ids))
            .select_related("question")
            .first()
        )
        if row is None:
            raise Http404
        context = {
            "run": shown.run_line(found),
            "question": row.question,
            "expected": shown.expectation_of(row.question),
            "result": shown.result_line(found.ref, row),
            "verdict": row.verdict.replace("_", " "),
            "reason": row.reason,
            "figures": shown.figures_of(row.figures),
            "judged": row.trace.get("judge"),
            "steps": shown.steps_of(scope, row),
            "stages": [(one["name"], f"{one['ms']:.1f}", one.get("note", "")) for one in row.trace.get("stages", ())],
        }
    return render(request, "evaluation_result.html", context)


@require_safe
@member_page
def comparison(request: MemberRequest) -> HttpResponseBase:
    scope = request.scope
    before, after = _run(scope, request.GET.get("baseline", "")), _run(scope, request.GET.get("candidate", ""))
    found = compare(lines_of(scope, before), lines_of(scope, after), seed=after.seed, rounds=2000)
    with principal(scope):
        texts = dict(Result.objects.visible_to(scope).filter(run=after).values_list("question__key", "question__text"))
        refs = dict(Result.objects.visible_to(scope).filter(run=after).values_list("question__key", "question__ref"))
    context = {
        "baseline": shown.run_line(before),
        "candidate": shown.run_line(after),
        "comparison": found,
        "differences": _differences(found),
        "changed": [_changed(pair, after, texts, refs) for pair in found.pairs if pair.went != "same"],
        "now": timezone.now(),
    }
    return render(request, "evaluation_compare.html", context)


def _differences(found: Comparison) -> list[tuple[str, str, str, str, str, str]]:
    return [
        (
            label_of(d.name),
            said(d.name, d.baseline),
            said(d.name, d.candidate),
            f"{d.change.mean:+.3f} ({d.change.low:+.3f} to {d.change.high:+.3f})",
            f"{d.p:.3f}",
            d.call,
        )
        for d in found.differences
    ]


def _changed(pair: Pair, after: Run, texts: dict[str, str], refs: dict[str, str]) -> dict[str, str]:
    sides = {
        side: line.outcome.replace("_", " ") + (f": {lost_words(line.lost_at)}" if line.lost_at else "")
        for side, line in (("before", pair.baseline), ("after", pair.candidate))
    }
    url = reverse("evaluation_result", args=[after.ref, refs[pair.key]])
    return {"question": texts[pair.key], "url": url, "went": pair.went, **sides}


@require_safe
@member_page
def download_report(request: MemberRequest, ref: str, kind: str) -> HttpResponseBase:
    if kind not in TYPES:
        raise Http404
    found = _run(request.scope, ref)
    baseline = _run(request.scope, request.GET["baseline"]) if request.GET.get("baseline") else None
    made = report.make(request.scope, found, baseline=baseline, rules=read_rules(request.GET.get("fail_on", "")))
    response = HttpResponse(report.write(made, cast("report.Kind", kind)), content_type=TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="run-{found.ref}.{kind}"'
    return response


def _runs(scope: Scope) -> QuerySet[Run]:
    rows: QuerySet[Run] = Run.objects.visible_to(scope).select_related("golden_set", "user").defer("user__password")
    return rows


def _run(scope: Scope, ref: str) -> Run:
    with principal(scope):
        found = _runs(scope).filter(ref=ref).first()
    if found is None:
        raise Http404
    return found


def _shown_results(scope: Scope, found: Run, wanted: str) -> QuerySet[Result]:
    rows: QuerySet[Result] = (
        Result.objects.visible_to(scope).filter(run=found).select_related("question").order_by("question_id")
    )
    rows = rows.filter(question__collection_ids__contained_by=list(scope.collection_ids))
    if wanted == "wrong":
        return rows.filter(Q(figures__right=0) | Q(figures__unsupported=1) | Q(outcome="error"))
    return rows.filter(figures__unsupported=1) if wanted == "unsupported" else rows


def _may_edit(scope: Scope) -> bool:
    return scope.role in ("owner", "editor")
