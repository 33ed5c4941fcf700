"""Nuggets that people have edited: found in a run, kept, and given the ids that are theirs.

A run writes the nuggets that its judge made twice: to nuggets.created.jsonl, always, and to
nuggets.jsonl, which counts, as long as nobody has edited that. Once it differs it belongs to
people: it is read, and never written again. What they changed or added is of source post-edit, and
a nugget with a changed text has another id, so that no label of the old text is taken for it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from judge.errors import InputError, RunError
from judge.formats.nugget_fields import grouped
from judge.formats.nuggets import nugget_id, read_nuggets, write_nuggets
from judge.formats.paths import expand_one
from judge.reporting import Notice
from judge.runs import CREATED, NUGGETS
from judge.types import Nugget

POST_EDIT = "post-edit"

Nuggets = Mapping[str, Sequence[Nugget]]


def settle(run: Path, made: Nuggets, queries: Mapping[str, str], notice: Notice) -> Nuggets:
    """Write what the judge made, and return the nuggets that count: those, or people's.

    Args:
        run: the run directory.
        made: the nuggets that the judge made, by topic.
        queries: topic_id -> the text written as its query.
        notice: told of edits, and of what the judge's list has beside them.
    """
    flat = [nugget for listed in made.values() for nugget in listed]
    edited = _is_edited(run, flat)
    write_nuggets(run / CREATED, flat, queries)
    if not edited:
        write_nuggets(run / NUGGETS, flat, queries)
        return made
    kept = own_nuggets(run)
    changed = sum(nugget.source == POST_EDIT for nugget in kept)
    notice(
        f"{NUGGETS} was edited and stays as it is: {len(kept)} nuggets, {changed} of them "
        f"post-edited; the judge's own {len(flat)} stand in {CREATED}"
    )
    return grouped(kept)


def own_nuggets(run: Path) -> list[Nugget]:
    """Return the nuggets that count in a run, its nuggets.jsonl, with people's edits marked."""
    found = read_nuggets(run / NUGGETS)
    created = run / CREATED
    return list(marked(found, read_nuggets(created))) if created.is_file() else found


def keep_copy(run: Path, nuggets: Iterable[Nugget], queries: Mapping[str, str]) -> None:
    """Write nuggets.jsonl as a copy of nuggets that were given, unless it says something else.

    Raises:
        RunError: it holds other nuggets of a topic; they may be people's edits.
    """
    given = list(nuggets)
    if (run / NUGGETS).is_file():
        topics = grouped(given)
        for topic_id, listed in grouped(read_nuggets(run / NUGGETS)).items():
            if listed != topics.get(topic_id):
                raise RunError(
                    f"{run / NUGGETS} has other nuggets of topic {topic_id} than those given, and "
                    "is not overwritten: name it as the nuggets file, or remove it"
                )
    write_nuggets(run / NUGGETS, given, queries)


def marked(edited: Iterable[Nugget], before: Iterable[Nugget]) -> Iterator[Nugget]:
    """Yield edited nuggets, those that differ from what stood `before` as post-edited.

    They are matched by id; one whose text has changed gets an id by its text.
    """
    known = {(nugget.topic_id, nugget.nugget_id): nugget for nugget in before}
    listed = list(edited)
    taken = {(nugget.topic_id, nugget.nugget_id) for nugget in listed} | known.keys()
    for nugget in listed:
        original = known.get((nugget.topic_id, nugget.nugget_id))
        if nugget == original:
            yield nugget
            continue
        update = {"source": POST_EDIT}
        if original is not None and original.text != nugget.text:
            update["nugget_id"] = fresh_id(nugget.topic_id, nugget.text, taken)
        yield nugget.model_copy(update=update)


def fresh_id(topic_id: str, text: str, taken: set[tuple[str, str]]) -> str:
    """Return an id by the text of a nugget that no other of its topic has, and take it."""
    base = nugget_id(text)
    name, number = base, 1
    while (topic_id, name) in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add((topic_id, name))
    return name


def file_of(source: str | Path) -> Path:
    """Return the nuggets file that `source` names: it, or that of a run directory.

    Raises:
        InputError: there is none.
    """
    run = Path(source)
    if not run.is_dir():
        return expand_one(source)
    if not (run / NUGGETS).is_file():
        raise InputError(f"the run has no {NUGGETS}", path=run)
    return run / NUGGETS


def read_any(source: str | Path) -> list[Nugget]:
    """Return the nuggets of a file, or those that count in a run directory."""
    path = file_of(source)
    return own_nuggets(Path(source)) if Path(source).is_dir() else read_nuggets(path)


def _is_edited(run: Path, made: Sequence[Nugget]) -> bool:
    """Whether nuggets.jsonl is other than the tool wrote it last, or would write it now."""
    if not (run / NUGGETS).is_file():
        return False
    found, created = read_nuggets(run / NUGGETS), run / CREATED
    return found != (read_nuggets(created) if created.is_file() else list(made))
