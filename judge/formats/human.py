"""Labels that people gave: which of the field's forms a file has, and the claims of MiRAGE.

People's labels come as qrels, assignments or support labels, as a run's judgments, as a sheet
that was filled in (`judge.formats.sheets`), or as claims that annotators found true or not.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from judge.errors import InputError
from judge.formats.fields import Fields, Notes, read_records
from judge.formats.lines import Line, Unique, parse_json, read_lines
from judge.types import Support

HumanForm = Literal["qrels", "assignments", "support", "claims", "judgments", "sheet"]

_NAME = re.compile(r"human\.(?P<run>.+)\.(?P<annotator>[^.]+)\.json(\.gz)?")
_EXPECTED = (
    "qrels, assignments {nuggets}, support labels {sentences}, judgments {unit_id, status}, "
    "a sheet {unit_id, label}, or claims {topic: {claims}}"
)


class ClaimLabel(NamedTuple):
    """What one annotator said of one claim of an answer; label None: nothing.

    `sentence` is the 0-based place of the sentence the claim was taken from.
    """

    run_id: str
    topic_id: str
    sentence: int
    claim: str
    label: Support | None
    annotator: str


def form_of_labels(path: str | Path) -> HumanForm:
    """Tell the form of a file of labels from its beginning.

    Raises:
        InputError: the file cannot be read, is empty, or is of no such form.
    """
    first = next(read_lines(path), None)
    if first is None:
        raise InputError("the file is empty", path=path, expected=_EXPECTED)
    if first.text.lstrip().startswith(("{", "[")):
        return _form_of_records(path)
    return "sheet" if first.text.split("\t")[0].strip('" ') == "unit_id" else "qrels"


def read_claims(path: str | Path) -> list[ClaimLabel]:
    """Read one JSON object of {topic: {prediction, claims: {sentence: [{claim, judgment}]}}}.

    A judgment is true (full support), false (none) or null (no label). The file belongs to one
    annotator of one system, who stand in its name: human.SYSTEM.ANNOTATOR.json. Of any other
    name, the system is "" and the annotator the name. A claim that stands twice in a sentence
    counts once.

    Raises:
        InputError: the file cannot be read, a field is wrong, or a claim that stands twice has
            different judgments.
    """
    name = Path(path).name
    match = _NAME.fullmatch(name)
    run_id, annotator = match.group("run", "annotator") if match else ("", name)
    unique = Unique("the topic")
    labels: dict[tuple[str, int, str], ClaimLabel] = {}
    for record in read_records(path):
        for topic_id in record.names:
            unique.add(topic_id, record.place)
            for number, item in _claims(record.record(topic_id)):
                claim, label = item.text("claim", empty=False), _judgment(item)
                found = ClaimLabel(run_id, topic_id, number, claim, label, annotator)
                if labels.setdefault((topic_id, number, claim), found) != found:
                    raise item.error("judgment", "differs from that of the same claim above")
    return list(labels.values())


def _form_of_records(path: str | Path) -> HumanForm:
    record = _first_record(path)
    names = set(record.names)
    if "unit_id" in names:
        return "judgments" if "status" in names else "sheet"
    if "nuggets" in names:
        return "assignments"
    if "sentences" in names or "attribution_label" in names:
        return "support"
    values = [record.get(name) for name in record.names]
    if values and all(isinstance(value, dict) and "claims" in value for value in values):
        return "claims"
    raise record.place.error("not labels", expected=_EXPECTED, found=record.names)


def _first_record(path: str | Path) -> Fields:
    """The first object; of a file of many lines only the first is decoded, if it is whole."""
    first: Line = next(read_lines(path))
    try:
        return Fields(first.place, parse_json(first), "", Notes())
    except InputError:
        return next(read_records(path))


def _claims(topic: Fields) -> Iterator[tuple[int, Fields]]:
    topic.skip("prediction")
    sentences = topic.record("claims")
    for number, sentence in enumerate(sentences.names):
        for item in sentences.records(sentence):
            yield number, item


def _judgment(item: Fields) -> Support | None:
    value = item.require("judgment", "true, false or null")
    if value is None:
        return None
    if not isinstance(value, bool):
        raise item.error("judgment", "wrong value", expected="true, false or null", found=value)
    return "full" if value else "none"
