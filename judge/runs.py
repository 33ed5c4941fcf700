"""The run directory: one judging run on disk, resumable, owned by one process at a time."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from pydantic import ValidationError

from judge.appending import LineFile
from judge.errors import InputError, RunError
from judge.json_lines import json_line, read_object
from judge.judgments import Judgments
from judge.manifest import Manifest, Stage, differences
from judge.migrations import FORMAT, migrated
from judge.shown import Shown
from judge.types import Attempt, Call

MANIFEST, JUDGMENTS, LEDGER = "manifest.json", "judgments.jsonl", "ledger.jsonl"
TOPICS, QRELS, SUBTOPICS = "topics.jsonl", "qrels.txt", "subtopics.qrels"
NUGGETS, ASSIGNMENTS, SUPPORT = "nuggets.jsonl", "assignments.jsonl", "support.jsonl"
COVERAGE, CITATIONS = "coverage.jsonl", "citations.jsonl"
NUGGET_SUBTOPICS, CREATED = "subtopics.nuggets.qrels", "nuggets.created.jsonl"
SCORES, LEADERBOARD = "scores.jsonl", "scores.txt"


class RunDirectory:
    """An open run directory; a context manager that holds the directory's lock.

    Raises:
        RunError: another process works on it, or it was made with another model.
    """

    def __init__(self, path: Path, manifest: Manifest, command: str = "") -> None:
        self.path = path
        with ExitStack() as stack, _clear_errors(path):
            path.mkdir(parents=True, exist_ok=True)
            stack.callback(_lock(path).close)
            self.judgments = Judgments(path / JUDGMENTS)
            stack.callback(self.judgments.close)
            self.manifest = self._adopt(manifest, command)
            self._ledger = LineFile(path / LEDGER)
            stack.callback(self._ledger.close)
            self._failures = LineFile(path / "failures.jsonl")
            stack.callback(self._failures.close)
            self.shown = Shown(path, held=True)
            stack.callback(self.shown.close)
            self._open = stack.pop_all()

    def __enter__(self) -> "RunDirectory":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def begin(self, task: str, stage: Stage) -> None:
        """Enter a task in the manifest.

        Raises:
            RunError: the run has labels of this task that rest on something else.
        """
        new = self.manifest.model_copy(update={"stages": self.manifest.stages | {task: stage}})
        if self.judgments.has_labels(task):
            self._refuse_if_changed(new, task)
        self._write_manifest(new)
        self.shown.release()

    def adapt(self, adapted: dict[str, Any]) -> None:
        """Note in the manifest how the model had to be asked."""
        if adapted != self.manifest.adapted:
            self._write_manifest(self.manifest.model_copy(update={"adapted": adapted}))

    def spent(self) -> tuple[float, int]:
        """What all sessions cost up to now, in US dollars, and of how many calls nobody knows.

        A call of unknown cost that had a price counts with the most it can have cost.
        """
        dollars, unknown = 0.0, 0
        for entry in ledger_entries(self.path / LEDGER):
            cost = entry.get("at_most") if entry.get("cost") is None else entry["cost"]
            dollars += cost or 0.0
            unknown += cost is None
        return dollars, unknown

    def note(self, call: Call, attempt: Attempt) -> None:
        """Put an attempt on disk: in the ledger and, where it gave nothing, among the failures."""
        self._ledger.append(json_line(_spent(call, attempt)))
        if attempt.failure is not None:
            units = [unit.unit_id for unit in call.units]
            self._failures.append(json_line({"unit_ids": units, **_failed(attempt)}))

    def _adopt(self, manifest: Manifest, command: str) -> Manifest:
        found = read_manifest(self.path)
        if found is None and self.judgments.has_labels():
            raise RunError(
                f"{self.path} has labels but no {MANIFEST} that says whose; give another --out"
            )
        kept = self.manifest = found or manifest
        if self.judgments.has_labels():
            self._refuse_if_changed(manifest, task="")
        elif differences(kept, manifest, task=""):
            kept = manifest
        kept = kept.taken_up(manifest.tool_version, command)
        self._write_manifest(kept)
        return kept

    def _refuse_if_changed(self, new: Manifest, task: str) -> None:
        changed = differences(self.manifest, new, task)
        if changed:
            lines = "\n  ".join(changed)
            raise RunError(
                f"{self.path} was made from something else; give another --out\n  {lines}"
            )

    def _write_manifest(self, manifest: Manifest) -> None:
        self.manifest = manifest
        write_whole(self.path / MANIFEST, manifest.model_dump_json(indent=2) + "\n")


def read_manifest(path: Path) -> Manifest | None:
    """The manifest of a run directory, or None where there is none.

    Raises:
        InputError: it is damaged, or of a later version.
    """
    file = path / MANIFEST
    if not file.is_file():
        return None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data.get("format", 0) > FORMAT:
            raise InputError("made by a later version of rag-judge; update it", path=file)
        return Manifest.model_validate(migrated(data))
    except (ValueError, AttributeError, TypeError, ValidationError) as error:
        raise InputError(f"not a manifest: {error}", path=file) from error


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is never half there."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def ledger_entries(path: Path) -> Iterator[dict[str, Any]]:
    """Every call in the ledger of a run; a last line that is only half-written is left out.

    Raises:
        InputError: a line is damaged.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield read_object(line)
            except ValueError as error:
                raise InputError(
                    "not a line of the ledger; the file was changed by other hands",
                    path=path,
                    line=number,
                    expected="a JSON object",
                    found=line[:80].decode(errors="replace"),
                ) from error


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except BlockingIOError as error:
        raise RunError(f"another process works on {path}; wait, or give another --out") from error
    except OSError as error:
        raise RunError(f"{path} cannot be used as a run directory: {error.strerror}") from error


def _lock(path: Path) -> BinaryIO:
    file = (path / ".lock").open("ab")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        file.close()
        raise
    return file


def _spent(call: Call, attempt: Attempt) -> dict[str, Any]:
    return {
        "task": call.units[0].task,
        "units": len(call.units),
        "key": attempt.key,
        "cached": attempt.cached,
        "cost": attempt.cost,
        "at_most": attempt.at_most,
        "seconds": attempt.seconds,
        "failure": attempt.failure,
        "prompt_tokens": attempt.usage.prompt_tokens,
        "completion_tokens": attempt.usage.completion_tokens,
        "cached_tokens": attempt.usage.cached_tokens,
    }


def _failed(attempt: Attempt) -> dict[str, Any]:
    return {
        "key": attempt.key,
        "failure": attempt.failure,
        "message": attempt.message,
        "raw": attempt.raw,
    }
