from pathlib import Path

from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):
    dependencies = [("portal", "0008_invitations")]
    operations = [
        migrations.AddField(
            "collection", "ranker", models.CharField(blank=True, db_default="", default="", max_length=6)
        ),
        migrations.AddConstraint(
            "collection",
            models.CheckConstraint(
                condition=models.Q(("ranker__in", ["", "hybrid", "bm25", "tfidf"])), name="known_ranker"
            ),
        ),
        run_script(APP, "0011_ranker.sql"),
    ]
