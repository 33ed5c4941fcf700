"""Reading labels of any form, by people or by a judge, as what raters said of units."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from judge.agreeing.rows import ROWS, Row, UnitText, judged_rows
from judge.agreement.ratings import Rater, Rating
from judge.errors import InputError, UsageError
from judge.formats.human import HumanForm, form_of_labels
from judge.formats.paths import expand
from judge.formats.sheets import SheetLabel, read_sheet
from judge.runs import ASSIGNMENTS, SUPPORT
from judge.types import Source

Kind = Literal["relevance", "assign", "support"]
KINDS: tuple[Kind, ...] = get_args(Kind)
JUDGMENTS = "judgments.jsonl"

_KIND_OF: dict[HumanForm, Kind] = {
    "qrels": "relevance",
    "assignments": "assign",
    "support": "support",
    "claims": "support",
}
_RUN_FILES: dict[Kind, tuple[str, HumanForm]] = {
    "assign": (ASSIGNMENTS, "assignments"),
    "support": (SUPPORT, "support"),
}


@dataclass(frozen=True)
class Reading:
    """All that one name on the command line stands for.

    Attributes:
        name: what was named, without its folders.
        kind: the kind of units.
        raters: one; or each annotator of files that name several. One whom no file names has
            the name "".
        texts: what is known of the units, by unit_id.
        files: the files that were read.
        run: the run directory, where it is one.
        models: those that judged, as far as the judgments say.
        n_blank: rows of a sheet that were not filled in.
    """

    name: str
    kind: Kind
    raters: tuple[Rater, ...]
    texts: Mapping[str, UnitText] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    run: Path | None = None
    models: tuple[str, ...] = ()
    n_blank: int = 0

    @property
    def probabilities(self) -> dict[str, Mapping[str, float]]:
        """How likely each label was, by unit_id, where that is known."""
        ratings = (rating for rater in self.raters for rating in rater.ratings.values())
        return {r.unit_id: r.probabilities for r in ratings if r.probabilities is not None}


def read_ratings(spec: str | Path, source: Source, kind: Kind | None = None) -> Reading:
    """Read a file, folder or glob of labels, or a run directory.

    Args:
        spec: what is named; a folder with judgments.jsonl is a run directory.
        source: who gave the labels.
        kind: the kind of units wanted; None where the files hold one kind alone.

    Raises:
        InputError: a file cannot be read, or has labels of another kind, or one rater gives a
            unit two labels.
        UsageError: there are labels of several kinds, and no `kind` to choose.
    """
    run = Path(spec) if (Path(spec) / JUDGMENTS).is_file() else None
    files = [run / JUDGMENTS] if run else expand([spec])
    collected = _Collected()
    for path in files:
        collected.read(path, kind)
    found = _one_kind(collected, spec, kind)
    return Reading(
        name=Path(spec).name or str(spec),
        kind=found,
        raters=tuple(collected.raters(source, found)),
        texts=collected.texts | (_run_texts(run, found) if run else {}),
        files=tuple(files),
        run=run,
        models=tuple(sorted(collected.models.get(found, ()))),
        n_blank=collected.n_blank,
    )


def kind_named(name: str | None) -> Kind | None:
    """Return the kind of units of a name, None for None.

    Raises:
        UsageError: there is no such kind.
    """
    if name is None:
        return None
    if name not in KINDS:
        raise UsageError(f"--kind is one of {', '.join(KINDS)}, not {name!r}")
    return name


def answer_files(reading: Reading) -> dict[HumanForm, list[Path]]:
    """Return the files of a reading that hold whole labelled answers, by their form.

    Raises:
        InputError: a file cannot be read.
    """
    own = reading.files
    if reading.run is not None:
        own = tuple(path for path, _ in _run_file(reading.run, reading.kind))
    found: dict[HumanForm, list[Path]] = {}
    for path in own:
        found.setdefault(form_of_labels(path), []).append(path)
    return {form: found[form] for form in ("assignments", "support") if form in found}


class _Collected:
    """The labels of several files, by rater."""

    def __init__(self) -> None:
        self._ratings: dict[Kind, dict[str, dict[str, Rating]]] = {}
        self._adjudicators: set[str] = set()
        self.texts: dict[str, UnitText] = {}
        self.models: dict[str, set[str]] = {}
        self.n_blank = 0

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of units there are labels of."""
        return [kind for kind in KINDS if kind in self._ratings]

    def read(self, path: Path, kind: Kind | None) -> None:
        """Read one file.

        Raises:
            InputError: it holds labels of another kind, or labels that contradict others.
        """
        form = form_of_labels(path)
        own = _KIND_OF.get(form)
        if own and kind and own != kind:
            raise InputError(f"holds {own} labels", path=path, expected=f"{kind} labels")
        for row in self._rows(path, form):
            self._add(row, path)

    def raters(self, source: Source, kind: Kind) -> Iterator[Rater]:
        """The raters of one kind of units."""
        for annotator, ratings in self._ratings[kind].items():
            yield Rater(annotator, source, ratings, annotator in self._adjudicators)

    def _rows(self, path: Path, form: HumanForm) -> Iterable[Row]:
        if form == "judgments":
            return self._judged(path)
        if form == "sheet":
            sheet = read_sheet(path)
            self.n_blank += sheet.n_blank
            return [self._from_sheet(label) for label in sheet.labels]
        return ROWS[form](path)

    def _judged(self, path: Path) -> Iterator[Row]:
        for row, model in judged_rows(path):
            if model:
                self.models.setdefault(row.rating.unit_id.partition("|")[0], set()).add(model)
            yield row

    def _from_sheet(self, label: SheetLabel) -> Row:
        """One who settles disagreements is a rater of their own."""
        annotator = label.annotator
        if label.adjudicates:
            annotator = f"{annotator} (adjudicated)".strip()
            self._adjudicators.add(annotator)
        rating = Rating(label.unit_id, label.topic_id, label.run_id, label.label)
        return Row(annotator, rating)

    def _add(self, row: Row, path: Path) -> None:
        key = row.rating.unit_id
        task = key.partition("|")[0]
        if task not in KINDS:
            return
        raters = self._ratings.setdefault(task, {})
        first = raters.setdefault(row.annotator, {}).setdefault(key, row.rating)
        if first.label != row.rating.label:
            found = f"{first.label!r} and {row.rating.label!r}"
            expected = "one label by one rater: name annotators, or give each file by itself"
            raise InputError(f"two labels of {key}", path=path, expected=expected, found=found)
        if row.text is not None:
            self.texts.setdefault(key, row.text)


def _run_file(run: Path, kind: Kind) -> Iterator[tuple[Path, HumanForm]]:
    """The label file of a run, which has the texts that its judgments lack, if it has one."""
    if kind in _RUN_FILES:
        name, form = _RUN_FILES[kind]
        if (run / name).is_file():
            yield run / name, form


def _run_texts(run: Path, kind: Kind) -> dict[str, UnitText]:
    return {
        row.rating.unit_id: row.text
        for path, form in _run_file(run, kind)
        for row in ROWS[form](path)
        if row.text is not None
    }


def _one_kind(collected: _Collected, spec: str | Path, kind: Kind | None) -> Kind:
    kinds = collected.kinds
    if kind in kinds:
        return kind
    if kind is not None or not kinds:
        wanted = f"labels of {kind or 'relevance, assign or support'}"
        found = ", ".join(kinds) or "none that are filled in"
        raise InputError("no label to compare", path=spec, expected=wanted, found=found)
    if len(kinds) > 1:
        raise UsageError(f"{spec} has labels of {', '.join(kinds)}: choose one with --kind")
    return kinds[0]
