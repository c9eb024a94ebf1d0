from pathlib import Path

import django.contrib.postgres.fields
import django.db.models.deletion
import portal.models
from django.conf import settings
from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):

    dependencies = [
        ('portal', '0006_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ref', models.CharField(default=portal.models.new_ref, editable=False, max_length=24, unique=True)),
                ('name', models.CharField(max_length=120)),
                ('url', models.CharField(max_length=2000)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None)),
                ('nonce', models.BinaryField(default=portal.models.new_key, max_length=32)),
                ('old_nonce', models.BinaryField(max_length=32, null=True)),
                ('old_until', models.DateTimeField(blank=True, null=True)),
                ('off_at', models.DateTimeField(blank=True, null=True)),
                ('off_why', models.CharField(blank=True, max_length=60)),
                ('taken_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to='portal.workspace')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ref', models.CharField(default=portal.models.new_ref, editable=False, max_length=24, unique=True)),
                ('event', models.CharField(max_length=40)),
                ('subject_ref', models.CharField(blank=True, max_length=24)),
                ('collection_ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                ('told', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('pending', 'On its way'), ('taken', 'Taken'), ('failed', 'Given up')], default='pending', max_length=8)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('next_try_at', models.DateTimeField()),
                ('give_up_at', models.DateTimeField()),
                ('lease_until', models.DateTimeField(null=True)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('problem', models.CharField(blank=True, max_length=60)),
                ('took_ms', models.PositiveIntegerField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('settled_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to='portal.workspace')),
                ('hook', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='deliveries', to='portal.webhook')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['next_try_at', 'id'], name='delivery_line'), models.Index(condition=models.Q(('state', 'pending')), fields=['hook', 'subject_ref', 'id'], name='delivery_order'), models.Index(fields=['hook', '-id'], name='delivery_log')],
            },
        ),
        run_script(APP, "0008_hooks.sql"),
    ]
