"""Everything that a report shows of one run, gathered as plain data that JSON can hold.

    dossier       the whole: an overview, and the topics one at a time, so that memory stays flat
    overview      what made the run, its scores, what they cost
    topic         one topic: nuggets, answers, passages, judgments, prompts and replies
    evidence      prompts and replies from the store; documents as the run kept them
    health        how the judge did: failures, flags, labels, disagreement among samples
    significance  which systems differ, as letters
    relations     retrieval against RAG scores, and agreement with people

Nothing of a run is changed or locked, so that one that is still judged can be looked at.
"""

from judge.dossier.dossier import Dossier, Sources, open_dossier

__all__ = ["Dossier", "Sources", "open_dossier"]
