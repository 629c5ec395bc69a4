"""Draws the cost of the commonest jobs against the size of the movie, beside cp and ffmpeg, as an SVG.

Both axes are logarithmic. Each program has a mark, and each job has a color. The picture needs no script and no other file.
"""

import math
from html import escape

WIDTH, HEIGHT = 880, 500
LEFT, RIGHT, TOP, BOTTOM = 80, 250, 50, 70
COLORS = {"inspect": "#0072b2", "extract": "#009e73", "add a track": "#d55e00", "fast start": "#cc79a7",
          "convert": "#8a6d00", "cp": "#555555"}
DASHES = {"movtool": "", "cp": "2 3", "ffmpeg": "7 4"}


class Series:
    """The times of one job of one program, by the size of the movie: pairs of bytes and seconds."""

    def __init__(self, program, job, points):
        self.program, self.job, self.points = program, job, points

    @property
    def name(self):
        return self.job if self.program == self.job else f"{self.program}: {self.job}"


def decades(least, most):
    """Returns the exponents of the powers of ten that enclose the values."""
    return math.floor(math.log10(least)), math.ceil(math.log10(most))


def in_words(value, units):
    for factor, unit in units:
        if value >= factor:
            return f"{value / factor:g} {unit}"
    return f"{value / units[-1][0]:g} {units[-1][1]}"


SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
TIMES = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"))


def svg(title, series):
    """Returns the text of the SVG."""
    sizes = [size for line in series for size, _ in line.points]
    times = [time for line in series for _, time in line.points]
    first, last = math.log10(min(sizes) / 1.3), math.log10(max(sizes) * 1.3)
    low, high = decades(min(times), max(times))

    def x(size):
        return LEFT + (math.log10(size) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(time):
        return HEIGHT - BOTTOM - (math.log10(time) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="title"'
        ' font-family="sans-serif" font-size="13">',
        f'<title id="title">{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="28" font-size="16" fill="#222222">{escape(title)}</text>',
    ]
    for exponent in range(low, high + 1):
        place = y(10.0**exponent)
        parts.append(f'<path d="M{LEFT} {place:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{place + 4:.1f}" text-anchor="end" fill="#444444">'
                     f'{in_words(10.0**exponent, TIMES)}</text>')
    for size in sorted(set(sizes)):
        parts.append(f'<path d="M{x(size):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#eeeeee"/>')
        parts.append(f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle" fill="#444444">'
                     f'{in_words(float(f"{size:.2g}"), SIZES)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 20}" text-anchor="middle" fill="#444444">'
                 'size of the movie</text>')
    ends = []
    for line in series:
        path = "L".join(f"{x(size):.1f} {y(time):.1f}" for size, time in line.points)
        style = f'stroke="{COLORS[line.job]}" stroke-width="2" fill="none"'
        if DASHES[line.program]:
            style += f' stroke-dasharray="{DASHES[line.program]}"'
        parts.append(f'<path d="M{path}" {style}/>')
        for size, time in line.points:
            parts.append(f'<circle cx="{x(size):.1f}" cy="{y(time):.1f}" r="3" fill="{COLORS[line.job]}"/>')
        ends.append((y(line.points[-1][1]), line))
    # The names are beside the ends of the lines, and moved apart.
    place = -math.inf
    for end, line in sorted(ends, key=lambda entry: entry[0]):
        place = max(end, place + 16)
        parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{place + 4:.1f}" fill="{COLORS[line.job]}">'
                     f'{escape(line.name)}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"
