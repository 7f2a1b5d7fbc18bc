# SPDX-License-Identifier: Apache-2.0
"""Files that are there as a whole or not at all."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """In one step: whoever reads it meanwhile, or after a failure, has what was there before. A pipe or a terminal
    is written to."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    target = path.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
