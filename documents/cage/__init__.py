"""The walls around a reader of untrusted files: limits, another user, no files but its own, no dangerous system calls."""
