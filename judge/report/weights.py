"""The embedded models in the terminal: which there are, and fetching their weights with a bar."""

from rich import box
from rich.table import Table

from judge.llm import weights
from judge.report.terminal import stdout


def print_models() -> None:
    """Print the models the tool knows, their size, and where their weights lie."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("model", "weights", "licence", "on this machine"):
        table.add_column(heading, no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    for known in weights.KNOWN.values():
        path = weights.find(known.name)
        where = "no; `rag-judge models pull` fetches it" if path is None else str(path)
        table.add_row(known.name, known.title, known.licence, where, f"{known.size / 1e9:.2f} GB")
    stdout().print(table)
