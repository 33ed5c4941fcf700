"""Ratings of how well documents hold nuggets, as LANCER's judge gave them for NeuCLIR 2024.

The file names neither nuggets nor documents: it is one JSON object, topic -> a row for each
document -> a rating for each nugget, in the order of two other files. A rating below 0 is one
that was not had, and is None here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from judge.errors import InputError
from judge.formats.fields import Fields
from judge.formats.forms import Form, Located, each_record
from judge.formats.lines import OnError, raise_error
from judge.formats.nugget_fields import grouped
from judge.types import Nugget, Ranked, Rating, SubtopicQrel

Rows = Sequence[Sequence[int | None]]


def read_ratings(
    path: str | Path, nuggets: Iterable[Nugget], run: Iterable[Ranked]
) -> list[Rating]:
    """Read ratings with the nuggets and documents that they are of.

    Args:
        path: the file.
        nuggets: the nuggets, in the order of the ratings of each document.
        run: the run whose documents were rated, the first ones of each topic by rank.

    Raises:
        InputError: the file cannot be read, or has another number of nuggets or more documents
            than there are.
    """
    by_topic, docids = grouped(nuggets), _by_rank(run)
    rows = dict(read_rating_rows(path))
    return [
        rating
        for topic_id, topic in rows.items()
        for rating in _named(
            path, topic_id, topic, by_topic.get(topic_id, []), docids.get(topic_id, [])
        )
    ]


def holdings(ratings: Iterable[Rating], least: int = 3) -> list[SubtopicQrel]:
    """Return which documents hold which nuggets: grade 1 where the rating is `least` or more.

    What has no rating is left out: it is not known whether the document holds the nugget.
    """
    return [
        SubtopicQrel(topic_id, nugget_id, docid, int(rating >= least))
        for topic_id, nugget_id, docid, rating in ratings
        if rating is not None
    ]


def read_rating_rows(path: str | Path) -> Mapping[str, Rows]:
    """Return topic_id -> document -> nugget -> rating, by their places in the file.

    Raises:
        InputError: the file cannot be read, a rating is no whole number, or two documents of a
            topic have different numbers of ratings.
    """
    return dict(record for _, record in each_rating_row(path))


def each_rating_row(
    path: str | Path, on_error: OnError = raise_error
) -> Iterator[Located[tuple[str, Rows]]]:
    """Yield the topics and their ratings; see `read_rating_rows`."""
    return each_record(path, "ratings", FORMS, on_error)


def _topics(record: Fields) -> Iterator[tuple[str, Rows]]:
    for topic_id in record.names:
        rows = [
            _row(record, f"{topic_id}[{i}]", row) for i, row in enumerate(record.items(topic_id))
        ]
        for i, row in enumerate(rows):
            if len(row) != len(rows[0]):
                expected = f"{len(rows[0])} ratings, as for the first document"
                name = f"{topic_id}[{i}]"
                raise record.error(name, "wrong value", expected=expected, found=len(row))
        yield topic_id, rows


def _row(record: Fields, name: str, row: object) -> list[int | None]:
    return [
        _rating(record, f"{name}[{j}]", item) for j, item in enumerate(record.to_items(name, row))
    ]


def _rating(record: Fields, name: str, value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise record.error(name, "wrong value", expected="a whole number", found=value)
    return value if value >= 0 else None


def _is_matrix(record: Fields) -> bool:
    values = list(record.peek().values())
    return bool(values) and all(
        isinstance(value, list) and bool(value) and all(isinstance(row, list) for row in value)
        for value in values
    )


FORMS: tuple[Form[tuple[str, Rows]], ...] = (
    Form("topic -> a list of ratings for each document", _is_matrix, _topics),
)


def _by_rank(run: Iterable[Ranked]) -> dict[str, list[str]]:
    topics: dict[str, list[str]] = {}
    for row in sorted(run, key=lambda row: row.rank):
        topics.setdefault(row.topic_id, []).append(row.docid)
    return topics


def _named(
    path: str | Path, topic_id: str, rows: Rows, nuggets: Sequence[Nugget], docids: Sequence[str]
) -> Iterator[Rating]:
    width = len(rows[0]) if rows else 0
    if width != len(nuggets) or len(rows) > len(docids):
        raise InputError(
            "the ratings are of other nuggets or documents",
            path=path,
            field=topic_id,
            expected=f"{len(nuggets)} nuggets and at most {len(docids)} documents",
            found=f"{width} nuggets and {len(rows)} documents",
        )
    for docid, row in zip(docids, rows, strict=False):
        for nugget, rating in zip(nuggets, row, strict=True):
            yield Rating(topic_id, nugget.nugget_id, docid, rating)
