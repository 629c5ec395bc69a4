"""The examples of Docs/python.md and Docs/c.md, and the numbers of errors."""

import os
import pathlib
import re
import subprocess
from typing import Dict, List

import pytest
from conftest import ROOT
from movtool import s3
from stores import BUCKET, running


def blocks(page: str, language: str) -> List[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "Docs" / page).read_text(), re.M | re.S)


@pytest.mark.filterwarnings("default")
def test_examples_in_python(movie: str, english: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = blocks("python.md", "python")
    assert len(examples) >= 6
    names: Dict[str, object] = {}
    for example in examples:
        exec(compile(example, "Docs/python.md", "exec"), names)
    assert (tmp_path / "planned.mov").exists() and (tmp_path / "fast.mov").exists()


def test_examples_of_object_stores(
    movie: str, english: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with running("localbucket", tmp_path / "store") as store:
        for name, value in {"AWS_ENDPOINT_URL": store.url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
                            "AWS_DEFAULT_REGION": "us-east-1"}.items():
            monkeypatch.setenv(name, value)
        store.client().upload_file(movie, BUCKET, "film.mov")
        names: Dict[str, object] = {}
        for example in blocks("object-stores.md", "python"):
            exec(compile(example, "Docs/object-stores.md", "exec"), names)
        subprocess.run(
            ["bash", "-ec", blocks("object-stores.md", "sh")[-1].replace("movtool", os.environ["MOVTOOL"])], check=True,
            stdout=subprocess.DEVNULL)
        assert os.listdir("parts") and "Original" in [
            track.title for track in s3.inspect(f"s3://{BUCKET}/new.mov").tracks]


def test_examples_in_c(movie: str, english: str, tmp_path: pathlib.Path) -> None:
    examples = blocks("c.md", "c")
    assert len(examples) >= 4
    statements = [example for example in examples if not re.search(r"^\w.*\) \{$", example, re.M) or example.startswith("const")]
    functions = "\n".join(example for example in examples if example not in statements)
    calls = 'print_cues(); plan_an_edit(); edit_in_memory("x", 1, "y", 1);'
    program = f"#include <movtool.h>\n#include <stdio.h>\n{functions}\nint main(void) {{\n{''.join(statements)}\n{calls}\n}}\n"
    (tmp_path / "examples.c").write_text(program)
    library = os.environ["MOVTOOL_LIBRARY"]
    subprocess.run(
        ["gcc", "-std=c99", "-Wall", "-Werror", f"-I{ROOT / 'Bindings/C/include'}", "examples.c", library,
         f"-Wl,-rpath,{os.path.dirname(library)}", "-o", "examples"], cwd=tmp_path, check=True)
    done = subprocess.run(["./examples"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert '"cues": [' in done.stdout and '"parts":[' in done.stdout and done.stderr == ""
    assert (tmp_path / "planned.mov").exists()


def test_every_error_code_has_a_number() -> None:
    header = (ROOT / "Bindings/C/include/movtool.h").read_text()
    numbers = [int(number) for number in re.findall(r"MOVTOOL_ERROR_\w+ = (\d+)", header)]
    assert len(numbers) == len(set(numbers))
    names = {name.lower().replace("_", "-") for name in re.findall(r"MOVTOOL_ERROR_(\w+) =", header)}
    codes = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        text = path.read_text()
        codes |= set(re.findall(r'(?:MovieError\.|SubtitleError\.|static let \w+ = |FileError\.)Code\(rawValue: "([a-z-]+)"\)', text))
        codes |= set(re.findall(r'(?:ToolError\(|problem = )[^"]*?code: "([a-z-]+)"', text))
        usage = re.search(r"struct UsageError.*?enum Code: String.*?\n  }", text, re.S)
        if usage:
            codes |= set(re.findall(r'case \w+ = "([a-z-]+)"', usage[0])) | set(re.findall(r"case ([a-z]+)$", usage[0], re.M))
    assert len(codes) > 40
    assert codes - names == set()
    table = (ROOT / "Bindings/C/Sources/ErrorNumbers.swift").read_text()
    rows = re.findall(r'\(MOVTOOL_ERROR_(\w+), "([a-z-]+)"\)', table)
    assert all(name.lower().replace("_", "-") == code for name, code in rows)
    assert {code for _, code in rows} == names - {"none", "other"}
