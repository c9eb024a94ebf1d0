"""The only reader of os.environ: every setting that a deployment may change, typed, with its default and its reason."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from portal import model_env

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent


class BadEnvironment(SystemExit):
    """An environment value that cannot be used. The message names the variable, the value's fault and the way out."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"Footnote cannot start: {name} {why}. See .env.example for what it takes.")


def read(env: Mapping[str, str], name: str, parse: Callable[[str], T], default: T) -> T:
    """`parse(env[name])`, or `default` where the variable is unset or empty. Raises BadEnvironment on a ValueError."""
    raw = env.get(name, "").strip()
    if not raw:
        return default
    try:
        return parse(raw)
    except ValueError as error:
        raise BadEnvironment(name, str(error)) from error


def boolean(raw: str) -> bool:
    lowered = raw.lower()
    if lowered in {"1", "true", "yes", "on"}:
        return True
    if lowered in {"0", "false", "no", "off"}:
        return False
    raise ValueError("must be 1 or 0")


def whole_number(low: int, high: int) -> Callable[[str], int]:
    def parse(raw: str) -> int:
        if not raw.lstrip("-").isdigit() or not low <= int(raw) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(raw)

    return parse


def one_of(*choices: str) -> Callable[[str], str]:
    def parse(raw: str) -> str:
        if raw not in choices:
            raise ValueError("must be one of " + ", ".join(choices))
        return raw

    return parse


def comma_list(raw: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in raw.split(",") if part.strip())


def url(*schemes: str) -> Callable[[str], str]:
    """A URL of one of the schemes, with a host. The value never stands in the message: it may hold a password."""

    def parse(raw: str) -> str:
        parts = urlsplit(raw)
        if parts.scheme not in schemes or not parts.hostname:
            raise ValueError("must be a URL that starts with " + " or ".join(f"{scheme}://" for scheme in schemes))
        return raw

    return parse


def text(raw: str) -> str:
    return raw


def clamd(raw: str) -> str:
    """`unix:/path/of/its.socket` or `host:port`."""
    path = raw.removeprefix("unix:")
    host, _, port = raw.rpartition(":")
    if path.startswith("/") if path != raw else host and port.isdigit() and 0 < int(port) < 65536:
        return raw
    raise ValueError("must be unix:/path/of/the.socket or host:port")


def money(raw: str) -> float | None:
    try:
        amount = float(raw)
    except ValueError as error:
        raise ValueError("must be an amount such as 20 or 0.5") from error
    if not 0 <= amount < 1e9:
        raise ValueError("must be an amount of zero or more")
    return amount


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where PostgreSQL is; the four roles sign in there with passwords of their own."""

    host: str
    port: int
    name: str
    user: str
    password: str

    @classmethod
    def parse(cls, raw: str) -> DatabaseAddress:
        parts = urlsplit(url("postgresql", "postgres")(raw))
        try:
            port = parts.port or 5432
        except ValueError as error:
            raise ValueError("has a port that is not a number") from error
        name = parts.path.lstrip("/")
        if not name:
            raise ValueError("must end with /<database name>")
        return cls(parts.hostname or "", port, name, unquote(parts.username or ""), unquote(parts.password or ""))


@dataclass(frozen=True, slots=True)
class Environment:
    """Every deployment setting. `state_dir` holds what must survive a restart: database, blobs, keys."""

    state_dir: Path
    host: str
    port: int
    debug: bool
    strict_scope: bool
    allowed_hosts: tuple[str, ...]
    csrf_trusted_origins: tuple[str, ...]
    behind_tls: bool
    database_url: str
    database_passwords: Mapping[str, str]
    admin_database_url: str
    context_key: str
    fingerprint_key: str
    process: str
    broker_url: str
    embedder_url: str
    embedder_key: str
    embedder_model: str
    embedder_next_url: str
    embedder_next_key: str
    embedder_next_model: str
    search_mode: str
    search_ranker: str
    reranker: str
    reranker_url: str
    reranker_key: str
    reranker_model: str
    judge_prompt: str
    reranker_dir: str
    secret_key: str
    max_upload_bytes: int
    max_waiting_files: int
    log_format: str
    log_level: str
    demo: bool
    bind_pid: bool
    model_endpoints: tuple[model_env.ModelEndpoint, ...]
    model_private_hosts: tuple[str, ...]
    outgoing_hosts: tuple[str, ...]
    clamd: str
    clamd_down: str
    budget_workspace_usd: float | None
    budget_member_usd: float | None
    limits: Mapping[str, int]
    metrics_token: str
    otlp_endpoint: str
    otlp_headers: tuple[str, ...]
    sentry_dsn: str
    langfuse_host: str
    langfuse_public_key: str
    langfuse_secret_key: str


# A minute; 0 takes the limit off. See portal/limits.py.
LIMITS = {"LIMIT_GUEST": 10, "LIMIT_SIGN_IN": 10, "LIMIT_USER": 30, "LIMIT_PROGRAM": 60}
ROLES = ("owner", "app", "serve", "worker")
ADMIN_URL = "FOOTNOTE_ADMIN_DATABASE_URL"
PROCESSES = ("web", "worker", "embedder", "command")
# Long-running processes never hold the keys that can change roles or tables, wherever those keys may stand.
OWNER_KEYS = tuple(f"{name}{suffix}" for name in (ADMIN_URL, "FOOTNOTE_DB_OWNER_PASSWORD") for suffix in ("", "_FILE"))


def secret(env: Mapping[str, str], name: str) -> str:
    """The variable, or the content of the file that NAME_FILE names (compose secrets)."""
    path = env.get(f"{name}_FILE", "").strip()
    if not path:
        return env.get(name, "")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise BadEnvironment(f"{name}_FILE", f"names a file that cannot be read ({error.strerror})") from error


def load(env: Mapping[str, str]) -> Environment:
    """The whole environment, typed. Raises BadEnvironment naming the first bad value."""
    state_dir = Path(env.get("FOOTNOTE_STATE_DIR", "").strip() or ROOT / ".state").expanduser().resolve()
    process = read(env, "FOOTNOTE_PROCESS", one_of(*PROCESSES), "command")
    if process != "command":
        env = {name: value for name, value in env.items() if name not in OWNER_KEYS}
    passwords = {role: secret(env, f"FOOTNOTE_DB_{role.upper()}_PASSWORD") for role in ROLES}
    database_url = secret(env, "DATABASE_URL")
    if database_url:
        read({"DATABASE_URL": database_url}, "DATABASE_URL", DatabaseAddress.parse, None)
    return Environment(
        state_dir=state_dir,
        host=read(env, "HOST", text, "127.0.0.1"),
        port=read(env, "PORT", whole_number(1, 65535), 8000),
        debug=read(env, "DEBUG", boolean, False),
        strict_scope=read(env, "FOOTNOTE_STRICT_SCOPE", boolean, False),
        allowed_hosts=read(env, "ALLOWED_HOSTS", comma_list, ("localhost", "127.0.0.1", "[::1]")),
        csrf_trusted_origins=read(env, "CSRF_TRUSTED_ORIGINS", comma_list, ()),
        behind_tls=read(env, "BEHIND_TLS", boolean, False),
        database_url=database_url,
        database_passwords=passwords,
        admin_database_url=secret(env, ADMIN_URL),
        context_key=secret(env, "FOOTNOTE_CONTEXT_KEY"),
        fingerprint_key=secret(env, "FOOTNOTE_FINGERPRINT_KEY"),
        process=process,
        broker_url=read({"BROKER_URL": secret(env, "BROKER_URL")}, "BROKER_URL", url("redis", "rediss", "valkey"), ""),
        embedder_url=read(env, "EMBEDDER_URL", url("http", "https"), ""),
        embedder_key=secret(env, "EMBEDDER_KEY"),
        embedder_model=read(env, "EMBEDDER_MODEL", text, "all-MiniLM-L6-v2"),
        embedder_next_url=read(env, "EMBEDDER_NEXT_URL", url("http", "https"), ""),
        embedder_next_key=secret(env, "EMBEDDER_NEXT_KEY"),
        embedder_next_model=read(env, "EMBEDDER_NEXT_MODEL", text, ""),
        search_mode=read(env, "SEARCH_MODE", one_of("hybrid", "words", "meaning"), "hybrid"),
        search_ranker=read(env, "SEARCH_RANKER", one_of("bm25", "tfidf"), "bm25"),
        reranker=read(env, "RERANKER", one_of("off", "flashrank", "http"), "off"),
        reranker_url=read(env, "RERANKER_URL", url("http", "https"), ""),
        reranker_key=secret(env, "RERANKER_KEY"),
        reranker_model=read(env, "RERANKER_MODEL", text, "ms-marco-MiniLM-L-12-v2"),
        judge_prompt=read(env, "JUDGE_PROMPT", text, ""),
        reranker_dir=read(env, "RERANKER_DIR", text, str(state_dir / "rerankers")),
        secret_key=secret(env, "SECRET_KEY"),
        max_waiting_files=read(env, "MAX_WAITING_FILES", whole_number(1, 10_000_000), 5000),
        max_upload_bytes=read(env, "MAX_UPLOAD_MB", whole_number(1, 2048), 25) * 1024 * 1024,
        log_format=read(env, "LOG_FORMAT", one_of("text", "json"), "text"),
        log_level=read(env, "LOG_LEVEL", one_of("debug", "info", "warning"), "info"),
        demo=read(env, "FOOTNOTE_DEMO", boolean, False),
        bind_pid=read(env, "FOOTNOTE_BIND_PID", boolean, True),
        metrics_token=secret(env, "METRICS_TOKEN"),
        otlp_endpoint=read(env, "OTEL_EXPORTER_OTLP_ENDPOINT", url("http", "https"), ""),
        otlp_headers=comma_list(secret(env, "OTEL_EXPORTER_OTLP_HEADERS")),
        sentry_dsn=read({"SENTRY_DSN": secret(env, "SENTRY_DSN")}, "SENTRY_DSN", url("http", "https"), ""),
        langfuse_host=read(env, "LANGFUSE_HOST", url("http", "https"), ""),
        langfuse_public_key=secret(env, "LANGFUSE_PUBLIC_KEY"),
        langfuse_secret_key=secret(env, "LANGFUSE_SECRET_KEY"),
        model_endpoints=_models(env),
        model_private_hosts=read(env, "MODEL_PRIVATE_HOSTS", comma_list, ()),
        outgoing_hosts=read(env, "OUTGOING_HOSTS", comma_list, ()),
        clamd=read(env, "CLAMD", clamd, ""),
        clamd_down=read(env, "CLAMD_DOWN", one_of("hold", "refuse"), "hold"),
        budget_workspace_usd=read(env, "BUDGET_WORKSPACE_USD", money, None),
        budget_member_usd=read(env, "BUDGET_MEMBER_USD", money, None),
        limits={name: read(env, name, whole_number(0, 100_000), default) for name, default in LIMITS.items()},
    )


def _models(env: Mapping[str, str]) -> tuple[model_env.ModelEndpoint, ...]:
    secrets = {name: secret(env, name) for name in ("MODEL_PROVIDERS", "MODEL_KEY")}
    try:
        return model_env.from_environment(env, secrets)
    except ValueError as error:
        raise BadEnvironment("MODEL_PROVIDERS" if secrets["MODEL_PROVIDERS"] else "MODEL_URL", str(error)) from error


def runtime_file(state_dir: Path) -> Path:
    """Where the supervisor writes the addresses and passwords of what it started, mode 0600, KEY=value a line."""
    return state_dir / "runtime.env"


def read_runtime(state_dir: Path) -> dict[str, str]:
    """The running stack's addresses, empty when nothing was ever started in this state directory."""
    try:
        lines = runtime_file(state_dir).read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}


def inherited() -> dict[str, str]:
    """A copy of this process's environment, for children that are to have it."""
    return dict(os.environ)


def bare() -> dict[str, str]:
    """The environment of a foreign program that needs nothing of ours: no secrets, no locale surprises."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def current() -> Environment:
    """os.environ first, then what the supervisor of the same state directory started."""
    state_dir = Path(os.environ.get("FOOTNOTE_STATE_DIR", "").strip() or ROOT / ".state").expanduser().resolve()
    return load({**read_runtime(state_dir), **os.environ})
