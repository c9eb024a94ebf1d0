from pathlib import Path

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):

    dependencies = [
        ('portal', '0004_keeps_original'),
    ]

    operations = [
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key_sha256', models.BinaryField(max_length=32)),
                ('request_sha256', models.BinaryField(max_length=32)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('location', models.CharField(blank=True, max_length=300)),
                ('body', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('api_key', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, to='portal.apikey')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to='portal.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('api_key', 'key_sha256'), name='idempotency_key_once')],
            },
        ),
        run_script(APP, "0006_idempotency.sql"),
    ]
