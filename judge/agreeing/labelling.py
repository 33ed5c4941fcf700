"""Sheets for people: units on which raters differ, and units whose labels would tell the most."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from urllib.parse import quote

from judge.agreeing.comparing import Compared
from judge.agreeing.estimating import unit_sample
from judge.agreeing.overlaps import documents, reference_of
from judge.agreeing.rows import text_named
from judge.agreement.planning import Plan, choose, plan, uncertainties
from judge.agreement.ratings import Rater, Rating, labels_by_unit
from judge.agreement.scale import UNRATED, scale_of
from judge.errors import UsageError
from judge.formats.paths import expand_one
from judge.formats.sheets import DISAGREEMENTS, blank_rows, write_sheet
from judge.formats.topics import read_topics
from judge.types import Topic

REPORT = "report.html"

Describe = Callable[[Rating], dict[str, object]]


@dataclass(frozen=True)
class Texts:
    """Where the texts of a sheet come from, beside the label files; each may be missing."""

    topics: str | None = None
    corpus: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabellingPlan:
    """How many more labels are needed, and the ids of the units that were chosen.

    `plan` is None where a number of labels was asked for, and no width. Where the width is out of
    reach no unit is chosen, and no `sheet` written.
    """

    plan: Plan | None
    chosen: tuple[str, ...]
    sheet: str | None


def write_disagreements(compared: Compared, path: str | Path, texts: Texts) -> int:
    """Write a sheet of the units on which raters differ, farthest apart first.

    Each row shows what people say together, what the judge says and why, what each rater says,
    and where the report shows the unit. Filled in, the sheet is read as human labels.

    Returns:
        How many units there are.

    Raises:
        InputError: a file of texts cannot be read.
        UsageError: the sheet cannot be written.
    """
    units = disagreements(compared)
    with ExitStack() as stack:
        describe = _describer(compared, texts, stack)
        details = {u.unit_id: {**describe(u), **_opinions(compared, u)} for u in units}
    write_sheet(path, blank_rows([unit.unit_id for unit in units], details, DISAGREEMENTS))
    return len(units)


def disagreements(compared: Compared) -> list[Rating]:
    """Return the units to which two raters gave different labels, farthest apart first.

    Those that someone has settled already are left out.
    """
    values = compared.table.scale.values
    settled = {key for rater in compared.humans if rater.adjudicates for key in rater.labels}
    distances = []
    for unit, codes in zip(compared.table.units, compared.table.codes, strict=True):
        given = [values[code] for code in codes if code != UNRATED]
        if given and unit.unit_id not in settled:
            distances.append((max(given) - min(given), unit))
    apart = [(distance, unit) for distance, unit in distances if distance > 0]
    return [unit for _, unit in sorted(apart, key=lambda pair: -pair[0])]


def plan_labels(
    compared: Compared,
    *,
    width: float | None = None,
    more: int | None = None,
    sheet: str | Path | None = None,
    texts: Texts | None = None,
) -> LabellingPlan:
    """Say how many more human labels an interval takes, and choose the units.

    The sheet does not show what the judge said, so that people are not led by it.

    Args:
        compared: the labels there are; those of people may be none.
        width: the wanted width of the 95% interval of the mean label, from low to high.
        more: how many labels to ask for, instead of a width.
        sheet: the file to write.
        texts: where texts are found.

    Raises:
        InputError: a file of texts cannot be read.
        UsageError: neither width nor number is given, or not one that can be.
    """
    judge = compared.judge
    if judge is None or (width is None) == (more is None):
        raise UsageError("a plan takes --judge, and --width W or --labels N")
    if (width is not None and width <= 0) or (more is not None and more < 1):
        raise UsageError("--width is above 0, and --labels at least 1")
    found = None if width is None else _plan(compared, judge, width)
    labelled = {key for rater in compared.humans for key in rater.labels}
    open_units = [judge.ratings[key] for key in judge.labels if key not in labelled]
    if found is not None and not found.reachable:
        return LabellingPlan(found, (), None)
    wanted = more or 0 if found is None else found.n_more
    chosen = choose(open_units, wanted, uncertainties(compared.judges))
    if sheet is not None:
        with ExitStack() as stack:
            describe = _describer(compared, texts or Texts(), stack)
            details = {unit.unit_id: describe(unit) for unit in chosen}
        write_sheet(sheet, blank_rows([unit.unit_id for unit in chosen], details))
    written = None if sheet is None else str(sheet)
    return LabellingPlan(found, tuple(unit.unit_id for unit in chosen), written)


def _plan(compared: Compared, judge: Rater, width: float) -> Plan:
    rated = [rating for rating in judge.ratings.values() if rating.label is not None]
    people = labels_by_unit(compared.humans)
    scale = scale_of([*judge.labels.values(), *chain.from_iterable(people.values())])
    return plan(unit_sample(rated, people, scale), width)


def _describer(compared: Compared, texts: Texts, stack: ExitStack) -> Describe:
    """Return the function from a unit to what a sheet shows of it."""
    topics = _topics(texts.topics)
    lookup = stack.enter_context(documents(texts.corpus))
    known = compared.texts

    def describe(unit: Rating) -> dict[str, object]:
        topic, text = topics.get(unit.topic_id), known.get(unit.unit_id, text_named(unit.unit_id))
        return {
            "topic_id": unit.topic_id,
            "run_id": unit.run_id,
            "docid": None if text is None else text.docid,
            "topic": None if topic is None else topic.narrative,
            "claim": None if text is None else text.claim or None,
            "text": None if text is None else reference_of(text, lookup),
        }

    return describe


def _topics(path: str | None) -> Mapping[str, Topic]:
    return {} if path is None else {t.topic_id: t for t in read_topics(expand_one(path))}


def _opinions(compared: Compared, unit: Rating) -> dict[str, object]:
    """What each side says of a unit; people who are divided say nothing together."""
    raters = (*compared.humans, *compared.judges)
    said = {rater.name: rater.labels.get(unit.unit_id) for rater in raters}
    judged = None if compared.judge is None else compared.judge.ratings.get(unit.unit_id)
    return {
        "human": compared.human.labels.get(unit.unit_id),
        "judge": None if judged is None else judged.label,
        "reason": None if judged is None else judged.reason,
        "labels": _listed(said),
        "link": f"{REPORT}#{quote(unit.unit_id, safe='')}",
    }


def _listed(said: Mapping[str, object]) -> str:
    given: Sequence[str] = [f"{name}: {label}" for name, label in said.items() if label is not None]
    return "; ".join(given)
