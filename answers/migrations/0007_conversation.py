from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("answers", "0006_left")]
    operations = [
        migrations.AddField("question", "conversation", models.CharField(max_length=24, blank=True, default=""), preserve_default=False),
        migrations.AddField("question", "typed", models.TextField(blank=True, default=""), preserve_default=False),
        migrations.AddField("question", "completed_by", models.CharField(max_length=8, blank=True, default=""), preserve_default=False),
        migrations.AddField("liveanswer", "previous", models.CharField(max_length=24, blank=True, default=""), preserve_default=False),
        migrations.AddField("liveanswer", "as_written", models.BooleanField(default=False)),
        migrations.AddIndex(
            "question",
            models.Index(
                fields=["workspace", "user", "conversation"],
                condition=~models.Q(conversation=""),
                name="question_turns",
            ),
        ),
    ]
