"""Measures `hls`: the plan, a folder of segments, and one file per track. The results are compared with cp, ffmpeg and, if it is
installed, Shaka Packager.

A presentation of three hours consists of thousands of files. Creating a file takes longer than writing the few kilobytes in it,
so the folder is also compared with a copy of the folder.

The files of each run are truncated, and kept until the end. ext4 without a journal does not reuse the inode of a removed file for
five minutes, and examines all such inodes whenever a file is created. If the files were removed, the next run of any program
would take ten times as long.
"""

import os
import shutil
import subprocess

from measure import Work, alone, pairs


def add_rows(bench, films):
    """Adds the rows for the movie of three hours whose chunks contain one sample each."""
    tool, movie, count = bench.tool, films.plain, bench.count
    out, made = films.path("hls"), films.path("hls-made")
    hls = [tool, "hls", movie, "-o", out]

    used = Used(films.path("hls-used"))

    def clear():
        used.put_aside(out)
        bench.clear()

    with bench.row("alternating chunks: hls, the plan", "≤ 60 ms") as row:
        row.absolute(alone(Work([tool, "hls", movie, "--dry-run"]), count), 0.060)
    shutil.rmtree(made, ignore_errors=True)
    subprocess.run([tool, "hls", movie, "-o", made], check=True, stdout=subprocess.DEVNULL)
    files = sum(len(names) for _, _, names in os.walk(made))
    title = f"alternating chunks: hls, {files:,} files"
    copy = ["cp", "-r", "--reflink=never", made, out]
    with bench.row(title, "≤ 0.5 × cp -r of them") as row:
        row.ratio(*pairs(Work(hls, before=clear), Work(copy, before=clear), count), "cp -r", at_most=0.5)
    with bench.row(title, "≤ 5 × cp of the movie") as row:
        plain = Work(["cp", "--reflink=never", movie, bench.output], before=clear)
        row.ratio(*pairs(Work(hls, before=clear), plain, count), "cp of the movie", at_most=5)
    with bench.row("alternating chunks: hls --single-file", "≤ 5 × cp") as row:
        plain = Work(["cp", "--reflink=never", movie, bench.output], before=clear)
        row.ratio(*pairs(Work(hls + ["--single-file"], before=clear), plain, count), "cp", at_most=5)
    with bench.row(title, "faster than ffmpeg") as row:
        row.speedup(*pairs(Work(hls, before=clear), Work(by_ffmpeg(movie, out), before=lambda: (clear(), os.mkdir(out))),
                           count), "ffmpeg", at_least=1)
    if packager := shaka():
        with bench.row(title, "faster than Shaka Packager") as row:
            row.speedup(*pairs(Work(hls, before=clear), Work(by_shaka(packager, movie, out), before=clear), count),
                        "Shaka Packager", at_least=1)
    clear()
    shutil.rmtree(made, ignore_errors=True)
    used.remove()


class Used:
    """The folders of earlier runs, whose files are truncated."""

    def __init__(self, path):
        self.path, self.count = path, 0

    def put_aside(self, folder):
        if os.path.isdir(folder):
            for place, _, names in os.walk(folder):
                for name in names:
                    os.truncate(os.path.join(place, name), 0)
            self.count += 1
            os.rename(folder, f"{self.path}-{self.count}")

    def remove(self):
        for number in range(1, self.count + 1):
            shutil.rmtree(f"{self.path}-{number}", ignore_errors=True)


def add_large_rows(bench):
    """Adds the rows for a movie of 1 GiB, and for a movie of three hours with two chunks per second."""
    tool, movie, long, count = bench.tool, bench.movies["in place"], bench.movies["long"], bench.count
    out = os.path.join(bench.folder, "hls")

    def clear():
        shutil.rmtree(out, ignore_errors=True)
        bench.clear()

    for title, words in (("hls", []), ("hls --single-file", ["--single-file"])):
        with bench.row(f"{title}, " + bench.describe("in place"), "≤ 1.2 × cp") as row:
            ours = Work([tool, "hls", movie, "-o", out] + words, before=clear)
            row.ratio(*pairs(ours, Work(["cp", "--reflink=never", movie, bench.output], before=clear), count), "cp",
                      at_most=1.2)
    with bench.row("hls, the plan, " + bench.describe("long"), "≤ 60 ms") as row:
        row.absolute(alone(Work([tool, "hls", long, "--dry-run"]), count), 0.060)
    with bench.row("hls --single-file, " + bench.describe("long"), "≤ 5 × cp") as row:
        ours = Work([tool, "hls", long, "-o", out, "--single-file"], before=clear)
        row.ratio(*pairs(ours, Work(["cp", "--reflink=never", long, bench.output], before=clear), count), "cp", at_most=5)
    clear()


def by_ffmpeg(movie, out):
    return ["ffmpeg", "-v", "error", "-nostdin", "-i", movie, "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "hls",
            "-hls_time", "6", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4", "-master_pl_name", "main.m3u8",
            "-hls_fmp4_init_filename", "init-%v.mp4", "-hls_segment_filename", f"{out}/%v-%d.m4s",
            "-var_stream_map", "v:0,agroup:a a:0,agroup:a", f"{out}/%v.m3u8"]


def by_shaka(packager, movie, out):
    def stream(kind):
        return (f"in={movie},stream={kind},init_segment={out}/{kind}/init.mp4,"
                f"segment_template={out}/{kind}/$Number$.m4s,playlist_name={kind}.m3u8")
    return [packager, stream("video") + ",iframe_playlist_name=iframes.m3u8", stream("audio") + ",hls_group_id=sound",
            "--segment_duration", "6", "--hls_playlist_type", "VOD", "--hls_master_playlist_output", f"{out}/main.m3u8"]


def shaka():
    """Returns the path of Shaka Packager in PEERS or in the cache of Scripts/compare-packagers, or `None`."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    places = [os.path.join(os.environ.get("PEERS") or "", "packager"),
              os.path.join(cache, "movtool", "packagers", "packager-linux-x64")]
    return next((path for path in places if os.path.isabs(path) and os.access(path, os.X_OK)), None)
