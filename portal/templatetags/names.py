"""File names that may break where a reader would break them."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

JOINT = re.compile(r"([_\-./]+)(?=\w)")


@register.filter
def breakable(name: str) -> SafeString:
    """`name` as HTML with a `<wbr>` after each run of `_ - . /` between words; copying it gives the name itself."""
    return mark_safe("<wbr>".join(escape(part) for part in JOINT.sub("\\1\0", name).split("\0")))  # noqa: S308 - escaped
