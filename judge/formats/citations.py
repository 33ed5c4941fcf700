"""The citations of a sentence: by place in the list of references, by docid, or by confidence.

Whole numbers are 0-based places in the list of references, as all of the field's formats define
it; strings are docids. What points at no reference is kept, with docid None: -1 is not the last
one, and a number past the end is not a neighbour.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from judge.formats.fields import Fields
from judge.types import Citation


@dataclass(frozen=True)
class References:
    """What an answer can cite; `closed` tells whether a docid outside of `docids` is invalid."""

    docids: tuple[str, ...]
    closed: bool

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.docids)

    def at(self, place: int) -> Citation:
        """Return the citation that a whole number makes."""
        inside = 0 <= place < len(self.docids)
        return Citation(mention=str(place), docid=self.docids[place] if inside else None)

    def named(self, docid: str) -> Citation:
        """Return the citation that a docid makes."""
        valid = not self.closed or docid in self._known
        return Citation(mention=docid, docid=docid if valid else None)


def read_citations(record: Fields, references: References) -> tuple[Citation, ...]:
    """Return the `citations` of a sentence, the strongest first; what is cited twice counts once.

    They are a list of places and docids, or {docid: confidence}; none where missing or null.

    Raises:
        InputError: one is neither a whole number nor an id, or a confidence is no number.
    """
    kept: dict[object, Citation] = {}
    for citation in _citations(record, references):
        # a docid and a mention that points at nothing may read the same: 3 and "3"
        key = (citation.docid is None, citation.docid or citation.mention)
        if kept.setdefault(key, citation) is not citation:
            record.note_repeated("citations")
    return tuple(kept.values())


def write_citations(citations: Sequence[Citation], docids: Sequence[str]) -> list[int | str]:
    """Return what `read_citations` reads back as `citations`, given the same references."""
    return [_written(citation, len(docids)) for citation in citations]


def _written(citation: Citation, n_references: int) -> int | str:
    mention = citation.mention
    if mention == citation.docid:
        return mention
    place = int(mention) if _is_place(mention) else None
    if place is None or (citation.docid is None and 0 <= place < n_references):
        return mention
    return place


def _is_place(mention: str) -> bool:
    return (
        len(mention) < 19 and mention.removeprefix("-").isdecimal() and str(int(mention)) == mention
    )


def _citations(record: Fields, references: References) -> Iterator[Citation]:
    cited = record.get("citations")
    if isinstance(cited, dict):
        cited = _by_confidence(record, cited)
    elif cited is not None:
        cited = record.items("citations")
    for i, item in enumerate(cited or []):
        with record.part():
            if isinstance(item, int) and not isinstance(item, bool):
                yield references.at(item)
            else:
                yield references.named(record.to_ident(f"citations[{i}]", item))


def _by_confidence(record: Fields, cited: dict[str, object]) -> list[str]:
    """Return docids by confidence descending; sorting is stable, so ties stay as written."""
    confidence = {
        docid: record.to_number(f"citations[{docid}]", value) for docid, value in cited.items()
    }
    return sorted(confidence, key=lambda docid: -confidence[docid])
