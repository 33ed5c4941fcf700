"""What commands that ask no model import, and how the program answers for itself."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.commands import SAMPLE, Serve, desk, known

HEAVY = (
    "litellm",
    "openai",
    "aiohttp",
    "httpx2",
    "xllamacpp",
    "huggingface_hub",
    "pandas",
    "numpy",
    "scipy",
    "matplotlib",
    "diskcache",
)
SUPPORT = str(SAMPLE / "support.reference.jsonl")
PROBE = """
import atexit, sys
heavy = {heavy!r}
atexit.register(lambda: print("imported:", [m for m in heavy if m in sys.modules], file=sys.stderr))
sys.argv = ["rag-judge", *{words!r}]
from judge.cli import main
main()
"""


@pytest.mark.parametrize(
    ("words", "said", "needed"),
    [
        (["--help"], "Assess retrieval-augmented generation", []),
        (["assess", "--help"], "--max-failed", []),
        (["measures"], "strict_vital_recall", []),
        (["score", "--support", SUPPORT], "alder", []),
        (["score", "--support", SUPPORT, "--intervals"], "alder", ["numpy"]),
    ],
)
def test_what_asks_no_model_imports_no_client(
    words: list[str], said: str, needed: list[str], tmp_path: Path
) -> None:
    code = PROBE.format(heavy=HEAVY, words=words)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
    assert done.stderr.splitlines()[-1] == f"imported: {needed}"


def test_version_no_arguments_and_unknown_words(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    version = at.run("--version")
    assert (version.code, version.out.strip()) == (0, "0.1.0")
    assert "Usage: rag-judge" in at.run().out
    unknown = at.run("asses")
    assert unknown.code == 2
    assert "asses" in unknown.err
    assert "Traceback" not in unknown.err
    missing = at.run("support", "--answers", "a.jsonl")
    assert missing.code == 2
    assert "--topics" in missing.err
