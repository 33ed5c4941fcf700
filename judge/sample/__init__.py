"""The built-in sample collection: three topics, their passages, three systems, reference labels.

README.md in this folder says what each file holds and how it was made.
"""

from importlib.resources import files
from pathlib import Path

from judge.errors import UsageError


def sample_path(name: str) -> Path:
    """Return the path of a file of the sample collection, such as "corpus.jsonl".

    Raises:
        UsageError: the collection has no file of that name.
    """
    path = Path(str(files(__name__).joinpath(name)))
    if not path.is_file():
        raise UsageError(f"the sample collection has no file {name!r}; see {path.parent}/README.md")
    return path
