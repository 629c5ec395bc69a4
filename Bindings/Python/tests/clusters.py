"""Manifests and reports of Examples/Cluster for tests, and a Slurm cluster on this computer."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
from typing import Callable, Dict, Iterator, List

import movtool
from conftest import MEDIA, ROOT
from stores import free_port

CLUSTER = ROOT / "Examples" / "Cluster"


class Movies:
    """A manifest of small movies. Two of the jobs fail: 7.mov is no movie, and missing.mov does not exist."""

    def __init__(self, folder: pathlib.Path, count: int) -> None:
        self.folder, self.count = folder, count
        lines = []
        for number in range(count):
            shutil.copy(MEDIA / "interview.mov", folder / f"{number}.mov")
            lines.append({"movie": str(folder / f"{number}.mov"), "subtitles": [str(MEDIA / "en.srt")]})
        (folder / "7.mov").write_bytes(b"no movie")
        lines.append({"movie": str(folder / "missing.mov"), "subtitles": [str(MEDIA / "en.srt")]})
        self.manifest = folder / "manifest.jsonl"
        self.manifest.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def track_counts(self) -> List[int]:
        """Returns the number of tracks that each movie has got."""
        old = len(movtool.inspect(MEDIA / "interview.mov").tracks)
        movies = (self.folder / f"{number}.mov" for number in range(self.count) if number != 7)
        return [len(movtool.inspect(movie).tracks) - old for movie in movies]

    def check(self, report: str) -> None:
        """Checks that each movie has one new track and an outcome in the text of a report. The last line counts."""
        assert self.track_counts() == [1] * (self.count - 1)
        outcomes: Dict[str, str] = {}
        for text in report.splitlines():
            with contextlib.suppress(ValueError):  # A killed process leaves a partial line.
                line = json.loads(text)
                outcomes[pathlib.Path(line["movie"]).name] = line.get("code") or line["outcome"]
        assert outcomes.pop("7.mov") == "not-a-movie" and outcomes.pop("missing.mov") == "no-input"
        assert len(outcomes) == self.count - 1 and set(outcomes.values()) <= {"edited", "unchanged"}


def environment() -> Dict[str, str]:
    """Returns the environment for a worker: movtool of the same build is in PATH."""
    folder = pathlib.Path(os.environ["MOVTOOL"]).parent
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PARALLEL_HOME": os.environ.get("TMPDIR", "/tmp")}


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Waits until a condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition is still false"
        time.sleep(0.02)


@contextlib.contextmanager
def running_slurm(folder: pathlib.Path) -> Iterator[Dict[str, str]]:
    """Runs the daemons of Slurm with a configuration in a folder. Yields the environment for the commands of Slurm."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    host, user = socket.gethostname().split(".")[0], subprocess.check_output(["id", "-un"], text=True).strip()
    configuration = folder / "slurm.conf"
    configuration.write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
KillWait=1
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=movies Nodes=ALL Default=YES
""")
    munge = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
             f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"]
    programs = [munge, *([program, "-D", "-f", str(configuration)] for program in ("slurmctld", "slurmd"))]
    places = {**environment(), "SLURM_CONF": str(configuration)}
    places["PATH"] += ":/usr/sbin"
    with contextlib.ExitStack() as daemons, (folder / "daemons.log").open("wb") as log:
        for program in programs:
            process = subprocess.Popen(program, env=places, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            daemons.callback(process.wait)
            daemons.callback(process.terminate)
            if program is munge:
                wait_until((folder / "munge.socket").exists)
        state = ["sinfo", "--noheader", "--format=%t"]
        wait_until(lambda: subprocess.run(state, env=places, capture_output=True, text=True).stdout.strip() == "idle")
        yield places
