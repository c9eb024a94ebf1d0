"""The tenancy as programs get it: workspace, members, grants, audit, the key itself."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from portal.keys import SCOPES
from portal.models import Membership


class WorkspaceSerializer(serializers.Serializer[Any]):
    ref = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(Membership.Role.choices, help_text="What the key's owner is in it.")
    created_at = serializers.DateTimeField()


class MemberSerializer(serializers.Serializer[Membership]):
    """`id` is the membership's number in this workspace's audit and lists."""

    id = serializers.IntegerField()
    email = serializers.CharField(source="user.email")
    name = serializers.CharField(source="user.name", allow_blank=True)
    role = serializers.ChoiceField(Membership.Role.choices)
    state = serializers.ChoiceField(Membership.State.choices)
    created_at = serializers.DateTimeField()


class GrantSerializer(serializers.Serializer[Any]):
    """A named member of a granted collection."""

    collection_name = serializers.CharField(source="collection.name")
    email = serializers.CharField(source="user.email")
    name = serializers.CharField(source="user.name", allow_blank=True)
    may_edit = serializers.BooleanField()


class AuditSerializer(serializers.Serializer[Any]):
    """Who did what to which thing: refs and counts, never content."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    email = serializers.CharField(source="user.email", allow_null=True, default=None)
    action = serializers.CharField()
    object_ref = serializers.CharField(allow_blank=True)
    detail = serializers.JSONField()


class AuditQuerySerializer(serializers.Serializer[Any]):
    action = serializers.CharField(required=False, max_length=40)
    object_ref = serializers.CharField(required=False, max_length=24)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


class KeySerializer(serializers.Serializer[Any]):
    """A key without its secret, which is said once, when it is made."""

    ref = serializers.CharField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.ChoiceField(SCOPES))
    collections = serializers.SerializerMethodField(help_text="Refs; null: whatever its owner sees.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    is_replaced = serializers.BooleanField(help_text="True once a successor was made by rotation.")

    def get_collections(self, key: Any) -> list[str] | None:
        return None if key.collections is None else [ref for ref, _ in key.collections]


class RotationSerializer(serializers.Serializer[Any]):
    overlap_minutes = serializers.IntegerField(
        default=60, min_value=0, max_value=10_080, help_text="How long the old key still works."
    )


class NewKeySerializer(KeySerializer):
    key = serializers.CharField(help_text="`fn_<ref>_<secret>`, said this once.")
