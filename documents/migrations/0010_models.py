from pathlib import Path

from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("documents", "0009_claim")]
    operations = [
        migrations.AddField("embeddingmodel", "live_until", models.DateTimeField(blank=True, null=True)),
        run_script(APP, "0012_models.sql"),
    ]
