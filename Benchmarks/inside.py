"""Measures functions of the libraries as a service uses them, with a program that calls the libraries."""

import os
import shutil
import subprocess
import time

import subtitles
from measure import Failed, Figure, in_milliseconds

MEBIBYTE = 1 << 20
TEST_MEDIA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "TestMedia")


def lines(program, *arguments):
    """Returns the lines of numbers that the program prints."""
    argv = [program, *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode != 0 or not done.stdout:
        raise Failed(f"{' '.join(argv)} gave {done.returncode}: {(done.stdout + done.stderr).strip()[-400:]}")
    return [[int(number) for number in line.split()] for line in done.stdout.splitlines()]


def times(program, *arguments):
    return [Figure(*(number / 1e9 for number in line)) for line in lines(program, *arguments)]


def add_rows(bench, program):
    ranges(bench, program)
    cues(bench, program)
    soak(bench, program)


def ranges(bench, program):
    movie = bench.movies["fast start"]
    for extents in (10_000, 1_000_000):
        # In a plan with a hundred times more extents, a range of 1 MiB also contains a hundred times more extents.
        reach = "≤ 1 ms" if extents == 10_000 else "—"
        with bench.row(f"find 1 MiB in a plan of {extents:,} extents, from inside", "—") as row:
            found, served = times(program, "ranges", movie, extents)
            row.absolute(found)
        with bench.row(f"serve 1 MiB of a plan of {extents:,} extents, from inside", reach) as row:
            row.absolute(served, 0.001 if extents == 10_000 else None)


def cues(bench, program):
    path = os.path.join(bench.folder, "inside.en.srt")
    for count, reach in ((1_500, 0.005), (100_000, 0.250)):
        made = subtitles.make(path, 6 + count * 0.8, step=800)
        with bench.row(f"parse {made:,} cues, from inside", "—") as row:
            parsed, encoded = times(program, "subtitles", path)
            row.absolute(parsed)
        with bench.row(f"parse and encode {made:,} cues, from inside", f"≤ {in_milliseconds(reach)}") as row:
            row.absolute(encoded, reach)


def soak(bench, program):
    """Measures edits of many small movies in one process, compared with one process per movie."""
    movie = os.path.join(TEST_MEDIA, "interview.mov")
    text = os.path.join(TEST_MEDIA, "en.srt")
    count = 200 if bench.quick else 10_000
    with bench.row(f"add a track to {count:,} small movies in one process, a movie", "memory flat, no descriptor left") as row:
        [[spent, early, late, before, after]] = lines(program, "soak", movie, text, bench.folder, count)
        if after != before:
            raise Failed(f"{after - before} descriptors were left open")
        row.ours = in_milliseconds(spent / 1e9 / count)
        row.rate = f"{early / MEBIBYTE:.1f} MiB after a tenth, {late / MEBIBYTE:.1f} MiB at the end"
        row.judge(late <= early + MEBIBYTE)
    few = 10 if bench.quick else 200
    copy = os.path.join(bench.folder, "soak.mov")
    output = os.path.join(bench.folder, "soak-output.mov")
    for name, argv in (
        ("movtool", [bench.tool, "add-subtitle", copy, text]),
        ("ffmpeg", ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", copy, "-i", text, "-map", "0", "-map", "1", "-c", "copy",
                    "-c:s", "mov_text", output]),
    ):
        with bench.row(f"the same with a process of {name} for each, a movie", "—") as row:
            spent = 0
            for _ in range(few):
                shutil.copyfile(movie, copy)
                start = time.perf_counter()
                subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                spent += time.perf_counter() - start
            row.ours = in_milliseconds(spent / few)
    for path in (copy, output):
        if os.path.exists(path):
            os.remove(path)
