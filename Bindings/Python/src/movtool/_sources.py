"""Inputs of commands: files, bytes, file objects, and objects that are read in ranges."""

from __future__ import annotations

import ctypes
import io
import itertools
import os
import threading
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Dict, List, Optional, Protocol, Sequence, Tuple, Union

from ._library import READ_AT, RELEASE, CReader, CResult, Handle, finish, library, whole

if TYPE_CHECKING:
    from typing_extensions import Buffer


class ReadAt(Protocol):
    """An object that is read in ranges, such as an object in a store.

    An attribute `tag` identifies the version of the object, such as its ETag. An attribute `name` is its file name.
    """

    @property
    def size(self) -> int:
        """The size in bytes."""

    def read_at(self, offset: int, count: int) -> bytes:
        """Returns at most `count` bytes from `offset`. Raise `ObjectChanged` if the object has changed."""


class ObjectChanged(Exception):
    """Raised by `read_at` if the object has changed since it was opened."""


#: Everything that can be the input of a command.
Readable = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "Buffer", BinaryIO, ReadAt, "Source"]
#: One input, or a list of inputs.
Inputs = Union[Readable, Sequence[Readable]]

_FAILED, _CHANGED = -1, -2


class _Object:
    """An object that the library reads, possibly on several threads at once."""

    def __init__(self, read_at: Callable[[int, int], bytes]) -> None:
        self.read_at = read_at
        self.failure: Optional[BaseException] = None


_objects: Dict[int, _Object] = {}
_numbers = itertools.count(1)


def _read(context: int, offset: int, buffer: int, count: int) -> int:
    item = _objects[context]
    if isinstance(item.failure, KeyboardInterrupt):
        return _FAILED
    try:
        block = bytes(item.read_at(offset, count))
        if len(block) <= count:
            ctypes.memmove(buffer, block, len(block))
        return len(block)
    except BaseException as error:  # The caller of the library raises it.
        item.failure = error
        return _CHANGED if isinstance(error, ObjectChanged) else _FAILED


def _forget(context: int) -> None:
    _objects.pop(context, None)


# The callbacks of all objects. They live as long as the library.
_read_at, _release = READ_AT(_read), RELEASE(_forget)


class Source(Handle):
    """An input that is open. Close it, or use it in a `with` statement.

    Commands and plans that use the source keep what they need, so it can be closed while a plan exists.
    """

    _kind = "source"

    def __init__(self, handle: ctypes.c_void_p, name: str, item: Readable, record: Optional[_Object] = None) -> None:
        super().__init__(handle)
        self._object = record
        #: The path, the bytes or the object that is read.
        self.item = item
        #: The name of the input in answers and errors.
        self.name = name

    def interrupt(self) -> None:
        """Lets all further reads of the running command fail."""
        if self._object is not None:
            self._object.failure = KeyboardInterrupt()

    def take_failure(self) -> Optional[BaseException]:
        """Returns the exception that a read has raised, and forgets it."""
        if self._object is None:
            return None
        failure, self._object.failure = self._object.failure, None
        return failure


def open(item: Readable, name: Optional[str] = None) -> Source:  # noqa: A001
    """Opens an input: a path, bytes or another buffer, a binary file object, or an object with `size` and `read_at`.

    `name` is the name in answers, and the file name that determines the language and role of subtitles. By default, it
    is the path, or the `name` of the object.
    """
    if isinstance(item, Source):
        return item
    handle, result = ctypes.c_void_p(), ctypes.POINTER(CResult)()
    if isinstance(item, (str, os.PathLike)):
        path = path_text(item)
        library.movtool_source_open(path.encode(), ctypes.byref(handle), ctypes.byref(result))
        finish(result)
        return Source(handle, name or path, item)
    if _is_buffer(item):
        block = bytes(item)  # type: ignore[arg-type]
        library.movtool_source_from_bytes(block, len(block), ctypes.byref(handle), ctypes.byref(result))
        finish(result)
        return Source(handle, name or f"bytes-{next(_numbers)}", item)
    reader, size = _reader(item)
    own = getattr(item, "name", None)
    number = next(_numbers)
    if not name and isinstance(own, str):
        # Bytes that are not UTF-8 become question marks.
        name = os.path.basename(own).encode("utf-8", "replace").decode()
    name = name or f"object-{number}"
    _objects[number] = record = _Object(reader)
    callbacks = CReader(ctypes.sizeof(CReader), number, _read_at, _release)
    tag = str(getattr(item, "tag", "") or "").encode()
    library.movtool_source_create(ctypes.byref(callbacks), size, tag, ctypes.byref(handle), ctypes.byref(result))
    finish(result)
    return Source(handle, name, item, record)


def _is_buffer(item: object) -> bool:
    """Whether an object is a block of memory, such as bytes or an array. An `mmap` is read as a file."""
    try:
        memoryview(item)  # type: ignore[arg-type]
        return not hasattr(item, "read") and not hasattr(item, "read_at")
    except TypeError:
        return False


def is_number(item: object) -> bool:
    """Whether an object is a number. Numbers of NumPy are buffers too, but have no length."""
    return (hasattr(item, "__index__") or hasattr(item, "__float__")) and not hasattr(item, "__len__")


def path_text(item: "str | os.PathLike[str]") -> str:
    """Returns the text of a path. Paths of bytes are refused."""
    text: object = os.fspath(item)
    if not isinstance(text, str):
        raise TypeError("a path must be text and not bytes")
    return text


def _reader(item: Any) -> "tuple[Callable[[int, int], bytes], int]":
    """Returns the function that reads a range of an object, and the size of the object."""
    if hasattr(item, "read_at"):
        return item.read_at, whole(item.size, "size")
    if not (hasattr(item, "read") and hasattr(item, "seek")):
        raise TypeError(f"{type(item).__name__} is not a path, bytes, a binary file object or an object with read_at")
    if isinstance(item, io.TextIOBase):
        raise TypeError("the file is open as text; open it with mode 'rb'")
    lock = threading.Lock()

    def read_at(offset: int, count: int) -> bytes:
        with lock:
            position = item.tell()
            try:
                item.seek(offset)
                block: bytes = item.read(count)
                return block
            finally:
                item.seek(position)

    position = item.tell()
    item.seek(0, io.SEEK_END)
    size = item.tell()
    item.seek(position)
    return read_at, int(size)


def sources_of(words: List[object]) -> "tuple[List[str], List[Tuple[str, Source]], List[Source]]":
    """Returns the words with names in place of inputs, the inputs by name, and the inputs that this function opened."""
    texts: List[str] = []
    used: List[Tuple[str, Source]] = []
    new: List[Source] = []
    for word in words:
        if isinstance(word, (str, os.PathLike)):
            texts.append(path_text(word))
            continue
        if is_number(word):
            texts.append(str(word))
            continue
        source = open(word)  # type: ignore[arg-type]
        if source is not word:
            new.append(source)
        name = source.name if "--" in texts else operand(source.name)
        if (name, source) not in used:
            used.append((name, source))
        texts.append(name)
    return texts, used, new


def each(items: Sequence[Inputs]) -> List[Readable]:
    """Returns all inputs, with those of lists."""
    result: List[Any] = []
    for item in items:
        result += item if isinstance(item, (list, tuple)) else [item]
    return result


def operand(name: str) -> str:
    """Returns the name as a word that is no option."""
    return "./" + name if name.startswith("-") else name

