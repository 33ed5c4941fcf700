"""The round trip of nuggets through the hands of people: out as a sheet, edited, and in again."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from judge.editing import POST_EDIT, file_of, fresh_id, read_any
from judge.errors import UsageError
from judge.formats.nugget_sheets import EditedRow, read_nugget_sheet, write_nugget_sheet
from judge.formats.nuggets import read_nuggets, write_nuggets
from judge.formats.paths import expand_one
from judge.formats.topics import read_topics
from judge.likeness import near_duplicates
from judge.nugget_changes import Change, changes
from judge.runs import CREATED, NUGGETS, TOPICS
from judge.types import Nugget, Topic


def write_sheet(source: str | Path, out: Path, topics: str | Path | None = None) -> int:
    """Write the nuggets of a file or run directory as a sheet, and return how many they are.

    Args:
        source: a file of nuggets in any form, or a run directory that has made some.
        out: the sheet; a table for a spreadsheet if its name ends in .tsv, else JSONL.
        topics: the topics file; that of the run if none is given.

    Raises:
        InputError: a file cannot be read.
        UsageError: the sheet cannot be written.
    """
    nuggets = read_any(source)
    near = {
        (pair.second.topic_id, pair.second.nugget_id): pair.first.nugget_id
        for pair in near_duplicates(nuggets)
    }
    write_nugget_sheet(out, nuggets, _topics(source, topics), near)
    return len(nuggets)


def revise(
    source: str | Path,
    sheet: str | Path,
    out: Path | None = None,
    topics: str | Path | None = None,
) -> list[Change]:
    """Take the edits of a sheet over, and return what they change.

    Args:
        source: the nuggets that the sheet was made of, as a file or run directory.
        sheet: the edited sheet.
        out: the nuggets file to write; that of the run, if the run has made its nuggets.
        topics: the topics file; that of the run if none is given.

    Raises:
        InputError: a file cannot be read, or the sheet names a nugget or topic that is not there.
        UsageError: there is nowhere to write, or it cannot be written.
    """
    target = _target(source, out)
    known = _topics(source, topics)
    before, created = read_any(source), Path(source) / CREATED
    earlier = read_nuggets(created) if created.is_file() else []
    after = revised(before, read_nugget_sheet(expand_one(sheet), known), known, earlier)
    queries = {topic_id: topic.narrative for topic_id, topic in known.items()}
    write_nuggets(target, after, queries)
    return changes(before, after)


def revised(
    before: Sequence[Nugget],
    rows: Sequence[EditedRow],
    topics: Mapping[str, Topic],
    earlier: Sequence[Nugget] = (),
) -> list[Nugget]:
    """Return the nuggets as the rows of a sheet have them, in the order of the sheet.

    What differs is of source post-edit; a nugget whose text has changed has an id by its new text.
    A sheet that is taken over again changes nothing.

    Args:
        before: the nuggets as they are.
        rows: the sheet.
        topics: the topics that are known, by id.
        earlier: nuggets as they were; a sheet that was made of them names some of these.

    Raises:
        InputError: a row names a nugget that is not there, or one that stood before it, or a topic
            that is not known.
    """
    topic_ids = {*topics, *(nugget.topic_id for nugget in before)}
    revision = _Revision(before, rows, earlier)
    after: list[Nugget] = []
    for row in rows:
        if row.topic_id not in topic_ids:
            expected = f"a topic of the nuggets, such as {min(topic_ids, default='')}"
            raise row.place.error(
                "unknown topic", field="topic_id", expected=expected, found=row.topic_id
            )
        after.append(revision.nugget(row))
    return after


class _Revision:
    """Finds, for each row of a sheet, the nugget that it is about."""

    def __init__(
        self, before: Sequence[Nugget], rows: Sequence[EditedRow], earlier: Sequence[Nugget]
    ) -> None:
        self._known = {(n.topic_id, n.nugget_id): n for n in (*earlier, *before)}
        self._taken, self._seen = set(self._known), set[tuple[str, str]]()
        named = {(row.topic_id, row.nugget_id) for row in rows}
        self._by_text = {
            (nugget.topic_id, _plain(nugget)): nugget
            for nugget in before
            if (nugget.topic_id, nugget.nugget_id) not in named
        }

    def nugget(self, row: EditedRow) -> Nugget:
        """The nugget of a row: one that is there, changed or not, or a new one."""
        named = self._named(row)
        if named is not None and _plain(named) == row.text:
            return _changed(named, row)
        original = self._by_text.pop((row.topic_id, row.text), None)
        if original is not None:
            return _changed(original, row)
        update = {
            "nugget_id": fresh_id(row.topic_id, row.text, self._taken),
            "topic_id": row.topic_id,
            "text": row.text,
        }
        kept = {} if named is None else named.model_dump()
        return _changed(Nugget.model_validate({**kept, **update, "source": POST_EDIT}), row)

    def _named(self, row: EditedRow) -> Nugget | None:
        if row.nugget_id is None:
            return None
        key = row.topic_id, row.nugget_id
        if key not in self._known or key in self._seen:
            expected = "an id of the nuggets, once; nothing for a new nugget"
            raise row.place.error(
                "wrong value", field="nugget_id", expected=expected, found=row.nugget_id
            )
        self._seen.add(key)
        return self._known[key]


def _changed(nugget: Nugget, row: EditedRow) -> Nugget:
    """The nugget with importance and sub-narrative of its row; itself if it has them."""
    edits = {"importance": row.importance, "sub_narrative": row.sub_narrative}
    if all(getattr(nugget, name) == value for name, value in edits.items()):
        return nugget
    return nugget.model_copy(update={**edits, "source": POST_EDIT})


def _plain(nugget: Nugget) -> str:
    """The text of a nugget as a sheet has it."""
    return " ".join(nugget.text.split())


def _target(source: str | Path, out: Path | None) -> Path:
    if out is not None:
        return out
    run = Path(source)
    if not run.is_dir():
        raise UsageError("name the nuggets file to write with --out")
    file_of(source)
    if not (run / CREATED).is_file():
        raise UsageError(
            f"the nuggets of {run} were given to it in a file: revise that file, or name --out"
        )
    return run / NUGGETS


def _topics(source: str | Path, given: str | Path | None) -> dict[str, Topic]:
    own = Path(source) / TOPICS
    path = expand_one(given) if given is not None else own if own.is_file() else None
    return {topic.topic_id: topic for topic in read_topics(path)} if path is not None else {}
