"""Inputs that are not files, edits of several commands, plans, and callbacks that fail."""

import array
import gc
import io
import mmap
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any, Callable, List, Optional

import pytest
from conftest import MEDIA

import movtool

CONTENTS = (MEDIA / "interview.mov").read_bytes()


class Stored:
    """An object in a store."""

    name = "films/film.mov"
    tag = '"7"'

    def __init__(self, contents: bytes = CONTENTS, failure: Optional[BaseException] = None) -> None:
        self.contents, self.failure = contents, failure
        self.reads: List[int] = []

    @property
    def size(self) -> int:
        return len(self.contents)

    def read_at(self, offset: int, count: int) -> bytes:
        self.reads.append(count)
        if self.failure is not None:
            raise self.failure
        return self.contents[offset:offset + count]


def test_all_kinds_of_inputs_give_the_same_tracks(movie: str) -> None:
    expected = movtool.inspect(movie)["tracks"]
    with open(movie, "rb") as file:
        for item in (
            pathlib.Path(movie), CONTENTS, bytearray(CONTENTS), memoryview(CONTENTS), io.BytesIO(CONTENTS), file, Stored(),
        ):
            assert movtool.inspect(item)["tracks"] == expected
        assert not file.closed
    with movtool.open(Stored()) as source:
        assert source.name == "film.mov"
        assert movtool.inspect(source).file == "film.mov"
        assert movtool.inspect(source)["tracks"] == expected
    with pytest.raises(ValueError, match="closed"):
        movtool.inspect(source)


def test_reads_buffers_and_lists_and_keeps_positions(movie: str, english: str, tmp_path: pathlib.Path) -> None:
    expected = movtool.inspect(movie)["tracks"]
    assert movtool.inspect(array.array("B", CONTENTS))["tracks"] == expected
    with open(movie, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        file.seek(10)
        mapped.seek(20)
        assert movtool.inspect(mapped)["tracks"] == expected == movtool.inspect(file)["tracks"]
        assert (file.tell(), mapped.tell()) == (10, 20)
    spanish = shutil.copy(MEDIA / "es.srt", tmp_path / "film.es.srt")
    files = [english, spanish]
    assert len(movtool.add_subtitles(movie, files, output=tmp_path / "out.mov").tracks) == 2
    with movtool.edit(movie) as edit:
        assert len(edit.add_subtitles(tuple(files)).tracks) == 2


def test_names_that_are_not_utf_8(tmp_path: pathlib.Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"\xff.mov")
    pathlib.Path(os.fsdecode(path)).write_bytes(CONTENTS)
    with open(os.fsdecode(path), "rb") as file:
        assert movtool.inspect(file).file == "?.mov"
    with pytest.raises(UnicodeEncodeError):
        movtool.inspect(os.fsdecode(path))


def test_an_output_that_is_also_an_input_is_refused(movie: str, english: str) -> None:
    memory = io.BytesIO(CONTENTS)
    with open(movie, "r+b") as file, movtool.open(memory) as source, movtool.edit(movie) as edit:
        edit.add_subtitles(english)
        calls: List[Callable[[], object]] = [
            lambda: movtool.add_subtitles(memory, english, output=memory),
            lambda: movtool.add_subtitles(memory, english, output=memory.write),
            lambda: movtool.run("remux", source, output=memory),
            lambda: movtool.add_subtitles(file, english, output=file),
            lambda: movtool.add_subtitles(movie, english, output=file),
            lambda: edit.write(file), lambda: edit.plan().send(file),
        ]
        for function in calls:
            with pytest.raises(ValueError, match="also an input"):
                function()
        with pytest.raises(TypeError, match="use write"):
            edit.plan().send("out.mov")  # type: ignore[arg-type]
    assert memory.getvalue() == pathlib.Path(movie).read_bytes() == CONTENTS


def test_reads_files_of_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.pipe("/film.mov", CONTENTS)
    with store.open("/film.mov", "rb") as file:
        assert len(movtool.inspect(file).tracks) == 3
    with fsspec.open(f"simplecache::file://{MEDIA / 'interview.mov'}", "rb") as file:
        assert len(movtool.inspect(file).tracks) == 3


def test_reads_little_of_a_large_object() -> None:
    media = (1 << 30).to_bytes(4, "big") + b"mdat"

    class Large(Stored):
        size = len(CONTENTS) + (1 << 30)

        def read_at(self, offset: int, count: int) -> bytes:
            self.reads.append(count)
            block = bytearray(count)
            for at, part in ((0, CONTENTS), (len(CONTENTS), media)):
                first, last = max(at, offset), min(at + len(part), offset + count)
                if first < last:
                    block[first - offset:last - offset] = part[first - at:last - at]
            return bytes(block)

    item = Large()
    assert len(movtool.inspect(item).tracks) == 3
    assert sum(item.reads) < 2 << 20


@pytest.mark.parametrize("failure", [KeyError("film"), KeyboardInterrupt(), OSError(5, "no answer")])
def test_exceptions_of_inputs_arrive(failure: BaseException) -> None:
    with pytest.raises(type(failure)) as caught:
        movtool.inspect(Stored(failure=failure))
    assert caught.value is failure


def test_changed_objects_are_transient_errors() -> None:
    class Changed(Stored):
        def read_at(self, offset: int, count: int) -> bytes:
            raise movtool.ObjectChanged

    with pytest.raises(movtool.ObjectChanged) as caught:
        movtool.inspect(Changed())
    assert isinstance(caught.value.__cause__, movtool.ChangedError) and caught.value.__cause__.is_transient


def test_objects_that_lie_are_errors() -> None:
    class Long(Stored):
        def read_at(self, offset: int, count: int) -> bytes:
            return bytes(count + 1)

    class Short(Stored):
        def read_at(self, offset: int, count: int) -> bytes:
            return b""

    with pytest.raises(movtool.MovtoolError, match="bytes were requested"):
        movtool.inspect(Long())
    with pytest.raises(movtool.ChangedError):
        movtool.inspect(Short())


def test_exceptions_of_outputs_and_messages_arrive_and_leave_no_file(movie: str, tmp_path: pathlib.Path) -> None:
    def refuse(_: object) -> None:
        raise LookupError("full")

    with pytest.raises(LookupError, match="full"):
        movtool.run("remux", movie, output=refuse)
    with pytest.raises(LookupError, match="full"):
        movtool.run("remux", movie, "--progress", "json", output=tmp_path / "out.mov", on_message=refuse)
    assert not (tmp_path / "out.mov").exists()
    seen: List[str] = []
    movtool.run("remux", movie, "--progress", "json", output=tmp_path / "out.mov", on_message=seen.append)
    assert seen and all(line.startswith("{") for line in seen)


def test_ctrl_c_stops_a_command() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # A process in the background ignores the signal.

    def interrupt(_: bytes) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        movtool.run("remux", MEDIA / "interview.mov", output=interrupt)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    code = """import movtool, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
movtool.run("remux", sys.argv[1], output=lambda _: os.kill(os.getpid(), signal.SIGINT))"""
    done = subprocess.run([sys.executable, "-c", code, str(MEDIA / "interview.mov")], capture_output=True, text=True)
    assert done.returncode == -signal.SIGINT and done.stderr.endswith("KeyboardInterrupt\n")


def test_ctrl_c_stops_reads_of_a_slow_object() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)

    class Slow(Stored):
        is_interrupted = False

        def read_at(self, offset: int, count: int) -> bytes:
            if self.is_interrupted:
                os.kill(os.getpid(), signal.SIGINT)
                self.is_interrupted = False
            return super().read_at(offset, min(count, 2000))

    item = Slow()
    with movtool.edit(item) as edit:
        edit.apply("set", "--track", "audio:1", "--title", "X")
        plan = edit.plan()
        for function in (lambda: movtool.inspect(item), plan.read, lambda: plan.send(lambda _: None)):
            item.is_interrupted, before = True, len(item.reads)
            with pytest.raises(KeyboardInterrupt):
                function()
            assert len(item.reads) == before + 1
        assert len(plan.read()) == plan.size and len(movtool.inspect(item).tracks) == 3


def test_other_threads_run_while_a_command_works(movie: str) -> None:
    started, ended = threading.Event(), threading.Event()

    def wait(_: bytes) -> None:
        started.set()
        assert ended.wait(10)

    thread = threading.Thread(target=lambda: movtool.run("remux", movie, output=wait))
    thread.start()
    assert started.wait(10)
    assert len(movtool.inspect(movie).tracks) == 3
    ended.set()
    thread.join()


def test_edits_of_several_commands_become_one_plan(english: str, tmp_path: pathlib.Path) -> None:
    with movtool.edit(Stored()) as edit:
        with pytest.raises(ValueError, match="no changes"):
            edit.plan()
        edit.apply("set", "--track", "audio:1", "--title", "Original")
        report = edit.add_subtitles(english, sdh=True)
        assert report.is_dry_run and report.tracks[0].is_sdh
        plan = edit.plan()
    contents = plan.read()
    assert len(contents) == plan.size == report.file_byte_count
    assert plan.read(100, 50) == contents[100:150] and plan.read(plan.size + 5, 10) == b""
    found = movtool.inspect(contents)
    assert [track.title for track in found.tracks] == [None, "Original", None, None]
    assert found.tracks[3].role == "SDH"
    parts = plan.parts(smallest=1000, largest=20_000)
    assert sum(part.size for part in parts) == plan.size and max(part.size for part in parts) <= 20_000
    whole = b"".join(
        plan.read(part.offset, part.size) if part.source_offset is None
        else CONTENTS[part.source_offset:part.source_offset + part.size] for part in parts)
    assert whole == contents and {part.source for part in parts} == {0, None}
    assert len(plan.parts(smallest=1000, largest=200_000, count=2)) <= 2 < len(parts)
    with pytest.raises(movtool.MovtoolError) as limit:
        plan.parts(smallest=1000, largest=2000, count=2)
    assert limit.value.code == "limit"
    assert plan.tag.startswith('"')
    plan.write(tmp_path / "out.mov")
    assert (tmp_path / "out.mov").read_bytes() == contents
    with pytest.raises(movtool.MovtoolError) as exists:
        plan.write(tmp_path / "out.mov")
    assert exists.value.code == "exists"
    plan.write(tmp_path / "out.mov", overwrite=True)
    sent = io.BytesIO()
    plan.send(sent)
    assert sent.getvalue() == contents
    plan.close()
    with pytest.raises(ValueError, match="closed"):
        plan.read()


def test_numbers_are_checked() -> None:
    class Sized:
        def __init__(self, size: object) -> None:
            self.size = size

        def read_at(self, offset: int, count: int) -> bytes:
            return CONTENTS[offset:offset + count]

    wrong: List[object] = [-1, 1 << 63, 1 << 70, (1 << 64) + len(CONTENTS), "5", 1.5, True, None]
    for size in wrong:
        with pytest.raises((TypeError, ValueError), match="size is"):
            movtool.inspect(Sized(size))  # type: ignore[arg-type]
    with movtool.edit(CONTENTS) as edit:
        edit.apply("set", "--track", "audio:1", "--title", "X")
        plan = edit.plan()
    for number in wrong:
        calls: List[Callable[[Any], object]] = [
            plan.read, lambda value: plan.read(value, 2), lambda value: plan.parts(smallest=value),
            lambda value: plan.parts(largest=value), lambda value: plan.parts(count=value),
        ]
        for function in calls:
            with pytest.raises((TypeError, ValueError)):
                function(number)
        if number is not None:
            with pytest.raises((TypeError, ValueError)):
                plan.read(0, number)  # type: ignore[arg-type]
    assert plan.read(0, 0) == b"" and len(plan.read(0, (1 << 63) - 1)) == plan.size


def test_closed_edits_and_plans_are_errors(english: str) -> None:
    edit = movtool.edit(CONTENTS)
    edit.add_subtitles(english)
    plan = edit.plan()
    edit.close()
    calls: List[Callable[[], object]] = [
        edit.plan, lambda: edit.add_subtitles(english), lambda: edit.apply("set"), lambda: edit.write("out.mov"),
    ]
    for function in calls:
        with pytest.raises(ValueError, match="the edit is closed"):
            function()
    assert len(plan.read()) == plan.size
    plan.close()
    plan_calls: List[Callable[[], object]] = [
        lambda: plan.size, lambda: plan.tag, plan.parts, plan.read, lambda: plan.write("out.mov"),
        lambda: plan.send(io.BytesIO()),
    ]
    for function in plan_calls:
        with pytest.raises(ValueError, match="the plan is closed"):
            function()


def test_a_refused_command_leaves_the_edit_unchanged(english: str) -> None:
    with movtool.edit(Stored()) as edit:
        edit.add_subtitles(english)
        size = edit.plan().size
        with pytest.raises(movtool.UsageError):
            edit.apply("remove", "--track", "subtitle:fr")
        with pytest.raises(movtool.UsageError, match="not a command that edits"):
            edit.apply("inspect")
        with pytest.raises(movtool.UsageError):
            edit.apply("set", "--track", "audio:1", "--title", "X", "-o", "out.mov")
        assert edit.plan().size == size
        edit.apply("remove", "--track", "subtitle:en")
        assert len(movtool.inspect(edit.plan().read()).tracks) == 3


def test_a_failing_object_stops_a_plan(english: str) -> None:
    item = Stored()
    with movtool.edit(item) as edit:
        edit.add_subtitles(english)
        plan = edit.plan()
        item.failure = OSError("gone")
        with pytest.raises(OSError, match="gone"):
            plan.read()
        item.failure = None
        assert len(plan.read()) == plan.size


def test_objects_are_released() -> None:
    from movtool import _sources

    gc.collect()
    before = len(_sources._objects)
    item = Stored()
    for _ in range(20):
        movtool.inspect(item)
    with movtool.edit(item) as edit:
        edit.apply("set", "--track", "audio:1", "--title", "X")
        edit.plan().close()
    del edit
    gc.collect()
    assert len(_sources._objects) == before
