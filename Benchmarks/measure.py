"""Runs programs and measures them from outside: wall time of the whole process, and peak memory."""

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import Callable

GNU_TIME = "/usr/bin/time"


class Failed(Exception):
    """The error that a measured program failed or produced a wrong result."""


@dataclass(frozen=True)
class Work:
    """A measured command, with functions that are called before and after it and are not measured."""

    argv: list
    before: Callable = lambda: None
    after: Callable = lambda: None


@dataclass(frozen=True)
class Figure:
    """The median, the minimum and the maximum of some measurements."""

    median: float
    least: float
    most: float

    @staticmethod
    def of(values):
        return Figure(statistics.median(values), min(values), max(values))


def seconds(argv):
    """Returns the wall time from before the start of a process until after its end."""
    with tempfile.TemporaryFile() as errors, open(os.devnull, "r+b") as nothing:
        files = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), 0), (os.POSIX_SPAWN_DUP2, nothing.fileno(), 1)]
        files.append((os.POSIX_SPAWN_DUP2, errors.fileno(), 2))
        start = time.perf_counter()
        process = os.posix_spawnp(argv[0], argv, os.environ, file_actions=files)
        _, status, _ = os.wait4(process, 0)
        end = time.perf_counter()
        code = os.waitstatus_to_exitcode(status)
        if code != 0:
            errors.seek(0)
            raise Failed(f"{' '.join(argv)} gave {code}: {errors.read().decode(errors='replace').strip()[-400:]}")
        return end - start


def timed(work):
    """Runs a command once after a sync, so that pending writes do not affect the time. Returns its wall time."""
    work.before()
    os.sync()
    taken = seconds(work.argv)
    work.after()
    return taken


def alone(work, count):
    """Runs a command `count` times after a warm-up."""
    timed(work)
    return Figure.of([timed(work) for _ in range(count)])


def pairs(ours, theirs, count):
    """Runs two commands alternately, `count` times after a warm-up. Returns both times and the ratios ours / theirs."""
    timed(ours), timed(theirs)
    times = [(timed(ours), timed(theirs)) for _ in range(count)]
    return (
        Figure.of([our for our, _ in times]),
        Figure.of([their for _, their in times]),
        Figure.of([our / their for our, their in times]),
    )


def peak_memory(work, count=3):
    """Returns the largest peak of resident memory of several runs, in bytes.

    A process inherits the peak of the process that forked it, so the peak of a child of this interpreter would never be less
    than the peak of the interpreter. GNU time is a process of about 1 MB.
    """
    peaks = []
    for _ in range(count):
        work.before()
        with tempfile.NamedTemporaryFile() as answer:
            argv = [GNU_TIME, "-f", "%M", "-o", answer.name, "--"] + work.argv
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if done.returncode != 0:
                raise Failed(f"{' '.join(work.argv)} gave {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
            peaks.append(int(answer.read().split()[-1]) * 1024)
        work.after()
    return max(peaks)


def read_count(argv):
    """Returns the number of system calls with which a program reads files, or `None` if strace is not installed."""
    if shutil.which("strace") is None:
        return None
    with tempfile.NamedTemporaryFile() as answer:
        trace = ["strace", "-f", "-qq", "-e", "trace=read,pread64,preadv,preadv2", "-o", answer.name]
        subprocess.run(trace + argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return sum(1 for line in answer if b"(" in line and b"resumed" not in line)


def in_milliseconds(seconds):
    if seconds < 0.0001:
        return f"{seconds * 1e6:.2f} µs"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def in_words(times):
    return f"{in_milliseconds(times.median)} ({in_milliseconds(times.least)} – {in_milliseconds(times.most)})"
