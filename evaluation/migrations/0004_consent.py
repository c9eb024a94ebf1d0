from pathlib import Path

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0003_told"),
        ("answers", "0003_writing"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="Consent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("given_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to=settings.AUTH_USER_MODEL),
                ),
                (
                    "workspace",
                    models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to="portal.workspace"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("workspace", "user"), name="consent_once")],
            },
        ),
        migrations.CreateModel(
            name="Judgement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.BinaryField(max_length=32)),
                ("verdict", models.CharField(max_length=8)),
                ("model", models.CharField(max_length=120)),
                ("prompt_version", models.CharField(max_length=16)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "workspace",
                    models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to="portal.workspace"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("workspace", "key"), name="judged_once")],
            },
        ),
        run_script(APP, "0004_consent.sql"),
    ]
