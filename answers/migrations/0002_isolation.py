from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("answers", "0001_initial"), ("documents", "0002_isolation")]
    operations = [run_script(APP, "0001_policies.sql"), run_script(APP, "0002_functions_owned.sql")]
