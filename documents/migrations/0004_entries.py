from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0003_word_boxes")]
    operations = [
        migrations.AddField("chunk", "entry_kind", models.CharField(max_length=12, default="", db_default="")),
        migrations.AddField("chunk", "entry_ident", models.CharField(max_length=200, default="", db_default="")),
        migrations.AddField("chunk", "source_url", models.CharField(max_length=2000, default="", db_default="")),
    ]
