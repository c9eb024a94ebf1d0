from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0001_initial"),
        ("answers", "0002_isolation"),
        ("documents", "0002_isolation"),
        ("portal", "0002_isolation"),
    ]
    operations = [run_script(APP, "0001_policies.sql"), run_script(APP, "0002_queue.sql")]
