"""`manage.py make_workspace "Support" --owner ada@example.org`: a workspace with its first owner, who invites the others."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from portal.models import User
from portal.people import OWNER, add_person, add_workspace


class Command(BaseCommand):
    help = "Make a workspace and its owner. A new person's password is printed once; it can be changed on the Account page."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--owner", required=True, metavar="EMAIL")
        parser.add_argument("--staff", action="store_true", help="may open the Django admin, too")

    def handle(self, *args: Any, **options: Any) -> None:
        name, email = " ".join(options["name"].split()), options["owner"]
        try:
            validate_email(email)
        except ValidationError as error:
            raise CommandError(f"{email} is not an e-mail address.") from error
        if not name:
            raise CommandError("Give the workspace a name.")
        is_new = not User.objects.using(OWNER).filter(email__iexact=email).exists()
        password = secrets.token_urlsafe(12) if is_new else None
        workspace = add_workspace(name, owner=add_person(email, password=password, is_staff=options["staff"]))
        self.stdout.write(f"workspace {workspace.ref}, owner {email}")
        self.stdout.write(f"password  {password}" if password else "password  as before")
