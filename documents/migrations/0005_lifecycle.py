from pathlib import Path

from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent
COUNTS = ("skipped_count", "table_count", "hidden_characters", "suspect_count")


class Migration(migrations.Migration):
    dependencies = [("documents", "0004_entries"), ("portal", "0004_keeps_original")]
    operations = [
        migrations.AddField("blob", "missing_at", models.DateTimeField(null=True)),
        migrations.AddField("document", "disabled_at", models.DateTimeField(null=True)),
        migrations.AddField("document", "purged_at", models.DateTimeField(null=True)),
        *(
            migrations.AddField("document", name, models.PositiveIntegerField(default=0, db_default=0))
            for name in COUNTS
        ),
        run_script(APP, "0006_lifecycle.sql"),
    ]
