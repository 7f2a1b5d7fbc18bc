# SPDX-License-Identifier: Apache-2.0
"""compare.py: measured results beside each other, as one HTML page, as Markdown and as CSV."""
