from pathlib import Path

import django.db.models.deletion
import portal.models
from django.conf import settings
from django.db import migrations, models

from portal.pg.script import run_script

APP = Path(__file__).resolve().parent.parent


class Migration(migrations.Migration):

    dependencies = [
        ('documents', '0015_tags'),
        ('portal', '0007_hooks'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='WebImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ref', models.CharField(default=portal.models.new_ref, editable=False, max_length=24, unique=True)),
                ('url', models.CharField(max_length=2000)),
                ('name', models.CharField(blank=True, max_length=255)),
                ('state', models.CharField(choices=[('queued', 'Waiting'), ('running', 'Fetching'), ('done', 'Done'), ('failed', 'Not fetched')], default='queued', max_length=8)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('next_try_at', models.DateTimeField(auto_now_add=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('outcome', models.CharField(blank=True, choices=[('accepted', 'Accepted'), ('duplicate', 'Duplicate'), ('unchanged', 'Unchanged'), ('archive', 'Archive')], max_length=10)),
                ('document_ref', models.CharField(blank=True, max_length=24)),
                ('counts', models.JSONField(default=dict)),
                ('problem', models.CharField(blank=True, max_length=60)),
                ('problem_detail', models.CharField(blank=True, max_length=200)),
                ('etag', models.CharField(blank=True, max_length=300)),
                ('last_modified', models.CharField(blank=True, max_length=60)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('collection', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, to='portal.collection')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to='portal.workspace')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['next_try_at', 'id'], name='import_line'), models.Index(fields=['collection', '-id'], name='import_list')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'running'])), fields=('collection', 'url'), name='import_once_at_a_time')],
            },
        ),
        run_script(APP, "0019_imports.sql"),
    ]
