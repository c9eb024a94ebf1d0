"""The search page. What is searched for is a POST and never stands in a URL."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from portal.pages import MemberRequest, member_page, wants_partial
from portal.problems import words_for
from retrieval.asked import fault, run
from retrieval.facets import facets_of
from retrieval.page import Found, Sent, asked_of, form_of, found_of, groups_of, sent_of

FIELDS = {"since": "From", "until": "To", "as_of": "As of", "kind": "Kind", "language": "Language", "year": "Year"}


@sensitive_post_parameters("q")
@require_http_methods(["GET", "POST"])
@member_page
def search(request: MemberRequest) -> HttpResponseBase:
    sent = sent_of(request.POST if request.method == "POST" else request.GET)
    error = _error(sent) if request.method == "POST" else ""
    if request.method == "POST" and not error:
        answered = run(request.scope, asked_of(sent))
        found = found_of(request.scope, answered, facets_of(request.scope, answered.result.found), sent)
    else:
        found = Found(groups=groups_of(sent, facets_of(request.scope, ()), is_searched=False))
    context = {"search": form_of(sent, error=error), "found": found}
    template = "_search.html" if wants_partial(request) else "search.html"
    response = render(request, template, context, status=422 if error else 200)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _error(sent: Sent) -> str:
    """In words, why nothing was searched; "" when it can be."""
    if sent.faults:
        words = words_for("retrieval.bad_filter")
        named = ", ".join(FIELDS.get(name, name.title()) for name in dict.fromkeys(sent.faults))
        return f"{words.title} {words.advice} ({named})"
    code = fault(sent.text)
    return f"{words_for(code).title} {words_for(code).advice}" if code else ""
