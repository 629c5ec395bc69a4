"""Servers of object stores for tests, and a client that counts its requests."""

from __future__ import annotations

import collections
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional

import boto3
from botocore.config import Config

BUCKET = "films"


def free_port() -> int:
    """Returns a port that no server uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def await_port(port: int) -> None:
    """Waits until a server accepts connections."""
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


class Store:
    """A server with one bucket."""

    def __init__(self, name: str, folder: pathlib.Path, key: str = "test", secret: str = "test") -> None:
        self.name, self.folder, self.key, self.secret = name, folder, key, secret
        self.port = free_port()
        self.processes: List["subprocess.Popen[bytes]"] = []

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}"

    def run(self, *words: str, port: Optional[int] = None) -> None:
        """Starts a process of the server, which ends with the store."""
        log = (self.folder / "log.txt").open("ab")
        with log:
            self.processes.append(subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
        if port is not None:
            await_port(port)

    def stop(self) -> None:
        """Ends the processes of the server, and removes its data."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []
        shutil.rmtree(self.folder, ignore_errors=True)

    def client(self, secret: Optional[str] = None, attempts: int = 3) -> Any:
        """Returns a client."""
        return boto3.client(
            "s3", endpoint_url=self.url, region_name="us-east-1", aws_access_key_id=self.key,
            aws_secret_access_key=secret or self.secret,
            config=Config(
                s3={"addressing_style": "path"}, max_pool_connections=16, connect_timeout=5,
                retries={"mode": "standard", "total_max_attempts": attempts}))


def localbucket(folder: pathlib.Path) -> Store:
    """Starts localbucket, which stores objects as files."""
    store = Store("localbucket", folder)
    (folder / "data" / BUCKET).mkdir(parents=True)
    store.run(sys.executable, "-m", "localbucket", "--port", str(store.port), str(folder / "data"), port=store.port)
    return store


def moto(folder: pathlib.Path) -> Store:
    """Starts moto, which keeps objects in memory."""
    store = Store("moto", folder)
    store.run(sys.executable, "-m", "moto.server", "-p", str(store.port), port=store.port)
    store.client().create_bucket(Bucket=BUCKET)
    return store


def swift(folder: pathlib.Path) -> Store:
    """Starts OpenStack Swift with its protocol s3api. The packages of Debian write its `swift.conf`."""
    store = Store("swift", folder, "test:tester", "testing")
    user = os.environ.get("USER") or "root"
    memcached = free_port()
    store.run("memcached", "-u", user, "-l", "127.0.0.1", "-p", str(memcached), port=memcached)
    common = f"bind_ip = 127.0.0.1\nuser = {user}\nswift_dir = {folder}\ndevices = {folder}\nmount_check = false\n" \
        "workers = 0\nlog_address = /nonexistent\n"
    (folder / "d1").mkdir()
    for kind in ("account", "container", "object"):
        port = free_port()
        (folder / f"{kind}-server.conf").write_text(
            f"[DEFAULT]\nbind_port = {port}\n{common}[pipeline:main]\npipeline = {kind}-server\n"
            f"[app:{kind}-server]\nuse = egg:swift#{kind}\n")
        builder = str(folder / f"{kind}.builder")
        for words in (["create", "4", "1", "0"], ["add", f"r1z1-127.0.0.1:{port}/d1", "100"], ["rebalance"]):
            subprocess.run(["swift-ring-builder", builder, *words], check=True, stdout=subprocess.DEVNULL)
        store.run(f"swift-{kind}-server", str(folder / f"{kind}-server.conf"), port=port)
    filters = "catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo " \
        "versioned_writes symlink"
    (folder / "proxy-server.conf").write_text(
        f"[DEFAULT]\nbind_port = {store.port}\n{common}[pipeline:main]\npipeline = {filters} proxy-server\n"
        "[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n"
        + "".join(
            f"[filter:{name}]\nuse = egg:swift#{'memcache' if name == 'cache' else name}\n"
            + {"cache": f"memcache_servers = 127.0.0.1:{memcached}\n",
               "tempauth": "user_test_tester = testing .admin\n",
               "versioned_writes": "allow_object_versioning = true\n"}.get(name, "")
            for name in filters.split()))
    store.run("swift-proxy-server", str(folder / "proxy-server.conf"), port=store.port)
    store.client().create_bucket(Bucket=BUCKET)
    return store


#: The servers that store media correctly. OpenStack Swift is tested where it is installed.
STORES: Dict[str, Callable[[pathlib.Path], Store]] = {"localbucket": localbucket}
if shutil.which("swift-proxy-server"):
    STORES["swift"] = swift


@contextlib.contextmanager
def running(name: str, folder: pathlib.Path) -> Iterator[Store]:
    """Runs a server until the end of a `with` statement."""
    folder.mkdir(parents=True, exist_ok=True)
    store = {**STORES, "moto": moto}[name](folder)
    try:
        yield store
    finally:
        store.stop()


class Requests:
    """Counts the requests of a client, and can answer some of them or act before they are sent."""

    def __init__(self, client: Any) -> None:
        #: The number of requests by operation, such as `GetObject`.
        self.counts: "collections.Counter[str]" = collections.Counter()
        #: The bytes that are sent in parts.
        self.sent = 0
        #: The bytes that are requested by ranges.
        self.read = 0
        #: Called with the operation and the HTTP request before each request. A result other than `None` is the answer.
        self.before: Callable[[str, Any], Any] = lambda operation, request: None
        client.meta.events.register("before-send.s3", self._count)

    def _count(self, request: Any, event_name: str, **_: object) -> Any:
        operation = event_name.rsplit(".", 1)[1]
        headers = {name.lower(): value for name, value in request.headers.items()}

        def text(name: str) -> str:
            value = headers.get(name, "")
            return value.decode() if isinstance(value, bytes) else str(value)

        self.counts[operation] += 1
        if operation == "UploadPart":
            self.sent += int(text("x-amz-decoded-content-length") or text("content-length"))
        if operation == "GetObject" and text("range"):
            first, last = text("range").split("=")[1].split("-")
            self.read += int(last) - int(first) + 1
        return self.before(operation, request)
