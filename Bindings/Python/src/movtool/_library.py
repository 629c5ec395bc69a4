"""The C library: its declarations, and calls with their results."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import TYPE_CHECKING, Any, List, NamedTuple

from ._errors import make_error

if TYPE_CHECKING:
    from typing_extensions import Self

READ_AT = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_size_t)
RECEIVE_OUTPUT = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)
RECEIVE_MESSAGE = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)
IS_STOPPED = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_size_t)

#: The version of `movtool.h` that these declarations describe.
ABI = 1


class CResult(ctypes.Structure):
    _fields_ = [
        ("exit_code", ctypes.c_int32), ("error", ctypes.c_int32), ("is_transient", ctypes.c_int32),
        ("answer", ctypes.c_void_p), ("answer_size", ctypes.c_size_t),
        ("messages", ctypes.c_void_p), ("messages_size", ctypes.c_size_t),
        ("error_message", ctypes.c_char_p), ("error_json", ctypes.c_char_p),
    ]


class CReader(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("context", ctypes.c_size_t), ("read_at", READ_AT), ("release", RELEASE),
    ]


class CInput(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("source", ctypes.c_void_p)]


class CHost(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("context", ctypes.c_size_t),
        ("inputs", ctypes.POINTER(CInput)), ("input_count", ctypes.c_size_t),
        ("receive_output", RECEIVE_OUTPUT), ("receive_message", RECEIVE_MESSAGE), ("is_stopped", IS_STOPPED),
    ]


def _load() -> ctypes.CDLL:
    """Loads the library that MOVTOOL_LIBRARY names, the library of this package, or the library of the system."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libmovtool.so")
    path = os.environ.get("MOVTOOL_LIBRARY") or (own if os.path.exists(own) else "libmovtool.so.1")
    library = ctypes.CDLL(path)
    handle, handles = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
    result = ctypes.POINTER(ctypes.POINTER(CResult))
    host, words = ctypes.POINTER(CHost), ctypes.POINTER(ctypes.c_char_p)
    text, size, number = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64
    for name, parameters in {
        "movtool_run": [words, size, host, result],
        "movtool_source_open": [text, handles, result],
        "movtool_source_from_bytes": [text, size, handles, result],
        "movtool_source_create": [ctypes.POINTER(CReader), number, text, handles, result],
        "movtool_edit_create": [text, handle, handles, result],
        "movtool_edit_apply": [handle, words, size, host, handles, result],
        "movtool_plan_parts": [handle, number, number, size, result],
        "movtool_plan_read": [handle, number, handle, size, ctypes.POINTER(size), result],
        "movtool_plan_write": [handle, text, ctypes.c_int32, host, result],
        "movtool_plan_send": [handle, host, result],
    }.items():
        function = getattr(library, name)
        function.argtypes, function.restype = parameters, ctypes.c_int32
    for name in ("source", "edit", "plan", "result"):
        function = getattr(library, f"movtool_{name}_free")
        function.argtypes, function.restype = [handle], None
    library.movtool_plan_size.argtypes, library.movtool_plan_size.restype = [handle], number
    library.movtool_abi.argtypes, library.movtool_abi.restype = [], ctypes.c_uint32
    library.movtool_version.argtypes, library.movtool_version.restype = [], text
    if library.movtool_abi() != ABI:
        raise ImportError(f"{path} has version {library.movtool_abi()} of movtool.h, but this package needs {ABI}")
    return library


class _Library:
    """The functions of the library. The first use loads the library, which takes longer than importing this package."""

    def __getattr__(self, name: str) -> Any:
        # Python calls this only for a function that has not been used yet. The garbage collector and signal handlers may
        # call the library while this thread holds the lock, so the lock is reentrant.
        if "_loaded" not in vars(self):
            with _lock:
                if "_loaded" not in vars(self):
                    self._loaded = _load()
        function = getattr(self._loaded, name)
        setattr(self, name, function)
        return function


_lock = threading.RLock()
library = _Library()


class Handle:
    """A handle of the library. It is freed by `close`, by the end of a `with` statement, or with this object."""

    #: The type of the handle in the names of the library's functions, such as `plan`.
    _kind = ""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle

    @property
    def handle(self) -> ctypes.c_void_p:
        """The handle. Raises an error if it has been freed."""
        if not self._handle:
            raise ValueError(f"the {self._kind} is closed")
        return self._handle

    def close(self) -> None:
        """Frees the handle. Other objects that use its contents remain valid, and file objects stay open."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        getattr(library, f"movtool_{self._kind}_free")(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()


def whole(value: Any, name: str, least: int = 0, most: int = (1 << 63) - 1) -> int:
    """Returns a whole number of the caller. ctypes would drop the upper bits of a number that is too large."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {type(value).__name__} and not int")
    number = int(value.__index__())
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; the limits are {least} and {most}")
    return number


class Result(NamedTuple):
    """The result of a command."""

    #: The exit code: 0, or 1 if a check found something, movies differ, or there is nothing to extract.
    exit_code: int
    #: The JSON of the command, a list if there are several values, a text for commands without JSON, or `None`.
    answer: Any
    #: The notes and warnings that the tool would write to standard error.
    messages: List[str]


def finish(pointer: Any) -> Result:
    """Copies and frees the result of a call. Raises its error, if it has one."""
    content = pointer.contents
    try:
        answer = parse(ctypes.string_at(content.answer, content.answer_size))
        messages = ctypes.string_at(content.messages, content.messages_size).decode().splitlines()
        if content.error_json is not None:
            raise make_error(content.error_message.decode(), parse_value(content.error_json), content.error, answer)
        return Result(content.exit_code, answer, messages)
    finally:
        library.movtool_result_free(pointer)


def parse(answer: bytes) -> Any:
    """Returns the values of an answer."""
    lines = answer.splitlines()
    if not all(line.startswith(b"{") for line in lines):
        return answer.decode()
    values = [parse_value(line) for line in lines]
    return values if len(values) > 1 else values[0] if values else None


def parse_value(text: bytes) -> Any:
    """Returns a JSON value, or `None` for an empty text."""
    import json  # This module takes longer to import than the rest of the package.

    return json.loads(text) if text else None
