from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("documents", "0011_postings")]
    operations = [run_script(APP, "0014_model_page.sql")]
