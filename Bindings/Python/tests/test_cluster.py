import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Dict, Iterator, List

import pytest

import movtool
from clusters import CLUSTER, Movies, environment, running_slurm, wait_until
from conftest import MEDIA

COUNT = 120


@pytest.fixture
def movies(tmp_path: pathlib.Path) -> Movies:
    return Movies(tmp_path, COUNT)


@pytest.fixture
def short_folder() -> Iterator[pathlib.Path]:
    """A temporary folder whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield pathlib.Path(folder)


def run_with_interruptions(words: List[str], count: int) -> None:
    """Runs a command until it ends, and kills it and its children at random moments before."""
    for _ in range(count):
        process = subprocess.Popen(
            words, env=environment(), start_new_session=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(random.Random(process.pid).uniform(0.1, 0.8))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(words, env=environment(), check=False, stderr=subprocess.DEVNULL, timeout=300)


def line_count(path: pathlib.Path) -> int:
    return len(path.read_text().splitlines())


def test_workers_that_are_killed(movies: Movies) -> None:
    report = movies.folder / "report.jsonl"
    words = [sys.executable, str(CLUSTER / "subtitles.py"), str(movies.manifest), str(report), "2"]
    run_with_interruptions(words, 20)
    movies.check(report.read_text())
    # A further run repeats only the failures.
    before = line_count(report)
    subprocess.run(words, env=environment(), check=True)
    assert line_count(report) == before + 2


def test_parallel_with_batch(movies: Movies) -> None:
    answers = movies.folder / "answers.jsonl"
    words = [str(CLUSTER / "with_parallel"), str(movies.manifest), str(answers), "2"]
    run_with_interruptions(words, 10)
    assert movies.track_counts() == [1] * (COUNT - 1)
    before = line_count(answers)
    subprocess.run(words, env=environment(), check=False, stderr=subprocess.DEVNULL)
    assert line_count(answers) == before + 2


def ray_environment(folder: pathlib.Path) -> Dict[str, str]:
    """Returns an environment in which Ray keeps its files in a folder."""
    return {**environment(), "RAY_TMPDIR": str(folder), "RAY_AUTH_TOKEN": os.urandom(32).hex(),
            "RAY_USAGE_STATS_ENABLED": "0"}


def ray_workers(driver: int) -> List[int]:
    """Returns the processes that run a task of Ray, among the descendants of a driver."""
    rows = [row.split(None, 2) for row in subprocess.check_output(["ps", "-eo", "pid=,ppid=,args="], text=True).splitlines()]
    family = {driver}
    for _ in range(2):  # Ray's manager on this computer is a child of the driver, and the workers are its children.
        family |= {int(pid) for pid, parent, _ in rows if int(parent) in family}
    return [int(pid) for pid, _, name in rows if int(pid) in family and name.startswith("ray::work")]


@pytest.mark.cluster
def test_ray_workers_that_are_killed(movies: Movies, short_folder: pathlib.Path) -> None:
    places, report = ray_environment(short_folder), movies.folder / "report.jsonl"
    words = [sys.executable, str(CLUSTER / "ray_job.py"), str(movies.manifest), str(report), "2"]
    moments, killed = random.Random(1), 0
    while killed < 20:
        report.unlink(missing_ok=True)  # A driver that ends before the last kill begins again.
        driver = subprocess.Popen(words, env=places, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while driver.poll() is None:
            time.sleep(moments.uniform(0.01, 0.2))
            workers = ray_workers(driver.pid)
            if workers and killed < 20:
                os.kill(moments.choice(workers), signal.SIGKILL)
                killed += 1
        assert driver.returncode == 0
    # Every movie has a line, even if Ray lost its worker twice. A further run repeats the failures alone.
    lines = [json.loads(text) for text in report.read_text().splitlines()]
    assert len(lines) == COUNT + 1
    failures = [line for line in lines if line["outcome"] == "failed"]
    assert {line["code"] for line in failures} <= {"not-a-movie", "no-input", "WorkerCrashedError"}
    subprocess.run(words, env=places, check=True, stderr=subprocess.DEVNULL)
    assert line_count(report) == len(lines) + len(failures)
    movies.check(report.read_text())


@pytest.mark.cluster
def test_movie_that_ends_a_ray_worker(movies: Movies, short_folder: pathlib.Path) -> None:
    folder, report = movies.folder / "example", movies.folder / "report.jsonl"
    shutil.copytree(CLUSTER, folder)
    with (folder / "subtitles.py").open("a") as worker:
        worker.write("""
add = add_subtitles
def add_subtitles(job):
    return os.kill(os.getpid(), 9) if job["movie"].endswith("/60.mov") else add(job)
""")
    words = [sys.executable, str(folder / "ray_job.py"), str(movies.manifest), str(report), "2"]
    subprocess.run(words, env=ray_environment(short_folder), check=True, stderr=subprocess.DEVNULL)
    failures = [line for line in map(json.loads, report.read_text().splitlines()) if line["outcome"] == "failed"]
    codes = {pathlib.Path(line["movie"]).name: line["code"] for line in failures}
    assert codes == {"7.mov": "not-a-movie", "missing.mov": "no-input", "60.mov": "WorkerCrashedError"}
    assert line_count(report) == COUNT + 1


@pytest.mark.cluster
def test_slurm_array(tmp_path: pathlib.Path, short_folder: pathlib.Path) -> None:
    movies, reports = Movies(tmp_path, 300), tmp_path / "reports"
    old_count = len(movtool.inspect(MEDIA / "interview.mov").tracks)

    def await_edit(number: int) -> None:
        wait_until(lambda: len(movtool.inspect(tmp_path / f"{number}.mov").tracks) > old_count)

    def merged() -> str:
        return "".join(path.read_text() for path in sorted(reports.iterdir()))

    with running_slurm(short_folder) as places:
        def run(*words: str) -> str:
            return subprocess.check_output(words, cwd=tmp_path, env={**places, "SHARE": "100"}, text=True)

        def submit(tasks: str) -> str:
            return run("sbatch", "--parsable", f"--array={tasks}", str(CLUSTER / "slurm_array.sh"),
                       str(CLUSTER / "subtitles.py"), str(movies.manifest), str(reports)).strip()

        def await_end() -> None:
            wait_until(lambda: run("squeue", "--noheader") == "")

        # Slurm starts task 0 again, and cancels task 1.
        job = submit("0-3")
        await_edit(0)
        run("scontrol", "requeue", f"{job}_0")
        await_edit(100)
        run("scancel", f"{job}_1")
        await_end()
        requeued = [json.loads(text) for text in (reports / "0.jsonl").read_text().splitlines()]
        assert len(requeued) == 100 and requeued[0]["outcome"] == "unchanged"
        assert [line_count(reports / f"{task}.jsonl") for task in (2, 3)] == [100, 1]
        assert len(merged().splitlines()) < 301
        submit("1")
        await_end()
        movies.check(merged())
        # The same array again repeats only the failures.
        before = len(merged().splitlines())
        submit("0-3")
        await_end()
        assert len(merged().splitlines()) == before + 2
        movies.check(merged())
