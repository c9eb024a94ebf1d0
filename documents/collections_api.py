"""Collections for programs: listed, made, renamed, removed; and who a granted one is open to."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from documents.serializers import ChangedCollectionSerializer, CollectionSerializer, NewCollectionSerializer
from portal import shelves
from portal.access import scope_of
from portal.api import Listing, ProgramView
from portal.idempotency import Kept
from portal.models import Collection, Grant
from portal.problems import UserProblem
from portal.program_serializers import GrantSerializer
from portal.scope import Scope, principal


class Collections(Listing):
    serializer_class = CollectionSerializer
    key_scopes = {"GET": "read", "POST": "ingest"}
    orders = {"newest": ("-id",), "oldest": ("id",), "name": ("name", "id")}

    @extend_schema(operation_id="collections_list", summary="The collections that this key sees")
    def get(self, request: Request) -> Response:
        with principal(self.scope):
            return self.answer(Collection.objects.visible_to(self.scope), CollectionSerializer)

    @extend_schema(
        operation_id="collections_create",
        summary="Make a collection for everyone in the workspace, or for named members",
        request=NewCollectionSerializer,
        responses={201: CollectionSerializer},
    )
    def post(self, request: Request) -> Response:
        sent = NewCollectionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        ref = shelves.make(self.scope, sent.validated_data["name"], kind=sent.validated_data["kind"])
        return Response(self._shown(ref), status=201, headers={"Location": f"/api/v1/collections/{ref}/"})

    def _shown(self, ref: str) -> dict[str, Any]:
        """In a scope of now: the one of this request was made before the collection was."""
        held = self.scope
        now = scope_of(held.user_id or 0, held.workspace_id, api_key_id=held.api_key_id, key_scopes=held.key_scopes)
        if now is None:
            raise Http404
        with principal(now):
            return dict(CollectionSerializer(find_collection(now, ref), context={"scope": now}).data)

    def kept_of(self, response: Response) -> dict[str, Any]:
        return {"ref": response.data["ref"]}

    def again(self, kept: Kept) -> Response:
        return Response(self._shown(kept.body["ref"]), status=kept.status)


def find_collection(scope: Scope, ref: str, *, locked: bool = False) -> Collection:
    """Raises Http404 alike for what is hidden and what never was. Needs an open principal."""
    rows = Collection.objects.visible_to(scope).filter(ref=ref)
    found: Collection | None = (rows.select_for_update(no_key=True) if locked else rows).first()
    if found is None:
        raise Http404
    return found


class OneCollection(ProgramView):
    serializer_class = CollectionSerializer
    key_scopes = {"GET": "read", "PATCH": "ingest", "DELETE": "ingest"}
    is_one = True

    @extend_schema(operation_id="collections_retrieve", summary="One collection")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            return Response(self._shown(find_collection(self.scope, ref)))

    @extend_schema(
        operation_id="collections_update", summary="Rename a collection", request=ChangedCollectionSerializer
    )
    def patch(self, request: Request, ref: str) -> Response:
        sent = ChangedCollectionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        with principal(self.scope):
            shelves.rename(self.scope, self._changing(ref), sent.validated_data["name"])
            return Response(self._shown(find_collection(self.scope, ref)))

    @extend_schema(operation_id="collections_delete", summary="Remove an empty collection; owners do")
    def delete(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            shelves.remove(self.scope, self._changing(ref))
        return Response(status=204)

    def _changing(self, ref: str) -> Collection:
        found = find_collection(self.scope, ref)
        if found.pk not in self.scope.writable_ids:
            raise UserProblem("portal.read_only")
        found = find_collection(self.scope, ref, locked=True)
        self.expect(self._shown(found))
        return found

    def _shown(self, row: Collection) -> dict[str, Any]:
        return dict(CollectionSerializer(row, context={"scope": self.scope}).data)


class Grants(Listing):
    serializer_class = GrantSerializer
    key_scopes = {"GET": "read"}

    @extend_schema(operation_id="collections_grants", summary="The named members of a granted collection")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            found = find_collection(self.scope, ref)
            rows = Grant.objects.visible_to(self.scope).filter(collection=found).select_related("user", "collection")
            return self.answer(rows.defer("user__password"), GrantSerializer)
