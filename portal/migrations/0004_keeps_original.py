from pathlib import Path

from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("portal", "0003_django_tables")]
    operations = [
        migrations.AddField("collection", "keeps_original", models.BooleanField(default=True, db_default=True)),
        run_script(APP, "0005_keeps_original.sql"),
    ]
