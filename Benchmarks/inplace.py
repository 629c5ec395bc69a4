"""Measures the time that an edit in place waits for the disk, and the cost of a second edit."""

import os
import shutil
import subprocess

import movies
import subtitles
from measure import Work, alone, pairs
from movies import Recipe

FULL = Recipe("3h.mov", 300_000, 450_000, 51_000_000, chunk_seconds=0.4, frame_jitter=200)
QUICK = Recipe("quick-10min.mov", 16_700, 25_000, 2_900_000, chunk_seconds=0.4, frame_jitter=200)


def add_rows(bench):
    """Measures edits of a long movie with and without syncs. eatmydata disables syncs, which requires a dynamically
    linked program."""
    recipe = QUICK if bench.quick else FULL
    bench.note(f"making {recipe.name}")
    fresh = movies.make(recipe, bench.folder)
    text = os.path.join(bench.folder, "inplace.en.srt")
    subtitles.make(text, recipe.seconds)
    bench.movies["long in place"] = fresh
    movie = os.path.join(bench.folder, "inplace.mov")
    edit = [bench.plain or bench.tool, "add-subtitle", movie, text]
    once = os.path.join(bench.folder, "inplace-once.mov")
    chapters = os.path.join(bench.folder, "inplace-chapters.txt")
    try:
        shutil.copyfile(fresh, once)
        subprocess.run([edit[0], "add-subtitle", once, text], check=True, stdout=subprocess.DEVNULL)
        for start, what in ((fresh, "first"), (once, "second")):
            before = (lambda path: lambda: shutil.copyfile(path, movie))(start)
            title = f"{what} track in place, with and without syncs, {bench.describe('long in place')}"
            with bench.row(title, "—") as row:
                row.show(*pairs(Work(edit, before), Work(["eatmydata", *edit], before), bench.count), "without")
            with bench.row(f"growth of the file by its {what} track", "—") as row:
                size = os.path.getsize(start)
                row.bytes(os.path.getsize(movie) - size, remark=f"of {size:,}")
        with open(chapters, "w") as file:
            for minute in range(int(recipe.seconds / 60)):
                file.write(f"{minute // 60:02}:{minute % 60:02}:00.000 Chapter {minute}\n")
        work = Work([edit[0], "chapters", movie, "--set", chapters], lambda: shutil.copyfile(fresh, movie))
        with bench.row(f"chapters of each minute in place, {bench.describe('long in place')}", "—") as row:
            row.absolute(alone(work, bench.count))
    finally:
        for path in (movie, once, chapters):
            if os.path.exists(path):
                os.remove(path)
