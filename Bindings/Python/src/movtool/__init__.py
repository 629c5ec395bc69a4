"""Edits, reads and checks QuickTime and MP4 movies without changing their video and audio.

    import movtool

    movtool.add_subtitles("film.mov", "film.en.srt", sdh=True)
    for track in movtool.inspect("film.mov").tracks:
        print(track.id, track.kind, track.language)
"""

from __future__ import annotations

__version__ = "0.3.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._api import *  # noqa: F403
else:

    def __getattr__(name):
        # Importing the package takes almost no time, because its first use imports the modules.
        from importlib import import_module

        api = import_module("._api", __name__)
        if name != "__all__" and name not in api.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(api, name)
        return value

    def __dir__():
        return [*globals(), *__getattr__("__all__")]
