"""Files, folders and patterns that a user names."""

from pathlib import Path

import pytest

from judge.errors import InputError
from judge.formats import expand


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ["b.jsonl", "a.jsonl", ".hidden", "c.txt", "a[1].jsonl", "sub/d.jsonl"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("specs", "expected"),
    [
        (["b.jsonl", "a.jsonl"], ["b.jsonl", "a.jsonl"]),
        (["."], ["a.jsonl", "a[1].jsonl", "b.jsonl", "c.txt"]),
        (["[ab].jsonl"], ["a.jsonl", "b.jsonl"]),
        (["**/*.jsonl"], ["a.jsonl", "a[1].jsonl", "b.jsonl", "sub/d.jsonl"]),
        (["*"], ["a.jsonl", "a[1].jsonl", "b.jsonl", "c.txt"]),
        (["a[1].jsonl"], ["a[1].jsonl"]),
        ([".hidden"], [".hidden"]),
        (["b.jsonl", "./*.jsonl"], ["b.jsonl", "a.jsonl", "a[1].jsonl"]),
        (["-", "c.txt"], ["-", "c.txt"]),
        ([], []),
    ],
)
@pytest.mark.usefixtures("folder")
def test_expand(specs: list[str], expected: list[str]) -> None:
    assert expand(specs) == [Path(name) for name in expected]


def test_absolute_pattern(folder: Path) -> None:
    assert expand([f"{folder}/*.txt"]) == [folder / "c.txt"]


def test_nothing_there_is_said(folder: Path) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match=r"^nowhere.txt: no such file or folder"):
        expand(["a.jsonl", "nowhere.txt"])
    with pytest.raises(InputError, match=r"^\*.nope: no file matches"):
        expand(["*.nope"])
    with pytest.raises(InputError, match="empty: the folder holds no files"):
        expand(["empty"])
    with pytest.raises(InputError, match="no file matches"):
        expand(["em*"])
