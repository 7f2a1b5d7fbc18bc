# SPDX-License-Identifier: Apache-2.0
"""The plots: each drawn once for a wide screen and once for a narrow one, as SVG for the page."""

import io
import math
from dataclasses import dataclass
from typing import Callable, Dict, List, Tuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from measurements import LARGE_BYTES, microseconds

from . import colours, svg
from .model import Comparison
from .sources import Series
from .verdicts import Change, Verdict

SETTINGS = {"svg.fonttype": "none",  # Text stays text, in the page's font.
            "svg.hashsalt": "fastnorm",  # The same ids each time.
            "font.family": "sans-serif", "font.size": 9.5, "path.simplify": False,
            "text.color": colours.INK, "axes.labelcolor": colours.MUTED,
            "axes.edgecolor": colours.RULE, "xtick.color": colours.RULE, "ytick.color": colours.RULE,
            "xtick.labelcolor": colours.MUTED, "ytick.labelcolor": colours.MUTED,
            "grid.color": colours.RULE, "grid.linewidth": 0.6, "axes.grid": True,
            "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False,
            "axes.spines.left": False, "ytick.left": False}
SIZES = {"wide": (9.6, 4.1), "narrow": (4.4, 3.9)}  # Inches; a hundredth of the page's pixels, about.

Tips = Dict[str, List[str]]


@dataclass
class Plot:
    name: str
    title: str
    draw: Callable[[Axes], Tips]


def size_text(size: float, _=None) -> str:
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size:g} B"


def ratio_axis(axis, least: float, most: float) -> None:
    """Powers of two, or steps of one digit where the ratios are all near 1."""
    if most / least > 4:
        axis.set_major_locator(LogLocator(base=2, numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    else:
        step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if (most - least) / step <= 8)
        first, last = math.floor(least / step), math.ceil(most / step)
        axis.set_ticks([step * at for at in range(first, last + 1) if least <= step * at <= most])
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.2f}x"))
    axis.set_minor_locator(NullLocator())


def size_axis(ax: Axes, sizes: List[float]) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xlim(min(sizes) / 1.5, max(sizes) * 1.5)
    wide = ax.figure.get_size_inches()[0] > 6
    # Every fourth, sixth ... power of two: from KiB to GiB in so many ticks that their names do not touch.
    powers = math.log2(max(sizes) / min(sizes))
    step = max(2, 2 * math.ceil(powers / (18 if wide else 8)))
    first = math.ceil(math.log2(min(sizes) / 1.5) / step) * step
    last = math.floor(math.log2(max(sizes) * 1.5))
    ax.set_xticks([2.0**power for power in range(first, last + 1, step)])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(size_text))
    ax.set_xlabel("tensors, in and out")
    ax.grid(False, axis="x")
    if min(sizes) < LARGE_BYTES < max(sizes):
        ax.axvline(LARGE_BYTES, color=colours.RULE, linewidth=1, linestyle=(0, (3, 3)))


def points(ax: Axes, index: int, xs: List[float], ys: List[float], gid: str) -> None:
    ax.plot(xs, ys, linestyle="none", marker=colours.marker(index), markersize=5.2, alpha=0.9,
            color=colours.series_colour(index), markeredgecolor=colours.PANEL, markeredgewidth=0.5,
            gid=gid, clip_on=False, zorder=3)


def bars(ax: Axes, xs: List[float], low: List[float], high: List[float], colour: str) -> None:
    ax.vlines(xs, low, high, color=colour, linewidth=1, alpha=0.6, zorder=2)


def of_copy(comparison: Comparison) -> Plot:
    def draw(ax: Axes) -> Tips:
        tips: Tips = {}
        rows = [row for series in comparison.series for row in series.rows.values()]
        size_axis(ax, [row.bytes for row in rows])
        ax.set_ylim(0, max(1.08, 1.05 * max(row.copy_fraction for row in rows)))
        ax.set_ylabel("fraction of copy")
        for height, text in ((1, "copy"), (2 / 3, "x read\ntwice")):
            ax.axhline(height, color=colours.MUTED, linewidth=1, zorder=1)
            ax.text(1.01, height, text, transform=ax.get_yaxis_transform(), ha="left", va="center",
                    color=colours.MUTED, fontsize=8.5)
        for index, series in enumerate(comparison.series):
            own = comparison.rows(series)
            known = [row for row in own if row.spread]
            bars(ax, [row.bytes for row in known],
                 [row.copy_fraction / (1 + row.spread) for row in known],
                 [row.copy_fraction * (1 + row.spread) for row in known], colours.series_colour(index))
            points(ax, index, [row.bytes for row in own], [row.copy_fraction for row in own],
                   f"points-{index}")
            tips[f"points-{index}"] = [f"{row.case}, {series.name}: {row.copy_fraction:.3f} of copy, "
                                       f"{microseconds(row.us)} µs" for row in own]
        return tips
    return Plot("of-copy", "Fraction of the copy's speed against the size of the tensors", draw)


def speedups(comparison: Comparison) -> Plot:
    reference = comparison.reference
    shown: List[Tuple[int, Series, Dict[str, float]]] = []
    for index, series in enumerate(comparison.series):
        ratios = comparison.speedups(series, reference)
        if series is not reference and ratios:
            shown.append((index, series, ratios.by_case))

    def draw(ax: Axes) -> Tips:
        tips: Tips = {}
        sizes = {case.name: case.bytes for case in comparison.cases}
        size_axis(ax, [sizes[case] for _, _, ratios in shown for case in ratios])
        every = [ratio for _, _, ratios in shown for ratio in ratios.values()] + [1.0]
        least, most = min(every) / 1.08, max(every) * 1.08
        ax.set_yscale("log", base=2)
        ax.set_ylim(least, most)
        ratio_axis(ax.yaxis, least, most)
        ax.set_ylabel(f"speed-up over {reference.name}")
        ax.axhline(1, color=colours.MUTED, linewidth=1, zorder=1)
        for index, series, ratios in shown:
            gid = f"points-{index}"
            points(ax, index, [sizes[case] for case in ratios], list(ratios.values()), gid)
            tips[gid] = [f"{case}, {series.name}: {ratio:.2f}x" for case, ratio in ratios.items()]
        return tips
    return Plot("speed-ups", f"Speed-up over {reference.name} against the size of the tensors", draw)


def interval(change: Change) -> Tuple[float, float]:
    """Of after / before, from the ends of both noise intervals."""
    old, new = change.old, change.new
    least = new.us * max(1 - new.spread, 0.01) / (old.us * (1 + old.spread))
    return least, new.us * (1 + new.spread) / (old.us * max(1 - old.spread, 0.01))


VERDICTS = ((Verdict.SAME, "o", colours.MUTED), (Verdict.SLOWER, "^", colours.WORSE),
            (Verdict.FASTER, "v", colours.BETTER))


def changed(comparison: Comparison) -> Plot:
    judgement = comparison.judgement

    def draw(ax: Axes) -> Tips:
        tips: Tips = {}
        known = [change for change in judgement.changes if change.verdict is not Verdict.NOISY]
        known.sort(key=lambda change: (change.ratio, change.case))
        place = {id(change): at for at, change in enumerate(known, start=1)}
        least = min([change.ratio for change in known] + [1 / (1 + 2 * judgement.floor)]) / 1.02
        most = max([change.ratio for change in known] + [1 + 2 * judgement.floor]) * 1.02
        ax.set_yscale("log", base=2)
        ax.set_ylim(least, most)
        ratio_axis(ax.yaxis, least, most)
        ax.set_xlim(0, len(known) + 1)
        ax.set_xticks([])
        ax.set_xlabel(f"{len(known)} cases, from what gained most to what lost most")
        ax.set_ylabel("time after / before")
        ax.axhspan(1 / (1 + judgement.floor), 1 + judgement.floor, color=colours.BAND, zorder=0)
        ax.axhline(1, color=colours.MUTED, linewidth=1, zorder=1)
        for verdict, marker, colour in VERDICTS:
            of = [change for change in known if change.verdict is verdict]
            if not of:  # Nothing drawn counts as drawn in the corner, and would move the axes.
                continue
            at = [place[id(change)] for change in of]
            ends = [interval(change) for change in of]
            bars(ax, at, [low for low, _ in ends], [high for _, high in ends], colour)
            ax.plot(at, [change.ratio for change in of], linestyle="none", marker=marker,
                    color=colour, markersize=5.2, markeredgecolor=colours.PANEL, markeredgewidth=0.5,
                    gid=f"points-{verdict.name.lower()}", clip_on=False, zorder=3)
            tips[f"points-{verdict.name.lower()}"] = [
                f"{change.case}, {change.after.name}: {change.ratio:.3f}, {verdict.value}" for change in of]
        return tips
    return Plot("changes", "Time after over time before, case by case", draw)


def render(plot: Plot) -> str:
    drawings = []
    for name, size in SIZES.items():
        with matplotlib.rc_context(SETTINGS):
            figure = Figure(figsize=size)
            tips = plot.draw(figure.add_subplot())
            figure.tight_layout(pad=0.4)
            out = io.StringIO()
            figure.savefig(out, format="svg", transparent=True,
                           metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
        # Pointers that rest come with wide screens.
        drawings.append(svg.inline(out.getvalue(), f"{plot.name}-{name}-", f"plot {name}", plot.title,
                                   tips if name == "wide" else {}))
    return "\n".join(drawings)
