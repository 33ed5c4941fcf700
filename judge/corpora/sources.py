"""What a user names as corpus -> the files, folders of shards and datasets that are meant."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.corpora.datasets import PREFIX
from judge.corpora.kept import log
from judge.corpora.msmarco import is_shard
from judge.formats.paths import expand


@dataclass(frozen=True)
class Sources:
    """Files of documents, the shards of MS MARCO by folder, and names of datasets."""

    files: Sequence[Path]
    shards: Mapping[Path, Sequence[Path]]
    datasets: Sequence[str]

    @property
    def paths(self) -> list[Path]:
        """All files, those of shards too."""
        return [*self.files, *(path for group in self.shards.values() for path in group)]


def find_sources(specs: Sequence[str | Path]) -> Sources:
    """Return what `specs` name.

    Args:
        specs: each a file, folder or glob, as `judge.formats.paths.expand` takes them, or
            "ir_datasets:NAME". Files with the names of MS MARCO v2.1 shards are read as such;
            of a folder with shards, nothing else is read.

    Raises:
        InputError: a name stands for no file.
    """
    datasets = dict.fromkeys(str(spec) for spec in specs if _is_dataset(spec))
    found = dict.fromkeys(_files([spec for spec in specs if not _is_dataset(spec)]))
    shards: dict[Path, list[Path]] = {}
    for path in filter(is_shard, found):
        shards.setdefault(path.parent, []).append(path)
    files = [path for path in found if not is_shard(path)]
    return Sources(files, shards, list(datasets))


def _is_dataset(spec: str | Path) -> bool:
    return str(spec).startswith(PREFIX)


def _files(specs: Sequence[str | Path]) -> Iterator[Path]:
    for spec in specs:
        found = expand([spec])
        shards = list(filter(is_shard, found))
        if Path(spec).is_dir() and 0 < len(shards) < len(found):
            others = ", ".join(path.name for path in found if not is_shard(path))
            log.warning("%s: read as shards of MS MARCO v2.1, without %s", spec, others)
        yield from shards if Path(spec).is_dir() and shards else found
