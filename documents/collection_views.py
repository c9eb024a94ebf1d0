"""The page of a collection: its coverage for who sees it, its settings for who may add to it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from documents import lifecycle
from documents.collection import Profile, show_collection
from documents.rows import counted
from portal.models import AuditEvent, Collection
from portal.pages import MemberRequest, member_page
from portal.problems import UserProblem
from portal.scope import Scope, principal


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def collection(request: MemberRequest, ref: str) -> HttpResponseBase:
    scope, error = request.scope, ""
    with principal(scope):
        place = _found(scope, ref)
        if request.method == "POST":
            if place.pk not in scope.writable_ids:
                raise UserProblem("portal.read_only")
            sent = Profile.sent(request.POST.dict())
            if isinstance(sent, Profile):
                messages.success(request, keep(scope, place, sent))
                return redirect("collection", ref)
            error = sent
        page = show_collection(scope, place, profile=Profile.of(place), error=error)
    return render(request, "collection.html", {"collection": page}, status=422 if error else 200)


def _found(scope: Scope, ref: str) -> Collection:
    place: Collection | None = Collection.objects.visible_to(scope).filter(ref=ref).first()
    if place is None:
        raise Http404
    return place


def keep(scope: Scope, place: Collection, profile: Profile) -> str:
    """Store the profile, put to work what follows from it, and say what that is. Needs an open principal."""
    before = Profile.of(place)
    if before == profile:
        return "Nothing was changed."
    Collection.objects.visible_to(scope).filter(pk=place.pk).update(
        splitter=profile.splitter,
        max_tokens=profile.max_tokens,
        overlap_tokens=profile.overlap_tokens,
        keeps_original=profile.keeps_original,
        ranker=profile.ranker,
    )
    AuditEvent.objects.create_for(
        scope,
        user_id=scope.user_id,
        action="collection.profile",
        object_ref=place.ref,
        detail={"splitter": profile.splitter, "ranker": profile.ranker},
    )
    said = ["The settings were saved."]
    if before.ranker != profile.ranker:
        lifecycle.bump_epoch(scope, place.pk)  # earlier answers were found otherwise
    if not before.cuts_as(profile):
        again = lifecycle.read_all_again(scope, place.pk)
        said.append(
            f"{counted(again, 'document')} will be read again; answers come from what was read before until then."
        )
    if before.keeps_original and not profile.keeps_original:
        dropping = lifecycle.drop_originals(scope, place.pk)
        said.append(f"The files of {counted(dropping, 'document')} are removed in the background; their text stays.")
    return " ".join(said)
