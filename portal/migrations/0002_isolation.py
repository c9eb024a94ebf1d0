from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("portal", "0001_initial")]
    operations = [
        run_script(APP, "0001_context.sql"),
        run_script(APP, "0002_policies.sql"),
        run_script(APP, "0003_functions_owned.sql"),
    ]
