"""A member's standing consent: each question of theirs is offered to the editors for golden sets and shadow runs, until withdrawn.

The offer itself is made by the database at the end of the asker's own transaction (sql/0004_consent.sql).
"""

from __future__ import annotations

from django.db.models import QuerySet

from evaluation.models import Consent, Feedback
from portal.models import AuditEvent
from portal.scope import Scope, principal


def is_given(scope: Scope) -> bool:
    with principal(scope):
        return bool(Consent.objects.visible_to(scope).exists())


def give(scope: Scope) -> None:
    """From the next question on. Twice is once."""
    with principal(scope):
        if not Consent.objects.visible_to(scope).exists():
            Consent.objects.create_for(scope)
            AuditEvent.objects.create_for(scope, user_id=scope.user_id, action="consent.given")


def withdraw(scope: Scope) -> int:
    """Offer no more, and take back what was offered and no editor has made a question of; returns how many offers went."""
    with principal(scope):
        Consent.objects.visible_to(scope).delete()
        offers = own_offers(scope).exclude(state=Feedback.State.TAKEN)
        count, _ = offers.delete()
        AuditEvent.objects.create_for(scope, user_id=scope.user_id, action="consent.withdrawn")
    return count


def own_offers(scope: Scope) -> QuerySet[Feedback]:
    """Needs an open principal."""
    rows: QuerySet[Feedback] = Feedback.objects.visible_to(scope)
    return rows.filter(user_id=scope.user_id or 0, kind=Feedback.Kind.OFFER)
