"""Migrations run as the owner role and nowhere else."""

from __future__ import annotations

from typing import Any


class OwnerMigrates:
    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == "owner"
