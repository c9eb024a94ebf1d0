from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("answers", "0005_cache"), ("documents", "0010_models")]
    operations = [run_script(APP, "0007_left.sql")]
