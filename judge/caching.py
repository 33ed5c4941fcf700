"""Looking after the reply store: what is in it, whether it holds, out of it and into it."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from pathlib import Path

from judge.errors import InputError, UsageError
from judge.llm import model_of_tag
from judge.reporting import Notice
from judge.types import Record
from judge.verification import Fault, fault_of, faults, template_of_tag
from judge_cache import Line, Selection, Store, StoreError, open_store

# --- what is in it -----------------------------------------------------------------------------


class Share(Record):
    """Replies of one model to one template, stored on one day.

    `date` is the day in UTC, or None where the store's row gives none; `bytes` is their size as
    they are stored.
    """

    model: str
    template: str
    date: str | None
    entries: int
    bytes: int


class Stats(Record):
    """What a store holds.

    Attributes:
        store: its folder.
        entries: replies, and pointers to replies.
        bytes: their size as they are stored.
        file_bytes: size of the files of the database.
        foreign_rows: rows of other programs, which are never read.
        shares: the entries by model, template and day.
    """

    store: str
    entries: int
    bytes: int
    file_bytes: int
    foreign_rows: int
    shares: tuple[Share, ...]


def stats(path: Path, notice: Notice) -> Stats:
    """Sum up the store in folder `path`; no reply is read.

    Raises:
        UsageError: there is no store, or it cannot be read.
    """
    with _existing(path, notice) as store:
        shares = tuple(
            Share(
                model=model_of_tag(group.tag),
                template=template_of_tag(group.tag),
                date=group.date,
                entries=group.entries,
                bytes=group.size,
            )
            for group in store.groups()
        )
        return Stats(
            store=str(path),
            entries=sum(share.entries for share in shares),
            bytes=sum(share.bytes for share in shares),
            file_bytes=store.file_size(),
            foreign_rows=store.foreign(),
            shares=shares,
        )


# --- whether it holds --------------------------------------------------------------------------


class Verification(Record):
    """What was found in a store.

    Attributes:
        store: its folder.
        entries: how many were read.
        damage: what is wrong with the database itself, or None.
        foreign_rows: rows of other programs, which are never read.
        faults: the entries that do not verify.
    """

    store: str
    entries: int
    damage: str | None
    foreign_rows: int
    faults: tuple[Fault, ...]

    def check(self) -> None:
        """Raise what makes the command end with status 2.

        Raises:
            InputError: something does not verify.
        """
        if self.damage is not None:
            raise InputError(
                f"the database is damaged ({self.damage}): export what can be read, and import "
                "it into a new folder",
                path=self.store,
            )
        if wrong := len(self.faults) + self.foreign_rows:
            raise InputError(
                f"{wrong:,} of {self.entries + self.foreign_rows:,} entries do not verify; "
                "`rag-judge cache prune --broken` drops them, so that they are asked again",
                path=self.store,
            )


def verify(path: Path, notice: Notice) -> Verification:
    """Read every entry of the store in folder `path`, and derive every key again.

    Raises:
        UsageError: there is no store, or it cannot be read.
    """
    with _existing(path, notice) as store:
        return Verification(
            store=str(path),
            entries=len(store),
            damage=store.damage(),
            foreign_rows=store.foreign(),
            faults=tuple(faults(store)),
        )


# --- out of it and into it ---------------------------------------------------------------------


class Exported(Record):
    """An exported file, and how many entries it holds."""

    file: str
    entries: int


class Merged(Record):
    """What an import did, in entries.

    Attributes:
        file: what was imported.
        new: entries that were not there.
        same: entries that were there with the same reply.
        differing: entries that were there with another reply.
        replaced: whether those were replaced by the file's.
        orphans: entries of the file that lead to a reply which is nowhere.
    """

    file: str
    new: int
    same: int
    differing: int
    replaced: bool
    orphans: int


def export_replies(
    path: Path, file: Path, notice: Notice, *, model: str | None = None, template: str | None = None
) -> Exported:
    """Write the store in folder `path`, or what is of a model or a template, to one file.

    Raises:
        UsageError: there is no store, it holds nothing of them, or the file cannot be written.
    """
    with _existing(path, notice) as store:
        entries = store.export(file, tags=_tags(store, model, template))
    return Exported(file=str(file), entries=entries)


def import_replies(path: Path, file: Path, notice: Notice, *, theirs: bool = False) -> Merged:
    """Merge an exported file into the store in folder `path`, which is made if it is not there.

    Args:
        path: the folder.
        file: the file; if anything in it does not verify, nothing of it is imported.
        notice: told what went wrong without stopping.
        theirs: take the file's reply where the store has another one to the same request.

    Raises:
        UsageError: the file or the store cannot be used.
    """
    targets: set[str] = set()

    def check(line: Line) -> str | None:
        fault = fault_of(line)
        if fault is None and "answered_by" in line.entry:
            targets.add(line.entry["answered_by"])
        return fault

    with _explained(), open_store(path, on_notice=notice) as store:
        done = store.import_file(file, check=check, same=_say_the_same, replace=theirs)
        orphans = sum(target not in store for target in targets)
    return Merged(file=str(file), **done._asdict(), replaced=theirs, orphans=orphans)


def _say_the_same(ours: dict[str, object], theirs: dict[str, object]) -> bool:
    """Whether two entries of one request hold the same answer; dates and costs may differ."""
    return _answer(ours) == _answer(theirs)


def _answer(entry: dict[str, object]) -> list[object]:
    reply = entry.get("reply")
    text = reply.get("text") if isinstance(reply, dict) else reply
    return [text, entry.get("answered_by"), entry.get("in_halves")]


# --- pruning -----------------------------------------------------------------------------------


class Choice(Record):
    """What to prune: everything, or all that meets each of the other conditions.

    Attributes:
        model: replies of this model.
        template: replies to this template.
        before: replies stored before this day (UTC).
        orphans: entries that lead to a reply which is not there.
        broken: all entries that do not verify, orphans too.
        everything: all that there is.
    """

    model: str | None = None
    template: str | None = None
    before: date | None = None
    orphans: bool = False
    broken: bool = False
    everything: bool = False

    def check(self) -> None:
        """Refuse a choice of nothing, and one that contradicts itself.

        Raises:
            UsageError: with what to choose instead.
        """
        given = [name for name, value in self if value]
        if not given:
            raise UsageError(
                "say what to prune: --model, --template, --before, --orphans, --broken or --all"
            )
        if self.everything and len(given) > 1:
            raise UsageError("--all prunes everything: drop it, or the other conditions")
        if self.before is not None and (self.orphans or self.broken):
            raise UsageError("--orphans and --broken do not go by date: leave out --before")


def day(text: str | None) -> date | None:
    """Return the day that `text` names, as 2026-01-31; None for None.

    Raises:
        UsageError: it names none.
    """
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no day; write it as 2026-01-31") from None


class Pruned(Record):
    """What a choice is of, and whether it was deleted.

    `entries` and `bytes` are those of the choice; `freed_bytes` is by how much the files shrank.
    """

    entries: int
    bytes: int
    deleted: bool
    freed_bytes: int


_Chosen = tuple[int, int, Callable[[], int]]
"""How many entries, their bytes, and what deletes them and returns how many it did."""


def prune(path: Path, choice: Choice, notice: Notice, *, delete: bool = False) -> Pruned:
    """Say what of the store in folder `path` is chosen, and `delete` it if that is wanted.

    Raises:
        UsageError: the choice is none, there is no store, or it cannot be written.
    """
    choice.check()
    with _existing(path, notice) as store:
        tags = _tags(store, choice.model, choice.template)
        choose = _faulty if choice.orphans or choice.broken else _selected
        entries, size, drop = choose(store, choice, tags)
        if not delete:
            return Pruned(entries=entries, bytes=size, deleted=False, freed_bytes=0)
        start = store.file_size()
        entries = drop()
        try:
            store.reclaim()
        except StoreError as error:
            notice(f"{entries:,} entries are deleted, but their space is not given back: {error}")
        freed = max(0, start - store.file_size())
        return Pruned(entries=entries, bytes=size, deleted=True, freed_bytes=freed)


def _selected(store: Store, choice: Choice, tags: Collection[str] | None) -> _Chosen:
    day = choice.before
    before = None if day is None else datetime.combine(day, time(), UTC).timestamp()
    selection = Selection(tags, before)
    return *store.measure(selection), lambda: store.prune(selection)


def _faulty(store: Store, choice: Choice, tags: Collection[str] | None) -> _Chosen:
    keys = [fault.key for fault in faults(store, tags) if choice.broken or fault.orphan]
    foreign = store.foreign() if choice.broken and tags is None else 0

    def drop() -> int:
        return store.remove(keys) + (store.remove_foreign() if foreign else 0)

    return len(keys) + foreign, store.size_of(keys), drop


# --- the store ---------------------------------------------------------------------------------


def _tags(store: Store, model: str | None, template: str | None) -> list[str] | None:
    """The groups of entries of a model and a template; None for all.

    Raises:
        UsageError: there are none.
    """
    if model is None and template is None:
        return None
    held = store.tags()
    found = [
        tag
        for tag in held
        if model in (None, model_of_tag(tag)) and template in (None, template_of_tag(tag))
    ]
    if not found:
        named = ", ".join(sorted({f"{model_of_tag(t)} with {template_of_tag(t)}" for t in held}))
        raise UsageError(f"the store holds no such replies; it holds those of {named or 'nobody'}")
    return found


@contextmanager
def _existing(path: Path, notice: Notice) -> Iterator[Store]:
    with _explained(), open_store(path, on_notice=notice, existing=True) as store:
        yield store


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise UsageError(f"{error} (--cache names another folder)") from error
