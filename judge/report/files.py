"""From a run directory to the files of a report."""

import json
from dataclasses import dataclass
from pathlib import Path

from judge.dossier import Sources, open_dossier
from judge.errors import UsageError
from judge.report.html import Written, write_report
from judge.reporting import Notice

REPORT = "report.html"


@dataclass(frozen=True)
class Outputs:
    """What to write; the page stands in the run directory where none is named."""

    html: Path | None = None
    figures: Path | None = None
    tables: Path | None = None


@dataclass(frozen=True)
class Made:
    """The files that were written."""

    page: Written
    figures: tuple[Path, ...] = ()
    tables: tuple[Path, ...] = ()

    def as_json(self) -> str:
        """All of it as one JSON object."""
        data = {
            "report": str(self.page.path),
            "bytes": self.page.bytes,
            "folder": self.page.folder,
            "figures": [str(path) for path in self.figures],
            "tables": [str(path) for path in self.tables],
        }
        return json.dumps(data, ensure_ascii=False, indent=2)

    def in_words(self) -> str:
        """A line for each kind of file."""
        size = f"{self.page.bytes / 1e6:.1f} MB"
        lines = [f"report: {self.page.path} ({size})"]
        if self.page.folder:
            lines[0] += "; too large for one file: rag-judge report --serve shows it"
        for name, paths in (("figures", self.figures), ("tables", self.tables)):
            if paths:
                lines.append(f"{name}: {len(paths)} files in {paths[0].parent}")
        return "\n".join(lines)


def make(run: Path, sources: Sources, outputs: Outputs, notice: Notice) -> Made:
    """Write the report of a run, and figures and tables where they are wanted.

    Raises:
        UsageError: there is no run, or a file cannot be written.
        InputError: a file cannot be read.
    """
    with open_dossier(run, sources, notice) as dossier:
        page = write_report(dossier, outputs.html or run / REPORT)
        figures: list[Path] = []
        tables: list[Path] = []
        if outputs.figures is not None:
            from judge.report.figures import write_figures

            figures = write_figures(dossier, outputs.figures)
        if outputs.tables is not None:
            from judge.report.tables import write_tables

            tables = write_tables(dossier, outputs.tables)
    return Made(page, tuple(figures), tuple(tables))


def serve(made: Made, port: int = 0, *, open_: bool = False) -> None:
    """Show a report until Ctrl-C; its address is told on stderr."""
    import sys

    from judge.report.html.serve import ReportServer

    server = ReportServer(made.page, port)
    print(f"{server.url}  (Ctrl-C ends it)", file=sys.stderr, flush=True)  # noqa: T201
    if open_:
        _browse(server.url)
    server.run()


def open_page(made: Made) -> None:
    """Open a report in the browser.

    Raises:
        UsageError: it is a folder, which has to be served.
    """
    if made.page.folder:
        raise UsageError("the report is too large for one file; open it with --serve --open")
    _browse(made.page.path.resolve().as_uri())


def _browse(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        raise UsageError(f"no browser could be opened; open {address} yourself")
