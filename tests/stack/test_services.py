"""The embedded PostgreSQL and Valkey, run for real through `supervisor exec`."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psycopg
import pytest

from portal import env
from portal.embedded import account, postgres, state, valkey
from portal.embedded.state import CannotStart, wait_until

CANARY = "what does ada earn"


def run_beside(state_dir: Path, code: str, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python code beside PostgreSQL and Valkey, with nothing of the surrounding test run's environment."""
    beside = (sys.executable, "-m", "portal.supervisor", "exec", "--throwaway", "--without", "embedder", *options)
    return subprocess.run(
        [*beside, "--", sys.executable, "-c", textwrap.dedent(code)],
        cwd=env.ROOT,
        env={**env.bare(), "FOOTNOTE_STATE_DIR": str(state_dir), **more},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state directory with a cluster, on a path with a space and longer than a Unix socket's 107 bytes."""
    state_dir = tmp_path_factory.mktemp("stack") / ("a b " + "long" * 30)
    done = run_beside(state_dir, "pass")
    assert done.returncode == 0, done.stderr
    return state_dir


def test_the_command_finds_everything_in_its_environment(made: Path) -> None:
    done = run_beside(
        made,
        """
        import os, psycopg, redis
        with psycopg.connect(os.environ["FOOTNOTE_ADMIN_DATABASE_URL"]) as c:
            print(c.execute("select '[1,2]'::vector, current_setting('server_version_num')::int / 10000").fetchone())
        print(redis.Redis.from_url(os.environ["BROKER_URL"]).ping())
        print(*sorted(n for n in os.environ if n.startswith("FOOTNOTE") or n.endswith("URL")), sep="\\n")
        """,
    )

    vector, pong, *names = done.stdout.splitlines()
    assert (vector, pong) == ("('[1,2]', 18)", "True")
    assert names == [
        "BROKER_URL",
        "DATABASE_URL",
        "FOOTNOTE_ADMIN_DATABASE_URL",
        "FOOTNOTE_CONTEXT_KEY",
        "FOOTNOTE_DB_APP_PASSWORD",
        "FOOTNOTE_DB_OWNER_PASSWORD",
        "FOOTNOTE_DB_SERVE_PASSWORD",
        "FOOTNOTE_DB_WORKER_PASSWORD",
        "FOOTNOTE_FINGERPRINT_KEY",
        "FOOTNOTE_STATE_DIR",
    ]


@pytest.mark.parametrize(
    ("code", "expected"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)]
)
def test_the_exit_code_is_the_commands(made: Path, code: str, expected: int) -> None:
    assert run_beside(made, code).returncode == expected


def test_a_warm_start_takes_less_than_three_seconds(made: Path) -> None:
    started = time.monotonic()
    run_beside(made, "pass")

    assert time.monotonic() - started < 3


def test_a_database_made_later_has_vectors_too(made: Path) -> None:
    done = run_beside(
        made,
        """
        import os, psycopg
        with psycopg.connect(os.environ["FOOTNOTE_ADMIN_DATABASE_URL"], autocommit=True) as c:
            c.execute("DROP DATABASE IF EXISTS later"); c.execute("CREATE DATABASE later")
        with psycopg.connect(os.environ["FOOTNOTE_ADMIN_DATABASE_URL"], dbname="later") as c:
            print(c.execute("select '[3]'::halfvec").fetchone())
        """,
    )

    assert done.stdout == "('[3]',)\n"


def test_nobody_signs_in_without_a_password(made: Path) -> None:
    done = run_beside(
        made,
        """
        import os, psycopg, redis
        broker = os.environ["BROKER_URL"].partition("@")[2]
        for open_it in (
            lambda: psycopg.connect(os.environ["DATABASE_URL"], user="postgres", password="wrong"),
            lambda: psycopg.connect(os.environ["DATABASE_URL"], user="postgres"),
            lambda: redis.Redis.from_url("redis://:wrong@" + broker).ping(),
            lambda: redis.Redis.from_url("redis://" + broker).ping(),
        ):
            try: open_it(); print("open")
            except Exception as error: print(type(error).__name__)
        """,
    )

    assert "open" not in done.stdout
    assert len(done.stdout.split()) == 4


def test_no_question_reaches_the_databases_log(made: Path) -> None:
    done = run_beside(
        made,
        f"""
        import os, psycopg, time
        canary, url = {CANARY!r}, os.environ["FOOTNOTE_ADMIN_DATABASE_URL"]
        with psycopg.connect(url, autocommit=True) as c:
            c.execute("CREATE TEMP TABLE q (t text PRIMARY KEY CHECK (length(t) < 99), n int)")
            for sql, arguments in [
                ("SELECT %s::int", [canary]), ("INSERT INTO q VALUES (%s)", [canary * 9]),
                ("INSERT INTO q VALUES (%s), (%s)", [canary, canary]), (f"SELECT '{{canary}}' FROM nowhere", []),
                ("DO $$ BEGIN RAISE WARNING '" + canary + "'; END $$", []),
                ("DO $$ BEGIN RAISE LOG '%%', 'planted: the log is read at all'; END $$", []),
            ]:
                try: c.execute(sql, arguments or None)
                except psycopg.Error: pass
            c.execute("SET log_min_messages = log")
        with psycopg.connect(url, autocommit=True) as other:
            import threading
            sleeper = psycopg.connect(url, autocommit=True)
            pid = sleeper.info.backend_pid
            def sleep():
                try: sleeper.execute(f"SELECT pg_sleep(20), '{{canary}}'")
                except psycopg.Error: pass
            thread = threading.Thread(target=sleep); thread.start(); time.sleep(0.5)
            if os.geteuid() in (0, os.stat("/proc/%d" % pid).st_uid): os.kill(pid, 9)
            thread.join()
        """,
    )
    log = (made / "logs" / "postgres.log").read_text(encoding="utf-8")

    assert done.returncode == 0, done.stderr
    assert "terminated by signal 9" in log
    assert "ada" not in log


def test_the_cluster_survives_a_kill_of_the_whole_stack(made: Path) -> None:
    run_beside(
        made,
        """
        import os, psycopg, signal
        with psycopg.connect(os.environ["FOOTNOTE_ADMIN_DATABASE_URL"], autocommit=True) as c:
            c.execute("CREATE TABLE IF NOT EXISTS kept (n int)"); c.execute("INSERT INTO kept VALUES (1)")
        os.kill(os.getppid(), signal.SIGKILL)
        """,
    )

    done = run_beside(
        made,
        """
        import os, psycopg, redis
        with psycopg.connect(os.environ["FOOTNOTE_ADMIN_DATABASE_URL"]) as c:
            print(c.execute("SELECT count(*) >= 1 FROM kept").fetchone())
        print(redis.Redis.from_url(os.environ["BROKER_URL"]).ping())
        """,
    )

    assert done.stdout.splitlines() == ["(True,)", "True"], done.stderr


def test_a_server_left_running_is_stopped_first(made: Path) -> None:
    secrets = state.keep_secrets(made)
    server = postgres.prepare(made, secrets["POSTGRES_PASSWORD"], throwaway=True)
    program = server.program()
    switch = server.account.switch
    left = subprocess.Popen(
        program.argv,
        env=program.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        user=server.account.uid if switch else None,
        group=server.account.gid if switch else None,
    )
    assert wait_until(lambda: server.is_ready(left.pid), within_seconds=10)

    done = run_beside(made, "pass")

    assert done.returncode == 0, done.stderr
    assert left.wait(10) == 0


def test_a_killed_server_comes_back_while_the_command_runs(made: Path) -> None:
    done = run_beside(
        made,
        """
        import os, psycopg, signal, time
        url = os.environ["FOOTNOTE_ADMIN_DATABASE_URL"]
        pid = int(open(os.environ["FOOTNOTE_STATE_DIR"] + "/postgres/data/postmaster.pid").readline())
        os.kill(pid, signal.SIGKILL)
        end = time.time() + 20
        while time.time() < end:
            time.sleep(0.3)
            try: print(psycopg.connect(url).execute("SELECT 1").fetchone()); break
            except psycopg.OperationalError: pass
        """,
    )

    assert done.stdout == "(1,)\n"
    assert "postgres killed (signal 9" in done.stderr


def test_nothing_is_left_running_and_secrets_are_the_owners(made: Path) -> None:
    done = run_beside(made, "import os, pathlib; print(*[p.name for p in pathlib.Path('/proc').glob('[0-9]*')])")
    left = [
        entry.parent.name
        for entry in Path("/proc").glob("[0-9]*/cmdline")
        if os.fsencode(made) in b"" + _read(entry) and entry.parent.name != str(os.getpid())
    ]

    assert done.returncode == 0
    assert left == []
    for name in ("secrets.env", "valkey/valkey.conf"):
        assert stat.S_IMODE((made / name).stat().st_mode) == 0o600


def _read(entry: Path) -> bytes:
    try:
        return entry.read_bytes()
    except OSError:
        return b""


def test_an_interrupted_first_start_leaves_nothing_half(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-m", "portal.supervisor", "exec", "--without", "embedder", "--", "true"],
        cwd=env.ROOT,
        env={**env.bare(), "FOOTNOTE_STATE_DIR": str(tmp_path / "s")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: any((tmp_path / "s" / "postgres").glob("data.*.half")), within_seconds=10)
    first.send_signal(signal.SIGKILL)
    first.wait(10)

    done = run_beside(tmp_path / "s", "pass")

    assert done.returncode == 0, done.stderr


def test_a_cluster_of_another_version_is_refused_untouched(tmp_path: Path) -> None:
    server = postgres.Postgres(tmp_path, tmp_path, account.choose(tmp_path / "data"), 1, "x")
    server.data.mkdir()
    (server.data / "PG_VERSION").write_text("17\n")

    with pytest.raises(CannotStart, match=r"made by PostgreSQL 17; this Footnote brings 18\. Your data is safe"):
        postgres.check_version(server)


def test_the_broker_writes_nothing_so_that_a_full_disk_cannot_stop_it(tmp_path: Path) -> None:
    valkey.prepare(tmp_path, "x")

    conf = (tmp_path / "valkey" / "valkey.conf").read_text()
    assert 'save ""' in conf
    assert "appendonly no" in conf


def test_a_cluster_without_its_version_is_said_to_be_broken(tmp_path: Path) -> None:
    server = postgres.Postgres(tmp_path, tmp_path, account.choose(tmp_path / "data"), 1, "x")
    server.data.mkdir()

    with pytest.raises(CannotStart, match=r"not a whole database: PG_VERSION is missing\. Nothing was changed"):
        postgres.check_version(server)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a database account of its own")
def test_root_keeps_the_cluster_elsewhere_when_its_own_directory_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, shared = tmp_path / "closed", Path(f"/tmp/footnote-test-{os.getpid()}")
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(postgres, "SHARED_HOME", shared)
    who = account.choose(closed / "postgres")
    try:
        home = postgres.find_home(closed, who)
        again = postgres.find_home(closed, who)
    finally:
        subprocess.run(["rm", "-rf", str(shared)], check=True)

    assert home == again
    assert home.parent == shared
    assert (closed / "postgres").is_symlink()
    with pytest.raises(CannotStart, match="which is gone"):
        postgres.find_home(closed, who)


def test_the_psycopg_url_of_the_app_carries_no_password(made: Path) -> None:
    done = run_beside(made, "import os; print(os.environ['DATABASE_URL'])")

    parts = psycopg.conninfo.conninfo_to_dict(done.stdout.strip())
    assert {name for name in parts if parts[name]} == {"host", "port", "dbname"}
