"""Measures movies with very many chunks, as ffmpeg writes them: a chunk ends whenever the next sample belongs to another track.

A track of three hours has 324 000 chunks. The other movies of the benchmark have two chunks per second, so they do not reveal
costs per chunk.
"""

import os
import shutil
import subprocess

import facts
import plot
import sequential
import streaming
import subtitles
from atoms import chunk_count, movie_size, top_level
from measure import Work, alone, in_words, pairs, peak_memory, read_count

MEBIBYTE = 1 << 20
CUES = 1_500


class Films:
    """Movies of three hours, which repeat six minutes of 64×36 H.264 and AAC.

    The variants are plain, with the movie atom first, with one track after the other, with subtitles, and with fragments: one
    for each key picture, one for each second as cameras write them, and those of MP4Box if it is installed.
    """

    def __init__(self, bench):
        self.folder, self.tool = bench.folder, bench.tool
        self.loops = 2 if bench.quick else 30
        prefix = "quick-" if bench.quick else ""
        self.plain = self.path(prefix + "alternating.mp4")
        self.fast = self.path(prefix + "alternating-faststart.mp4")
        self.fragmented = self.path(prefix + "alternating-fragmented.mp4")
        self.seconds = self.path(prefix + "alternating-seconds.mp4")
        self.by_box = self.path(prefix + "alternating-mp4box.mp4")
        self.sequential = self.path(prefix + "sequential.mp4")
        self.subtitled = self.path(prefix + "alternating-subtitled.mp4")
        self.subtitles = self.path(prefix + "alternating.en.srt")

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self):
        self.repeat(self.loops, self.plain)
        for path, options in ((self.fast, ["+faststart"]),
                              (self.fragmented, ["frag_keyframe+empty_moov+default_base_moof"]),
                              (self.seconds, ["empty_moov+default_base_moof", "-frag_duration", "1000000"])):
            if not os.path.exists(path):
                self.ffmpeg(["-i", self.plain, "-c", "copy", "-movflags"] + options, path)
        if (box := peer("MP4Box")) and not os.path.exists(self.by_box):
            subprocess.run([box, "-quiet", "-frag", "1000", self.plain, "-out", self.by_box], check=True)
        if not os.path.exists(self.sequential):
            sequential.make(self.plain, self.sequential)
        subtitles.make(self.subtitles, 360 * self.loops, step=360_000 * self.loops // CUES)
        if os.path.exists(self.subtitled):
            os.remove(self.subtitled)
        argv = [self.tool, "add-subtitle", self.plain, self.subtitles, "-o", self.subtitled]
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def fragmented_kinds(self):
        """Returns the titles and paths of the fragmented movies."""
        kinds = [("a moof for each key picture", self.fragmented), ("a moof for each second", self.seconds)]
        return kinds + ([("by MP4Box", self.by_box)] if os.path.exists(self.by_box) else [])

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
    movie_bytes = movie_size(films.plain)
    timed("alternating chunks: inspect", "≤ 8 ms", inspect, 0.008)
    with bench.row("alternating chunks: peak memory of inspect", "≤ moov + 8 MiB") as row:
        row.memory(peak_memory(Work(inspect)), movie_bytes + 8 * MEBIBYTE, "of the whole process")
    with bench.row("alternating chunks: inspect --json", "≤ 1.3 × inspect") as row:
        row.ratio(*pairs(Work(inspect + ["--json"]), Work(inspect), count), "inspect", at_most=1.3)
    timed("alternating chunks: inspect, fragmented", "≤ 20 ms", [tool, "inspect", films.fragmented], 0.020)
    for title, path in films.fragmented_kinds():
        with bench.row(f"alternating chunks: reads of inspect, {title}", "≤ 1.5 for each moof") as row:
            count_of_fragments = sum(kind == b"moof" for kind, _, _ in top_level(path))
            row.per_fragment(read_count([tool, "inspect", path]), count_of_fragments, at_most=1.5)
    with bench.row("alternating chunks: validate", "≤ 2.3 × inspect") as row:
        row.ratio(*pairs(Work([tool, "validate", films.plain]), Work(inspect), count), "inspect", at_most=2.3)
    timed("alternating chunks: select", "≤ 9 ms", [tool, "select", films.plain, "--language", "en"], 0.009)
    timed(f"alternating chunks: extract {CUES:,} cues", "≤ 10 ms", [tool, "extract", films.subtitled, "-o", "-"], 0.010)
    add = [tool, "add-subtitle", films.plain, films.subtitles]
    timed("alternating chunks: add a track in place, before the first write", "≤ 35 ms", add + ["--dry-run"], 0.035)
    title = "alternating chunks: add a track, new file"
    copied(title, "≤ 1.8 × cp", add + ["-o", output], films.plain, 1.8)
    beside(title, add + ["-o", output], "ffmpeg",
           ["ffmpeg", "-v", "error", "-nostdin", "-i", films.plain, "-i", films.subtitles, "-map", "0", "-map", "1",
            "-c", "copy", "-c:s", "mov_text", output])
    with bench.row("alternating chunks: peak memory of add a track, new file", "≤ 2.2 × moov + 8 MiB") as row:
        row.memory(peak_memory(Work(add + ["-o", output], before=bench.clear)), 2.2 * movie_bytes + 8 * MEBIBYTE,
                   "of the whole process")
    remux = [tool, "remux", films.plain, "-o", output]
    copied("alternating chunks: fast start", "≤ 2.5 × cp", remux + ["--fast-start"], films.plain, 2.5)
    copied("alternating chunks: interleave and fast start", "≤ 4 × cp", remux + ["--interleave", "--fast-start"],
           films.plain, 4)
    copied("one track after the other: interleave", "≤ 3.5 × cp",
           [tool, "remux", films.sequential, "-o", output, "--interleave"], films.sequential, 3.5)
    add_conversion(bench, films.plain, "mov", "alternating chunks: convert to .mov", "≤ 1.2 × cp", 1.2)
    for title, path in films.fragmented_kinds():
        title = f"alternating chunks: flatten, {title}"
        flatten = [tool, "remux", path, "-o", output, "--flatten"]
        copied(title, "≤ 4 × cp", flatten, path, 4)
        with bench.row(title, "≥ 10 × faster than ffmpeg") as row:
            theirs = ["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-c", "copy", output]
            row.speedup(*pairs(Work(flatten, before=bench.clear), Work(theirs, before=bench.clear), count), "ffmpeg",
                        at_least=10)
        with bench.row(f"peak memory of {title}", "≤ 2.5 × the new moov + 10 MiB") as row:
            peak = peak_memory(Work(flatten, before=bench.clear))
            row.memory(peak, 2.5 * movie_size(output) + 10 * MEBIBYTE, "of the whole process")
    with bench.row("alternating chunks: diff with a track added", "≤ 7 × inspect") as row:
        diff = Work([tool, "diff", films.plain, films.subtitled, "--expect", "added:track"])
        row.ratio(*pairs(diff, Work(inspect), count), "inspect", at_most=7)
    facts.add_rows(bench, films)
    streaming.add_rows(bench, films)
    add_peers(bench, films, inspect, add, beside)


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
    """Returns a Markdown table of the cost by number of chunks, for movies from six minutes to nine hours.

    Writes a picture of the times of five jobs, of cp and of ffmpeg, if the options name a file for it.
    """
    films = Films(bench)
    lines = ["| chunks a track | moov | inspect | validate | add a track: plan in place | new file | ÷ cp |",
             "|---|---|---|---|---|---|---|"]
    drawn = {}
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
        ours, copied, rate = pairs(Work(add + ["-o", bench.output], before=bench.clear), copy, bench.count)
        cells = [f"{chunk_count(path):,}", f"{movie_size(path) / 1e6:.1f} MB"]
        cells += [in_words(time) for time in times + [ours]]
        lines.append("| " + " | ".join(cells + [f"{rate.median:.2f}"]) + " |")
        if bench.plot:
            known = {("movtool", "inspect"): times[0], ("movtool", "add a track"): ours, ("cp", "cp"): copied}
            for key, figure in (known | plotted(bench, films, path, cues)).items():
                drawn.setdefault(key, []).append((os.path.getsize(path), figure.median))
    if bench.plot:
        series = [plot.Series(*key, points) for key, points in drawn.items()]
        with open(bench.plot, "w", encoding="utf-8") as file:
            file.write(plot.svg("Time of five jobs for movies as ffmpeg writes them", series))
    return lines


def plotted(bench, films, path, cues):
    """Returns the times of the jobs in the picture that the table does not contain, by program and job."""
    tool, output = bench.tool, bench.output
    ffmpeg = ["ffmpeg", "-v", "error", "-nostdin", "-i"]
    subtitled, text, converted = films.path("growth-subtitled.mp4"), films.path("growth.srt"), films.path("growth.mov")
    if os.path.exists(subtitled):
        os.remove(subtitled)

    def clear():
        for made in (output, text, converted):
            if os.path.exists(made):
                os.remove(made)

    subprocess.run([tool, "add-subtitle", path, cues, "-o", subtitled], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    jobs = {
        ("movtool", "extract"): [tool, "extract", subtitled, "-o", text],
        ("movtool", "fast start"): [tool, "remux", path, "-o", output, "--fast-start"],
        ("movtool", "convert"): [tool, "remux", path, "-o", converted],
        ("ffmpeg", "inspect"): ["ffprobe", "-v", "error", "-show_streams", path],
        ("ffmpeg", "extract"): ffmpeg + [subtitled, "-map", "0:s:0", text],
        ("ffmpeg", "add a track"): ffmpeg + [path, "-i", cues, "-map", "0", "-map", "1", "-c", "copy", "-c:s", "mov_text",
                                             output],
        ("ffmpeg", "fast start"): ffmpeg + [path, "-c", "copy", "-movflags", "+faststart", output],
        ("ffmpeg", "convert"): ffmpeg + [path, "-c", "copy", converted],
    }
    try:
        return {key: alone(Work(argv, before=clear), min(bench.count, 3)) for key, argv in jobs.items()}
    finally:
        clear()
        os.remove(subtitled)


def peer(name):
    """Returns the path of a program in the folder that the environment variable PEERS names, or `None`."""
    folder = os.environ.get("PEERS", "")
    path = os.path.join(folder, name)
    return path if folder and shutil.which(path) else None


def add_peers(bench, films, inspect, add, beside):
    """Measures MP4Box and Bento4 if the environment variable PEERS contains the path of their folder."""
    output = bench.output
    if dump := peer("mp4dump"):
        with bench.row("alternating chunks: inspect", "≤ 0.65 × mp4dump") as row:
            row.ratio(*pairs(Work(inspect), Work([dump, films.plain]), bench.count), "mp4dump", at_most=0.65)
    if info := peer("mp4info"):
        with bench.row("alternating chunks: inspect, fragmented", "≤ 0.12 × mp4info") as row:
            ours = Work([bench.tool, "inspect", films.fragmented])
            row.ratio(*pairs(ours, Work([info, films.fragmented]), bench.count), "mp4info", at_most=0.12)
    if box := peer("MP4Box"):
        beside("alternating chunks: add a track, new file", add + ["-o", output], "MP4Box",
               [box, "-quiet", "-add", films.subtitles, films.plain, "-out", output])
        for title, path in films.fragmented_kinds():
            beside(f"alternating chunks: flatten, {title}", [bench.tool, "remux", path, "-o", output, "--flatten"], "MP4Box",
                   [box, "-quiet", "-inter", "500", path, "-out", output])
