"""Measures the cost by size of the movie atom and by size of the media. The media is a hole of up to 64 GiB.

The cost should grow with the movie atom, but not with the media.
"""

import os

import movies
import subtitles
from atoms import movie_size
from measure import Failed, Work, alone, in_words, pairs
from movies import Recipe

SAMPLES = (54_000, 77_520)
REACH = 1.25  # maximum ratio of the times for 64 times more media, which allows for inexact measurements


def recipes(quick):
    """Generates media sizes from 1 to 64 GiB with equal movie atoms, and then up to 16 times larger movie atoms with equal media."""
    media = (1, 64) if quick else (1, 4, 16, 64)
    headers = (1, 4) if quick else (1, 4, 16)
    for size in media:
        yield size, 1
    for factor in headers[1:]:
        yield 1, factor


def add_table(bench, edit_in_place):
    """Adds the table of sizes to the benchmark. The results of a quick run are not judged."""
    try:
        bench.sizes, is_reached = measured(bench, edit_in_place)
    except Failed as error:
        bench.note(f"FAILED: {error}")
        bench.sizes, is_reached = [f"The cost against size could not be measured: {error}"], False
    if not is_reached and not bench.quick:
        bench.missed = True
        bench.sizes.append("**missed**: flat in media, linear in moov")


def measured(bench, edit_in_place):
    """Returns a Markdown table, and whether the cost is independent of the media and linear in the size of the movie atom."""
    lines = ["| media | moov | inspect | add a track in place |", "|---|---|---|---|"]
    works, times = {}, {}
    for size, factor in recipes(bench.quick):
        recipe = Recipe(f"sparse-{size}GiB-{factor}.mov", SAMPLES[0] * factor, SAMPLES[1] * factor, size << 30,
                        chunk_seconds=0.5, is_sparse=True)
        bench.note(f"cost against size: {size} GiB, moov × {factor}")
        path = movies.make(recipe, bench.folder)
        cues = os.path.splitext(path)[0] + ".en.srt"
        subtitles.make(cues, 1800)  # The subtitles are the same for all movies.
        works[size, factor] = [Work([bench.tool, "inspect", path]),
                               Work([bench.tool, "add-subtitle", path, cues], after=edit_in_place(path).undo)]
        times[size, factor] = [alone(work, bench.count) for work in works[size, factor]]
        cells = [f"{size} GiB", f"{movie_size(path) / 1e6:.1f} MB"] + [in_words(time) for time in times[size, factor]]
        lines.append("| " + " | ".join(cells) + " |")
    # The runs alternate, so that other load on the machine affects both.
    most = max(size for size, _ in works)
    rates = [pairs(large, small, bench.count)[2] for large, small in zip(works[most, 1], works[1, 1])]
    cells = [f"{most} GiB ÷ 1 GiB", "reach ≤ %.2f" % REACH]
    cells += [f"{rate.median:.2f} ({rate.least:.2f} – {rate.most:.2f})" for rate in rates]
    lines.append("| " + " | ".join(cells) + " |")
    return lines, all(rate.median <= REACH for rate in rates) and is_linear(times)


def is_linear(times):
    """Whether the time grows at most in proportion to the size of the movie atom."""
    largest = max(factor for _, factor in times)
    return all(large.median <= largest * small.median for large, small in zip(times[1, largest], times[1, 1]))
