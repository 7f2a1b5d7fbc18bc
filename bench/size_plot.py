# SPDX-License-Identifier: Apache-2.0
"""Draws fractions of the copy ceiling against the size of the tensors, as SVG that is committed.

Plain text, which does not depend on a library's version: bench/report.py --check compares it to the byte. The pages of
compare.py have more, and are not committed.
"""

import math
from typing import Dict, List, Tuple
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 690, 40, 310

# Readable on white and on black, and for the colour-blind (Okabe and Ito's).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
GREY = "#808080"

Point = Tuple[float, float]  # MiB, of copy.


def text(x: float, y: float, anchor: str, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def decades(points: Dict[str, List[Point]]) -> Tuple[int, int]:
    sizes = [mib for of in points.values() for mib, _ in of]
    low = math.floor(math.log10(min(sizes)))
    return low, max(math.ceil(math.log10(max(sizes))), low + 1)


def draw(title: str, points: Dict[str, List[Point]]) -> str:
    """One colour for each of up to four names."""
    low, high = decades(points)
    # A copy from a cache may be slower than a kernel's reads.
    top = max(1.0, max(of for named in points.values() for _, of in named))

    def x_of(mib: float) -> float:
        return LEFT + (RIGHT - LEFT) * (math.log10(mib) - low) / (high - low)

    def y_of(fraction: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * fraction / top

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             f'font-family="sans-serif" font-size="13" fill="{GREY}">',
             f"<title>{escape(title)}</title>",
             f'<g stroke="{GREY}" stroke-opacity="0.4">']
    ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    parts += [line(LEFT, y_of(tick), RIGHT, y_of(tick)) for tick in ticks]
    parts += [line(x_of(10.0**decade), TOP, x_of(10.0**decade), BOTTOM) for decade in range(low, high + 1)]
    parts.append("</g>")
    parts += [text(LEFT - 8, y_of(tick) + 4, "end", f"{tick:.1f}") for tick in ticks]
    parts += [text(x_of(10.0**decade), BOTTOM + 18, "middle", f"{10.0**decade:g}")
              for decade in range(low, high + 1)]
    parts.append(text((LEFT + RIGHT) / 2, BOTTOM + 38, "middle", "MiB read and written"))
    parts.append(text(LEFT, TOP - 16, "start", "of copy"))
    for index, (name, of) in enumerate(points.items()):
        colour = COLOURS[index % len(COLOURS)]
        parts.append(f'<g fill="{colour}" fill-opacity="0.7">')
        parts += [f'<circle cx="{x_of(mib):.1f}" cy="{y_of(fraction):.1f}" r="3"/>'
                  for mib, fraction in sorted(of)]
        parts.append(f"</g><g fill=\"{colour}\">{text(RIGHT - 150 * index, TOP - 16, 'end', '● ' + name)}</g>")
    return "\n".join([*parts, "</svg>", ""])
