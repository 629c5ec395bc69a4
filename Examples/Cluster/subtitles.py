"""Adds subtitles to many movies, on the processors of one computer or as the worker of a cluster.

    python3 subtitles.py manifest.jsonl report.jsonl [WORKERS]

Each line of the manifest is a job: {"movie": "film.mov", "subtitles": ["film.en.srt"], "options": {"sdh": true}}. Movies
are files or s3:// URLs. The report gets a line for each movie. Run the command again after a crash: it leaves out the
movies that the report contains, and repeats those that failed.
"""

import concurrent.futures
import itertools
import json
import os
import sys
import time

import movtool
from movtool import s3

ATTEMPT_COUNT = 5
BATCH_SIZE = 50


def add_subtitles(job):
    """Returns the line of the report for a job. A repeated job adds no second track."""
    movie, attempt = job["movie"], 0
    add = s3.add_subtitles if movie.startswith("s3://") else movtool.add_subtitles
    while True:
        attempt += 1
        try:
            edit = add(movie, *job["subtitles"], if_absent=True, **job.get("options", {}))
            return {"movie": movie, "outcome": "edited" if edit.is_written else "unchanged"}
        except (movtool.MovtoolError, movtool.ObjectChanged) as error:
            if getattr(error, "is_transient", True) and attempt < ATTEMPT_COUNT:
                time.sleep(0.1 * 2 ** attempt)
                continue
            return {"movie": movie, "outcome": "failed", "code": getattr(error, "code", "changed"), "message": str(error)}
        except Exception as error:  # An error of the store, such as a missing object.
            return {"movie": movie, "outcome": "failed", "code": type(error).__name__, "message": str(error)}


def work(jobs):
    """Runs the jobs of a batch. With small movies, a task for each movie would cost more than the edit."""
    return [add_subtitles(job) for job in jobs]


def finished(path):
    """Returns the movies that a report contains, except for failures. A killed process may leave a partial line."""
    movies = set()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as report:
            for text in report:
                try:
                    line = json.loads(text)
                except ValueError:
                    continue
                if line["outcome"] != "failed":
                    movies.add(line["movie"])
    return movies


def batches(manifest, done):
    """Yields batches of the jobs that remain. The manifest is read as far as necessary."""
    with open(manifest, encoding="utf-8") as lines:
        jobs = (job for job in map(json.loads, lines) if job["movie"] not in done)
        while batch := list(itertools.islice(jobs, BATCH_SIZE)):
            yield batch


def open_report(path):
    """Opens a report to add lines, and ends a partial line."""
    file = open(path, "a+b")
    if file.tell():
        file.seek(-1, os.SEEK_END)
        if file.read() != b"\n":
            file.write(b"\n")
    return file


def append(file, lines):
    """Adds the lines of a batch to a report."""
    file.writelines(json.dumps(line).encode() + b"\n" for line in lines)
    file.flush()


def main(manifest, report, workers):
    rest = batches(manifest, finished(report))
    with open_report(report) as file, concurrent.futures.ProcessPoolExecutor(workers) as pool:
        pending = set()
        while True:
            # Each worker has one batch in advance.
            pending |= {pool.submit(work, batch) for batch in itertools.islice(rest, 2 * workers - len(pending))}
            if not pending:
                return
            complete, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in complete:
                append(file, future.result())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else os.cpu_count() or 1)
