"""Measures reading and setting metadata, compared with exiftool and mutagen, for a movie that ffmpeg wrote."""

import os
import shutil
import subprocess
import sys

from measure import Work, alone, pairs

MUTAGEN = "from mutagen.mp4 import MP4; import sys; m = MP4(sys.argv[1]); m['\\xa9nam'] = ['Home']; m.save()"


def add_rows(bench, films):
    """Adds rows for metadata. Programs that are not installed are omitted."""
    tool, count, output = bench.tool, bench.count, bench.output
    movie = os.path.join(bench.folder, "facts.mp4")
    inspect = Work([tool, "inspect", films.plain])
    show = Work([tool, "metadata", films.plain])
    change = ["--set", "itsk/©nam=Home", "--only-space"]
    with bench.row("alternating chunks: metadata", "≤ 1 × inspect") as row:
        row.ratio(*pairs(show, inspect, count), "inspect", at_most=1)
    with bench.row("alternating chunks: set a title in place, before the first write", "≤ inspect + 8 ms") as row:
        base = alone(inspect, count)
        plan = Work([tool, "metadata", films.plain, *change, "--dry-run"])
        row.absolute(alone(plan, count), base.median + 0.008)
    exiftool, python = shutil.which("exiftool"), sys.executable
    if exiftool:
        with bench.row("alternating chunks: metadata", "≥ 20 × faster than exiftool") as row:
            row.speedup(*pairs(show, Work([exiftool, "-G1", "-a", films.plain]), count), "exiftool", at_least=20)
        with bench.row("alternating chunks: set a title, new file", "≥ 20 × faster than exiftool") as row:
            ours = Work([tool, "metadata", films.plain, *change, "-o", output], before=bench.clear)
            theirs = Work([exiftool, "-q", "-Title=Home", "-o", output, films.plain], before=bench.clear)
            row.speedup(*pairs(ours, theirs, count), "exiftool", at_least=20)
    try:
        in_place = Work([tool, "metadata", movie, *change], before=lambda: shutil.copyfile(films.plain, movie))
        if exiftool:
            with bench.row("alternating chunks: set a title in place", "≥ 20 × faster than exiftool") as row:
                theirs = Work([exiftool, "-q", "-overwrite_original", "-Title=Home", movie], before=in_place.before)
                row.speedup(*pairs(in_place, theirs, count), "exiftool", at_least=20)
        if subprocess.run([python, "-c", "import mutagen"], stderr=subprocess.DEVNULL).returncode == 0:
            with bench.row("alternating chunks: set a title in place", "—") as row:
                row.show(*pairs(in_place, Work([python, "-c", MUTAGEN, movie], before=in_place.before), count), "mutagen")
    finally:
        if os.path.exists(movie):
            os.remove(movie)
