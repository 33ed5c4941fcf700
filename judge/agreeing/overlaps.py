"""The word overlap of units, from texts in label files, run directories and corpora."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from judge.agreeing.comparing import Compared
from judge.agreeing.rows import UnitText
from judge.agreement.lexical import Lexical, lexical_baseline
from judge.agreement.words import overlap
from judge.corpora import open_corpora
from judge.types import Document

Lookup = Callable[[str], Document | None]


def lexical(compared: Compared, corpus: Sequence[str] = ()) -> Lexical | None:
    """Set the judge against word overlap, on the units that both sides labelled.

    Returns:
        What was found, or why it cannot be told; None for relevance, where it means nothing, and
        where there are not two sides.

    Raises:
        InputError: a corpus cannot be read.
    """
    if compared.kind == "relevance" or compared.judge is None or not compared.humans:
        return None
    (units, human, judge), texts = compared.both(), compared.texts
    with documents(corpus) as lookup:
        shares = [_overlap(unit.unit_id, texts, lookup) for unit in units]
    topics = [unit.topic_id for unit in units]
    return lexical_baseline(shares, human, judge, topics, compared.table.scale)


@contextmanager
def documents(corpus: Sequence[str]) -> Iterator[Lookup]:
    """Open corpora to look documents up in; without any, no document is found.

    Raises:
        InputError: a corpus cannot be read.
    """
    if not corpus:
        yield lambda docid: None
        return
    with open_corpora(corpus) as corpora:
        yield corpora.get


def reference_of(text: UnitText, lookup: Lookup) -> str | None:
    """Return what a claim is held against: an answer, or the text of a document."""
    if text.reference is not None or text.docid is None:
        return text.reference
    document = lookup(text.docid)
    if document is None:
        return None
    return "\n".join(part for part in (document.title, document.headings, document.text) if part)


def _overlap(unit_id: str, texts: Mapping[str, UnitText], lookup: Lookup) -> float | None:
    text = texts.get(unit_id)
    reference = None if text is None else reference_of(text, lookup)
    return None if text is None or reference is None else overlap(text.claim, reference)
