"""Commands: the good cases, errors, warnings and outputs."""

import concurrent.futures
import copy
import ctypes
import errno
import io
import json
import multiprocessing
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading
from typing import Any, Callable, List, Tuple

import pytest
from conftest import MEDIA
from hypothesis import given, settings
from hypothesis import strategies as st

import movtool


def test_inspects_a_movie_as_the_tool_does(movie: str, tool: str) -> None:
    found = movtool.inspect(movie)
    told = json.loads(subprocess.run([tool, "inspect", movie, "--json"], capture_output=True, check=True).stdout)
    assert found.to_dict() == told["files"][0]
    assert json.loads(found.to_json()) == found.to_dict()
    assert [track.kind for track in found.tracks] == ["video", "audio", "timecode"]
    assert (found.tracks[1].language, found.tracks[1].format, found.tracks[0].is_sdh) == ("en", "mp4a", False)
    assert found.movie_atom_place == "last" and found.editing.is_in_place
    assert found.next_track_id == found["nextTrackID"] == 4
    with pytest.raises(AttributeError, match="Movie has no colour; it has .*byte_count.*next_track_id"):
        found.colour
    assert {"tracks", "byte_count", "next_track_id", "to_json"} < set(dir(found))
    for name in dir(found):
        getattr(found, name)


def test_adds_subtitles_in_place(movie: str, english: str) -> None:
    edit = movtool.add_subtitles(movie, english, sdh=True, title="Subs")
    assert edit.is_written and edit.strategy == "in-place" and edit.bytes_written > 0
    assert edit.tracks[0].is_sdh
    for name in movtool.AddedTrack.__annotations__:
        getattr(edit.tracks[0], name)
    track = movtool.inspect(movie).tracks[-1]
    assert (track.kind, track.language, track.role, track.title) == ("subtitle", "en", "SDH", "Subs")
    again = movtool.add_subtitles(movie, english, sdh=True, if_absent=True)
    assert not again.is_written
    assert len(movtool.inspect(movie).tracks) == 4


def test_options_of_subtitles_apply_to_every_file(movie: str, tmp_path: pathlib.Path) -> None:
    first = shutil.copy(MEDIA / "en.srt", tmp_path / "a.en.srt")
    second = shutil.copy(MEDIA / "es.srt", tmp_path / "b.es.srt")
    edit = movtool.add_subtitles(movie, first, second, sdh=True, output=tmp_path / "out.mov", fast_start=True)
    assert [(track.language, track.is_sdh) for track in edit.tracks] == [("en", True), ("es", True)]
    assert movtool.inspect(tmp_path / "out.mov").movie_atom_place == "first"
    assert len(movtool.inspect(movie).tracks) == 3


def test_reads_cues(movie: str, english: str) -> None:
    movtool.add_subtitles(movie, english)
    cues = movtool.cues(movie, track="subtitle:en")
    assert len(cues) == 9 and cues[0].start < cues[0].end <= cues[1].start
    assert cues[1:3] == movtool.cues(movie)[1:3] and cues[0].text
    with pytest.raises(movtool.UsageError) as caught:
        movtool.cues(movie, track="subtitle:fr")
    assert caught.value.code == "no-match"


def test_changes_metadata(movie: str) -> None:
    items = movtool.metadata(movie)
    assert len(items) == 0 and items.save() is None
    items["title"] = "Home = 7\nsecond line"
    items["mdta/com.example.id"] = "7"
    edit = items.save()
    assert edit is not None and edit.is_written and items.save() is None
    items = movtool.metadata(movie)
    assert items["title"] == "Home = 7\nsecond line" and items["mdta/com.example.id"] == "7"
    for wrong in (b"x", ["a", "b"], True, 7, None):
        with pytest.raises(TypeError, match="the text of title"):
            items["title"] = wrong  # type: ignore[assignment]
    assert items.save() is None
    del items["title"]
    items.save()
    assert "title" not in movtool.metadata(movie) and "mdta/com.example.id" in movtool.metadata(movie)


def test_changes_chapters(movie: str) -> None:
    new = [movtool.Chapter(0, "One"), movtool.Chapter(2500, "Two")]
    movtool.set_chapters(movie, new)
    assert [(item.start, item.title) for item in movtool.chapters(movie)] == [(0, "One"), (2500, "Two")]
    movtool.set_chapters(movie, movtool.chapters(movie))
    movtool.set_chapters(movie, [(0, " One "), (2500, "Two")])
    assert [(item.start, item.title) for item in movtool.chapters(movie)] == [(0, "One"), (2500, "Two")]
    before = pathlib.Path(movie).read_bytes()
    wrong: List[Tuple[Any, Any]] = [(2500.0, "x"), (-5, "x"), (True, "x"), (0, "a\nb"), (0, b"a"), (0, None)]
    for chapter in wrong:
        with pytest.raises((TypeError, ValueError), match="chapter 1"):
            movtool.set_chapters(movie, [chapter])
    assert pathlib.Path(movie).read_bytes() == before
    movtool.set_chapters(movie, [])
    assert movtool.chapters(movie) == []


def test_selects_validates_and_compares(movie: str, tmp_path: pathlib.Path) -> None:
    assert movtool.select(MEDIA / "spanish.mov", language="es").legible.track == 4
    assert movtool.validate(movie).is_right
    assert movtool.diff(movie, movie) == []
    assert movtool.diff(movie, MEDIA / "spanish.mov")[0].kind == "changed"
    movtool.hls(movie, tmp_path / "hls")
    assert (tmp_path / "hls" / "main.m3u8").exists()


def test_runs_any_command(movie: str, tmp_path: pathlib.Path) -> None:
    result = movtool.run("remux", movie, "--fast-start", output=tmp_path / "out.mov")
    assert result.exit_code == 0 and result.answer["isWritten"]
    assert movtool.run("completions", "bash").answer.startswith("# bash completion")
    assert movtool.run("diff", movie, MEDIA / "spanish.mov").exit_code == 1
    assert movtool.run("--version").answer["version"] == movtool.library_version() == movtool.__version__


def test_output_goes_to_a_file_object_or_a_function(movie: str, english: str) -> None:
    buffer = io.BytesIO()
    blocks: List[bytes] = []
    movtool.add_subtitles(movie, english, output=buffer)
    movtool.add_subtitles(movie, english, output=blocks.append)
    assert b"".join(blocks) == buffer.getvalue()
    assert movtool.inspect(buffer.getvalue()).tracks[-1].language == "en"


def test_functions_for_one_movie_refuse_folders_before_they_change_a_movie(movie: str, english: str) -> None:
    folder = pathlib.Path(movie).parent
    before = pathlib.Path(movie).read_bytes()
    calls: List[Callable[[], object]] = [
        lambda: movtool.inspect(folder), lambda: movtool.validate(str(folder)), lambda: movtool.metadata(folder),
        lambda: movtool.chapters(folder), lambda: movtool.set_chapters(folder, [movtool.Chapter(0, "One")]),
        lambda: movtool.add_subtitles(folder), lambda: movtool.add_subtitles(folder, pair=True),
        lambda: movtool.add_captions(folder), lambda: movtool.cues(folder), lambda: movtool.select(folder),
        lambda: movtool.hls(folder, folder / "hls"), lambda: movtool.diff(movie, folder),
    ]
    for function in calls:
        with pytest.raises(IsADirectoryError):
            function()
    with pytest.raises(ValueError, match="use movtool.run"):
        movtool.add_subtitles(movie, pair=True)
    with pytest.raises(ValueError, match="use movtool.run"):
        movtool.inspect(movie, help=True)
    with pytest.raises(ValueError, match="use movtool.run"):
        movtool.inspect(movie, atom="moov")
    for wrong in (3, 1.5, True, None):
        with pytest.raises(TypeError):
            movtool.inspect(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no format"):
        movtool.cues(movie, format="srt")
    assert pathlib.Path(movie).read_bytes() == before and sorted(os.listdir(folder)) == ["film.en.srt", "film.mov"]


def test_names_that_begin_with_hyphens_are_no_options(
    movie: str, english: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(movie, "-dash.mov")
    shutil.copy(movie, "--help")
    shutil.copy(english, "--strict.en.srt")
    assert movtool.inspect("-dash.mov").file == "-dash.mov" and movtool.inspect("--help").file == "--help"
    edit = movtool.add_subtitles("-dash.mov", "--strict.en.srt", title="--default", output="--dry-run.mov")
    assert (edit.file, edit.output, edit.tracks[0].file) == ("-dash.mov", "--dry-run.mov", "--strict.en.srt")
    track = movtool.inspect("--dry-run.mov").tracks[-1]
    assert (track.title, track.is_sdh) == ("--default", False)
    items = movtool.metadata("-dash.mov")
    items["title"] = "--remove"
    items.save()
    assert movtool.metadata("-dash.mov")["title"] == "--remove"
    contents = pathlib.Path(movie).read_bytes()
    with movtool.open(contents, name="-x.mov") as source, movtool.open(b"00:00 One", name="--set") as chapters:
        assert movtool.inspect(source).file == "-x.mov"
        assert movtool.run("inspect", source).answer["files"][0]["file"] == "./-x.mov"
        output = io.BytesIO()
        movtool.run("chapters", "--set", chapters, source, output=output)
        assert len(movtool.chapters(output.getvalue())) == 1
        with movtool.edit(source) as begun:
            begun.apply("set", "--track", "audio:1", "--title", "-t")
            begun.add_subtitles("--strict.en.srt", strict=True)
            assert [track.title for track in movtool.inspect(begun.plan().read()).tracks] == [None, "-t", None, None]


class Raw(io.RawIOBase):
    """An output that writes at most `most` bytes at a time, and returns `answer` if it is set."""

    def __init__(self, most: int, answer: object = 0) -> None:
        self.most, self.answer, self.contents = most, answer, bytearray()

    def writable(self) -> bool:
        return True

    def write(self, block: object) -> int:
        assert isinstance(block, bytes)
        self.contents += block[:self.most]
        return min(self.most, len(block)) if self.answer == 0 else self.answer  # type: ignore[return-value]


def test_short_writes_are_continued_or_refused(movie: str, english: str, tmp_path: pathlib.Path) -> None:
    expected = io.BytesIO()
    movtool.add_subtitles(movie, english, output=expected)
    short = Raw(1000)
    movtool.add_subtitles(movie, english, output=short)
    assert short.contents == expected.getvalue()
    with movtool.edit(movie) as edit:
        edit.add_subtitles(english)
        short.contents.clear()
        edit.write(short)
        assert short.contents == edit.plan().read()
        with pytest.raises(BlockingIOError):
            edit.plan().send(Raw(10, None))
    for output, error in ((Raw(0), OSError), (Raw(10, -1), OSError), (Raw(10, 1 << 30), OSError), (Raw(10, "10"), TypeError)):
        with pytest.raises(error):
            movtool.add_subtitles(movie, english, output=output)
    # A pipe that nobody reads, and a file that reaches a limit.
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with open(reading, "rb"), open(writing, "wb", buffering=0) as pipe:
        with pytest.raises(BlockingIOError):
            movtool.add_subtitles(movie, english, output=pipe)
    code = """import movtool, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
with open(sys.argv[2], "wb", buffering=0) as file:
    movtool.run("remux", sys.argv[1], output=file)"""
    done = subprocess.run(
        [sys.executable, "-c", code, movie, str(tmp_path / "full.mov")], capture_output=True, text=True)
    assert done.returncode == 1 and "File too large" in done.stderr


def test_errors_have_classes_and_places(tmp_path: pathlib.Path, movie: str) -> None:
    with pytest.raises(movtool.NoInputError) as missing:
        movtool.inspect(tmp_path / "missing.mov")
    assert (missing.value.code, missing.value.exit_code, missing.value.number) == ("no-input", 66, 300)
    assert missing.value.file == str(tmp_path / "missing.mov") and not missing.value.is_transient
    with pytest.raises(movtool.UsageError, match="unknown option --colour"):
        movtool.run("inspect", movie, "--colour")
    cut = tmp_path / "cut.mov"
    cut.write_bytes(pathlib.Path(movie).read_bytes()[:-400])
    with pytest.raises(movtool.BadDataError) as truncated:
        movtool.inspect(cut)
    assert truncated.value.offset is not None and truncated.value.answer is not None
    with pytest.raises(movtool.UsageError, match="cannot be edited in place; set output"):
        movtool.add_subtitles(pathlib.Path(movie).read_bytes(), MEDIA / "en.srt")


def test_errors_and_warnings_can_be_copied_and_pickled(tmp_path: pathlib.Path, movie: str) -> None:
    errors: List[BaseException] = [movtool.MovtoolWarning("late", "dropped-past-end"), movtool.ObjectChanged("film.mov")]
    for words in (["inspect", str(tmp_path / "missing.mov")], ["inspect", __file__], ["inspekt"], ["remux", movie, "-o", movie]):
        with pytest.raises(movtool.MovtoolError) as caught:
            movtool.run(*words)
        errors.append(caught.value)
    for error in errors:
        for same in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
            assert type(same) is type(error) and str(same) == str(error) and vars(same) == vars(error)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(movtool.NoInputError, match="missing.mov"):
            pool.submit(movtool.inspect, str(tmp_path / "missing.mov")).result(60)


def test_some_errors_are_errors_of_the_system_too(tmp_path: pathlib.Path, movie: str) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        movtool.inspect(tmp_path / "missing.mov")
    assert isinstance(missing.value, movtool.NoInputError) and missing.value.errno == errno.ENOENT
    assert str(missing.value).startswith(f"{tmp_path / 'missing.mov'}: cannot open")
    with pytest.raises(FileExistsError) as exists:
        movtool.run("remux", MEDIA / "interview.mov", output=movie)
    assert isinstance(exists.value, movtool.ExistsError) and exists.value.errno == errno.EEXIST
    (tmp_path / "empty").mkdir()
    with pytest.raises(movtool.NoInputError) as empty:
        movtool.run("inspect", tmp_path / "empty")
    assert not isinstance(empty.value, OSError)


def test_warnings_are_python_warnings_or_stop_the_edit(movie: str, tmp_path: pathlib.Path) -> None:
    late = tmp_path / "late.en.srt"
    late.write_text("1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n09:00:00,000 --> 09:00:01,000\nLate\n")
    before = pathlib.Path(movie).read_bytes()
    with pytest.raises(movtool.StrictError) as refused:
        movtool.add_subtitles(movie, late, strict=True)
    assert refused.value.code == "dropped-past-end" and refused.value.exit_code == 1
    assert pathlib.Path(movie).read_bytes() == before
    with pytest.warns(movtool.MovtoolWarning) as warned:
        movtool.add_subtitles(movie, late)
    assert "dropped-past-end" in [warning.message.code for warning in warned]  # type: ignore[union-attr]
    assert warned[0].filename == __file__


def test_words_with_null_characters_or_other_types_are_refused(movie: str) -> None:
    with pytest.raises(ValueError, match="null character"):
        movtool.run("inspect", "a\0b")
    with pytest.raises(TypeError):
        movtool.run("inspect", object())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        movtool.run("remux", movie, output=7)  # type: ignore[arg-type]


def test_paths_of_bytes_are_refused(movie: str, english: str) -> None:
    class Path:
        def __init__(self, name: str) -> None:
            self.name = os.path.join(os.path.dirname(movie), name)

        def __fspath__(self) -> bytes:
            return self.name.encode()

    files = sorted(os.listdir(os.path.dirname(movie)))
    output, present, folder = Path("out.mov"), Path("film.mov"), Path("")
    with movtool.edit(movie) as edit:
        edit.add_subtitles(english)
        calls: List[Callable[[], object]] = [
            lambda: movtool.run("remux", movie, output=output),  # type: ignore[arg-type]
            lambda: movtool.run("inspect", present),  # type: ignore[arg-type]
            lambda: movtool.open(present),  # type: ignore[arg-type]
            lambda: movtool.inspect(folder),  # type: ignore[arg-type]
            lambda: movtool.add_subtitles(movie, english, import_metadata=present),
            lambda: edit.plan().write(output),  # type: ignore[arg-type]
        ]
        for function in calls:
            with pytest.raises(TypeError, match="text and not bytes"):
                function()
    assert sorted(os.listdir(os.path.dirname(movie))) == files


def test_numbers_that_are_buffers_are_words(movie: str, tmp_path: pathlib.Path) -> None:
    class Number(ctypes.c_int):
        def __index__(self) -> int:
            return self.value

        def __str__(self) -> str:
            return str(self.value)

    number = Number(1)
    assert memoryview(number).nbytes == ctypes.sizeof(number)
    expected = movtool.run("inspect", movie, "--atoms", "--depth", 1).answer
    assert movtool.run("inspect", movie, "--atoms", "--depth", number).answer == expected
    assert movtool.run("inspect", movie, "--atoms", "--depth", 2).answer != expected
    with pytest.raises(TypeError):
        movtool.inspect(number)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30), max_size=5))
def test_any_words_give_a_result_or_an_error(words: List[str]) -> None:
    if words and words[0] in ("serve", "batch"):
        return
    try:
        movtool.run(*words)
    except movtool.MovtoolError as error:
        assert error.code and str(error)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 100_000), st.integers(0, 1000))
def test_any_change_of_a_movie_gives_a_result_or_an_error(change: bytes, offset: int, cut: int) -> None:
    contents = bytearray((MEDIA / "interview.mov").read_bytes())
    start = len(contents) - min(len(contents), offset)
    contents[start:start + len(change)] = change
    for command in ("inspect", "validate"):
        try:
            movtool.run(command, bytes(contents[:len(contents) - cut]))
        except movtool.MovtoolError as error:
            assert error.exit_code in (65, 66, 74)


def test_calls_run_at_once_and_leave_other_threads_running(movie: str) -> None:
    results: List[int] = []

    def work() -> None:
        for _ in range(10):
            results.append(len(movtool.inspect(movie).tracks))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [3] * 40


def test_the_import_loads_nothing_until_the_first_use() -> None:
    code = """
import sys
import movtool
assert "ctypes" not in sys.modules and "movtool._library" not in sys.modules
assert "add_subtitles" in dir(movtool) and movtool.BadDataError.__name__ == "BadDataError"
from movtool import *
assert add_subtitles is movtool.add_subtitles
try:
    movtool.no_such_member
except AttributeError as error:
    assert str(error) == "module 'movtool' has no attribute 'no_such_member'"
else:
    raise AssertionError
try:
    movtool.library_version()
except OSError:
    print("missing")
"""
    environment = {**os.environ, "MOVTOOL_LIBRARY": "/no/such/library.so"}
    output = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert output.stdout == "missing\n"
