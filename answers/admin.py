"""Model providers and the month's budget in the admin, for the workspace's owners. A key goes in and never comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest

from answers.models import Budget, ModelProvider
from answers.router.addresses import address_fault
from answers.router.sealing import seal
from portal.admin_site import ScopedAdmin, scope_of
from portal.models import AuditEvent
from portal.problems import words_for

FIELDS = (
    "name", "base_url", "model", "priority", "is_enabled", "price_in_usd", "price_out_usd", "context_tokens",
    "max_output_tokens", "connect_s", "first_s", "idle_s", "total_s",
)  # fmt: skip

if TYPE_CHECKING:
    _Form = forms.ModelForm[ModelProvider]
else:
    _Form = forms.ModelForm


class ModelProviderForm(_Form):
    key = forms.CharField(
        required=False,
        max_length=500,
        strip=True,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text="Never shown again. Leave it empty to keep the one that is stored.",
    )
    forget_key = forms.BooleanField(required=False, help_text="The endpoint needs none.")

    class Meta:
        model = ModelProvider
        fields = FIELDS

    def clean_base_url(self) -> str:
        """Refuses what a workspace may not name. Looks the host up."""
        url = str(self.cleaned_data["base_url"]).strip().rstrip("/")
        if code := address_fault(url, settings.MODEL_PRIVATE_HOSTS):
            words = words_for(code)
            raise forms.ValidationError(f"{words.title} {words.advice}", code=code)
        return url

    def clean(self) -> dict[str, Any]:
        """A stored key is for its endpoint: who changes the address enters the key again."""
        cleaned = dict(super().clean() or {})
        moved = self.instance.pk and "base_url" in self.changed_data and bytes(self.instance.sealed_key)
        if moved and not cleaned.get("key") and not cleaned.get("forget_key"):
            self.add_error("key", "Enter the key again: the stored one belongs to the former address.")
        return cleaned


@admin.register(ModelProvider)
class ModelProviderAdmin(ScopedAdmin):
    form = ModelProviderForm
    list_display = ("name", "base_url", "model", "priority", "is_enabled", "has_key")
    ordering: ClassVar[tuple[str, ...]] = ("priority", "id")

    @admin.display(description="Key", boolean=True)
    def has_key(self, provider: ModelProvider) -> bool:
        return bool(bytes(provider.sealed_key))

    def get_fields(self, request: HttpRequest, obj: ModelProvider | None = None) -> tuple[str, ...]:
        return (*FIELDS[:3], "key", "forget_key", *FIELDS[3:])

    def has_add_permission(self, request: HttpRequest) -> bool:
        return scope_of(request).can_manage

    def has_change_permission(self, request: HttpRequest, obj: ModelProvider | None = None) -> bool:
        return scope_of(request).can_manage

    def has_delete_permission(self, request: HttpRequest, obj: ModelProvider | None = None) -> bool:
        return scope_of(request).can_manage

    def save_model(self, request: HttpRequest, obj: ModelProvider, form: Any, change: bool) -> None:
        if form.cleaned_data["key"]:
            obj.sealed_key = seal(form.cleaned_data["key"])
        elif form.cleaned_data["forget_key"]:
            obj.sealed_key = b""
        obj.workspace_id = scope_of(request).workspace_id
        obj.save()
        _note(request, "provider.changed" if change else "provider.added", obj.ref)

    def delete_model(self, request: HttpRequest, obj: ModelProvider) -> None:
        obj.delete()
        _note(request, "provider.removed", obj.ref)


@admin.register(Budget)
class BudgetAdmin(ScopedAdmin):
    list_display = ("__str__", "workspace_usd", "member_usd")
    fields = ("workspace_usd", "member_usd")

    def has_add_permission(self, request: HttpRequest) -> bool:
        scope = scope_of(request)
        return scope.can_manage and not Budget.objects.visible_to(scope).exists()

    def has_change_permission(self, request: HttpRequest, obj: Budget | None = None) -> bool:
        return scope_of(request).can_manage

    def has_delete_permission(self, request: HttpRequest, obj: Budget | None = None) -> bool:
        return scope_of(request).can_manage

    def save_model(self, request: HttpRequest, obj: Budget, form: Any, change: bool) -> None:
        obj.workspace_id = scope_of(request).workspace_id
        obj.save()
        _note(request, "budget.changed")


def _note(request: HttpRequest, action: str, ref: str = "") -> None:
    AuditEvent.objects.create_for(scope_of(request), user_id=request.user.pk, action=action, object_ref=ref)
