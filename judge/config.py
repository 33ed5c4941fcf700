"""The TOML file of `rag-judge assess`: which inputs, which stages, how they are judged."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import Field, ValidationError

from judge.errors import InputError, UsageError
from judge.settings import Settings
from judge.types import Record

DATASET = "ir_datasets:"
"""How a corpus that is no file is named."""

Documents = Literal["cited", "pairs", "both"]
Mode = Literal["each", "concatenated", "both"]
R = TypeVar("R", bound=Record)


class RelevanceConfig(Record):
    """Which (topic, document) pairs are graded.

    From retrieval runs (`pool`, to `depth`), or listed in a qrels file (`pairs`, grades ignored);
    with neither, every document that an answer cites or carries.
    """

    pool: tuple[str, ...] = ()
    depth: int = Field(20, ge=1)
    pairs: str | None = None
    prompt: str = "relevance/trec2025"


class NuggetsConfig(Record):
    """Nuggets are read from `file`, or else created from documents of at least `min_grade`."""

    file: str | None = None
    qrels: str | None = None
    min_grade: int = 1


class LocateConfig(Record):
    """Which documents are asked for the nuggets of their topic, and what counts as holding one.

    Attributes:
        documents: "cited", what the answers cite; "pairs", what relevance grades; or "both".
        needed: ask only what nugget coverage hangs on: the nuggets that an answer holds, each in
            the documents that its sentences cite.
        gold: use the lists of documents in the nugget file, where it has them.
        partial: in subtopic qrels, a document holds what it holds in part.
    """

    documents: Documents = "cited"
    needed: bool = False
    gold: bool = False
    partial: bool = False


class SupportConfig(Record):
    """How the citations of a sentence are judged.

    Attributes:
        citations: how many: "first", "all", or a number.
        mode: "each" cited document by itself; "concatenated", all that a sentence cites together,
            and what that leaves open; or "both".
        prompt: name of the template.
    """

    citations: Literal["first", "all"] | Annotated[int, Field(ge=1)] = "first"
    mode: Mode = "each"
    prompt: str = "support/trec2025"


class ScoreConfig(Record):
    """Which measures are computed; None for the usual ones."""

    measures: str | None = None
    empty_as_zero: bool = False


class AssessConfig(Record):
    """A whole assessment. Paths stand relative to `root`, the folder of the configuration."""

    root: Path = Path()
    topics: str
    topic_ids: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    corpus: tuple[str, ...] = ()
    relevance: RelevanceConfig = RelevanceConfig()
    nuggets: NuggetsConfig = NuggetsConfig()
    locate: LocateConfig | None = None
    support: SupportConfig = SupportConfig()
    score: ScoreConfig = ScoreConfig()
    judge: dict[str, Any] = Field(default_factory=dict)

    def settings(self) -> dict[str, Any]:
        """The [judge] table, its folders seen from where the command runs."""
        folders = self.judge.keys() & {"prompts", "cache"}
        return {**self.judge, **{name: self.root / self.judge[name] for name in folders}}

    def path(self, name: str) -> str:
        """A path of the configuration, seen from where the command runs."""
        return name if name.startswith(DATASET) else str(self.root / name)

    def paths(self, names: Iterable[str]) -> list[str]:
        """Several of them."""
        return [self.path(name) for name in names]


def read_config(path: Path) -> AssessConfig:
    """Read a configuration.

    Raises:
        InputError: it is missing, not TOML, or has a field that is not known or not right.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise InputError("there is no such file", path=path) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"not TOML: {error}", path=path) from error
    config = _validated(AssessConfig, {"root": path.parent, **data}, path)
    make_settings(config.judge, path, table="judge.")
    return config


def make_settings(
    given: dict[str, Any], path: Path | str = "settings", table: str = ""
) -> Settings:
    """Settings from a configuration's [judge] table and the flags that stand over it.

    Raises:
        InputError: a setting is not known or out of range.
    """
    return _validated(Settings, given, path, table)


def _validated(kind: type[R], data: dict[str, Any], path: Path | str, table: str = "") -> R:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        parts = [str(part) for part in first["loc"] if "[" not in str(part)]
        field = table + ".".join(parts)
        if first["type"] == "extra_forbidden":
            known = ", ".join(sorted(_fields(kind, parts[:-1]) - {"root"}))
            raise InputError("unknown field", path=path, field=field, expected=known) from error
        raise InputError(first["msg"], path=path, field=field, found=first["input"]) from error


def _fields(kind: type[Record], tables: list[str]) -> set[str]:
    """The fields of a table inside of a model's."""
    for table in tables:
        annotation = kind.model_fields[table].annotation
        kinds = (annotation, *get_args(annotation))  # a table that may be absent is `Kind | None`
        kind = next(k for k in kinds if isinstance(k, type) and issubclass(k, Record))
    return set(kind.model_fields)


def read_mode(text: str) -> Mode:
    """Read how the documents that a sentence cites are judged.

    Raises:
        UsageError: it is no such mode.
    """
    modes: dict[str, Mode] = {name: name for name in get_args(Mode)}
    if text not in modes:
        raise UsageError(f"--mode is {', '.join(modes)}, not {text!r}")
    return modes[text]


def read_citations(text: str) -> Literal["first", "all"] | int:
    """Read how many citations of a sentence are judged.

    Raises:
        UsageError: it is neither "first" nor "all" nor a number from 1.
    """
    if text == "first":
        return "first"
    if text == "all":
        return "all"
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise UsageError(f"--citations is first, all or a number from 1, not {text!r}")
