"""Django's settings, derived from portal.env alone."""

from __future__ import annotations

import sys
from typing import Any

from portal import env

ENV = env.current()
TESTING = "pytest" in sys.modules
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher" if TESTING else "django.contrib.auth.hashers.ScryptPasswordHasher",
]
BASE_DIR = env.ROOT
STATE_DIR = ENV.state_dir

SECRET_KEY = ENV.secret_key or "unset: only commands that sign nothing run without SECRET_KEY"
CONTEXT_KEY = ENV.context_key or "00" * 32
CONTEXT_BINDS_PID = ENV.bind_pid
DEBUG = ENV.debug
STRICT_SCOPE = ENV.strict_scope or DEBUG or TESTING
ALLOWED_HOSTS = [*ENV.allowed_hosts, *(["testserver"] if TESTING else [])]
CSRF_TRUSTED_ORIGINS = list(ENV.csrf_trusted_origins)

INSTALLED_APPS = [
    "portal.apps.PortalConfig",
    "documents.apps.DocumentsConfig",
    "retrieval.apps.RetrievalConfig",
    "answers.apps.AnswersConfig",
    "evaluation.apps.EvaluationConfig",
    "portal.apps.FootnoteAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
]

MIDDLEWARE = [
    "portal.middleware.security_headers",
    "portal.metrics.timed",
    "portal.limits.headers",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "portal.middleware.Slashes",
    "django.middleware.csrf.CsrfViewMiddleware",
    "portal.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "portal.middleware.ProblemMiddleware",
]

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
AUTH_USER_MODEL = "portal.User"
# An e-mail is unique in any spelling by the constraint user_email_once, which this check does not see.
SILENCED_SYSTEM_CHECKS = ["auth.W004"]
AUTHENTICATION_BACKENDS = ["portal.accounts.EmailBackend"]
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "ask"
SESSION_ENGINE = "portal.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENV.behind_tls
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENV.behind_tls else None
SECURE_HSTS_SECONDS = 31_536_000 if ENV.behind_tls else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "portal.views.csrf_failure"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "portal.pages.shell",
            ],
        },
    }
]


def database(role: str, *, read_only: bool = False, statement_timeout_ms: int = 30_000) -> dict[str, Any]:
    """One alias: the same database through another role. Server-side binding keeps questions out of pg_stat_activity."""
    address = env.DatabaseAddress.parse(ENV.database_url or "postgresql://127.0.0.1:5432/footnote")
    flags = f"-c statement_timeout={statement_timeout_ms} -c idle_in_transaction_session_timeout=60000"
    if read_only:
        flags += " -c default_transaction_read_only=on"
    options: dict[str, Any] = {"options": flags, "server_side_binding": True, "connect_timeout": 5}
    if role != "owner" and not TESTING:
        options["pool"] = {"min_size": 0, "max_size": 6, "timeout": 4, "max_idle": 15}
    return {
        "ENGINE": "portal.pg",
        "NAME": address.name,
        "HOST": address.host,
        "PORT": address.port,
        "USER": f"footnote_{role}",
        "PASSWORD": ENV.database_passwords[role],
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
        "DISABLE_SERVER_SIDE_CURSORS": True,
    }


DATABASES = {
    "default": database("app"),
    "serve": database("serve", read_only=True),
    "ingest": database("worker"),
}
if ENV.database_passwords["owner"]:
    DATABASES["owner"] = database("owner", statement_timeout_ms=0)
DATABASE_ROUTERS = ["portal.pg.router.OwnerMigrates"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = STATE_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = TESTING or DEBUG
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": STATE_DIR / "media"}},
    "blobs": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": STATE_DIR / "blobs"}},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if TESTING or DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
FILE_UPLOAD_HANDLERS = ["documents.incoming.IncomingFile"]
FILE_UPLOAD_TEMP_DIR: str | None = None
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
DATA_UPLOAD_MAX_NUMBER_FILES = 500
MAX_UPLOAD_BYTES = ENV.max_upload_bytes
MAX_WAITING_FILES = ENV.max_waiting_files

BROKER_URL = ENV.broker_url
LIMIT_GUEST, LIMIT_SIGN_IN, LIMIT_USER, LIMIT_PROGRAM = (0 if TESTING else ENV.limits[name] for name in env.LIMITS)
EMBEDDER_URL = ENV.embedder_url
EMBEDDER_KEY = ENV.embedder_key
EMBEDDER_MODEL = ENV.embedder_model
EMBEDDER_NEXT_URL = ENV.embedder_next_url
EMBEDDER_NEXT_KEY = ENV.embedder_next_key
EMBEDDER_NEXT_MODEL = ENV.embedder_next_model
SEARCH_MODE = ENV.search_mode
SEARCH_RANKER = ENV.search_ranker
JUDGE_PROMPT = ENV.judge_prompt
RERANKER = ENV.reranker
RERANKER_URL = ENV.reranker_url
RERANKER_KEY = ENV.reranker_key
RERANKER_MODEL = ENV.reranker_model
RERANKER_DIR = ENV.reranker_dir
MODEL_ENDPOINTS = ENV.model_endpoints
MODEL_PRIVATE_HOSTS = ENV.model_private_hosts
OUTGOING_HOSTS = ENV.outgoing_hosts
CLAMD = ENV.clamd
CLAMD_DOWN = ENV.clamd_down
BUDGET_WORKSPACE_USD = ENV.budget_workspace_usd
BUDGET_MEMBER_USD = ENV.budget_member_usd

METRICS_PROCESS = "" if TESTING else ENV.process
METRICS_DIR = STATE_DIR / "metrics"
METRICS_TOKEN = ENV.metrics_token
METRICS_GAUGES = ["documents.readiness.gauges"]
OTLP_ENDPOINT, OTLP_HEADERS = ENV.otlp_endpoint, ENV.otlp_headers
SENTRY_DSN = ENV.sentry_dsn
LANGFUSE_HOST = ENV.langfuse_host
LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY = ENV.langfuse_public_key, ENV.langfuse_secret_key

CELERY = {
    "broker_url": BROKER_URL or "memory://",
    "task_ignore_result": True,
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "worker_prefetch_multiplier": 1,
    "worker_hijack_root_logger": False,
    "worker_send_task_events": False,
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,
    "worker_cancel_long_running_tasks_on_connection_loss": False,
    "broker_transport_options": {
        "visibility_timeout": 600,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
    },
    "task_publish_retry": False,
}

BOOTSTRAP_STEPS = ["documents.embedding_models.ensure_live", "evaluation.trial.drop_left"]
DEMO_BUILDER = "evaluation.demo.build"
WORKER_LOOKS = [
    "documents.worker.JobLook",
    "evaluation.worker.RunLook",
    "portal.hooks.worker.HookLook",
    "documents.web.worker.ImportLook",
]
HOOK_SUBJECTS = {"document": "documents.told.describe", "run": "evaluation.told.describe"}
READINESS = ["documents.readiness.checks"]
MODEL_ADVICE = "documents.model_switch.advice"
DOCUMENT_SCAN = "answers.rules.guard.scan_document"
RETRIEVAL_PROBE = "retrieval.probe.probe"
API_SCHEMAS = ["answers.typed.schema.served"]
REDACTORS = ["answers.redact.redact"]
SWEEPERS = ["answers.left.sweep", "portal.hooks.worker.sweep"]
GUARD_MODE = "log"
SAMPLE_COLLECTION = "Sample: Footnote handbook"
SAMPLE_QUESTIONS = [
    "What happens when a document is deleted?",
    "What does the error code E4304 mean?",
    "Who can see a private collection?",
]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["portal.access.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "portal.api_parsers.Json",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_SCHEMA_CLASS": "portal.api_schema.ProgramSchema",
    "EXCEPTION_HANDLER": "portal.api_problems.drf_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Footnote",
    "DESCRIPTION": "Documents in, answers with footnotes out. Keys: `manage.py make_key`; scopes read, ask, ingest, admin.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "StateOfDocument": "documents.models.Document.State",
        "StateOfJob": "documents.models.IngestJob.State",
        "KindOfJob": "documents.models.IngestJob.Kind",
        "KindOfCollection": "portal.models.Collection.Kind",
        "AnswerOutcome": "answers.models.Answer.Outcome",
        "TakenOutcome": ["accepted", "duplicate", "fetching"],
        "ImportOutcome": "documents.models.WebImport.Outcome",
        "StateOfImport": "documents.models.WebImport.State",
        "RoleOfMember": "portal.models.Membership.Role",
        "StateOfMember": "portal.models.Membership.State",
        "RoleOfCitation": "answers.models.Citation.Role",
        "StateOfRun": "evaluation.models.Run.State",
        "StateOfFeedback": "evaluation.models.Feedback.State",
        "StateOfDelivery": "portal.models.Delivery.State",
        "KindOfFeedback": "evaluation.models.Feedback.Kind",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "portal.api.add_problems",
    ],
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"scrub": {"()": "portal.events.Scrub"}},
    "formatters": {"events": {"()": "portal.events.Formatter", "json": ENV.log_format == "json"}},
    "handlers": {
        "out": {"class": "logging.StreamHandler", "formatter": "events", "filters": ["scrub"]},
        "metrics": {"class": "portal.metrics.Counted"},
        "telemetry": {"class": "portal.telemetry.Sent"},
    },
    "root": {"handlers": ["out", "metrics", "telemetry"], "level": "INFO"},
    "loggers": {
        **{
            name: {"level": ENV.log_level.upper()}
            for name in ("portal", "documents", "retrieval", "answers", "evaluation")
        },
        "celery": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
        "django.server": {"level": "WARNING"},
        "django.db.backends": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        "mcp": {"level": "CRITICAL"},  # it quotes what agents send; our own events say what happened
        "uvicorn.access": {"level": "WARNING"},
    },
}
