"""Calls of the library with callbacks: output, messages and stops."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import io
import itertools
import os
import signal
import stat
import threading
from types import FrameType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, Union

from ._library import (
    IS_STOPPED, RECEIVE_MESSAGE, RECEIVE_OUTPUT, CHost, CInput, CResult, Result, finish, library,
)
from ._sources import Readable, Source, is_number, path_text, sources_of


class Writable(Protocol):
    """A binary file object, such as `io.BytesIO` or a file that is open with mode `wb`."""

    def write(self, block: bytes, /) -> Optional[int]:
        """Writes a block, and returns the number of bytes that were written, or `None` for the whole block."""


#: The destination of a new movie: a path, a binary file object, or a function that receives its blocks.
Output = Union[str, "os.PathLike[str]", Writable, Callable[[bytes], object]]
#: A word of a command line: text, or an input.
Word = Union[Readable, int, float]


class _Host:
    """The callbacks and sources of one call."""

    def __init__(
        self, receive: Optional[Callable[[bytes], object]], show: Optional[Callable[[str], object]],
        sources: Sequence[Source],
    ) -> None:
        self.receive, self.show, self.sources = receive, show, sources
        self.failure: Optional[BaseException] = None
        self.is_interrupted = False


_hosts: Dict[int, _Host] = {}
_numbers = itertools.count(1)


def _receive(context: int, start: int, count: int) -> int:
    host = _hosts[context]
    try:
        if host.receive is not None:
            host.receive(ctypes.string_at(start, count))
        return 0
    except BaseException as error:  # The caller of the library raises it.
        host.failure = error
        return 1


def _show(context: int, start: int, count: int) -> None:
    host = _hosts[context]
    try:
        if host.show is not None and host.failure is None:
            host.show(ctypes.string_at(start, count).decode().rstrip("\n"))
    except BaseException as error:
        host.failure = error


def _stopped(context: int) -> int:
    host = _hosts[context]
    return 1 if host.failure is not None or host.is_interrupted else 0


# The callbacks of all calls. They live as long as the library.
_receive_output, _receive_message, _is_stopped = RECEIVE_OUTPUT(_receive), RECEIVE_MESSAGE(_show), IS_STOPPED(_stopped)


@contextlib.contextmanager
def _interruptible(host: _Host) -> Iterator[None]:
    """Makes Ctrl-C stop the call. Python calls signal handlers only in the main thread, between callbacks."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def interrupt(_number: int, _frame: Optional[FrameType]) -> None:
        host.is_interrupted = True
        for source in host.sources:
            source.interrupt()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def call(
    function: Callable[[Any, Any], int], inputs: Sequence[Tuple[str, Source]] = (), watched: Sequence[Source] = (),
    receive: Optional[Callable[[bytes], object]] = None, show: Optional[Callable[[str], object]] = None,
) -> Result:
    """Calls a function of the library with a host and a result.

    `inputs` are sources and their names in the command line. `watched` are sources that the function reads besides.

    Raises the first exception of a callback or of a source, KeyboardInterrupt, or the error of the result.
    """
    sources = [*(source for _, source in inputs), *watched]
    host = _Host(receive, show, sources)
    number = next(_numbers)
    named = (CInput * len(inputs))(*[CInput(name.encode(), source.handle) for name, source in inputs])
    structure = CHost(
        ctypes.sizeof(CHost), number, named, len(inputs),
        _receive_output if receive is not None else RECEIVE_OUTPUT(),
        _receive_message if show is not None else RECEIVE_MESSAGE(), _is_stopped)
    result = ctypes.POINTER(CResult)()
    _hosts[number] = host
    try:
        with _interruptible(host):
            function(ctypes.byref(structure), ctypes.byref(result))
    finally:
        del _hosts[number]
    failures = [host.failure] + [source.take_failure() for source in sources]
    try:
        answer = finish(result)
    except Exception as error:
        _raise(failures, host, error)
        raise
    _raise(failures, host, None)
    return answer


def _raise(failures: List[Optional[BaseException]], host: _Host, error: Optional[Exception]) -> None:
    for failure in failures:
        if failure is not None:
            raise failure from error
    if host.is_interrupted:
        raise KeyboardInterrupt


def words_array(words: Sequence[str]) -> Any:
    """Returns the words of a command line for the library. A word must not contain a null character."""
    if any("\0" in word for word in words):
        raise ValueError("a word of the command line contains a null character")
    return (ctypes.c_char_p * len(words))(*[word.encode() for word in words])


def receiver(output: Optional[Output], inputs: Sequence[object]) -> Optional[Callable[[bytes], object]]:
    """Returns the function that receives the blocks of an output, or `None` for a path or no output.

    The inputs are read while the output is written, so an output that is also an input is refused.
    """
    if output is None or isinstance(output, (str, os.PathLike)):
        return None
    owner = getattr(output, "__self__", None)
    if isinstance(owner, io.IOBase) and output == getattr(owner, "write", None):
        output = owner
    file = _file_of(output)
    for item in inputs:
        item = item.item if isinstance(item, Source) else item
        if item is output or file is not None and _file_of(item) == file:
            raise ValueError("the output is also an input")
    if hasattr(output, "write"):
        return functools.partial(_write, output)
    if callable(output):
        return output
    raise TypeError(f"{type(output).__name__} is not a path, a binary file object or a function")


def _file_of(item: object) -> Optional[Tuple[int, int]]:
    """Returns the device and the inode of a regular file, or `None` for other objects."""
    try:
        if isinstance(item, (str, os.PathLike)):
            status = os.stat(item)
        elif hasattr(item, "fileno"):
            status = os.fstat(item.fileno())
        else:
            return None
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _write(output: Writable, block: bytes) -> None:
    """Writes a whole block. A raw file object may write fewer bytes at a time."""
    while block:
        count = output.write(block)
        if count is None and not isinstance(output, io.RawIOBase):
            return
        if count is None:
            raise BlockingIOError(errno.EAGAIN, "the output does not accept more bytes at the moment", 0)
        if isinstance(count, bool) or not isinstance(count, int):
            raise TypeError(f"write() of the output returned {type(count).__name__} instead of a number of bytes")
        if not 0 < count <= len(block):
            raise OSError(errno.EIO, f"write() of the output returned {count} for a block of {len(block)} bytes")
        block = block[count:]


def run(
    *words: Word, output: Optional[Output] = None, on_message: Optional[Callable[[str], object]] = None,
) -> Result:
    """Runs a command line, such as `run("remux", "film.mov", "--fast-start", output="out.mov")`.

    A word can be an input: bytes, a binary file object, an object with `size` and `read_at`, or a `Source`. `output` is
    the value of `-o`; a file object or a function receives the bytes of the new movie. `on_message` receives each
    message as soon as it is written, such as the lines of `--progress json`.

    Raises `MovtoolError`, and the exceptions of callbacks and inputs.
    """
    texts, sources, new = sources_of(list(words))
    if isinstance(output, (str, os.PathLike)):
        texts[1:1] = [f"-o={path_text(output)}"]
    elif output is not None:
        texts[1:1] = ["-o=-"]
    array = words_array(texts)
    try:
        return call(
            lambda host, result: int(library.movtool_run(array, len(texts), host, result)),
            sources, receive=receiver(output, words), show=on_message)
    finally:
        for source in new:
            source.close()


def options(values: Mapping[str, object]) -> List[Word]:
    """Returns the words of options: `fast_start=True` is `--fast-start`, `track=["a", "b"]` repeats `--track`."""
    result: List[Word] = []
    for name, value in values.items():
        word = "--" + name.strip("_").replace("_", "-")
        items: List[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
        for item in items:
            if item is True:
                result.append(word)
            elif item is None or item is False:
                continue
            elif isinstance(item, (str, os.PathLike)) or is_number(item):
                # The value can begin with a hyphen.
                result.append(f"{word}={item if is_number(item) else path_text(item)}")
            else:
                result += [word, item]
    return result


def command_words(
    name: str, operands: Sequence[Readable], values: Mapping[str, object], *words: Word,
) -> List[Word]:
    """Returns the words of a command for one movie. The options precede the operands, which can begin with a hyphen."""
    for operand in operands:
        if is_number(operand):
            raise TypeError(f"{type(operand).__name__} is not a path, bytes or a binary file object")
        if isinstance(operand, (str, os.PathLike)) and os.path.isdir(operand):
            raise IsADirectoryError(
                errno.EISDIR, "this function needs one movie; use movtool.run for a folder", path_text(operand))
    for option in ("help", "pair"):
        if values.get(option):
            raise ValueError(f"{option} changes the kind of the answer; use movtool.run")
    return [name, *words, *options(values), "--", *operands]


def run_command(
    name: str, operands: Sequence[Readable], values: Mapping[str, object], *words: Word,
    output: Optional[Output] = None,
) -> Result:
    """Runs a command for one movie, whose answer is an object."""
    result = run(*command_words(name, operands, values, *words), output=output)
    if not isinstance(result.answer, dict):
        raise ValueError("the options change the kind of the answer; use movtool.run")
    return result
