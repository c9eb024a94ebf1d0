from pathlib import Path

from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("documents", "0016_imports")]
    operations = [
        migrations.AddField("document", "term_count", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddField("version", "purged_at", models.DateTimeField(null=True)),
        run_script(APP, "0016_old_versions.sql"),
    ]
