import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
from typing import Dict, List

import pytest

import movtool
from conftest import MEDIA, ROOT

CLUSTER = ROOT / "Examples" / "Cluster"
COUNT = 120


@pytest.fixture
def manifest(tmp_path: pathlib.Path) -> pathlib.Path:
    """A manifest of small movies. Two of the jobs fail."""
    lines = []
    for number in range(COUNT):
        path = tmp_path / f"{number}.mov"
        shutil.copy(MEDIA / "interview.mov", path)
        lines.append({"movie": str(path), "subtitles": [str(MEDIA / "en.srt")]})
    (tmp_path / "7.mov").write_bytes(b"no movie")
    lines.append({"movie": str(tmp_path / "missing.mov"), "subtitles": [str(MEDIA / "en.srt")]})
    found = tmp_path / "manifest.jsonl"
    found.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return found


def new_tracks(manifest: pathlib.Path) -> List[int]:
    """Returns the number of tracks that each movie has got."""
    old = len(movtool.inspect(MEDIA / "interview.mov").tracks)
    return [
        len(movtool.inspect(manifest.parent / f"{number}.mov").tracks) - old for number in range(COUNT) if number != 7]


def environment() -> Dict[str, str]:
    folder = pathlib.Path(os.environ["MOVTOOL"]).parent
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PARALLEL_HOME": os.environ.get("TMPDIR", "/tmp")}


def run_with_interruptions(words: List[str], count: int) -> None:
    """Runs a command until it ends, and kills it and its children at random moments before."""
    for _ in range(count):
        process = subprocess.Popen(
            words, env=environment(), start_new_session=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(random.Random(process.pid).uniform(0.1, 0.8))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(words, env=environment(), check=False, stderr=subprocess.DEVNULL, timeout=300)


def test_workers_that_are_killed(manifest: pathlib.Path) -> None:
    report = manifest.with_name("report.jsonl")
    words = [sys.executable, str(CLUSTER / "subtitles.py"), str(manifest), str(report), "2"]
    run_with_interruptions(words, 20)
    assert new_tracks(manifest) == [1] * (COUNT - 1)
    outcomes: Dict[str, str] = {}
    for text in report.read_text().splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        outcomes[pathlib.Path(line["movie"]).name] = line.get("code") or line["outcome"]
    assert outcomes.pop("7.mov") == "not-a-movie" and outcomes.pop("missing.mov") == "no-input"
    assert len(outcomes) == COUNT - 1 and set(outcomes.values()) <= {"edited", "unchanged"}
    # A further run repeats only the failures.
    before = len(report.read_text().splitlines())
    subprocess.run(words, env=environment(), check=True)
    assert len(report.read_text().splitlines()) == before + 2


def test_parallel_with_batch(manifest: pathlib.Path) -> None:
    answers = manifest.with_name("answers.jsonl")
    words = [str(CLUSTER / "with_parallel"), str(manifest), str(answers), "2"]
    run_with_interruptions(words, 10)
    assert new_tracks(manifest) == [1] * (COUNT - 1)
    before = len(answers.read_text().splitlines())
    subprocess.run(words, env=environment(), check=False, stderr=subprocess.DEVNULL)
    assert len(answers.read_text().splitlines()) == before + 2
