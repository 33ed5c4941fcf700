"""From a docid to its document, wherever the document is held."""

from judge.corpora.corpora import Corpora, Corpus, open_corpora
from judge.corpora.inline import InlineCorpus
from judge.corpora.jsonl import JsonlCorpus

__all__ = ["Corpora", "Corpus", "InlineCorpus", "JsonlCorpus", "open_corpora"]
