"""Tenant models say who may see a row; their querysets start with visible_to, create_for or unscoped."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self, TypeVar

from django.db import models

from portal.scope import Scope, open_alias

Visibility = Literal["workspace", "collection", "user", "self"]
Row = TypeVar("Row", bound="TenantModel")


class TenantQuerySet(models.QuerySet[Row]):
    """The explicit half of isolation; the other half is the row policy, which holds without it."""

    def visible_to(self, scope: Scope) -> Self:
        """The rows this scope may see, on the database alias whose principal is open for it."""
        return self.using(open_alias(scope)).filter(**self.model.seen_by(scope))

    def create_for(self, scope: Scope, **fields: Any) -> Row:
        """A new row in the scope's workspace; a row that the scope may not write is refused by the database."""
        owned = {"user_id": scope.user_id} if self.model.visibility == "user" else {}
        return self.using(open_alias(scope)).create(workspace_id=scope.workspace_id, **{**owned, **fields})

    def unscoped(self, *, reason: str) -> Self:
        """Rows without the explicit half, for the self-check and tests. The policies still hold."""
        if not reason:
            raise ValueError("unscoped() needs a reason")
        return self


class TenantModel(models.Model):
    """A row of one workspace. `visibility` names the column beside workspace_id that decides who sees it."""

    visibility: ClassVar[Visibility] = "workspace"
    objects: ClassVar[Any] = TenantQuerySet.as_manager()

    class Meta:
        abstract = True

    @classmethod
    def seen_by(cls, scope: Scope) -> dict[str, Any]:
        """The filter that says what the policy says, so that the planner may use an index (isolation.md, traps)."""
        filters: dict[Visibility, dict[str, Any]] = {
            "workspace": {"workspace_id": scope.workspace_id},
            "collection": {"workspace_id": scope.workspace_id, "collection_id__in": scope.collection_ids},
            "user": {"workspace_id": scope.workspace_id, "user_id": scope.user_id},
            "self": {"id__in": scope.collection_ids},
        }
        return filters[cls.visibility]
