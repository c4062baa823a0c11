"""Giving up what a web server must not have."""

from __future__ import annotations

import ctypes
import os
import pwd

_PR_SET_NO_NEW_PRIVS = 38


class PrivilegesError(OSError):
    """The process could not give up its privileges, and must not go on."""


def drop_privileges(user: str) -> None:
    """Become this user for good if the process is root, and in any case take no new privileges.

    Call it before threads are started: they inherit it. Raises PrivilegesError.
    """
    if os.geteuid() == 0:
        _become(user)
    _take_no_new_privileges()


def _become(user: str) -> None:
    try:
        account = pwd.getpwnam(user)
    except KeyError as fault:
        raise PrivilegesError(f"there is no user {user!r} here; name another one with --user") from fault
    if account.pw_uid == 0:
        raise PrivilegesError(f"{user!r} is root; name another user with --user")
    try:
        os.setgroups([])
        os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
        os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    except OSError as fault:
        raise PrivilegesError(f"can't become {user!r}: {fault.strerror}") from fault
    if os.getresuid() != (account.pw_uid,) * 3 or os.getresgid() != (account.pw_gid,) * 3 or os.getgroups():
        raise PrivilegesError(f"still more than {user!r}: users {os.getresuid()}, groups {os.getresgid()}")


def _take_no_new_privileges() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise PrivilegesError(ctypes.get_errno(), "can't set no_new_privs")
