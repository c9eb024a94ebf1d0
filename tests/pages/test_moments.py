from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import override_settings

from portal.templatetags.moments import say, when

NOW = datetime(2026, 11, 30, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (timedelta(seconds=-5), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=4), "4 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(hours=15), "yesterday"),
        (timedelta(days=2), "28 Nov"),
        (timedelta(days=400), "26 Oct 2025"),
    ],
)
@override_settings(TIME_ZONE="UTC", USE_TZ=True)
def test_a_time_is_said_beside_now(before: timedelta, expected: str) -> None:
    assert say(NOW - before, NOW) == expected


@override_settings(TIME_ZONE="UTC", USE_TZ=True)
def test_the_exact_time_stays_in_the_element() -> None:
    assert when(NOW, NOW) == '<time datetime="2026-11-30T14:30:00+00:00" title="30 Nov 2026, 14:30">now</time>'
    assert when(None, NOW) == "–"
