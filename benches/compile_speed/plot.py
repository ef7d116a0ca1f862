# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures as SVG, by hand: it needs nothing that has to be installed."""

import math
import statistics
from html import escape

WIDTH, LEFT, RIGHT, ROW = 1040, 380, 100, 22
OURS, THEIRS, DRIVER, GOOD, BAD = "#2b6cb0", "#9c9c9c", "#d9d9d9", "#2f855a", "#c53030"


class Canvas:
    def __init__(self):
        self.parts, self.y = [], 20

    def text(self, x, content, anchor="start", size=12, weight="normal", fill="#222"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{self.y:.1f}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{fill}">{escape(content)}</text>'
        )

    def bar(self, x, width, fill):
        self.parts.append(f'<rect x="{x:.1f}" y="{self.y - 13:.1f}" width="{max(width, 1):.1f}" height="16" fill="{fill}"/>')

    def line(self, x, top, bottom, dash=""):
        self.parts.append(f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="#222" stroke-dasharray="{dash}"/>')

    def heading(self, content, note):
        self.y += 10
        self.text(10, content, size=15, weight="bold")
        self.y += 18
        self.text(10, note, size=11, fill="#555")
        self.y += ROW


def times(canvas, samples):
    """Medians of builds on a logarithmic axis from 1 ms, all sides of a part below each other."""
    parts = [
        (name, {side: builds for side, builds in sides.items() if builds})
        for name, sides in samples.items()
        if name in ("first", "following", "instantiations", "matrix", "macros", "hit")
    ]
    if not parts:
        return
    canvas.heading("Time of a build", "Median in milliseconds, logarithmic. Pale: up to here with the driver's share, full: without it.")
    room = WIDTH - LEFT - RIGHT
    most = max(statistics.median(total for total, _ in builds) for _, sides in parts for builds in sides.values()) / 1e6
    scale = room / math.log10(max(most, 10))
    place = lambda value: max(math.log10(max(value, 1)), 0) * scale
    for name, sides in parts:
        for side, builds in sides.items():
            total = statistics.median(total for total, _ in builds) / 1e6
            own = statistics.median(total - driver for total, driver in builds) / 1e6
            canvas.text(LEFT - 8, f"{name}: {side}", anchor="end")
            canvas.bar(LEFT, place(total), DRIVER)
            canvas.bar(LEFT, place(own), OURS if side.startswith(("syclrtc", "fft")) else THEIRS)
            canvas.text(LEFT + place(total) + 6, f"{total:.1f}" if total < 100 else f"{total:.0f}", size=11)
            canvas.y += ROW
        canvas.y += 6


def goals(canvas, figures):
    """How far each figure is from what is wanted, on a logarithmic axis around the goal."""
    # A goal of nothing at all has no ratio to draw.
    rows = [f for f in figures if f.wanted]
    if not rows:
        return
    canvas.heading("What is wanted, and what is reached", "The line is what is wanted; a bar to its right is better, to its left worse, by the factor beside it.")
    room, middle, top = (WIDTH - LEFT - RIGHT) / 2, LEFT + (WIDTH - LEFT - RIGHT) / 2, canvas.y - 18
    for f in rows:
        score = max(f.score, f.wanted / 100 if f.at_most else 1e-9)
        better = f.wanted / score if f.at_most else score / f.wanted
        length = max(-1, min(1, math.log10(better) / 2)) * room
        canvas.text(LEFT - 8, f.what, anchor="end")
        canvas.bar(middle + min(length, 0), abs(length), GOOD if f.reached else BAD)
        canvas.text(WIDTH - RIGHT + 6, f"{better:.2g}", size=11)
        canvas.y += ROW
    canvas.line(middle, top, canvas.y - 10)


def draw(figures, samples):
    canvas = Canvas()
    times(canvas, samples)
    goals(canvas, figures)
    body = "\n".join(canvas.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{canvas.y + 10:.0f}" font-family="sans-serif">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )
