"""Calibrations on disk, fitted from files of labels and applied to the labels that are scored."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from judge.agreeing.comparing import Compared
from judge.agreeing.rows import assign_unit, judged_rows, support_unit
from judge.agreement.calibration import FORMAT, Calibration, fit
from judge.agreement.ratings import Rating
from judge.errors import InputError, UsageError
from judge.formats.lines import write_lines
from judge.manifest import fingerprint
from judge.runs import JUDGMENTS
from judge.scoring import Labels
from judge.types import SUPPORTS, AssignedAnswer, Label, Support, SupportedAnswer

Probabilities = Mapping[str, Mapping[str, float]]
"""How likely each label was, by unit_id."""

_SUPPORTS: Mapping[Label | None, Support] = {label: label for label in SUPPORTS}


def calibrate(compared: Compared) -> Calibration:
    """Fit a calibration to the units that people and the judge labelled.

    Raises:
        UsageError: labels of people or of a judge lack.
        InputError: there are fewer than two such units.
    """
    if compared.judge is None or not compared.humans:
        raise UsageError("a calibration takes --human and --judge")
    return fit(
        compared.kind,
        compared.human.labels,
        compared.judge.ratings,
        models=compared.models,
        files=fingerprint(path for side in compared.readings for r in side for path in r.files),
    )


def write_calibration(path: str | Path, calibration: Calibration) -> None:
    """Write a calibration as JSON.

    Raises:
        UsageError: the file cannot be written.
    """
    write_lines(path, [calibration.model_dump_json(indent=2)])


def read_calibration(path: str | Path) -> Calibration:
    """Read what `write_calibration` wrote.

    Raises:
        InputError: the file cannot be read, is no calibration, or of a later version.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8-sig"))
        if isinstance(data, dict) and data.get("format", 0) > FORMAT:
            raise InputError("made by a later version of rag-judge; update it", path=path)
        return Calibration.model_validate(data)
    except FileNotFoundError as error:
        raise InputError("no such file", path=path) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or None
        raise InputError(f"not a calibration: {first['msg']}", path=path, field=field) from error
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"not a calibration: {error}", path=path) from error


def calibrated(
    labels: Labels, calibration: Calibration, probabilities: Probabilities | None = None
) -> Labels:
    """Return the labels to score, those of the calibration's kind mapped by it.

    Args:
        labels: what `judge.scoring.read_labels` read.
        calibration: of assign or support labels.
        probabilities: those of the run's judgments, for a calibration that uses them.

    Raises:
        InputError: a unit lacks the probabilities that the calibration uses.
        UsageError: the calibration is for grades, which are not scored here, or for labels of a
            kind that there are none of.
    """
    maps = _Maps(calibration, probabilities or {})
    mapped = {"assign": labels.assigned, "support": labels.supported}.get(calibration.kind)
    if mapped is not None and not mapped:
        raise UsageError(
            f"the calibration is one of {calibration.kind} labels, and there are none to score"
        )
    if calibration.kind == "assign":
        return replace(labels, assigned=[maps.assigned(answer) for answer in labels.assigned])
    if calibration.kind == "support":
        return replace(labels, supported=[maps.supported(answer) for answer in labels.supported])
    raise UsageError(f"a calibration of {calibration.kind} labels says nothing of scores")


def calibrated_by(path: Path, labels: Labels, run: Path | None) -> Labels:
    """Return `labels` mapped by the calibration in a file; see `calibrated`.

    Args:
        path: the calibration.
        labels: what is scored.
        run: the run directory that they came from, if it was one.
    """
    file = None if run is None else run / JUDGMENTS
    judged = judged_rows(file) if file is not None and file.is_file() else []
    ratings = [row.rating for row, _ in judged]
    known = {r.unit_id: r.probabilities for r in ratings if r.probabilities is not None}
    return calibrated(labels, read_calibration(path), known)


class _Maps:
    """A calibration at work on answers; a label that was not had stays away."""

    def __init__(self, calibration: Calibration, probabilities: Probabilities) -> None:
        self._calibration, self._probabilities = calibration, probabilities

    def assigned(self, answer: AssignedAnswer) -> AssignedAnswer:
        nuggets = [
            nugget.model_copy(
                update={
                    "label": self._label(
                        assign_unit(answer, nugget.nugget_id).unit_id, nugget.label
                    )
                }
            )
            for nugget in answer.nuggets
        ]
        return answer.model_copy(update={"nuggets": tuple(nuggets)})

    def supported(self, answer: SupportedAnswer) -> SupportedAnswer:
        sentences = []
        for place, sentence in enumerate(answer.sentences):
            citations = []
            for citation in sentence.citations:
                unit_id = support_unit(answer, place, citation.docid or "").unit_id
                label = self._label(unit_id, citation.label)
                citations.append(citation.model_copy(update={"label": label}))
            sentences.append(sentence.model_copy(update={"citations": tuple(citations)}))
        return answer.model_copy(update={"sentences": tuple(sentences)})

    def _label(self, unit_id: str, label: Support | None) -> Support | None:
        rating = Rating(unit_id, "", None, label, probabilities=self._probabilities.get(unit_id))
        return _SUPPORTS.get(self._calibration.label(rating))
