# SPDX-License-Identifier: Apache-2.0
"""Colours of the plots. matplotlib draws with stand-ins; on the page each is a variable of its style
sheet, which has a value for light and one for dark. So the same drawing serves both."""

# Stand-in: variable. Okabe and Ito's hues, which colour-blind readers can tell apart, are in page.css.
VARIABLES = {"#010101": "--ink", "#020202": "--muted", "#030303": "--rule", "#040404": "--panel",
             "#050505": "--worse", "#060606": "--better", "#070707": "--band"}
INK, MUTED, RULE, PANEL, WORSE, BETTER, BAND = VARIABLES

HUES = 7
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")  # One more than hues: both repeat only after 56.


def series_variable(index: int) -> str:
    return f"--series-{index % HUES + 1}"


def series_colour(index: int) -> str:
    """The stand-in."""
    return f"#1000{index % HUES:02x}"


def marker(index: int) -> str:
    return MARKERS[index % len(MARKERS)]


def variable(stand_in: str) -> str:
    for index in range(HUES):
        if series_colour(index) == stand_in:
            return series_variable(index)
    return VARIABLES[stand_in]
