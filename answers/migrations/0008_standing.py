from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("answers", "0007_conversation")]
    operations = [
        migrations.AddField(
            "liveanswer",
            "document_ids",
            django.contrib.postgres.fields.ArrayField(models.BigIntegerField(), default=list, size=None),
        ),
        migrations.AddField("answer", "checks", models.JSONField(default=list)),
        run_script(APP, "0008_standing.sql"),
    ]
