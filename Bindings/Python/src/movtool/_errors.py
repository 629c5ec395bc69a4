"""Errors and warnings."""

from __future__ import annotations

from errno import EEXIST, ENOENT
from typing import Any, Dict, Optional, Tuple, Type


class MovtoolError(Exception):
    """An error of movtool, with the members of the error in `Docs/json.md`.

    The codes are stable and intended for programs. Messages are intended for people and may change.
    """

    def __init__(self, message: str, error: Dict[str, Any], number: int, answer: object = None) -> None:
        super().__init__(message)
        self._arguments = (message, error, number, answer)
        #: The kind of error, such as `malformed`, `truncated` or `no-input`.
        self.code: str = str(error["code"])
        #: The number of the code in `movtool.h`.
        self.number = number
        #: The exit code of the tool: 64, 65, 66, 70, 73, 74 or 130, or 1 for warnings with `strict`.
        self.exit_code: int = int(error["exitCode"])
        #: The file with the error, or `None` for an error of the arguments.
        self.file: Optional[str] = error["file"]
        #: The path of the atom with the error, such as `moov/trak[2]/mdia`, or `None`.
        self.path: Optional[str] = error["path"]
        #: The offset of the error in the file, or `None`.
        self.offset: Optional[int] = error["offset"]
        #: The line of a subtitle file, from 1, or `None`.
        self.line: Optional[int] = error["line"]
        #: Advice to the user, or `None`.
        self.hint: Optional[str] = error["hint"]
        #: Whether the same call may succeed later, because another program was using a file.
        self.is_transient: bool = bool(error["isTransient"])
        #: The complete answer of the command.
        self.answer = answer

    def __reduce__(self) -> Tuple[Any, ...]:
        # Without this method, errors could not be copied, or sent to other processes.
        return type(self), self._arguments, self.__dict__


class UsageError(MovtoolError):
    """The arguments are wrong, or the movie has no matching track."""


class BadDataError(MovtoolError):
    """A movie or a subtitle file cannot be used."""


class NoInputError(MovtoolError):
    """A file does not exist or cannot be read."""


class MissingFileError(NoInputError, FileNotFoundError):
    """A file does not exist."""

    errno = ENOENT


class ExistsError(MovtoolError, FileExistsError):
    """The output exists, and was not replaced."""

    errno = EEXIST


class ChangedError(MovtoolError):
    """Another program has locked or changed the movie. Try again."""


class StrictError(MovtoolError):
    """Nothing was written because of warnings and `strict`."""


class MovtoolWarning(UserWarning):
    """A problem that did not stop a command. `code` is the code of the warning."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (str(self), self.code), self.__dict__


_CLASSES: Dict[int, Type[MovtoolError]] = {64: UsageError, 65: BadDataError, 66: NoInputError}


def make_error(message: str, error: Dict[str, Any], number: int, answer: object) -> MovtoolError:
    """Returns the error of a result."""
    kind = ChangedError if error["isTransient"] else _CLASSES.get(error["exitCode"], MovtoolError)
    if error["code"] == "exists":
        kind = ExistsError
    elif error["code"] == "no-input" and error["message"].endswith("No such file or directory"):
        kind = MissingFileError
    # The option is an argument of the functions in Python.
    return kind(message.replace("; add -o", "; set output"), error, number, answer)
