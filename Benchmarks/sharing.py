"""Measures writing a new file on file systems that share blocks. Each file system is in an image file, mounted for one row."""

import contextlib
import os
import shutil
import subprocess
import tempfile

from measure import Failed, Work, alone

REACH_SECONDS = 0.050
REACH_SHARE = 0.01


@contextlib.contextmanager
def volume(kind, folder, byte_count):
    """Yields the path of an empty volume. Raises `Failed` if a volume cannot be made or mounted."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        image, path = os.path.join(scratch, "image"), os.path.join(scratch, "volume")
        os.mkdir(path)
        for argv in (["truncate", "-s", str(byte_count), image], [f"mkfs.{kind}", "-q", image], ["mount", "-o", "loop", image, path]):
            if shutil.which(argv[0]) is None:
                raise Failed(f"there is no {argv[0]}")
            done = subprocess.run(argv, capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed(f"{argv[0]}: {done.stderr.strip()}")
        try:
            yield path
        finally:
            subprocess.run(["umount", path], check=True)


def used_bytes(path):
    subprocess.run(["sync", "-f", path], check=True)
    status = os.statvfs(path)
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def add_rows(bench):
    source, cues = bench.movies["fast start"], bench.subtitles["fast start"]
    size = os.path.getsize(source)
    for kind in ("btrfs", "xfs"):
        title = f"add a track, new file on {kind}, {bench.describe('fast start')}"
        try:
            with volume(kind, bench.folder, 2 * size + (1 << 30)) as path:
                movie, output = shutil.copy(source, path), os.path.join(path, "output.mp4")
                argv = [bench.tool, "add-subtitle", movie, cues, "-o", output]

                def clear():
                    with contextlib.suppress(FileNotFoundError):
                        os.remove(output)

                with bench.row(title, "≤ 50 ms") as row:
                    row.absolute(alone(Work(argv, before=clear), bench.count), REACH_SECONDS)
                with bench.row(f"blocks that this writes on {kind}", "≤ 1 %") as row:
                    # The first output is kept, because file systems release the blocks of removed files later.
                    before, another = used_bytes(path), os.path.join(path, "another.mp4")
                    subprocess.run(argv[:-1] + [another], check=True, capture_output=True)
                    bench.require_subtitle(another)
                    row.bytes(max(0, used_bytes(path) - before), int(size * REACH_SHARE), "growth of the volume")
        except Failed as error:
            bench.note(f"SKIPPED: {title}: {error}")
            bench.rows.append([title, "≤ 50 ms", "—", "—", "—", "skipped"])
