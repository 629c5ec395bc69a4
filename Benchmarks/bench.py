"""Measures movtool, cp and ffmpeg, and prints a table. Started by Scripts/bench."""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys

import alternating
import inplace
import inside
import movies
import sharing
import sizes
import starting
import streaming
import subtitles
from atoms import movie_size, top_level
from measure import GNU_TIME, Failed, Figure, Work, alone, in_milliseconds, in_words, pairs, peak_memory
from movies import Recipe

MEBIBYTE = 1 << 20

FULL = {
    "in place": Recipe("1GiB.mov", 54_000, 77_520, 1 << 30),
    "fast start": Recipe("1GiB.mp4", 54_000, 77_520, 1 << 30),
    "long": Recipe("3h.mp4", 300_000, 450_000, 51_000_000, chunk_seconds=0.4, frame_jitter=200),
    "small": Recipe("1MB.mp4", 1_800, 2_584, 1_000_000),
}
QUICK = {
    "in place": Recipe("quick-64MiB.mov", 3_600, 5_168, 64 << 20),
    "fast start": Recipe("quick-64MiB.mp4", 3_600, 5_168, 64 << 20),
    "long": Recipe("quick-10min.mp4", 16_700, 25_000, 2_900_000, chunk_seconds=0.4, frame_jitter=200),
    "small": FULL["small"],
}


class Bench:
    def __init__(self, options):
        self.tool, self.plain, self.quick = options.tool, options.plain, options.quick
        self.inside, self.plot = options.inside, options.plot
        self.count = options.pairs
        self.folder = os.path.join(options.cache, "")
        self.output = os.path.join(self.folder, "output.mp4")
        self.rows, self.sizes, self.chunks, self.missed = [], [], [], False
        self.load = os.getloadavg()[0]
        self.movies, self.subtitles = {}, {}

    def make_inputs(self):
        for role, recipe in (QUICK if self.quick else FULL).items():
            self.note(f"making {recipe.name}")
            self.movies[role] = movies.make(recipe, self.folder)
            self.subtitles[role] = os.path.join(self.folder, os.path.splitext(recipe.name)[0] + ".en.srt")
            subtitles.make(self.subtitles[role], recipe.seconds)

    def note(self, text):
        print(f"bench: {text}", file=sys.stderr, flush=True)

    def run(self):
        alternating.add_rows(self)
        self.in_place()
        inplace.add_rows(self)
        self.new_file()
        self.long_movie()
        self.append()
        self.many_cues()
        self.interleave()
        self.flatten()
        alternating.add_conversion(self, self.movies["in place"], "mp4", "convert to .mp4, " + self.describe("in place"),
                                   "≤ 0.8 × cp", 0.8)
        streaming.add_large_rows(self)
        self.extract()
        self.inspect()
        self.memory()
        starting.add_rows(self)
        if self.inside:
            inside.add_rows(self, self.inside)
        sharing.add_rows(self)
        sizes.add_table(self, InPlaceEdit)
        self.chunks = alternating.growth(self)

    # The rows.

    def in_place(self):
        with self.row("add a track in place, " + self.describe("in place"), "≤ 30 ms") as row:
            path = self.movies["in place"]
            edit = InPlaceEdit(path)
            work = Work([self.tool, "add-subtitle", path, self.subtitles["in place"]], after=edit.undo)
            row.absolute(alone(work, self.count), 0.030)
        with self.row("bytes that this edit writes", "≤ new moov + samples + 4 KiB") as row:
            edit = InPlaceEdit(path)
            argv = [self.tool, "add-subtitle", path, self.subtitles["in place"], "--json"]
            answer = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True)
            if answer.returncode != 0:
                said = (answer.stdout + answer.stderr).decode(errors="replace")
                raise Failed(f"{' '.join(argv)} gave {answer.returncode}: {said[-400:]}")
            needed = edit.size_of_new_atoms()
            written = number_named("bytesWritten", answer.stdout)
            source = "as it reports"
            if written is None:
                written, source = edit.growth() + 8, "growth of the file and one header"
            self.require_subtitle(path)
            edit.undo()
            row.bytes(written, needed + 4096, f"{source}; moov + samples {needed:,}")

    def new_file(self):
        with self.row("add a track, new file, " + self.describe("fast start"), "≤ 1.2 × cp") as row:
            row.ratio(*pairs(self.add("fast start"), self.copy("fast start"), self.count), "cp", at_most=1.2)

    def long_movie(self):
        title = "add a track, new file, " + self.describe("long")
        with self.row(title, "≤ 3 × cp") as row:
            row.ratio(*pairs(self.add("long"), self.copy("long"), self.count), "cp", at_most=3)
        with self.row(title, "≥ 20 × faster than ffmpeg") as row:
            row.speedup(*pairs(self.add("long"), self.ffmpeg("long"), self.count), "ffmpeg", at_least=20)

    def append(self):
        with self.row("add a track in place with --append, " + self.describe("fast start"), "≤ 30 ms") as row:
            path = self.movies["fast start"]
            edit = InPlaceEdit(path)
            argv = [self.tool, "add-subtitle", path, self.subtitles["fast start"], "--append"]
            row.absolute(alone(Work(argv, after=edit.undo), self.count), 0.030)

    def many_cues(self):
        """Measures reading, arranging and encoding cues, including the plan of the edit, but without writing the movie."""
        path = os.path.join(self.folder, "many.en.srt")
        movie = self.movies["long"]
        count = subtitles.make(path, (QUICK if self.quick else FULL)["long"].seconds, step=104)
        with self.row(f"plan a track of {count:,} cues, {os.path.basename(movie)}", "≤ 400 ms") as row:
            row.absolute(alone(Work([self.tool, "add-subtitle", movie, path, "--dry-run"]), self.count), 0.400)

    def interleave(self):
        with self.row("interleave and fast start, " + self.describe("in place"), "≤ 1.5 × cp") as row:
            argv = [self.tool, "remux", self.movies["in place"], "-o", self.output, "--interleave", "--fast-start"]
            ours = Work(argv, before=self.clear, after=self.require_plain_fast_start)
            row.ratio(*pairs(ours, self.copy("in place"), self.count), "cp", at_most=1.5)

    def flatten(self):
        self.movies["fragmented"] = self.fragmented("fast start")
        title = "flatten " + self.describe("fragmented")
        argv = [self.tool, "remux", self.movies["fragmented"], "-o", self.output, "--flatten"]
        ours = Work(argv, before=self.clear, after=self.require_plain_fast_start)
        theirs = ["ffmpeg", "-v", "error", "-nostdin", "-i", self.movies["fragmented"], "-c", "copy", self.output]
        with self.row(title, "≤ 1.5 × cp") as row:
            row.ratio(*pairs(ours, self.copy("fragmented"), self.count), "cp", at_most=1.5)
        with self.row(title, "≥ 3 × faster than ffmpeg") as row:
            row.speedup(*pairs(ours, Work(theirs, before=self.clear), self.count), "ffmpeg", at_least=3)

    def extract(self):
        """Measures the extraction of subtitles whose samples follow the media without gaps."""
        movie = os.path.join(self.folder, "with-subtitles.mov")
        if os.path.exists(movie):
            os.remove(movie)
        argv = [self.tool, "add-subtitle", self.movies["in place"], self.subtitles["in place"], "-o", movie]
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        output = os.path.join(self.folder, "output.srt")

        def clear():
            if os.path.exists(output):
                os.remove(output)

        ours = Work([self.tool, "extract", movie, "-o", output], before=clear)
        theirs = ["ffmpeg", "-v", "error", "-nostdin", "-i", movie, "-map", "0:s:0", output]
        try:
            title = "extract the subtitles of the " + self.describe("in place")
            with self.row(title, "≤ 15 ms") as row:
                row.absolute(alone(ours, self.count), 0.015)
            with self.row(title, "≥ 20 × faster than ffmpeg") as row:
                row.speedup(*pairs(ours, Work(theirs, before=clear), self.count), "ffmpeg", at_least=20)
        finally:
            clear()
            os.remove(movie)

    def inspect(self):
        work = Work([self.tool, "inspect", self.movies["long"]])
        with self.row("inspect the " + self.describe("long"), "≤ 10 ms") as row:
            row.absolute(alone(work, self.count), 0.010)
        with self.row("peak memory of inspect", "≤ 24 MiB") as row:
            row.memory(peak_memory(work), 24 * MEBIBYTE)

    def memory(self):
        for role in ("long", "small"):
            with self.row("peak memory of add a track, " + self.describe(role), "≤ 3 × moov + 8 MiB") as row:
                base = peak_memory(Work([self.tool, "--version"]))
                limit = 3 * movie_size(self.movies[role]) + 8 * MEBIBYTE
                peak = peak_memory(self.add(role))
                row.memory(peak - base, limit, f"above the {in_mebibytes(base)} of --version")

    # The measured commands.

    def add(self, role):
        argv = [self.tool, "add-subtitle", self.movies[role], self.subtitles[role], "-o", self.output]
        return Work(argv, before=self.clear, after=lambda: self.require_subtitle(self.output))

    def copy(self, role):
        return Work(["cp", "--reflink=never", self.movies[role], self.output], before=self.clear)

    def ffmpeg(self, role):
        argv = ["ffmpeg", "-v", "error", "-nostdin", "-i", self.movies[role], "-i", self.subtitles[role]]
        argv += ["-map", "0", "-map", "1", "-c", "copy", "-c:s", "mov_text", self.output]
        return Work(argv, before=self.clear, after=lambda: self.require_subtitle(self.output))

    def fragmented(self, role):
        """Returns the path of the movie in fragments of two seconds, which ffmpeg writes."""
        path = os.path.splitext(self.movies[role])[0] + "-fragmented.mp4"
        if not os.path.exists(path):
            self.note(f"making {os.path.basename(path)}")
            argv = ["ffmpeg", "-v", "error", "-nostdin", "-i", self.movies[role], "-map", "0", "-c", "copy"]
            argv += ["-movflags", "+empty_moov+default_base_moof", "-frag_duration", "2000000", path]
            subprocess.run(argv, check=True)
        return path

    def clear(self):
        if os.path.exists(self.output):
            os.remove(self.output)

    def require_subtitle(self, path):
        """Raises an error unless the output contains the subtitles, so that a command that does nothing is not measured."""
        probe = ["ffprobe", "-v", "error", "-select_streams", "s", "-show_entries", "stream=codec_name", "-of", "csv=p=0"]
        found = subprocess.run(probe + [path], capture_output=True, text=True).stdout.split()
        if found != ["mov_text"]:
            raise Failed(f"{path} holds the subtitle tracks {found}, not one mov_text")

    def require_plain_fast_start(self):
        """Raises an error unless the movie atom precedes the media in the output and there are no fragments."""
        found = [kind for kind, _, _ in top_level(self.output)]
        if b"moof" in found or found.index(b"moov") > found.index(b"mdat"):
            raise Failed(f"{self.output} holds {found}")

    def describe(self, role):
        path = self.movies[role]
        size, moov = os.path.getsize(path), movie_size(path)
        return f"{os.path.basename(path)} ({size / 1e6:,.0f} MB, moov {moov / 1e6:.2f} MB)"

    def row(self, work, reach):
        self.note(work)
        return Row(self, work, reach)

    def print_table(self):
        version = subprocess.run([self.tool, "--version"], capture_output=True, text=True).stdout.strip()
        ffmpeg = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True).stdout.split()[2]
        nothing = alone(Work(["true"]), self.count)
        print(f"{version}; {platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()} cores,",
              f"load {self.load:.1f} at the start, inputs on {file_system(self.folder)}; ffmpeg {ffmpeg}.")
        print(f"Whole processes on the wall clock; medians of {self.count} after a warm-up, (least – most);",
              f"ratios are taken pair by pair. `true` takes {in_milliseconds(nothing.median)}.")
        if self.quick:
            print("A quick run on small inputs, where start-up outweighs the work: nothing is judged.")
        print()
        print("| work | reach | movtool | peer | ratio | |")
        print("|---|---|---|---|---|---|")
        for cells in self.rows:
            print("| " + " | ".join(cells) + " |")
        if self.sizes:
            print("\nCost against size; the media is a hole in a sparse file:\n")
            print("\n".join(self.sizes))
        print("\nCost against chunks; movies as ffmpeg writes them:\n")
        print("\n".join(self.chunks))


class Row:
    """A row of the table. If the body of `with` fails, the verdict of the row is "failed"."""

    def __init__(self, bench, work, reach):
        self.bench, self.work, self.reach = bench, work, reach
        self.ours = self.theirs = self.rate = "—"
        self.verdict = ""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if isinstance(error, (Failed, OSError, ValueError)):
            self.bench.note(f"FAILED: {error}")
            self.verdict, self.bench.missed = "failed", True
        elif kind is not None:
            return False
        self.bench.rows.append([self.work, self.reach, self.ours, self.theirs, self.rate, self.verdict])
        return True

    def judge(self, is_reached):
        if self.bench.quick:
            self.verdict = "not judged"
        elif is_reached:
            self.verdict = "pass"
        else:
            self.verdict, self.bench.missed = "**missed**", True

    def absolute(self, times, limit=None):
        self.ours = in_words(times)
        if limit is not None:
            self.judge(times.median <= limit)

    def ratio(self, ours, theirs, rate, peer, at_most):
        self.show(ours, theirs, rate, peer)
        self.judge(rate.median <= at_most)

    def per_fragment(self, count, fragments, at_most):
        """Judges the number of reads for each fragment. Without strace, nothing is judged."""
        self.ours = f"{fragments:,} fragments" if count is None else f"{count:,} reads, {fragments:,} fragments"
        if count is None:
            self.verdict = "no strace"
            return
        self.rate = f"{count / fragments:.2f}"
        self.judge(count <= at_most * fragments)

    def speedup(self, ours, theirs, rate, peer, at_least):
        faster = Figure(1 / rate.median, 1 / rate.most, 1 / rate.least)
        self.show(ours, theirs, faster, peer)
        self.judge(faster.median >= at_least)

    def show(self, ours, theirs, rate, peer):
        self.ours, self.theirs = in_words(ours), f"{peer} {in_words(theirs)}"
        self.rate = f"{rate.median:.2f} ({rate.least:.2f} – {rate.most:.2f})"

    def bytes(self, count, limit=None, remark=None):
        self.ours = f"{count:,} bytes" + (f" ({remark})" if remark else "")
        if limit is not None:
            self.reach += f" = {limit:,}"
            self.judge(count <= limit)

    def memory(self, count, limit, remark=None):
        self.ours = in_mebibytes(count) + (f" ({remark})" if remark else "")
        if remark:
            self.reach += f" = {in_mebibytes(limit)}"
        self.judge(count <= limit)


class InPlaceEdit:
    """An edit in place. Stores the movie atom before the edit, and undoes the edit without copying media."""

    def __init__(self, path):
        self.path = path
        self.status = os.stat(path)
        _, self.at, size = next(entry for entry in top_level(path) if entry[0] == b"moov")
        with open(path, "rb") as file:
            file.seek(self.at)
            self.moov = file.read(size)

    def growth(self):
        return os.stat(self.path).st_size - self.status.st_size

    def size_of_new_atoms(self):
        """Returns the size of the media data and of the movie atom that the edit appended."""
        return sum(size for kind, at, size in top_level(self.path)
                   if at >= self.status.st_size and kind in (b"moov", b"mdat"))

    def undo(self):
        """Removes the appended atoms, and restores the header of the old `moov`."""
        if os.stat(self.path).st_ino != self.status.st_ino:
            os.remove(self.path)
            raise Failed(f"{self.path} was rewritten, not edited in place")
        if self.growth() <= 0:
            raise Failed(f"{self.path} did not grow")
        with open(self.path, "r+b") as file:
            file.truncate(self.status.st_size)
            file.seek(self.at)
            file.write(self.moov[:16])
            file.seek(self.at)
            if file.read(len(self.moov)) == self.moov:
                return
        os.remove(self.path)
        raise Failed(f"{self.path}: the edit changed the old moov behind its header")


def number_named(name, text):
    """Returns the first number with a name in a JSON text, at any depth."""

    def search(value):
        if isinstance(value, dict):
            if isinstance(value.get(name), int):
                return value[name]
            value = list(value.values())
        if isinstance(value, list):
            return next((found for found in map(search, value) if found is not None), None)
        return None

    try:
        return search(json.loads(text))
    except ValueError:
        return None


def in_mebibytes(count):
    return f"{count / MEBIBYTE:.1f} MiB"


def file_system(folder):
    return subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True).stdout.strip()


def arguments():
    default = os.path.join(os.environ.get("TMPDIR", "/tmp"), "movtool-bench")
    parser = argparse.ArgumentParser(prog="Scripts/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small inputs and 3 pairs: shows that it all runs")
    parser.add_argument("--cache", default=default, help="folder of the inputs, kept between runs (%(default)s)")
    parser.add_argument("--alternating", action="store_true", help="only movies as ffmpeg writes them")
    parser.add_argument("--pairs", type=int, help="pairs after the warm-up (9; 3 with --quick)")
    parser.add_argument("--plot", metavar="FILE", help="write the picture of cost against size to FILE (SVG)")
    parser.add_argument("--tool", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--plain", help=argparse.SUPPRESS)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.pairs = options.pairs or (3 if options.quick else 9)
    return options


def main():
    options = arguments()
    for program in ("ffmpeg", "ffprobe", "cp", GNU_TIME):
        if shutil.which(program) is None:
            sys.exit(f"bench: {program} is missing (on Debian: apt-get install ffmpeg time)")
    os.makedirs(options.cache, exist_ok=True)
    needed = (1 if options.quick else 8) << 30
    if shutil.disk_usage(options.cache).free < needed:
        sys.exit(f"bench: {options.cache} has less than {needed >> 30} GiB free; choose another with --cache")
    if peak_memory(Work(["true"])) > 4 * MEBIBYTE:
        sys.exit("bench: peak memory cannot be measured here: `true` seems to need more than 4 MiB")
    bench = Bench(options)
    if options.alternating:
        alternating.add_rows(bench)
        bench.chunks = alternating.growth(bench)
    else:
        bench.make_inputs()
        bench.run()
    bench.clear()
    bench.print_table()
    sys.exit(1 if bench.missed else 0)


if __name__ == "__main__":
    main()
