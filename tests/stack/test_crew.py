"""The crew: order, restarts, reasons, and an end that leaves nobody behind. Real processes, a driver of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portal import env
from portal.embedded.state import wait_until

STEADY = "import time; print('ready'); time.sleep(600)"
SAYS_GOODBYE = (
    "import signal, sys, time\n"
    "signal.signal(signal.SIGTERM, lambda *_: (print('goodbye'), sys.exit(0)))\n"
    "print('ready'); time.sleep(600)"
)
IGNORES_TERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready'); time.sleep(600)"

Run = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def run() -> Iterator[Run]:
    started: list[subprocess.Popen[str]] = []

    def start(*, grace: float = 3.0, **programs: str) -> subprocess.Popen[str]:
        argv = [sys.executable, "-m", "tests.stack.crew_driver", json.dumps(programs), str(grace)]
        driver = subprocess.Popen(argv, cwd=env.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        started.append(driver)
        return driver

    yield start
    for driver in started:
        if driver.poll() is None:
            driver.kill()
        driver.communicate()


def read_until(driver: subprocess.Popen[str], text: str) -> str:
    assert driver.stdout is not None
    seen = ""
    for line in driver.stdout:
        seen += line
        if text in line:
            return seen
    raise AssertionError(f"never said {text!r}: {seen}")


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_programs_start_in_order_and_stop_in_reverse(run: Run) -> None:
    driver = run(first=SAYS_GOODBYE, second=SAYS_GOODBYE)

    before = read_until(driver, "all are ready")
    driver.send_signal(signal.SIGINT)
    after, _ = driver.communicate(timeout=20)

    assert before.index("first is ready") < before.index("second is ready")
    assert after.index("second    | goodbye") < after.index("first     | goodbye")
    assert driver.returncode == 0


def test_a_fallen_program_starts_again_and_the_reason_is_said(run: Run) -> None:
    driver = run(steady=STEADY, shaky="import os, time; print('ready'); time.sleep(0.5); os.kill(os.getpid(), 9)")

    seen = read_until(driver, "shaky was started again")
    driver.terminate()
    driver.communicate(timeout=20)

    assert "shaky killed (signal 9: by hand, or by the system when memory is short); it starts again in 0.05 s" in seen


def test_a_program_that_always_falls_is_given_up_with_its_reason(run: Run) -> None:
    code = "import sys, time; print('ready'); time.sleep(0.3); print('OSError: No space left on device'); sys.exit(3)"
    driver = run(broken=code)

    seen, _ = driver.communicate(timeout=60)

    assert "broken ended with code 3, for the 5th time in a row. The disk is full." in seen
    assert seen.count("broken was started again") == 4
    assert driver.returncode == 1


def test_a_program_that_is_killed_again_and_again_is_not_given_up(run: Run) -> None:
    code = "import os, sys, time; print('ready'); time.sleep(1); os.kill(os.getpid(), 9)"
    driver = run(hunted=code)

    seen = read_until(driver, "it starts again in 1.6 s")
    driver.terminate()
    _, _ = driver.communicate(timeout=20)

    assert seen.count("hunted was started again") >= 5
    assert "for the 5th time" not in seen


def test_a_program_that_fails_at_its_start_is_said_and_the_others_go(run: Run) -> None:
    driver = run(steady=SAYS_GOODBYE, broken="import sys; print('no key'); sys.exit(2)")

    seen, _ = driver.communicate(timeout=20)

    assert "broken    | no key" in seen
    assert "broken ended with code 2 at its start." in seen
    assert "steady    | goodbye" in seen
    assert driver.returncode == 1


def test_a_program_that_ignores_the_request_is_killed(run: Run) -> None:
    driver = run(deaf=IGNORES_TERM, grace=0.5)
    read_until(driver, "all are ready")

    driver.terminate()
    seen, _ = driver.communicate(timeout=20)

    assert "deaf did not stop when asked and is killed" in seen
    assert driver.returncode == 0


def test_a_second_request_does_not_wait(run: Run) -> None:
    driver = run(deaf=IGNORES_TERM, grace=60)
    read_until(driver, "all are ready")

    driver.terminate()
    time.sleep(0.3)
    driver.terminate()
    driver.communicate(timeout=10)

    assert driver.returncode == 0


def test_grandchildren_in_sessions_of_their_own_end_too(run: Run) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "print('grandchild', child.pid); print('ready'); time.sleep(600)"
    )
    driver = run(parent=code)
    seen = read_until(driver, "all are ready")
    grandchild = int(seen.split("grandchild ")[1].split()[0])

    driver.terminate()
    driver.communicate(timeout=20)

    assert is_gone(grandchild)


def test_children_end_when_the_supervisor_is_killed(run: Run) -> None:
    driver = run(child="import os, time; print('pid', os.getpid()); print('ready'); time.sleep(600)")
    seen = read_until(driver, "all are ready")
    child = int(seen.split("pid ")[1].split()[0])

    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate(timeout=20)

    assert wait_until(lambda: is_gone(child), within_seconds=5)


def test_long_lines_and_bytes_that_are_no_text_are_passed_on(run: Run) -> None:
    code = "import os, time; os.write(1, b'\\xff\\n' + b'x' * 50000 + b'\\n'); print('ready'); time.sleep(600)"
    driver = run(noisy=code)

    seen = read_until(driver, "all are ready")
    driver.terminate()
    driver.communicate(timeout=20)

    assert "noisy     | \N{REPLACEMENT CHARACTER}" in seen
    assert "x" * 16000 in seen


def test_a_line_cannot_steer_the_terminal(run: Run) -> None:
    driver = run(
        noisy=r"import time; print('\x1b[31mred\x1b[0m \x1b]0;title\x07 end\r'); print('ready'); time.sleep(600)"
    )

    seen = read_until(driver, "all are ready")
    driver.terminate()
    driver.communicate(timeout=20)

    assert "noisy     | red ]0;title end\n" in seen


def test_an_interrupt_is_heard_even_where_a_script_started_it_in_the_background(run: Run) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        driver = run(only=STEADY)
    finally:
        signal.signal(signal.SIGINT, before)
    read_until(driver, "all are ready")

    driver.send_signal(signal.SIGINT)
    driver.communicate(timeout=20)

    assert driver.returncode == 0
