"""What a service spends on a range of a plan, timed by a program that calls the library."""

import subprocess

from measure import Failed, Figure

REACH = 0.001


def run(program, movie, extents):
    """The times of finding a range of a mebibyte in a plan, and of serving it."""
    argv = [program, movie, str(extents)]
    done = subprocess.run(argv, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    if done.returncode != 0 or [len(line) for line in lines] != [3, 3]:
        raise Failed(f"{' '.join(argv)} gave {done.returncode}: {(done.stdout + done.stderr).strip()[-400:]}")
    return [Figure(*(int(number) / 1e9 for number in line)) for line in lines]


def add_rows(bench, program):
    movie = bench.movies["fast start"]
    for extents in (10_000, 1_000_000):
        # In a plan a hundred times as long a mebibyte has a hundred times as many extents; nothing else grows.
        reach = "≤ 1 ms" if extents == 10_000 else "—"
        with bench.row(f"find 1 MiB in a plan of {extents:,} extents, from inside", "—") as row:
            found, served = run(program, movie, extents)
            row.absolute(found)
        with bench.row(f"serve 1 MiB of a plan of {extents:,} extents, from inside", reach) as row:
            row.absolute(served, REACH if extents == 10_000 else None)
