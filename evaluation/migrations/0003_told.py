from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0002_isolation"), ("portal", "0007_hooks")]
    operations = [run_script(APP, "0003_told.sql")]
