#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch and libraries on top of it beside fastnorm, on the same tensors in the same run: see --help."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
sys.path.insert(0, str(Path(__file__).resolve().parent))
from peers.command import main

if __name__ == "__main__":
    sys.exit(main())
