"""The picture of the report that the README shows."""

import os
from pathlib import Path

from typer.testing import CliRunner

from judge.cli import app
from judge.sample import sample_path
from tests.browser import browser, required

PICTURE = Path(__file__).parents[2] / "judge" / "report" / "html" / "overview.png"


def test_the_readme_has_a_picture_of_it(tmp_path: Path) -> None:
    """UPDATE_GOLDEN=1 takes the picture anew, from the sample collection and its labels."""
    required()
    run, sample = tmp_path / "sample", sample_path("narratives.json").parent
    scores = tmp_path / "retrieval.jsonl"
    for words in (
        ("demo", "--replay", "--out", run),
        ("retrieval", "--qrels", sample / "qrels.reference.txt", "--run", sample / "run.*.txt",
         "--out", scores),
        ("report", run, "--retrieval", scores),
    ):  # fmt: skip
        done = CliRunner().invoke(app, [*map(str, words)])
        assert done.exit_code == 0, done.output
    taken = tmp_path / "overview.png"
    with browser() as page:
        page.open((run / "report.html").as_uri())
        page.shoot(taken, most=1160)
        assert page.complaints() == []
    if os.environ.get("UPDATE_GOLDEN"):
        PICTURE.write_bytes(taken.read_bytes())
    for picture in (taken, PICTURE):
        data = picture.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert int.from_bytes(data[16:20], "big") == 1280
        assert len(data) <= 250_000
