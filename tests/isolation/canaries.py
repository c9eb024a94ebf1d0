"""Words by which one tells whose text is read where it must not be: `canary-<owner>-<where>`.

The owner is a person (their private things) or a workspace (what its members share).
"""

from __future__ import annotations

OWNER = "owner"
HOMES = {"ada": "north", "ben": "north", "dot": "north", "cy": "south", "eve": "east"}
"""People with things of their own, and the workspace that these are in. ada also owns `west`, where she has nothing."""
PLACES = ("north", "south", "east", "west")
MAY_SEE = {
    "ada": {"ada", "north", "granted", "west"},
    "ben": {"ben", "north", "granted"},
    "dot": {"dot", "north"},
    "root": {"north"},
    "cy": {"cy", "south"},
    "eve": {"eve", "east"},
    "sam": set[str](),
    "lou": set[str](),
    "nobody": set[str](),
}
"""Owners of canaries that a person may read. `granted` is a collection of ada's that ben was let into; sam is a suspended
member of north, lou has no membership at all."""
OWNERS = (*HOMES, *PLACES, "granted")


def canary(owner: str, where: str) -> str:
    return f"canary-{owner}-{where}"


def foreign_canaries(text: str, who: str) -> set[str]:
    """The owners whose canaries stand in the text and should not for this reader."""
    found = {owner for owner in OWNERS if f"canary-{owner}-" in text} - MAY_SEE[who]
    strangers = {name for name in HOMES if f"{name}@example.org" in text and HOMES[name] not in MAY_SEE[who]}
    return found | strangers
