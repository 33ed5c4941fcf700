"""The report's files: the page and its policy, the folder, the server, figures and tables."""

import base64
import csv
import hashlib
import http.client
import io
import json
import re
import signal
import subprocess
import sys
import urllib.request
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from judge.cli import app
from judge.dossier import open_dossier
from judge.errors import UsageError
from judge.report.figures import write_figures
from judge.report.html.page import page
from judge.report.html.serve import ReportServer
from judge.report.tables import Table, escaped, tables, to_csv, to_latex, write_tables
from tests.reports import EVIL, RUNS, Folder, hostile

runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return hostile(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def text(folder: Folder) -> str:
    return folder.report().path.read_text(encoding="utf-8")


class Elements(HTMLParser):
    """The start tags of a page, with their attributes, and the text of scripts and styles."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._inside = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            self.texts.append((self._inside, data))


def test_the_page_has_one_script_and_one_style_and_the_policy_names_them(text: str) -> None:
    elements = Elements(text)
    (policy,) = [a["content"] for _, a in elements.found if a.get("http-equiv")]
    rules = dict(rule.strip().split(" ", 1) for rule in str(policy).split(";"))
    assert rules["default-src"] == rules["connect-src"] == rules["base-uri"] == "'none'"
    code = [a for tag, a in elements.found if tag == "script" and "type" not in a]
    assert code == [{}]
    for tag, name in (("script", "script-src"), ("style", "style-src")):
        last = [data for kind, data in elements.texts if kind == tag][-1]
        digest = base64.b64encode(hashlib.sha256(last.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"


def test_the_page_asks_nothing_of_the_network(text: str) -> None:
    elements = Elements(text)
    for tag, attributes in elements.found:
        assert "src" not in attributes
        assert not any(name.startswith("on") or name == "style" for name in attributes), tag
        assert str(attributes.get("href", "#")).startswith("#")
    (style,) = [data for kind, data in elements.texts if kind == "style"]
    assert "url(" not in style
    assert "@import" not in style


def test_the_script_makes_no_markup_of_text() -> None:
    script = page({})
    for sink in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
    ):
        assert sink not in script, sink
    assert 'setAttribute("style"' not in script


def embedded(source: str) -> Iterator[tuple[str, bytes]]:
    """The data inside of a page, by name."""
    for name, packed in re.findall(r'octet-stream" id="data-([\w-]+)">(.*?)<', source):
        yield name, zlib.decompress(base64.b64decode(packed))


def test_data_stand_compressed_in_the_page_and_nowhere_in_the_clear(text: str) -> None:
    assert "window.planted" not in text
    parts = dict(embedded(text))
    assert list(parts) == ["overview", "topic-0", "topic-1"]
    first = json.loads(parts["topic-0"])
    assert first["topic"]["narrative"] == f"narrative {EVIL}"


def test_the_same_run_gives_the_same_page(folder: Folder, text: str) -> None:
    assert folder.report().path.read_text(encoding="utf-8") == text


def test_no_path_of_this_machine_is_in_it(folder: Folder, text: str) -> None:
    data = b"".join(part for _, part in embedded(text))
    assert str(folder.path).encode() not in data


# --- the folder, and its server ----------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReportServer]:
    written = hostile(tmp_path / "served").report(largest=1)
    served = ReportServer(written)
    thread = Thread(target=served.run)
    thread.start()
    yield served
    served.stop()
    thread.join()


def asked(server: ReportServer, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    place = urlsplit(server.url)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}
    finally:
        connection.close()


def test_a_report_too_large_for_a_file_is_a_folder(tmp_path: Path) -> None:
    made = hostile(tmp_path)
    single = made.report()
    written = made.report(largest=1000)
    assert written.folder
    assert written.path == made.path / "report"
    assert not single.path.exists()
    assert {file.name for file in (written.path / "data").iterdir()} == {
        "overview",
        "topic-0",
        "topic-1",
    }
    assert "octet-stream" not in (written.path / "index.html").read_text(encoding="utf-8")


def test_the_server_gives_the_page_and_its_parts_to_who_has_the_token(server: ReportServer) -> None:
    base = urlsplit(server.url).path
    status, body, headers = asked(server, base)
    assert status == 200
    assert b"<!doctype html>" in body
    assert "connect-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    status, body, _ = asked(server, f"{base}data/topic-1")
    assert status == 200
    assert json.loads(zlib.decompress(body))["topic"]["topic_id"] == "<b>t2</b>"


def test_the_server_gives_nothing_else(server: ReportServer) -> None:
    base = urlsplit(server.url).path
    assert len(base) > 30
    for path in ("/", "/data/overview", base[:-3], f"{base}index.html", f"{base}data/",
                 f"{base}../judgments.jsonl", f"{base}data/../../a run/judgments.jsonl",
                 f"{base}%2e%2e/judgments.jsonl", base.upper()):  # fmt: skip
        assert asked(server, path.replace(" ", "%20"))[0] == 404, path
    assert asked(server, base, Host="evil.example")[0] == 404


def test_the_server_listens_on_this_machine_alone_and_each_has_a_token(tmp_path: Path) -> None:
    written = hostile(tmp_path).report()
    first = ReportServer(written)
    second = ReportServer(written)
    try:
        assert urlsplit(first.url).hostname == urlsplit(second.url).hostname == "127.0.0.1"
        assert first._server.server_address[0] == "127.0.0.1"
        assert urlsplit(first.url).path != urlsplit(second.url).path
        taken = urlsplit(first.url).port
        with pytest.raises(UsageError, match="another"):
            ReportServer(written, int(taken or 0))
    finally:
        first._server.server_close()
        second._server.server_close()


# --- figures and tables ------------------------------------------------------------------------


def test_figures_are_written_in_both_forms_and_are_always_the_same(
    folder: Folder, tmp_path: Path
) -> None:
    with open_dossier(folder.run, folder.sources, print) as dossier:
        written = write_figures(dossier, tmp_path / "one")
        again = write_figures(dossier, tmp_path / "two")
    names = {path.stem for path in written}
    assert names == {"leaderboard", "topics", "labels", "retrieval", "agreement-assign"}
    for one, two in zip(written, again, strict=True):
        assert one.read_bytes() == two.read_bytes()
        if one.suffix == ".png":
            assert one.read_bytes().startswith(b"\x89PNG")
        else:
            assert ElementTree.parse(one).getroot().tag.endswith("svg")


def test_tables_have_what_the_report_shows(folder: Folder, tmp_path: Path) -> None:
    with open_dossier(folder.run, folder.sources, print) as dossier:
        made = {table.name: table for table in tables(dossier)}
        written = write_tables(dossier, tmp_path / "out")
    assert set(made) == {
        "leaderboard",
        "uncertainty",
        "topics",
        "labels",
        "agreement-assign",
        "agreement-assign-confusion",
    }
    assert {path.name for path in written} == {f"{n}{s}" for n in made for s in (".csv", ".tex")}
    rows = list(csv.DictReader(io.StringIO(to_csv(made["leaderboard"]))))
    assert [row["system"] for row in rows] == list(RUNS)
    assert [row["strict_vital_recall"] for row in rows] == ["1.0", "0.0", "0.0"]
    uncertain = list(csv.DictReader(io.StringIO(to_csv(made["uncertainty"]))))
    assert uncertain[1]["n_failed"] == "1"
    labels = list(csv.reader(io.StringIO(to_csv(made["labels"]))))
    assert ["assign", "all", "failed", "1"] in labels


def test_latex_has_the_rules_of_booktabs_and_prints_what_is_there() -> None:
    made = Table("x", "50% of a_b", ["a & b", "n"], [["c#d", 0.12345], ["{~}\\^", None]])
    assert to_latex(made).splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{50\% of a\_b}",
        r"\label{tab:x}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"a \& b & n \\",
        r"\midrule",
        r"c\#d & 0.123 \\",
        r"\{\textasciitilde{}\}\textbackslash{}\textasciicircum{} & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    assert escaped("<$>") == r"\textless{}\$\textgreater{}"


# --- the command -------------------------------------------------------------------------------


def told(*words: object) -> Any:
    return runner.invoke(app, ["report", *map(str, words)])


def test_the_command_writes_the_page_into_the_run(folder: Folder) -> None:
    done = told(folder.run, "--cache", folder.cache, "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    path = folder.run / "report.html"
    assert (data["report"], data["folder"], data["figures"]) == (str(path), False, [])
    assert data["bytes"] == path.stat().st_size


def test_the_command_writes_figures_and_tables_too(folder: Folder, tmp_path: Path) -> None:
    words = ("--html", tmp_path / "x.html", "--tables", tmp_path / "t", "--figures", tmp_path / "f")
    done = told(folder.run, "--cache", folder.cache, *words)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1:] == [
        f"figures: 6 files in {tmp_path / 'f'}",
        f"tables: 8 files in {tmp_path / 't'}",
    ]


def test_the_command_refuses_what_is_no_run(tmp_path: Path) -> None:
    done = told(tmp_path)
    assert isinstance(done.exception, UsageError)
    assert "no judgments" in str(done.exception)


def test_a_page_that_cannot_be_written_is_told(folder: Folder, tmp_path: Path) -> None:
    done = told(folder.run, "--cache", folder.cache, "--html", tmp_path / "no" / "x.html")
    assert isinstance(done.exception, UsageError)
    assert "cannot be written" in str(done.exception)


def test_the_browser_is_opened_on_the_file(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def browse(address: str) -> bool:
        opened.append(address)
        return len(opened) == 1

    monkeypatch.setattr("webbrowser.open", browse)
    done = told(folder.run, "--cache", folder.cache, "--html", tmp_path / "x.html", "--open")
    assert done.exit_code == 0
    assert opened == [(tmp_path / "x.html").as_uri()]
    done = told(folder.run, "--cache", folder.cache, "--html", tmp_path / "x.html", "--open")
    assert "yourself" in str(done.exception)


def test_the_demo_ends_with_a_report_that_has_every_prompt(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    done = runner.invoke(app, ["demo", "--replay", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == f"report: {out / 'report.html'}"
    parts = dict(embedded((out / "report.html").read_text(encoding="utf-8")))
    topic = json.loads(parts["topic-0"])
    assert all(judgment["call"] is not None for judgment in topic["judgments"])
    assert all(passage["text"] for passage in topic["passages"])


def test_a_report_that_cannot_be_written_does_not_spoil_a_run(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    (out / "report.html").mkdir(parents=True)
    done = runner.invoke(app, ["demo", "--replay", "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert "no report was written" in done.stderr
    data = json.loads(done.stdout)
    assert data["report"] is None
    assert data["complete"] is True


def test_serve_tells_its_address_and_ends_with_ctrl_c(folder: Folder) -> None:
    program = Path(sys.executable).with_name("rag-judge")
    words: list[str | Path] = [program, "report", folder.run, "--cache", folder.cache, "--serve"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        lines = iter(process.stderr or ())
        address = next(line.split()[0] for line in lines if line.startswith("http://127.0.0.1:"))
        with urllib.request.urlopen(address) as answer:
            page_ = answer.read().decode()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert page_ == (folder.run / "report.html").read_text(encoding="utf-8")
    assert process.returncode == 0
    assert out.startswith(f"report: {folder.run / 'report.html'} (")
