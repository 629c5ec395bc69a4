"""How the cost grows: with the movie header, and not with the media. The movies are holes of up to 64 GiB."""

import os

import movies
import subtitles
from atoms import movie_size
from measure import Work, alone
from movies import Recipe

SAMPLES = (54_000, 77_520)


def recipes(quick):
    """Media from 1 to 64 GiB under one header, then headers of up to 16 times its size over one media."""
    media = (1, 64) if quick else (1, 4, 16, 64)
    headers = (1, 4) if quick else (1, 4, 16)
    for size in media:
        yield size, 1
    for factor in headers[1:]:
        yield 1, factor


def add_table(bench, edit_in_place):
    """Lines of Markdown, and whether the reach is met: flat in media, linear in the header."""
    lines = ["| media | moov | inspect | add a track in place |", "|---|---|---|---|"]
    times = {}
    for size, factor in recipes(bench.quick):
        recipe = Recipe(f"sparse-{size}GiB-{factor}.mov", SAMPLES[0] * factor, SAMPLES[1] * factor, size << 30,
                        chunk_seconds=0.5, is_sparse=True)
        bench.note(f"cost against size: {size} GiB, moov × {factor}")
        path = movies.make(recipe, bench.folder)
        cues = os.path.splitext(path)[0] + ".en.srt"
        subtitles.make(cues, 1800)  # The same for all: what grows is the movie.
        inspected = alone(Work([bench.tool, "inspect", path]), bench.count)
        edit = edit_in_place(path)
        added = alone(Work([bench.tool, "add-subtitle", path, cues], after=edit.undo), bench.count)
        times[size, factor] = inspected.median, added.median
        cells = [f"{size} GiB", f"{movie_size(path) / 1e6:.1f} MB", bench.in_words(inspected), bench.in_words(added)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines, is_flat(times) and is_linear(times)


def is_flat(times):
    """The largest media costs what the smallest does, but for noise: 20 % and a millisecond."""
    largest = max(size for size, factor in times if factor == 1)
    return all(large <= 1.2 * small + 0.001 for large, small in zip(times[largest, 1], times[1, 1]))


def is_linear(times):
    """A header of so many times the size costs no more than so many times the time."""
    largest = max(factor for _, factor in times)
    return all(large <= largest * small for large, small in zip(times[1, largest], times[1, 1]))
