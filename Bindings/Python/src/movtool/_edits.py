"""Edits of several commands, and plans of edited movies."""

from __future__ import annotations

import ctypes
import os
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from . import _sources
from ._calls import Output, Word, Writable, call, command_words, receiver, words_array
from ._errors import MovtoolWarning, StrictError
from ._library import CResult, Handle, Result, finish, library, whole
from ._movie import Edit
from ._sources import Inputs, Readable, Source, each, operand, path_text, sources_of

MEBIBYTE = 1 << 20


def edit_of(result: Result, strict: bool = False, level: int = 3) -> Edit:
    """Returns the report of an edit. Its warnings become Python warnings, or an error if they stopped the command.

    `level` is the number of calls from here to the caller's line.
    """
    edit = Edit(result.answer)
    found: List[Dict[str, Any]] = edit.get("warnings") or []
    if result.exit_code == 1 and strict:
        message = found[0]["message"] if found else "warnings"
        members = dict.fromkeys(["path", "offset", "hint"])
        raise StrictError(
            message,
            {**members, "code": found[0]["code"] if found else "warnings", "exitCode": 1, "isTransient": False,
             "file": found[0]["file"] if found else None, "line": found[0]["line"] if found else None},
            0, result.answer)
    for warning in found:
        warnings.warn(MovtoolWarning(warning["message"], warning["code"]), stacklevel=level)
    return edit


class Part(NamedTuple):
    """A part of a multipart upload."""

    #: The offset in the planned movie.
    offset: int
    #: The size in bytes.
    size: int
    #: The index of the source from which the store can copy the part, or `None` if the part must be sent.
    source: Optional[int]
    #: The offset in the source, or `None`.
    source_offset: Optional[int]


class Plan(Handle):
    """A planned movie, which can be read in ranges, uploaded in parts, sent or written. Close it after use."""

    _kind = "plan"

    def __init__(self, handle: ctypes.c_void_p, sources: List[Source]) -> None:
        super().__init__(handle)
        self._sources = sources

    @property
    def size(self) -> int:
        """The size of the planned movie in bytes."""
        return int(library.movtool_plan_size(self.handle))

    @property
    def tag(self) -> str:
        """A tag that identifies the contents of the planned movie, with quotation marks, for an ETag."""
        return str(self._parts(self.size or 1, 2 * (self.size or 1), 1)["tag"])

    def parts(
        self, smallest: int = 5 * MEBIBYTE, largest: int = 5120 * MEBIBYTE, count: int = 10_000,
    ) -> List[Part]:
        """Divides the movie into parts for an object store that contains the old movie. The default limits are S3's."""
        return [
            Part(part["offset"], part["byteCount"], part["source"], part["sourceOffset"])
            for part in self._parts(smallest, largest, count)["parts"]
        ]

    def _parts(self, smallest: int, largest: int, count: int) -> Any:
        result = ctypes.POINTER(CResult)()
        library.movtool_plan_parts(
            self.handle, whole(smallest, "smallest", 1), whole(largest, "largest", 1), whole(count, "count", 1),
            ctypes.byref(result))
        return finish(result).answer

    def read(self, offset: int = 0, count: Optional[int] = None) -> bytes:
        """Returns bytes of the planned movie: `count`, or all from `offset`."""
        offset, count = whole(offset, "offset"), self.size if count is None else whole(count, "count")
        wanted = max(0, min(self.size - offset, count))
        buffer, read_count = ctypes.create_string_buffer(wanted), ctypes.c_size_t()
        call(
            lambda _, result: int(library.movtool_plan_read(
                self.handle, offset, buffer, wanted, ctypes.byref(read_count), result)),
            watched=self._sources)
        return buffer.raw[:read_count.value]

    def write(self, path: "str | os.PathLike[str]", overwrite: bool = False) -> None:
        """Writes the movie to a new file. The file appears when it is complete."""
        name = path_text(path).encode()
        call(
            lambda host, result: int(library.movtool_plan_write(self.handle, name, overwrite, host, result)),
            watched=self._sources)

    def send(self, output: "Writable | Callable[[bytes], object]") -> None:
        """Passes the movie to a binary file object or a function, in order."""
        receive = receiver(output, self._sources)
        if receive is None:
            raise TypeError("the output is not a binary file object or a function; use write() for a path")
        call(
            lambda host, result: int(library.movtool_plan_send(self.handle, host, result)),
            watched=self._sources, receive=receive)


class OpenEdit(Handle):
    """An edit of one movie that several commands prepare. Nothing is written until a plan is written."""

    _kind = "edit"

    def __init__(self, movie: Readable) -> None:
        source = _sources.open(movie)
        self._name = operand(source.name)
        self._sources = [source]
        self._plan: Optional[Plan] = None
        # Options of the layout, which every command gets.
        self._layout: List[str] = []
        super().__init__(ctypes.c_void_p())
        result = ctypes.POINTER(CResult)()
        library.movtool_edit_create(
            self._name.encode(), source.handle, ctypes.byref(self._handle), ctypes.byref(result))
        finish(result)

    def apply(self, command: str, *words: Word, strict: bool = False) -> Edit:
        """Adds the changes of a command that edits, such as `apply("set", "--track", "audio:1", "--language", "en")`.

        `words` are the words after the movie. Returns the report of `--dry-run`.
        """
        return self._apply([command, self._name, *words], strict)

    def add_subtitles(self, *files: Inputs, strict: bool = False, **values: object) -> Edit:
        """Adds subtitle files, like the function `movtool.add_subtitles`."""
        return self._apply(command_words("add-subtitle", [self._name, *each(files)], values), strict)

    def _apply(self, words: List[Word], strict: bool, level: int = 4) -> Edit:
        texts, sources, _ = sources_of(list(words))
        texts[1:1] = [*self._layout, *(["--strict"] if strict else [])]
        self._sources += [source for _, source in sources if source not in self._sources]
        own, array, handle = self.handle, words_array(texts), ctypes.c_void_p()
        result = call(
            lambda host, result: int(library.movtool_edit_apply(
                own, array, len(texts), host, ctypes.byref(handle), result)),
            sources, self._sources)
        edit = edit_of(result, strict, level)
        self._plan = Plan(handle, self._sources)
        return edit

    def plan(self) -> Plan:
        """Returns the plan of the movie with all changes. Options of the last command determine the layout."""
        self.handle  # Raises an error if the edit is closed.
        if self._plan is None:
            raise ValueError("there are no changes to plan")
        return self._plan

    def write(self, output: Output, overwrite: bool = False) -> None:
        """Writes the edited movie to a new file, a binary file object or a function."""
        if isinstance(output, (str, os.PathLike)):
            self.plan().write(output, overwrite)
        else:
            self.plan().send(output)
