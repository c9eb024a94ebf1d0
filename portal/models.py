"""People, workspaces and what they may see: the tenancy that everything else hangs on (docs/isolation.md)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import connections, models
from django.db.models.functions import Lower

from portal.tenant import TenantModel, Visibility


def new_ref() -> str:
    """A public id, 72 random bits: what URLs and APIs name a row by. Made by the server, never by a client."""
    return secrets.token_hex(9)


def new_key() -> bytes:
    return secrets.token_bytes(32)


class UserManager(BaseUserManager["User"]):
    def get_queryset(self) -> models.QuerySet[User]:
        """Without the password hash: the app role may not select it (User.refresh_from_db)."""
        return super().get_queryset().defer("password")

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email__iexact=username)


class User(AbstractBaseUser):
    """A person, signed in by e-mail. The row is visible to the person and to members of a shared workspace."""

    email = models.EmailField(max_length=254)
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    joined_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        base_manager_name = "objects"
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_once")]

    def __str__(self) -> str:
        return self.email

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[User] | None = None,
    ) -> None:
        """As Django's, but the password hash comes from footnote.own_password(): only inside the person's own principal."""
        alias = using or self._state.db or "default"
        if fields is None or list(fields) != ["password"] or alias == "owner":
            return super().refresh_from_db(using, fields, from_queryset)
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT footnote.own_password(%s)", [self.pk])
            self.password = cursor.fetchone()[0] or UNUSABLE_PASSWORD_PREFIX
        return None

    def get_full_name(self) -> str:
        return self.name or self.email

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Staff may open the admin; what they see and change there is decided by their scope."""
        return self.is_active and self.is_staff

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_active and self.is_staff


class Workspace(TenantModel):
    """A tenant. `content_key` and `question_key` key the fingerprints of its texts and questions."""

    visibility: ClassVar[Visibility] = "workspace"
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    name = models.CharField(max_length=120)
    content_key = models.BinaryField(default=new_key, editable=False)
    question_key = models.BinaryField(default=new_key, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @classmethod
    def seen_by(cls, scope: Any) -> dict[str, Any]:
        return {"id": scope.workspace_id}


class Membership(TenantModel):
    """A person in a workspace. Suspending it makes every row of the workspace unreachable at the next statement."""

    class Role(models.TextChoices):
        OWNER = "owner"
        EDITOR = "editor"
        READER = "reader"

    class State(models.TextChoices):
        ACTIVE = "active"
        SUSPENDED = "suspended"

    workspace = models.ForeignKey(Workspace, models.CASCADE)
    user = models.ForeignKey(User, models.CASCADE)
    role = models.CharField(max_length=8, choices=Role.choices, default=Role.READER)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"membership {self.pk}"


class Collection(TenantModel):
    """The unit of visibility, search statistics and cache epochs. Every document lives in exactly one."""

    class Kind(models.TextChoices):
        SHARED = "shared", "Everyone in the workspace"
        PRIVATE = "private", "Only its owner"
        GRANTED = "granted", "Named members"

    visibility: ClassVar[Visibility] = "self"
    workspace = models.ForeignKey(Workspace, models.CASCADE)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.SHARED)
    owner = models.ForeignKey(User, models.CASCADE, null=True, blank=True)
    splitter = models.CharField(max_length=10, default="structure")
    max_tokens = models.PositiveSmallIntegerField(default=250)
    overlap_tokens = models.PositiveSmallIntegerField(default=30)
    keeps_original = models.BooleanField(default=True, db_default=True)
    """Whether uploaded files stay after they were read, or only their text."""
    ranker = models.CharField(max_length=6, default="", db_default="", blank=True)
    """How it is searched when nobody says otherwise: "hybrid", "bm25" or "tfidf" by words alone, "" as the deployment does."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "id"], name="collection_in_workspace"),
            models.UniqueConstraint(
                fields=["workspace", "owner"], condition=models.Q(kind="private"), name="one_private_collection"
            ),
            models.CheckConstraint(
                condition=~models.Q(kind="private") | models.Q(owner__isnull=False), name="private_has_owner"
            ),
            models.CheckConstraint(
                condition=models.Q(max_tokens__gte=32, max_tokens__lte=250, overlap_tokens__lt=models.F("max_tokens")),
                name="sane_chunk_profile",
            ),
            models.CheckConstraint(condition=models.Q(ranker__in=["", "hybrid", "bm25", "tfidf"]), name="known_ranker"),
        ]

    def __str__(self) -> str:
        return self.name


class Grant(TenantModel):
    """A named member of a granted collection."""

    workspace = models.ForeignKey(Workspace, models.CASCADE)
    collection = models.ForeignKey(Collection, models.CASCADE, db_constraint=False)
    user = models.ForeignKey(User, models.CASCADE)
    may_edit = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "user"], name="grant_once")]

    def __str__(self) -> str:
        return f"grant {self.pk}"


class ApiKey(TenantModel):
    """A program's credential, `fn_<ref>_<secret>`; only the SHA-256 of the secret is kept."""

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.CASCADE)
    user = models.ForeignKey(User, models.CASCADE)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    name = models.CharField(max_length=120)
    secret_sha256 = models.BinaryField(max_length=32, editable=False)
    scopes = ArrayField(models.CharField(max_length=10))
    collection_ids = ArrayField(models.BigIntegerField(), null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    replaced_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"fn_{self.ref}"


class Invitation(TenantModel):
    """Lets its bearer join once. Only the SHA-256 of its code is kept; using or withdrawing it deletes the row."""

    workspace = models.ForeignKey(Workspace, models.CASCADE)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    secret_sha256 = models.BinaryField(max_length=32, unique=True, editable=False)
    role = models.CharField(max_length=8, choices=Membership.Role.choices, default=Membership.Role.READER)
    note = models.CharField(max_length=120, blank=True)
    invited_by = models.ForeignKey(User, models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"invitation {self.ref}"


class AuditEvent(TenantModel):
    """Who did what to which thing: refs and counts, never content."""

    workspace = models.ForeignKey(Workspace, models.CASCADE)
    user = models.ForeignKey(User, models.SET_NULL, null=True)
    action = models.CharField(max_length=40)
    object_ref = models.CharField(max_length=24, blank=True)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.action} {self.object_ref}"


class IdempotencyKey(TenantModel):
    """One POST of a program that may come again: what it asked (a hash) and what became of it (refs and codes, no content)."""

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    api_key = models.ForeignKey(ApiKey, models.DO_NOTHING, db_constraint=False)
    key_sha256 = models.BinaryField(max_length=32)
    request_sha256 = models.BinaryField(max_length=32)
    status = models.PositiveSmallIntegerField(null=True)
    location = models.CharField(max_length=300, blank=True)
    body = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["api_key", "key_sha256"], name="idempotency_key_once")]

    def __str__(self) -> str:
        return f"idempotency key {self.pk}"


class Webhook(TenantModel):
    """Where a workspace's owner wants to hear of events (docs/events.md). It hears of what its maker sees, while an owner.

    `nonce` is what its signing secret is derived from (portal/hooks/signing.py); the secret itself is kept nowhere.
    """

    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    name = models.CharField(max_length=120)
    url = models.CharField(max_length=2000)
    events = ArrayField(models.CharField(max_length=40))
    nonce = models.BinaryField(max_length=32, default=new_key, editable=False)
    old_nonce = models.BinaryField(max_length=32, null=True, editable=False)
    old_until = models.DateTimeField(null=True, blank=True)
    off_at = models.DateTimeField(null=True, blank=True)
    off_why = models.CharField(max_length=60, blank=True)
    taken_at = models.DateTimeField(null=True, blank=True)
    """When its receiver last took a message."""
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Delivery(TenantModel):
    """One message to one webhook: refs and states of what happened, and how far it came. Names are looked up when it is sent."""

    class State(models.TextChoices):
        PENDING = "pending", "On its way"
        TAKEN = "taken", "Taken"
        FAILED = "failed", "Given up"

    visibility: ClassVar[Visibility] = "user"
    workspace = models.ForeignKey(Workspace, models.DO_NOTHING)
    user = models.ForeignKey(User, models.DO_NOTHING)
    hook = models.ForeignKey(Webhook, models.DO_NOTHING, db_constraint=False, related_name="deliveries")
    ref = models.CharField(max_length=24, unique=True, default=new_ref, editable=False)
    event = models.CharField(max_length=40)
    subject_ref = models.CharField(max_length=24, blank=True)
    collection_ids = ArrayField(models.BigIntegerField(), default=list)
    told = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    attempt = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField()
    give_up_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    problem = models.CharField(max_length=60, blank=True)
    took_ms = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["next_try_at", "id"], condition=models.Q(state="pending"), name="delivery_line"),
            models.Index(
                fields=["hook", "subject_ref", "id"], condition=models.Q(state="pending"), name="delivery_order"
            ),
            models.Index(fields=["hook", "-id"], name="delivery_log"),
        ]

    def __str__(self) -> str:
        return f"delivery {self.ref}"
