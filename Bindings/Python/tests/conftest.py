import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
MEDIA = ROOT / "TestMedia"


@pytest.fixture
def movie(tmp_path: pathlib.Path) -> str:
    """A movie with video, audio and a time code."""
    return shutil.copy(MEDIA / "interview.mov", tmp_path / "film.mov").__str__()


@pytest.fixture
def english(tmp_path: pathlib.Path) -> str:
    """A file of English subtitles."""
    return shutil.copy(MEDIA / "en.srt", tmp_path / "film.en.srt").__str__()


@pytest.fixture
def tool() -> str:
    """The command-line tool of the same build."""
    return os.environ["MOVTOOL"]
