"""The wheel: it holds every file of the packages, and works installed, outside the checkout."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.demo import REPLIES
from judge.sample import sample_path

ROOT = Path(__file__).parent.parent.parent
SOURCES = {"judge": "judge", "prompts": "judge/prompts", "cache/judge_cache": "judge_cache"}
"""Folders of the checkout, and where the wheel has them."""
PICTURES = ("overview.png",)
"""What the README shows and no program reads."""

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(), reason="tests run outside a checkout"
)


def run(*words: object, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the checkout, built without asking the network."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    for name in SOURCES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index")
    done = run(*pip, "--quiet", "--wheel-dir", out, source, folder=source)
    if "Cannot import 'setuptools" in done.stderr or "No module named pip" in done.stderr:
        pytest.skip("a wheel needs pip and setuptools in this environment")
    assert done.returncode == 0, done.stderr
    (path,) = out.iterdir()
    return path


def files_of_checkout() -> Iterator[str]:
    for source, target in SOURCES.items():
        for path in (ROOT / source).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and path.name not in PICTURES:
                yield f"{target}/{path.relative_to(ROOT / source).as_posix()}"


def test_the_wheel_holds_every_file_of_the_packages_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packed = {name for name in names if ".dist-info/" not in name}
    expected = set(files_of_checkout())
    assert packed == expected
    assert {"judge/py.typed", "judge_cache/py.typed", "judge/sample/corpus.jsonl"} <= packed
    assert {"judge/prompts/nuggets/assign.j2", "judge/cli/app.py"} <= packed
    (info,) = {name.split("/")[0] for name in names - packed}
    assert f"{info}/entry_points.txt" in names
    assert any(name.startswith(info) and name.endswith("LICENSE") for name in names)


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`rag-judge` in an environment of its own: it sees our dependencies, not the checkout."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    install = ("-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet")
    done = run(sys.executable, *install, wheel, folder=home)
    assert done.returncode == 0, done.stderr
    site = run(python, "-c", "import site; print(site.getsitepackages()[0])", folder=home)
    ours = sysconfig.get_paths()["purelib"]
    # a path that a .pth file adds has its own .pth files left unread: no editable install
    (Path(site.stdout.strip()) / "dependencies.pth").write_text(f"{ours}\n", encoding="utf-8")
    where = run(python, "-c", "import judge, judge_cache; print(judge.__file__)", folder=home)
    assert where.stdout.startswith(str(home)), where.stderr
    return home / "bin" / "rag-judge"


def test_the_installed_program_answers_from_an_empty_folder(program: Path, tmp_path: Path) -> None:
    helped = run(program, "score", "--help", folder=tmp_path)
    listed = run(program, "models", "list", folder=tmp_path)
    sample = "from judge.sample import sample_path; print(sample_path('support.reference.jsonl'))"
    path = run(program.with_name("python"), "-c", sample, folder=tmp_path).stdout.strip()
    scored = run(program, "score", "--support", path, folder=tmp_path)
    for done in (helped, listed, scored):
        assert (done.returncode, done.stderr) == (0, "")
    assert "--max-failed" in helped.stdout
    assert "local/qwen2.5-coder-1.5b" in listed.stdout
    assert path.startswith(str(program.parent.parent))
    assert "alder" in scored.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_installed_demo_replays_the_recorded_replies(program: Path, tmp_path: Path) -> None:
    if not sample_path("narratives.json").with_name(REPLIES).is_file():
        pytest.skip(f"the sample has no recorded replies ({REPLIES}) yet")
    done = run(program, "demo", "--replay", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    first_words = [line.split()[0] for line in done.stdout.splitlines() if line.split()]
    systems = [word for word in first_words if word in ("alder", "birch", "cedar")]
    assert systems[0] == "alder"
    assert sorted(systems[:3]) == ["alder", "birch", "cedar"]
    (run_directory,) = (tmp_path / "runs").iterdir()
    assert (run_directory / "scores.txt").is_file()
