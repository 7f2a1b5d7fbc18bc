#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts measured results beside each other, as one HTML page, as Markdown and as CSV: see --help."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # No __pycache__ in the source tree.
sys.path.insert(0, str(Path(__file__).resolve().parent))
from comparison.command import main

if __name__ == "__main__":
    sys.exit(main())
