from pathlib import Path

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import portal.models
from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("portal", "0007_hooks")]
    operations = [
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ref", models.CharField(default=portal.models.new_ref, editable=False, max_length=24, unique=True)),
                ("secret_sha256", models.BinaryField(max_length=32, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("editor", "Editor"), ("reader", "Reader")],
                        default="reader",
                        max_length=8,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=120)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                (
                    "invited_by",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL),
                ),
                (
                    "workspace",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="portal.workspace"),
                ),
            ],
            options={"abstract": False},
        ),
        run_script(APP, "0009_invitations.sql"),
    ]
