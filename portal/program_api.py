"""The tenancy for programs: the key's workspace, its members, the audit. People and rights are changed by people, on pages."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api import Listing, ProgramView
from portal.models import AuditEvent, Membership, Workspace
from portal.problems import UserProblem
from portal.program_serializers import AuditQuerySerializer, AuditSerializer, MemberSerializer, WorkspaceSerializer
from portal.scope import Scope, principal


def shown_workspace(scope: Scope, row: Workspace) -> dict[str, Any]:
    return {"ref": row.ref, "name": row.name, "role": scope.role, "created_at": row.created_at}


class Workspaces(Listing):
    serializer_class = WorkspaceSerializer
    key_scopes = {"GET": "read"}

    @extend_schema(operation_id="workspaces_list", summary="The key's workspace: a key knows that one")
    def get(self, request: Request) -> Response:
        with principal(self.scope):
            page = self.paginate_queryset(Workspace.objects.visible_to(self.scope))
            shown = WorkspaceSerializer([shown_workspace(self.scope, row) for row in page or ()], many=True)
            return self.get_paginated_response(shown.data)


class OneWorkspace(ProgramView):
    serializer_class = WorkspaceSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(operation_id="workspaces_retrieve", summary="The workspace by its ref")
    def get(self, request: Request, ref: str) -> Response:
        with principal(self.scope):
            row: Workspace | None = Workspace.objects.visible_to(self.scope).filter(ref=ref).first()
        if row is None:
            raise Http404
        return Response(WorkspaceSerializer(shown_workspace(self.scope, row)).data)


def members_of(scope: Scope) -> QuerySet[Membership]:
    rows: QuerySet[Membership] = Membership.objects.visible_to(scope).select_related("user").defer("user__password")
    return rows


class Members(Listing):
    serializer_class = MemberSerializer
    key_scopes = {"GET": "read"}
    orders = {"newest": ("-id",), "oldest": ("id",)}

    @extend_schema(operation_id="members_list", summary="Who is in the workspace")
    def get(self, request: Request) -> Response:
        with principal(self.scope):
            return self.answer(members_of(self.scope), MemberSerializer)


class OneMember(ProgramView):
    serializer_class = MemberSerializer
    key_scopes = {"GET": "read"}
    is_one = True

    @extend_schema(operation_id="members_retrieve", summary="One member")
    def get(self, request: Request, id: int) -> Response:
        with principal(self.scope):
            row = members_of(self.scope).filter(pk=id).first()
            if row is None:
                raise Http404
            return Response(MemberSerializer(row).data)


class Audit(Listing):
    serializer_class = AuditSerializer
    key_scopes = {"GET": "admin"}
    orders = {"newest": ("-id",), "oldest": ("id",)}

    @extend_schema(
        operation_id="audit_list",
        summary="Who did what, newest first: an owner's key sees everybody's, another the own",
        parameters=[AuditQuerySerializer],
    )
    def get(self, request: Request) -> Response:
        asked = AuditQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        names = {"action": "action", "object_ref": "object_ref", "since": "at__gte", "until": "at__lt"}
        wanted = {names[name]: value for name, value in asked.validated_data.items()}
        with principal(self.scope):
            rows = AuditEvent.objects.visible_to(self.scope).select_related("user").defer("user__password")
            return self.answer(rows.filter(**wanted), AuditSerializer)


def refuse_others(scope: Scope) -> None:
    """Raises UserProblem portal.owner_only unless the key's person owns the workspace."""
    if not scope.can_manage:
        raise UserProblem("portal.owner_only")
