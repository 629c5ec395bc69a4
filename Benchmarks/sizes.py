"""How the cost grows: with the movie header, and not with the media. The movies are holes of up to 64 GiB."""

import os

import movies
import subtitles
from atoms import movie_size
from measure import Failed, Work, alone, in_words, pairs
from movies import Recipe

SAMPLES = (54_000, 77_520)
REACH = 1.25  # 64 times the media may cost this much more, to leave room for what clocks disagree by


def recipes(quick):
    """Media from 1 to 64 GiB under one header, then headers of up to 16 times its size over one media."""
    media = (1, 64) if quick else (1, 4, 16, 64)
    headers = (1, 4) if quick else (1, 4, 16)
    for size in media:
        yield size, 1
    for factor in headers[1:]:
        yield 1, factor


def add_table(bench, edit_in_place):
    """Measures for the bench's ``sizes``; a quick run is not judged."""
    try:
        bench.sizes, is_reached = measured(bench, edit_in_place)
    except Failed as error:
        bench.note(f"FAILED: {error}")
        bench.sizes, is_reached = [f"The cost against size could not be measured: {error}"], False
    if not is_reached and not bench.quick:
        bench.missed = True
        bench.sizes.append("**missed**: flat in media, linear in moov")


def measured(bench, edit_in_place):
    """Lines of Markdown, and whether the reach is met: flat in media, linear in the header."""
    lines = ["| media | moov | inspect | add a track in place |", "|---|---|---|---|"]
    works, times = {}, {}
    for size, factor in recipes(bench.quick):
        recipe = Recipe(f"sparse-{size}GiB-{factor}.mov", SAMPLES[0] * factor, SAMPLES[1] * factor, size << 30,
                        chunk_seconds=0.5, is_sparse=True)
        bench.note(f"cost against size: {size} GiB, moov × {factor}")
        path = movies.make(recipe, bench.folder)
        cues = os.path.splitext(path)[0] + ".en.srt"
        subtitles.make(cues, 1800)  # The same for all: what grows is the movie.
        works[size, factor] = [Work([bench.tool, "inspect", path]),
                               Work([bench.tool, "add-subtitle", path, cues], after=edit_in_place(path).undo)]
        times[size, factor] = [alone(work, bench.count) for work in works[size, factor]]
        cells = [f"{size} GiB", f"{movie_size(path) / 1e6:.1f} MB"] + [in_words(time) for time in times[size, factor]]
        lines.append("| " + " | ".join(cells) + " |")
    # In turn, so that what else the machine does falls on both.
    most = max(size for size, _ in works)
    rates = [pairs(large, small, bench.count)[2] for large, small in zip(works[most, 1], works[1, 1])]
    cells = [f"{most} GiB ÷ 1 GiB", "reach ≤ %.2f" % REACH]
    cells += [f"{rate.median:.2f} ({rate.least:.2f} – {rate.most:.2f})" for rate in rates]
    lines.append("| " + " | ".join(cells) + " |")
    return lines, all(rate.median <= REACH for rate in rates) and is_linear(times)


def is_linear(times):
    """A header of so many times the size costs no more than so many times the time."""
    largest = max(factor for _, factor in times)
    return all(large.median <= largest * small.median for large, small in zip(times[1, largest], times[1, 1]))
