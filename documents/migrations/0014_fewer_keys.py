"""Chunks, vectors and postings name their workspace in a key with their document already: a second key looked the workspace up once
more for each of some forty rows a chunk."""

import django.db.models.deletion
from django.db import migrations, models


def workspace(model: str) -> migrations.AlterField:
    field = models.ForeignKey(
        to="portal.workspace", on_delete=django.db.models.deletion.DO_NOTHING, db_index=False, db_constraint=False
    )
    return migrations.AlterField(model, "workspace", field)


class Migration(migrations.Migration):
    dependencies = [("documents", "0013_told")]
    operations = [workspace("chunk"), workspace("chunkvector"), workspace("posting")]
