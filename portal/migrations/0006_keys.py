from pathlib import Path

from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("portal", "0005_idempotency")]
    operations = [
        migrations.AddField("apikey", "replaced_at", models.DateTimeField(blank=True, null=True)),
        run_script(APP, "0007_keys.sql"),
    ]
