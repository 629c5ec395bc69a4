"""Values that commands return."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional


class Record(Mapping[str, Any]):
    """An object of the JSON that `Docs/json.md` describes.

    Members are attributes in Python's spelling (`file.byte_count`) and items in the spelling of the JSON
    (`file["byteCount"]`).
    """

    def __init__(self, members: Dict[str, Any]) -> None:
        self._members = members

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        spelling = name.replace("_", "")
        for member, value in self._members.items():
            if member.lower() == spelling:
                return wrapped(value)
        raise AttributeError(f"{type(self).__name__} has no {name}; it has {', '.join(map(_attribute, self._members))}")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *map(_attribute, self._members)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._members!r})"

    def to_dict(self) -> Dict[str, Any]:
        """Returns all members in the spelling of the JSON."""
        return dict(self._members)

    def to_json(self, indent: Optional[int] = None) -> str:
        """Returns the JSON."""
        import json

        return json.dumps(self._members, ensure_ascii=False, indent=indent)


def _attribute(member: str) -> str:
    """Returns the name of a member in Python's spelling: `nextTrackID` is `next_track_id`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", member).lower()


def wrapped(value: Any) -> Any:
    """Returns a JSON value with objects as records."""
    if isinstance(value, dict):
        return Record(value)
    return [wrapped(item) for item in value] if isinstance(value, list) else value


class Track(Record):
    """A track of a movie."""

    id: int
    kind: str
    language: Optional[str]
    title: Optional[str]
    role: Optional[str]
    formats: List[str]
    is_enabled: bool
    is_sdh: bool
    is_forced_only: bool

    @property
    def format(self) -> Optional[str]:
        """The format of the first sample description, such as `avc1`, or `None` if there is none."""
        formats = self["formats"]
        return formats[0] if formats else None


class AddedTrack(Record):
    """A track that an edit has added."""

    id: int
    file: str
    language: Optional[str]
    title: Optional[str]
    is_sdh: bool
    is_forced_only: bool
    is_default: bool
    characteristics: List[str]


class Movie(Record):
    """A movie as `inspect` describes it."""

    byte_count: int
    dialect: str
    seconds: float
    is_fragmented: bool
    findings: List[Record]
    metadata: List[Record]
    selection_groups: List[Record]

    @property
    def tracks(self) -> List[Track]:
        """The tracks, in file order."""
        return [Track(track) for track in self["tracks"]]


class Edit(Record):
    """The result of an edit: the report of the command, or the plan of `dry_run=True`."""

    strategy: str
    is_written: bool
    is_dry_run: bool
    bytes_written: int
    file_byte_count: int
    warnings: List[Record]

    @property
    def tracks(self) -> List[AddedTrack]:
        """The tracks that were added."""
        return [AddedTrack(track) for track in self["tracks"]]


class Cue(NamedTuple):
    """A text of a subtitle track and the time at which it is shown."""

    #: The start in milliseconds.
    start: int
    #: The end in milliseconds.
    end: int
    #: The text without styles. Lines are separated by line feeds.
    text: str
    #: Whether the text is shown even if subtitles are off.
    is_forced: bool
    #: `bottom`, `middle`, `top` or `below`.
    vertical: str
    #: `left`, `center` or `right`.
    horizontal: str
    #: The styles of ranges of the text, as `Docs/json.md` describes them.
    runs: List[Dict[str, Any]]

    @classmethod
    def of(cls, cue: Mapping[str, Any]) -> "Cue":
        """Converts the JSON of a cue."""
        return cls(
            cue["start"], cue["end"], cue["text"], cue["isForced"], cue["vertical"], cue["horizontal"], cue["runs"])


class Chapter(NamedTuple):
    """A chapter of a movie."""

    #: The start in milliseconds.
    start: int
    #: The title, a line of text. White space around it is removed.
    title: str
    #: The end in milliseconds, or `None` if it is unknown.
    end: Optional[int] = None
