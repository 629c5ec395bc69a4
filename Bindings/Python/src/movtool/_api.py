"""The members of the package."""

from __future__ import annotations

import io
import os
from typing import Any, Dict, Iterable, Iterator, List, MutableMapping, Optional, Tuple, Union

from ._calls import Output, Word, Writable, command_words, run, run_command
from ._edits import OpenEdit, Part, Plan, edit_of
from ._errors import (
    BadDataError, ChangedError, ExistsError, MissingFileError, MovtoolError, MovtoolWarning, NoInputError, StrictError,
    UsageError,
)
from ._library import Result, library, parse_value, whole
from ._movie import AddedTrack, Chapter, Cue, Edit, Movie, Record, Track, wrapped
from ._sources import Inputs, ObjectChanged, ReadAt, Readable, Source, each, open  # noqa: A004

__all__ = [
    "AddedTrack", "BadDataError", "ChangedError", "Chapter", "Cue", "Edit", "ExistsError", "Metadata",
    "MissingFileError", "Movie", "MovtoolError", "MovtoolWarning", "NoInputError", "ObjectChanged", "OpenEdit",
    "Output", "Part", "Plan", "ReadAt", "Readable", "Record", "Result", "Source", "StrictError", "Track", "UsageError",
    "Word", "Writable", "add_captions", "add_subtitles", "chapters", "cues", "diff", "edit", "hls", "inspect",
    "library_version", "metadata", "open", "run", "select", "set_chapters", "validate",
]


def library_version() -> str:
    """Returns the version of the library that this package calls."""
    version: bytes = library.movtool_version()
    return version.decode()


def inspect(movie: Readable, **values: object) -> Movie:
    """Returns the tracks, menus, metadata and findings of a movie."""
    return Movie(run_command("inspect", [movie], values).answer["files"][0])


def add_subtitles(
    movie: Readable, *files: Inputs, sdh: bool = False, forced: bool = False, default: bool = False,
    language: Optional[str] = None, title: Optional[str] = None, replace: bool = False, if_absent: bool = False,
    output: Optional[Output] = None, strict: bool = False, dry_run: bool = False, **values: object,
) -> Edit:
    """Adds subtitle files to a movie. If `output` is `None`, the movie itself is edited.

    The names of the files determine their languages and roles. The options override these names for all files. Without
    `files`, the subtitle files in the movie's folder whose names begin with the movie's name are added. `values` are
    more options of the command `add-subtitle`, such as `offset=-1.5` or `fast_start=True`.

    Warnings become Python warnings. With `strict`, they raise `StrictError`, and nothing is written.
    """
    named: Dict[str, object] = {
        "sdh": sdh, "forced": forced, "default": default, "language": language, "title": title, "replace": replace,
        "if_absent": if_absent, "strict": strict, "dry_run": dry_run, **values,
    }
    return edit_of(run_command("add-subtitle", [movie, *each(files)], named, output=output), strict)


def add_captions(movie: Readable, *files: Inputs, output: Optional[Output] = None, **values: object) -> Edit:
    """Adds closed captions to a movie, like `add_subtitles`."""
    strict = bool(values.get("strict"))
    return edit_of(run_command("add-captions", [movie, *each(files)], values, output=output), strict)


def cues(movie: Readable, track: str = "subtitle", **values: object) -> List[Cue]:
    """Returns the texts of a track, such as `subtitle:en`, `caption:1` or `id:4`, in the order of time."""
    if "format" in values:
        raise TypeError("cues() has no format; use movtool.run('extract', …)")
    text = io.BytesIO()
    run(*command_words("extract", [movie], {**values, "track": track, "format": "json"}), output=text)
    return [Cue.of(cue) for cue in (parse_value(text.getvalue()) or {"cues": []})["cues"]]


class Metadata(MutableMapping[str, str]):
    """The metadata of a movie: texts by facts (`title`, `artist`) and identifiers (`mdta/com.example.id`).

    Changes are written by `save()`.
    """

    def __init__(self, movie: Readable, items: List[Dict[str, Any]]) -> None:
        self._movie = movie
        #: All items with their languages, tracks, types and places, as `Docs/json.md` describes them.
        self.items_of_movie: List[Record] = [Record(item) for item in items]
        self._values: Dict[str, str] = {}
        for item in items:
            if item["track"] is None and item["string"] is not None:
                self._values.setdefault(item["identifier"], item["string"])
                if item["common"] is not None:
                    self._values.setdefault(item["common"].split("/", 1)[1], item["string"])
        self._changes: Dict[str, Optional[str]] = {}

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __setitem__(self, name: str, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"the text of {name} is {type(text).__name__} and not str")
        self._values[name] = text
        self._changes[name] = text

    def __delitem__(self, name: str) -> None:
        del self._values[name]
        self._changes[name] = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def save(self, output: Optional[Output] = None, **values: object) -> Optional[Edit]:
        """Writes the changes to the movie or to `output`. Returns `None` if there are no changes."""
        words: List[Word] = []
        for name, text in self._changes.items():
            words.append(f"--remove={name}" if text is None else f"--set={name}={text}")
        if not words:
            return None
        result = run_command("metadata", [self._movie], values, *words, output=output)
        edit = edit_of(result, bool(values.get("strict")))
        self._changes.clear()
        return edit


def metadata(movie: Readable) -> Metadata:
    """Returns the metadata of a movie, which can be changed and saved."""
    return Metadata(movie, run_command("metadata", [movie], {}).answer["items"])


def chapters(movie: Readable) -> List[Chapter]:
    """Returns the chapters of a movie."""
    return [
        Chapter(chapter["startMilliseconds"], chapter["title"] or "", chapter["endMilliseconds"])
        for chapter in run_command("chapters", [movie], {}).answer["chapters"]
    ]


def set_chapters(
    movie: Readable, new: Iterable[Union[Chapter, Tuple[int, str]]], output: Optional[Output] = None, **values: object,
) -> Edit:
    """Replaces the chapters of a movie. Without chapters, all chapters are removed.

    Each chapter ends where the next chapter starts, so `end` is ignored.
    """
    lines: List[str] = []
    for number, (start, title, *_) in enumerate(new, 1):
        if not isinstance(title, str):
            raise TypeError(f"the title of chapter {number} is {type(title).__name__} and not str")
        if len(title.splitlines()) > 1:
            raise ValueError(f"the title of chapter {number} has several lines")
        time = _time(whole(start, f"the start of chapter {number}"))
        lines.append(f"CHAPTER{number:02}={time}\nCHAPTER{number:02}NAME={title}\n")
    words: List[Word] = ["--set", open("".join(lines).encode(), name="chapters.txt")] if lines else ["--remove"]
    return edit_of(run_command("chapters", [movie], values, *words, output=output), bool(values.get("strict")))


def _time(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:03}"


def select(movie: Readable, **values: object) -> Record:
    """Returns the audio and subtitles that a player selects, such as for `language="es", prefer_sdh=True`."""
    return Record(run_command("select", [movie], values).answer)


def validate(movie: Readable, **values: object) -> Record:
    """Returns the findings in a movie: `findings`, `error_count`, `is_right` and others."""
    return Record(run_command("validate", [movie], values).answer["files"][0])


def diff(old: Readable, new: Readable, **values: object) -> List[Record]:
    """Returns the differences between two movies. The list is empty if there are none."""
    found: List[Record] = wrapped(run_command("diff", [old, new], values).answer["differences"])
    return found


def hls(movie: Readable, folder: "Union[str, os.PathLike[str]]", **values: object) -> Record:
    """Makes an HLS presentation of a movie in a folder."""
    return Record(run_command("hls", [movie], values, output=folder).answer)


def edit(movie: Readable) -> OpenEdit:
    """Begins an edit of several commands. Nothing is written until its plan is written."""
    return OpenEdit(movie)
