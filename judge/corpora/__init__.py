"""From a docid to its document, wherever the document is held."""

from judge.corpora.corpora import Corpora, Corpus, open_corpora
from judge.corpora.inline import InlineCorpus
from judge.corpora.jsonl import JsonlCorpus
from judge.corpora.msmarco import MsMarcoCorpus
from judge.corpora.sources import find_sources

__all__ = [
    "Corpora",
    "Corpus",
    "InlineCorpus",
    "JsonlCorpus",
    "MsMarcoCorpus",
    "find_sources",
    "open_corpora",
]
