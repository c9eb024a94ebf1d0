from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("documents", "0001_initial"), ("portal", "0002_isolation")]
    operations = [
        run_script(APP, "0001_queue.sql"),
        run_script(APP, "0002_index.sql"),
        run_script(APP, "0003_policies.sql"),
        run_script(APP, "0004_functions_owned.sql"),
    ]
