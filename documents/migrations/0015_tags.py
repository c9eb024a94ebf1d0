from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("documents", "0014_fewer_keys")]
    operations = [
        migrations.AddField(
            "document",
            "tags",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=40), blank=True, db_default=[], default=list, size=None
            ),
        ),
        run_script(APP, "0018_tags.sql"),
    ]
