#!/usr/bin/env python
"""Django's command line. `up` is the supervisor, which runs without Django: see portal/supervisor.py."""

from __future__ import annotations

import os
import sys


def main() -> None:
    if sys.argv[1:] == ["up"]:
        from portal import supervisor

        sys.exit(supervisor.main(["up"]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
