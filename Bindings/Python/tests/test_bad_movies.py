"""Every bad movie gives the same code, path and offset through the tool, C and Python."""

import json
import os
import pathlib
import subprocess
from typing import Any, Dict, List, Optional

import pytest

import movtool

CORPUS = os.environ.get("MOVTOOL_CORPUS")
TEST_PROGRAM = os.environ.get("MOVTOOL_C_TEST")
BAD = sorted(str(path) for path in pathlib.Path(CORPUS, "bad").iterdir()) if CORPUS else []
MEMBERS = ("code", "exitCode", "path", "line", "offset", "message", "isTransient")


def of_tool(tool: str, movie: str) -> Optional[List[Any]]:
    done = subprocess.run([tool, "inspect", movie, "--json"], capture_output=True)
    error: Optional[Dict[str, Any]] = json.loads(done.stdout)["files"][0]["error"]
    return None if error is None else [error[name] for name in MEMBERS]


def of_python(movie: str) -> Optional[List[Any]]:
    try:
        movtool.inspect(movie)
        return None
    except movtool.MovtoolError as error:
        return [error.code, error.exit_code, error.path, error.line, error.offset, message(error), error.is_transient]


def message(error: movtool.MovtoolError) -> str:
    answer: Any = error.answer
    return str(answer["files"][0]["error"]["message"])


@pytest.mark.skipif(not CORPUS, reason="MOVTOOL_CORPUS is not set")
def test_bad_movies_give_equal_errors(tool: str) -> None:
    assert len(BAD) > 20 and TEST_PROGRAM is not None
    lines = subprocess.run([TEST_PROGRAM, "--errors", *BAD], capture_output=True, check=True, text=True).stdout
    errors = 0
    for movie, line in zip(BAD, lines.splitlines(), strict=True):
        told = of_tool(tool, movie)
        code, name, text = line.split("\t")
        error = json.loads(text)
        of_c = None if error is None else [error[member] for member in MEMBERS]
        assert told == of_c == of_python(movie), movie
        assert (name, int(code)) == ("", 0) if error is None else (error["code"], error["exitCode"]), movie
        errors += told is not None
    assert errors > 10
