"""Times as people say them, with the exact time kept in the element."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

MINUTE, HOUR, DAY = 60, 3600, 86400


def say(moment: datetime, now: datetime) -> str:
    """`moment` in words beside `now`: "now", "2 min ago", "3 h ago", "yesterday", then the date.

    A moment ahead of `now` by clock skew is "now".
    """
    seconds = (now - moment).total_seconds()
    local, today = timezone.localtime(moment), timezone.localtime(now).date()
    days = (today - local.date()).days
    if seconds < MINUTE:
        return "now"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)} min ago"
    if days == 0 or seconds < HOUR * 6:
        return f"{int(seconds // HOUR)} h ago"
    if days == 1:
        return "yesterday"
    return date_format(local, "j M" if local.year == today.year else "j M Y")


@register.simple_tag
def when(moment: datetime | None, now: datetime | None = None) -> SafeString:
    """A `<time>` element; without `now` it shows the date and time themselves, without `moment` a dash."""
    if not moment:
        return SafeString("–")
    local = timezone.localtime(moment)
    exact = date_format(local, "j M Y, H:i")
    said = say(moment, now) if now else exact
    stamp = local.isoformat(timespec="seconds")
    return format_html('<time datetime="{}" title="{}">{}</time>', stamp, exact, said)
