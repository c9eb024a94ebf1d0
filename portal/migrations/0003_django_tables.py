from pathlib import Path

from django.db import migrations

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [
        ("portal", "0002_isolation"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("sessions", "0001_initial"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [run_script(APP, "0004_django_tables.sql")]
