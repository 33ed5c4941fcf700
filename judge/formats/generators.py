"""Which model wrote the answers of each system, as people declare it."""

from pathlib import Path

from judge.formats.fields import read_records
from judge.formats.lines import Unique, read_lines


def read_generators(path: str | Path) -> dict[str, str]:
    """Read run_id -> model: lines of run<TAB>model, or JSONL of {run_id, model}.

    Raises:
        InputError: the file cannot be read, a line is neither, or a run stands twice.
    """
    unique = Unique("the generator of run")
    first = next(read_lines(path), None)
    found: dict[str, str] = {}
    if first is not None and first.text.lstrip().startswith(("{", "[")):
        for record in read_records(path):
            run_id = record.ident("run_id")
            unique.add(run_id, record.place)
            found[run_id] = record.text("model", empty=False)
        return found
    for line in read_lines(path):
        run_id, _, model = line.text.partition("\t")
        if not run_id.strip() or not model.strip():
            raise line.place.error("not a generator", expected="run<TAB>model", found=line.text)
        unique.add(run_id, line.place)
        found[run_id] = model.strip()
    return found
