"""The door for agents: four tools over the Model Context Protocol, under a key's scope (docs/agents.md, ADR 0019)."""
