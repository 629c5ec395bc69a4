"""Measures movies with very many chunks, as ffmpeg writes them: a chunk ends whenever the next sample belongs to another track.

A track of three hours has 324 000 chunks. The other movies of the benchmark have two chunks per second, so they do not reveal
costs per chunk.
"""

import os
import shutil
import subprocess

import facts
import streaming
import subtitles
from atoms import chunk_count, movie_size
from measure import Work, alone, in_words, pairs, peak_memory

MEBIBYTE = 1 << 20
CUES = 1_500


class Films:
    """Movies of three hours, which repeat six minutes of 64×36 H.264 and AAC.

    There are four variants: plain, with the movie atom first, with fragments, and with subtitles.
    """

    def __init__(self, bench):
        self.folder, self.tool = bench.folder, bench.tool
        self.loops = 2 if bench.quick else 30
        prefix = "quick-" if bench.quick else ""
        self.plain = self.path(prefix + "alternating.mp4")
        self.fast = self.path(prefix + "alternating-faststart.mp4")
        self.fragmented = self.path(prefix + "alternating-fragmented.mp4")
        self.subtitled = self.path(prefix + "alternating-subtitled.mp4")
        self.subtitles = self.path(prefix + "alternating.en.srt")

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self):
        self.repeat(self.loops, self.plain)
        for path, flags in ((self.fast, "+faststart"),
                            (self.fragmented, "frag_keyframe+empty_moov+default_base_moof")):
            if not os.path.exists(path):
                self.ffmpeg(["-i", self.plain, "-c", "copy", "-movflags", flags], path)
        subtitles.make(self.subtitles, 360 * self.loops, step=360_000 * self.loops // CUES)
        if os.path.exists(self.subtitled):
            os.remove(self.subtitled)
        argv = [self.tool, "add-subtitle", self.plain, self.subtitles, "-o", self.subtitled]
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def repeat(self, times, path):
        """Makes a movie that repeats the six minutes `times` times."""
        base = self.path("alternating-6min.mp4")
        if not os.path.exists(base):
            sources = ["-f", "lavfi", "-i", "testsrc=s=64x36:r=30:d=360"]
            sources += ["-f", "lavfi", "-i", "sine=440:r=44100:d=360"]
            codecs = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "32k"]
            self.ffmpeg(sources + codecs, base)
        if not os.path.exists(path):
            self.ffmpeg(["-stream_loop", str(times - 1), "-i", base, "-c", "copy"], path)

    @staticmethod
    def ffmpeg(argv, path):
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y"] + argv + [path], check=True)


def add_rows(bench):
    films = Films(bench)
    bench.note("making movies as ffmpeg writes them")
    films.make()
    tool, output, count = bench.tool, bench.output, bench.count

    def timed(title, target, argv, limit):
        with bench.row(title, target) as row:
            row.absolute(alone(Work(argv), count), limit)

    def copied(title, target, argv, source, at_most):
        with bench.row(title, target) as row:
            copy = Work(["cp", "--reflink=never", source, output], before=bench.clear)
            row.ratio(*pairs(Work(argv, before=bench.clear), copy, count), "cp", at_most=at_most)

    def beside(title, argv, peer, peer_argv):
        with bench.row(title, "—") as row:
            ours, theirs, rate = pairs(
                Work(argv, before=bench.clear), Work(peer_argv, before=bench.clear), count)
            row.show(ours, theirs, rate, peer)

    inspect = [tool, "inspect", films.plain]
    timed("alternating chunks: inspect", "≤ 8 ms", inspect, 0.008)
    with bench.row("alternating chunks: peak memory of inspect", "≤ 20 MiB") as row:
        row.memory(peak_memory(Work(inspect)), 20 * MEBIBYTE)
    with bench.row("alternating chunks: inspect --json", "≤ 1.3 × inspect") as row:
        row.ratio(*pairs(Work(inspect + ["--json"]), Work(inspect), count), "inspect", at_most=1.3)
    timed("alternating chunks: inspect, fragmented", "≤ 20 ms", [tool, "inspect", films.fragmented], 0.020)
    timed("alternating chunks: validate", "≤ 35 ms", [tool, "validate", films.plain], 0.035)
    timed("alternating chunks: select", "≤ 9 ms", [tool, "select", films.plain, "--language", "en"], 0.009)
    timed(f"alternating chunks: extract {CUES:,} cues", "≤ 10 ms", [tool, "extract", films.subtitled, "-o", "-"], 0.010)
    add = [tool, "add-subtitle", films.plain, films.subtitles]
    timed("alternating chunks: add a track in place, before the first write", "≤ 35 ms", add + ["--dry-run"], 0.035)
    title = "alternating chunks: add a track, new file"
    copied(title, "≤ 2.5 × cp", add + ["-o", output], films.plain, 2.5)
    beside(title, add + ["-o", output], "ffmpeg",
           ["ffmpeg", "-v", "error", "-nostdin", "-i", films.plain, "-i", films.subtitles, "-map", "0", "-map", "1",
            "-c", "copy", "-c:s", "mov_text", output])
    with bench.row("alternating chunks: peak memory of add a track, new file", "≤ 40 MiB") as row:
        row.memory(peak_memory(Work(add + ["-o", output], before=bench.clear)), 40 * MEBIBYTE)
    remux = [tool, "remux", films.plain, "-o", output]
    copied("alternating chunks: fast start", "≤ 2.5 × cp", remux + ["--fast-start"], films.plain, 2.5)
    copied("alternating chunks: interleave and fast start", "≤ 4 × cp", remux + ["--interleave", "--fast-start"],
           films.plain, 4)
    add_conversion(bench, films.plain, "mov", "alternating chunks: convert to .mov", "≤ 2.5 × cp", 2.5)
    flatten = [tool, "remux", films.fragmented, "-o", output, "--flatten"]
    copied("alternating chunks: flatten", "≤ 4 × cp", flatten, films.fragmented, 4)
    beside("alternating chunks: flatten", flatten, "ffmpeg",
           ["ffmpeg", "-v", "error", "-nostdin", "-i", films.fragmented, "-c", "copy", output])
    timed("alternating chunks: diff with a track added", "≤ 120 ms",
          [tool, "diff", films.plain, films.subtitled, "--expect", "added:track"], 0.120)
    facts.add_rows(bench, films)
    streaming.add_rows(bench, films)
    add_peers(bench, films, inspect, add, flatten, beside)


def add_conversion(bench, source, suffix, title, target, at_most):
    """Measures a conversion to the other family of formats, compared with cp and ffmpeg."""
    output = bench.output.rsplit(".", 1)[0] + "." + suffix

    def clear():
        if os.path.exists(output):
            os.remove(output)

    try:
        ours = Work([bench.tool, "remux", source, "-o", output], before=clear)
        copy = Work(["cp", "--reflink=never", source, output], before=clear)
        with bench.row(title, target) as row:
            row.ratio(*pairs(ours, copy, bench.count), "cp", at_most=at_most)
        theirs = ["ffmpeg", "-v", "error", "-nostdin", "-i", source, "-map", "0", "-c", "copy", output]
        with bench.row(title, "—") as row:
            row.show(*pairs(ours, Work(theirs, before=clear), bench.count), "ffmpeg")
    finally:
        clear()


def growth(bench):
    """Returns a Markdown table of the cost by number of chunks, for movies from six minutes to nine hours."""
    films = Films(bench)
    lines = ["| chunks a track | moov | inspect | validate | add a track: plan in place | new file | ÷ cp |",
             "|---|---|---|---|---|---|---|"]
    for loops in (1, 2) if bench.quick else (1, 9, 93):
        path = films.path(f"alternating-{loops}-times.mp4")
        bench.note(f"cost against chunks: {loops} × 6 minutes")
        films.repeat(loops, path)
        cues = films.path("alternating-growth.en.srt")
        subtitles.make(cues, 360)  # The subtitles are the same for all movies.
        add = [bench.tool, "add-subtitle", path, cues]
        works = [Work([bench.tool, "inspect", path]), Work([bench.tool, "validate", path]), Work(add + ["--dry-run"])]
        times = [alone(work, bench.count) for work in works]
        copy = Work(["cp", "--reflink=never", path, bench.output], before=bench.clear)
        ours, _, rate = pairs(Work(add + ["-o", bench.output], before=bench.clear), copy, bench.count)
        cells = [f"{chunk_count(path):,}", f"{movie_size(path) / 1e6:.1f} MB"]
        cells += [in_words(time) for time in times + [ours]]
        lines.append("| " + " | ".join(cells + [f"{rate.median:.2f}"]) + " |")
    return lines


def add_peers(bench, films, inspect, add, flatten, beside):
    """Measures MP4Box and Bento4 if the environment variable PEERS contains the path of their folder."""
    folder = os.environ.get("PEERS", "")
    output = bench.output

    def program(name):
        path = os.path.join(folder, name)
        return path if folder and shutil.which(path) else None

    if dump := program("mp4dump"):
        beside("alternating chunks: inspect", inspect, "mp4dump", [dump, films.plain])
    if info := program("mp4info"):
        beside("alternating chunks: inspect, fragmented", [bench.tool, "inspect", films.fragmented], "mp4info",
               [info, films.fragmented])
    if box := program("MP4Box"):
        beside("alternating chunks: add a track, new file", add + ["-o", output], "MP4Box",
               [box, "-quiet", "-add", films.subtitles, films.plain, "-out", output])
        beside("alternating chunks: flatten", flatten, "MP4Box",
               [box, "-quiet", "-inter", "500", films.fragmented, "-out", output])
