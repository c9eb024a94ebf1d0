"""The numbers of the system calls that a reader has no use for, on the processors that we know."""

from __future__ import annotations

from dataclasses import dataclass

# Sockets are made for no reader; the rest changes who one is, or reaches into other processes, the kernel, or what is mounted.
_X86_64 = {
    "socket": 41, "connect": 42, "accept": 43, "bind": 49, "listen": 50, "ptrace": 101, "syslog": 103, "setuid": 105,
    "setgid": 106, "setreuid": 113, "setregid": 114, "setgroups": 116, "setresuid": 117, "setresgid": 119, "setfsuid": 122,
    "setfsgid": 123, "capset": 126, "personality": 135, "pivot_root": 155, "chroot": 161, "acct": 163, "settimeofday": 164,
    "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172,
    "ioperm": 173, "init_module": 175, "delete_module": 176, "tkill": 200, "kexec_load": 246, "add_key": 248,
    "request_key": 249, "keyctl": 250, "unshare": 272, "accept4": 288, "perf_event_open": 298, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
    "finit_module": 313, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
_AARCH64 = {
    "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "acct": 89, "capset": 91, "personality": 92, "unshare": 97,
    "kexec_load": 104, "init_module": 105, "delete_module": 106, "syslog": 116, "ptrace": 117, "tkill": 130, "reboot": 142,
    "setregid": 143, "setgid": 144, "setreuid": 145, "setuid": 146, "setresuid": 147, "setresgid": 149, "setfsuid": 151,
    "setfsgid": 152, "setgroups": 159, "sethostname": 161, "setdomainname": 162, "settimeofday": 170, "socket": 198,
    "bind": 200, "listen": 201, "accept": 202, "connect": 203, "add_key": 217, "request_key": 218, "keyctl": 219,
    "swapon": 224, "perf_event_open": 241, "accept4": 242, "name_to_handle_at": 264, "open_by_handle_at": 265, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "bpf": 280, "userfaultfd": 282,
    "kexec_file_load": 294,
}  # fmt: skip
# The same on both.
_NEWER = (424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442)
"""pidfd_send_signal, io_uring_*, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, pidfd_getfd, mount_setattr."""


@dataclass(frozen=True, slots=True)
class Processor:
    """What a filter must know of a processor. `starts` are calls that start a program or a process outright."""

    audit_arch: int
    denied: tuple[int, ...]
    starts: tuple[int, ...]
    clone: int
    clone3: int
    signals: tuple[int, ...]


PROCESSORS = {
    "x86_64": Processor(0xC000003E, (*_X86_64.values(), *_NEWER), (57, 58, 59, 322), 56, 435, (62, 234)),
    "aarch64": Processor(0xC00000B7, (*_AARCH64.values(), *_NEWER), (221, 281), 220, 435, (129, 131)),
}
