"""Signing in by e-mail. An account is read under its own signed context, never by a query over all accounts."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.hashers import make_password
from django.db import connections
from django.http import HttpRequest

from portal.models import User
from portal.scope import UserOnly, principal


def account(user_id: int) -> User | None:
    """The active account with its password hash, or None."""
    who = UserOnly(user_id)
    with principal(who):
        user = User.objects.filter(pk=user_id, is_active=True).first()
        if user is not None:
            user.refresh_from_db(fields=["password"])
        return user


class EmailBackend(BaseBackend):
    def authenticate(
        self, request: HttpRequest | None, username: str = "", password: str = "", **kwargs: Any
    ) -> User | None:
        """The account whose e-mail and password these are. Takes as long for an unknown e-mail as for a known one."""
        address = username or str(kwargs.get("email", ""))
        if not address or not password:
            return None
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT footnote.user_by_email(%s)", [address])
            user_id = cursor.fetchone()[0]
        user = account(user_id) if user_id is not None else None
        if user is None:
            make_password(password)
            return None
        with principal(UserOnly(user.pk)):
            return user if user.check_password(password) else None

    def get_user(self, user_id: int) -> User | None:
        return account(user_id)
