"""Keeps a set of programs running: starts in order, passes on what they say, restarts who falls, stops in reverse.

One thread and one selector: children get a parent-death signal, which Linux ties to the thread that made them.
"""

from __future__ import annotations

import selectors
import signal
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from portal.embedded import child as children
from portal.embedded.child import Child, say_end
from portal.embedded.console import Console
from portal.embedded.program import Program
from portal.embedded.reasons import explain
from portal.embedded.state import CannotStart

PROBE_SECONDS = 0.1
STEADY_SECONDS = 60.0
MOST_FALLS = 5
LONGEST_PAUSE_SECONDS = 30.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(Exception):
    """Somebody asked for the end while something was being started."""


@dataclass(slots=True)
class Post:
    """A place in the crew: the program, its present child, and how often it fell in a row."""

    program: Program
    child: Child
    falls: int = 0
    again_at: float | None = None


class Crew:
    """The programs of one supervisor. `log_dir` sends their output to files instead of the console."""

    def __init__(
        self, console: Console, cwd: Path, *, log_dir: Path | None = None, first_pause_seconds: float = 1.0
    ) -> None:
        self.console = console
        self.first_pause_seconds = first_pause_seconds
        self.cwd = cwd
        self.log_dir = log_dir
        self.posts: list[Post] = []
        self.asked_to_stop = 0
        self.selector = selectors.DefaultSelector()
        self.wake_read, self.wake_write = socket.socketpair()

    def take_signals(self, *, leave_interrupt: bool = False) -> None:
        """Turn the stop signals into a request; with `leave_interrupt`, Ctrl-C is the foreground command's alone."""
        children.adopt_orphans()
        for end in (self.wake_read, self.wake_write):
            end.setblocking(False)
        signal.set_wakeup_fd(self.wake_write.fileno(), warn_on_full_buffer=False)
        self.selector.register(self.wake_read, selectors.EVENT_READ)
        for number in STOP_SIGNALS:
            # nohup ignores SIGHUP, which is meant; a script's `&` ignores SIGINT, which is not.
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_stop)
        if leave_interrupt:
            signal.signal(signal.SIGINT, lambda number, frame: None)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)

    def _on_stop(self, number: int, frame: FrameType | None) -> None:
        self.asked_to_stop += 1

    def start(self, programs: Sequence[Program]) -> None:
        """Start all at once and wait until each is ready. Raises CannotStart with the reason, or Stopped."""
        waiting = {}
        for program in programs:
            post = Post(program, self._spawn(program))
            self.posts.append(post)
            waiting[program.name] = post
        began, probe_at = time.monotonic(), 0.0
        while waiting:
            self.turn(0.05)
            if self.asked_to_stop:
                raise Stopped
            if time.monotonic() < probe_at:
                continue
            probe_at = time.monotonic() + max(PROBE_SECONDS, (time.monotonic() - began) / 5)
            for name, post in list(waiting.items()):
                if self._is_up(post):
                    waiting.pop(name)

    def _is_up(self, post: Post) -> bool:
        child, took = post.child, time.monotonic() - post.child.started_at
        if child.code is not None:
            raise CannotStart(f"{child.name} {say_end(child.code)} at its start. {self.why(child)}")
        if child.is_ready():
            if self.log_dir is None:
                self.console.say(f"{child.name} is ready ({took:.1f} s)")
            return True
        if took > child.program.ready_within_seconds:
            raise CannotStart(f"{child.name} was not ready after {took:.0f} s. {self.why(child)}")
        return False

    def run(self, program: Program) -> None:
        """Run a program to its end. Raises CannotStart when it fails, Stopped when the end was asked for meanwhile."""
        child = self.run_once(program)
        if child.code:
            raise CannotStart(f"{program.name} {say_end(child.code)}. {self.why(child)}")

    def run_once(self, program: Program) -> Child:
        """Run a program to its end, whichever, while the others are kept running. Raises Stopped."""
        post = Post(program, self._spawn(program))
        self.posts.append(post)
        while post.child.code is None:
            self.turn(0.5)
            if self.asked_to_stop:
                raise Stopped
            self.mend(but=post)
        self.posts.remove(post)
        return post.child

    def watch(self) -> None:
        """Keep everybody running until the end is asked for. Raises CannotStart when one falls again and again."""
        while not self.asked_to_stop:
            self.turn(0.1 if any(post.again_at for post in self.posts) else 1.0)
            self.mend()

    def mend(self, but: Post | None = None) -> None:
        """Restart who fell, after a pause that doubles with each fall in a row."""
        now = time.monotonic()
        for post in self.posts:
            if post is but:
                continue
            if post.child.code is not None and post.again_at is None:
                self._note_fall(post, now)
            elif post.again_at is not None and now >= post.again_at:
                post.again_at = None
                post.child = self._spawn(post.program)
                self.console.say(f"{post.program.name} was started again")

    def _note_fall(self, post: Post, now: float) -> None:
        code = post.child.code or 0
        post.falls = 1 if now - post.child.started_at > STEADY_SECONDS else post.falls + 1
        # What was killed did not fail by itself: giving up would take the pages away with the worker.
        if post.falls >= MOST_FALLS and code != -signal.SIGKILL:
            raise CannotStart(
                f"{post.program.name} {say_end(code)}, for the {post.falls}th time in a row. {self.why(post.child)} "
                "Everything is being stopped; what was stored is safe."
            )
        pause = min(self.first_pause_seconds * 2 ** (post.falls - 1), LONGEST_PAUSE_SECONDS)
        post.again_at = now + pause
        self.console.say(f"{post.program.name} {say_end(code)}; it starts again in {pause:g} s")

    def turn(self, timeout_seconds: float) -> None:
        """Wait for output, an end or a signal, and deal with what came."""
        for key, _ in self.selector.select(timeout_seconds):
            if key.fileobj is self.wake_read:
                self._drain_wakeups()
            elif isinstance(key.data, Child):
                self._pass_on(key.data)
        ended = children.reap()
        for post in self.posts:
            if post.child.pid in ended:
                post.child.mark_ended(ended[post.child.pid])
                self._pass_on(post.child)
                self._forget(post.child)
                post.child.kill_group()

    def _drain_wakeups(self) -> None:
        try:
            self.wake_read.recv(4096)
        except BlockingIOError:
            return

    def _pass_on(self, child: Child) -> None:
        for line in child.read_lines():
            if line.strip() and not any(text in line for text in child.program.hushed):
                self.console.line(child.name, line)

    def _forget(self, child: Child) -> None:
        if child.output is not None and not child.output.closed:
            self.selector.unregister(child.output)
            child.close()

    def _spawn(self, program: Program) -> Child:
        log: IO[bytes] | None = None
        try:
            if self.log_dir is not None and not program.foreground:
                log = (self.log_dir / f"{program.name}.log").open("wb")
            started = Child(program, self.cwd, log)
        except OSError as error:
            raise CannotStart(f"{program.name} cannot be started ({error.strerror}: {program.argv[0]}).") from error
        finally:
            if log is not None:
                log.close()
        if started.output is not None:
            self.selector.register(started.output, selectors.EVENT_READ, started)
        return started

    def why(self, child: Child) -> str:
        """What its last words mean, and the words themselves unless they were on the console already."""
        lines = tuple(child.lines)
        if self.log_dir is not None:
            text = (self.log_dir / f"{child.name}.log").read_text(encoding="utf-8", errors="replace")
            lines = tuple(text.splitlines()[-20:])
        meaning = explain(lines)
        if self.log_dir is None:
            return meaning or "Its last lines above say more."
        return "\n".join(part for part in (meaning, "It last said:", *lines) if part)

    def stop(self) -> None:
        """Stop everybody, last started first; a second request (or no obedience) kills. Nothing outlives this."""
        asked_before = self.asked_to_stop
        for post in reversed(self.posts):
            for number in post.program.stop:
                if post.child.code is None:
                    post.child.send(number)
                    self._await_end(post, asked_before)
            if post.child.code is None:
                self.console.say(f"{post.program.name} did not stop when asked and is killed")
                post.child.kill_group()
                self._await_end(post, self.asked_to_stop + 1)
        self.posts.clear()
        self._kill_orphans()

    def _await_end(self, post: Post, asked_before: int) -> None:
        end = time.monotonic() + post.program.grace_seconds
        while post.child.code is None and time.monotonic() < end and self.asked_to_stop <= asked_before:
            self.turn(0.1)

    def _kill_orphans(self) -> None:
        """What children left behind was adopted by this process (Linux): it ends with the stack."""
        end = time.monotonic() + 5.0
        while (left := children.descendants_left()) and time.monotonic() < end:
            for pid in left:
                children.kill(pid)
            time.sleep(0.02)
            children.reap()
