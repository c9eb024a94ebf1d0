"""Runs a crew of small Python programs for test_crew: `… crew_driver JSON GRACE_SECONDS`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from portal.embedded import console, crew
from portal.embedded.program import Program
from portal.embedded.state import CannotStart


def main() -> int:
    programs = [
        Program(
            name,
            (sys.executable, "-u", "-c", code),
            dict(os.environ),
            ready_text="ready",
            grace_seconds=float(sys.argv[2]),
        )
        for name, code in json.loads(sys.argv[1]).items()
    ]
    out = console.on_stdout(plain=True)
    team = crew.Crew(out, Path.cwd(), first_pause_seconds=0.05)
    team.take_signals()
    try:
        for program in programs:
            team.start([program])
        out.say("all are ready")
        team.watch()
    except crew.Stopped:
        out.say("stopped early")
    except CannotStart as problem:
        out.say(str(problem))
        return 1
    finally:
        team.stop()
        out.say("gone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
