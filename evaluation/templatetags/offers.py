"""Whether the asker's questions are offered, said under each of their answers."""

from __future__ import annotations

from typing import Any

from django import template

from evaluation import consent
from portal.scope import Scope

register = template.Library()


@register.simple_tag(takes_context=True)
def offering(context: dict[str, Any]) -> bool:
    """Of the member who looks; False where a part is rendered without a request."""
    scope: Scope | None = getattr(context.get("request"), "scope", None)
    return consent.is_given(scope) if scope else False
