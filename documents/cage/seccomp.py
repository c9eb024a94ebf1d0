"""A filter of system calls, written as the kernel takes it: no network, no tracing, no new programs, no signals to others."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

from documents.cage.syscalls import PROCESSORS, Processor

_LOAD, _EQUALS, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_X32 = 0x40000000
_CLONE_THREAD = 0x00010000
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2

Instruction = tuple[int, int, int, int]


def close_gates(*, may_start_programs: bool = False) -> bool:
    """Install the filter for this process and all it starts; False where the kernel or the processor has none."""
    processor = PROCESSORS.get(platform.machine())
    if processor is None:
        return False
    return _install(program(processor, os.getpid(), may_start_programs=may_start_programs))


def program(processor: Processor, own_id: int, *, may_start_programs: bool) -> list[Instruction]:
    """The filter's instructions (code, jump if true, jump if false, value)."""
    refused: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUALS, 1, 0, processor.audit_arch),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_LOAD, 0, 0, _NUMBER),
        *_deny_if(_AT_LEAST, _X32, errno.EPERM),
    ]
    for number in processor.denied:
        refused += _deny_if(_EQUALS, number, errno.EPERM)
    if not may_start_programs:
        for number in processor.starts:
            refused += _deny_if(_EQUALS, number, errno.EPERM)
        refused += _deny_if(_EQUALS, processor.clone3, errno.ENOSYS)  # the C library then takes clone
        refused += _argument(processor.clone, _ANY_BIT, _CLONE_THREAD)
        for number in processor.signals:
            refused += _argument(number, _EQUALS, own_id)
    return [*refused, (_RETURN, 0, 0, _ALLOW)]


def _deny_if(test: int, value: int, error: int) -> list[Instruction]:
    return [(test, 0, 1, value), (_RETURN, 0, 0, _ERRNO | error)]


def _argument(number: int, test: int, value: int) -> list[Instruction]:
    """Allow a call only when its first argument passes the test."""
    return [
        (_EQUALS, 0, 4, number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (test, 1, 0, value),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_LOAD, 0, 0, _NUMBER),
    ]


def _install(instructions: list[Instruction]) -> bool:
    packed = b"".join(struct.pack("=HBBI", code, true, false, value) for code, true, false, value in instructions)
    filled = ctypes.create_string_buffer(packed, len(packed))
    header = struct.pack("@HP", len(instructions), ctypes.addressof(filled))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_SET_SECCOMP, _FILTER, ctypes.create_string_buffer(header, len(header)), 0, 0) == 0)
