from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("documents", "0007_sweep")]
    operations = [
        migrations.AlterField(
            "posting",
            "document",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                to="documents.document",
            ),
        ),
        run_script(APP, "0010_search.sql"),
    ]
