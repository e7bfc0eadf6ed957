"""What PolicyPal keeps on this machine is for its own user only (X6)."""

import logging
import os
import stat
import sys
from pathlib import Path

from policypal.errors import ConfigurationError, DiskFull, is_no_space

logger = logging.getLogger(__name__)

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(folder: Path) -> None:
    """Make the data folder, for its owner only (0700), if it is not there. Raises ConfigurationError: it cannot be
    made; DiskFull: there is no room for it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        if is_no_space(error):
            raise DiskFull from error
        raise ConfigurationError(
            f"The data folder {folder} cannot be used ({error.strerror}). Choose another with --data-dir or"
            " POLICYPAL_DATA_DIR."
        ) from error


def close(path: Path, *, quietly: bool = False) -> None:
    """Take from everybody but the owner what they may do with a folder or file. One that belongs to somebody else, or that
    many share by design as they do a temporary folder, is left as it is, which is told; ``quietly`` tells nothing."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name != "posix" or not mode & _OTHERS:
        return
    said = f"{path} is open to others on this machine (mode {mode:o})"
    try:
        if mode & stat.S_ISVTX:
            raise PermissionError(f"{path} is shared")
        path.chmod(mode & ~_OTHERS)
    except PermissionError:
        said += " and cannot be closed; keep PolicyPal's data in a folder of its own"
    else:
        said = f"{path} was open to others on this machine (mode {mode:o}) and is now closed"
    if not quietly:
        logger.warning(said)


def is_running(pid: int) -> bool:
    """Whether a process with this number exists on this machine; on Windows, where asking would end it, always True."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it belongs to somebody else
    return True
