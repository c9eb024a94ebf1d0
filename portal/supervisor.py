"""The supervisor: `up` runs the whole stack, `exec -- COMMAND` runs one command beside its three services.

    python -m portal.supervisor up
    python -m portal.supervisor exec [--without embedder] [--throwaway] -- pytest -q

It starts what the environment does not name. It never imports Django: it stays in memory as long as the stack runs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from portal import env
from portal.cores import forbid_core_dumps
from portal.embedded import console, embedder, postgres, state, valkey
from portal.embedded.console import Console
from portal.embedded.crew import Crew, Stopped
from portal.embedded.program import Program
from portal.embedded.stack import Services, announce, await_named, bootstrap_program, serving_programs
from portal.embedded.state import CannotStart

T = TypeVar("T")


def main(arguments: list[str]) -> int:
    """The exit code: 0 after an asked-for end, the command's own for `exec`, 1 when something could not start."""
    forbid_core_dumps()
    options = parse(arguments)
    environment = env.inherited()
    plain = bool(environment.get("NO_COLOR"))
    out = console.on_stdout(plain=plain) if options.action == "up" else console.on_stderr(plain=plain)
    try:
        settings = env.load(environment)
        state_dir = state.make(settings.state_dir)
        with state.lock(state_dir):
            if options.action == "up":
                return up(settings, environment, out)
            return run_beside(settings, environment, out, options)
    except CannotStart as problem:
        out.say(str(problem))
        return 1


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m portal.supervisor")
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("up", help="start the whole stack and stay")
    beside = actions.add_parser("exec", help="start the services, run a command with their addresses, stop them")
    beside.add_argument("--without", action="append", default=[], choices=("postgres", "valkey", "embedder"))
    beside.add_argument(
        "--throwaway", action="store_true", help="faster writes that a machine crash may lose: for tests"
    )
    beside.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.action == "exec":
        options.command = options.command[1:] if options.command[:1] == ["--"] else options.command
        if not options.command:
            beside.error("name a command: exec -- COMMAND")
    return options


def up(settings: env.Environment, environment: Mapping[str, str], out: Console) -> int:
    """Start everything, say where it is, and stay until asked to end."""
    started = time.monotonic()
    if not state.is_free(settings.host, settings.port):
        raise CannotStart(
            f"Port {settings.port} on {settings.host} is taken by another program. Nothing was started. "
            f"Choose another one: make run PORT={settings.port + 1}"
        )
    await_named(settings, out)
    crew = Crew(out, env.ROOT)
    crew.take_signals()
    try:
        services = start_services(settings, environment, crew, out)
        state.write_pairs(env.runtime_file(settings.state_dir), services.values)
        if env.ADMIN_URL in services.everything:
            timed(out, "roles, migrations, demo workspace", lambda: crew.run(bootstrap_program(services)))
        else:
            out.say(f"roles and migrations are left to the database's owner: {env.ADMIN_URL} is not set")
        crew.start(serving_programs(services, settings))
        announce(out, settings, took_seconds=time.monotonic() - started)
        crew.watch()
    except Stopped:
        pass
    finally:
        out.say("stopping …")
        crew.stop()
        env.runtime_file(settings.state_dir).unlink(missing_ok=True)
        out.say(f"stopped. Your data is kept in {settings.state_dir}")
    return 0


def run_beside(
    settings: env.Environment, environment: Mapping[str, str], out: Console, options: argparse.Namespace
) -> int:
    """Run the command with the services' addresses in its environment; its exit code, 128 + n for a signal n."""
    logs = settings.state_dir / "logs"
    logs.mkdir(exist_ok=True)
    crew = Crew(out, env.ROOT, log_dir=logs)
    crew.take_signals(leave_interrupt=True)
    try:
        services = start_services(
            settings, environment, crew, out, without=frozenset(options.without), throwaway=options.throwaway
        )
        command = Program("command", tuple(options.command), services.for_operator(), cwd=Path.cwd(), foreground=True)
        code = crew.run_once(command).code or 0
    except Stopped:
        code = -15
    finally:
        crew.stop()
    return code if code >= 0 else 128 - code


def start_services(
    settings: env.Environment,
    environment: Mapping[str, str],
    crew: Crew,
    out: Console,
    *,
    without: frozenset[str] = frozenset(),
    throwaway: bool = False,
) -> Services:
    """Start those of the three services that neither the environment names nor `without` leaves out."""
    kept = state.keep_secrets(settings.state_dir)
    given = {name: value for name, value in environment.items() if value}
    services = Services({**kept, **given, "FOOTNOTE_STATE_DIR": str(settings.state_dir)})
    programs: list[Program] = []
    if not settings.database_url and "postgres" not in without:
        password = kept["POSTGRES_PASSWORD"]
        server = make_postgres(settings.state_dir, password, out, throwaway=throwaway)
        services.add(DATABASE_URL=server.url, **{env.ADMIN_URL: server.admin_url})
        programs.append(server.program())
    if not settings.broker_url and "valkey" not in without:
        broker = valkey.prepare(settings.state_dir, kept["VALKEY_PASSWORD"])
        services.add(BROKER_URL=broker.url)
        programs.append(broker.program())
    if not settings.embedder_url and "embedder" not in without:
        local = embedder.prepare(settings.state_dir)
        services.add(EMBEDDER_URL=local.url)
        programs.append(local.program(services.for_embedder()))
        if serves_next_too(settings):
            beside = embedder.prepare_next(settings.state_dir, settings.embedder_next_model)
            services.add(EMBEDDER_NEXT_URL=beside.url, EMBEDDER_NEXT_KEY=services.everything["EMBEDDER_KEY"])
            programs.append(beside.program(services.for_embedder()))
    crew.start(programs)
    return services


def serves_next_too(settings: env.Environment) -> bool:
    """Whether the model to be filled beside the live one is another that this machine can serve, and has no address."""
    following = settings.embedder_next_model
    is_local = following in embedder.LOCAL_MODELS and following != settings.embedder_model
    return is_local and not settings.embedder_next_url


def make_postgres(state_dir: Path, password: str, out: Console, *, throwaway: bool) -> postgres.Postgres:
    def make() -> postgres.Postgres:
        return postgres.prepare(state_dir, password, throwaway=throwaway)

    return make() if postgres.exists(state_dir) else timed(out, "new database", make)


def timed(out: Console, step: str, work: Callable[[], T]) -> T:
    """Say that a slow step begins, and how long it took."""
    out.say(f"{step} …")
    started = time.monotonic()
    result = work()
    out.say(f"{step}: done ({time.monotonic() - started:.1f} s)")
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
