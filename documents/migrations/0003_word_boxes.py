from pathlib import Path

from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("documents", "0002_isolation")]
    operations = [
        migrations.AddField("version", "boxes", models.BinaryField(default=b"", db_default=b"")),
        run_script(APP, "0005_boxes.sql"),
    ]
