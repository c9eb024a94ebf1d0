from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("documents", "0012_model_page"), ("portal", "0007_hooks")]
    operations = [run_script(APP, "0015_told.sql")]
