"""Readings brought together: annotators by their names, nuggets by their text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judge.agreeing.ratings import Reading
from judge.agreement.ratings import Rater, Rating
from judge.errors import InputError

_Place = tuple[str, str | None, str, int]


def raters_of(readings: Sequence[Reading], taken: Sequence[str] = ()) -> list[Rater]:
    """Return the raters of several readings, under distinct names.

    An annotator whom several files name is one rater. One whom no file names is called as the
    file or folder is. A name that is taken, by one of these or of the other side, gets a number.

    Raises:
        InputError: an annotator gives a unit different labels in two files.
    """
    merged: dict[str, Rater] = {}
    for reading in readings:
        for rater in reading.raters:
            if rater.name in merged and rater.name:
                merged[rater.name] = _joined(merged[rater.name], rater)
            else:
                merged[rater.name or _free(reading.name, {*merged})] = rater
    names: list[str] = [*taken]
    for name in merged:
        names.append(_free(name, {*names}))
    renamed = zip(merged.values(), names[len(taken) :], strict=True)
    return [replace(rater, name=name) for rater, name in renamed]


def aligned(reading: Reading, to: Reading) -> Reading:
    """Return a reading whose nuggets have the ids that they have in `to`, told by their text.

    Files of assignments need not name ids, and tools give different ones. Only units that `to`
    does not know are renamed, each to a unit of the same answer whose nugget has the same text;
    the second nugget of that text meets the second.
    """
    if reading.kind != "assign":
        return reading
    known = {key for rater in to.raters for key in rater.ratings}
    own = {key for rater in reading.raters for key in rater.ratings}
    free = {place: key for key, place in _places(to).items() if key not in own}
    names = {
        key: free[place]
        for key, place in _places(reading).items()
        if key not in known and place in free
    }
    return _renamed(reading, names) if names else reading


def _joined(first: Rater, second: Rater) -> Rater:
    for key, rating in second.ratings.items():
        other = first.ratings.get(key)
        if other is not None and other.label != rating.label:
            found = f"{other.label!r} and {rating.label!r}"
            raise InputError(f"annotator {first.name!r} labels {key} twice", found=found)
    return replace(first, ratings={**first.ratings, **second.ratings})


def _free(name: str, taken: set[str]) -> str:
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name} ({number})"
    return candidate


def _places(reading: Reading) -> dict[str, _Place]:
    """unit_id -> (topic, run, nugget text, which one of that text), where the text is known."""
    ratings: dict[str, Rating] = {}
    for rater in reading.raters:
        ratings |= rater.ratings
    seen: dict[tuple[str, str | None, str], int] = {}
    places: dict[str, _Place] = {}
    for key, rating in ratings.items():
        if key in reading.texts:
            place = (rating.topic_id, rating.run_id, reading.texts[key].claim)
            seen[place] = seen.get(place, -1) + 1
            places[key] = (*place, seen[place])
    return places


def _renamed(reading: Reading, names: Mapping[str, str]) -> Reading:
    def renamed(key: str) -> str:
        return names.get(key, key)

    raters = []
    for rater in reading.raters:
        ratings = {renamed(k): r._replace(unit_id=renamed(k)) for k, r in rater.ratings.items()}
        raters.append(replace(rater, ratings=ratings))
    texts = {renamed(key): text for key, text in reading.texts.items()}
    return replace(reading, raters=tuple(raters), texts=texts)
