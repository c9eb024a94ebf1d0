from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("answers", "0008_standing"), ("documents", "0017_old_versions")]
    operations = [run_script(APP, "0009_redact_version.sql")]
