"""Creating nuggets: one list a topic from its relevant documents, then weighed and mapped.

The list is kept over windows of documents, the most relevant first. A topic whose list broke off
at some window gets no nuggets: half a key would favour some answers over others.
"""

from collections.abc import Iterable, Mapping, Sequence

from judge.corpora import Corpora
from judge.editing import settle
from judge.formats.nuggets import nugget_id, write_nuggets
from judge.images import check_together, look_at
from judge.likeness import NEAR, folded, most_like, near_duplicates
from judge.loading import Inputs
from judge.runs import NUGGETS
from judge.session import Session
from judge.tasks import create, importance, mapping
from judge.tasks.batches import chunks
from judge.tasks.per_nugget import PerNugget, unit_of
from judge.types import Document, Judgment, Nugget, Qrel

WINDOW = 10

Windows = Mapping[str, Sequence[Sequence[Document]]]
Nuggets = Mapping[str, Sequence[Nugget]]


async def create_nuggets(
    session: Session, inputs: Inputs, qrels: Iterable[Qrel], min_grade: int = 1
) -> Nuggets:
    """Create, weigh and map the nuggets of each topic; writes nuggets.created.jsonl.

    Documents of at least `min_grade` are read, the best first. nuggets.jsonl is the same file,
    unless people have edited it; then it stays, and theirs are the nuggets that are returned.
    """
    work = _Creation(session, inputs)
    documents, missing = best_first(inputs.corpora, qrels, min_grade)
    documents = _shown(session, documents)
    if without := [topic_id for topic_id in inputs.topics if topic_id not in documents]:
        names = ", ".join(without[:3]) + (", ..." if len(without) > 3 else "")
        session.notice(
            f"no document of at least grade {min_grade} for {len(without)} topics: {names}"
        )
    listed = await work.listed(documents, missing)
    nuggets = await work.weighed(listed)
    nuggets = await work.mapped(nuggets)
    _tell_near(session, nuggets)
    return settle(session.run.path, nuggets, _queries(inputs), session.notice)


async def relabelled(session: Session, inputs: Inputs, task: str) -> Nuggets:
    """Ask anew for the importance or the mapping of the nuggets; writes nuggets.jsonl.

    Nuggets that are no units of the session keep what they have.
    """
    work = _Creation(session, inputs)
    ask = {"importance": work.weighed, "mapping": work.mapped}[task]
    labelled = await ask(inputs.nuggets)
    nuggets = {
        topic_id: [
            new if session.only is None or unit_of(task, old).unit_id in session.only else old
            for old, new in zip(inputs.nuggets[topic_id], listed, strict=True)
        ]
        for topic_id, listed in labelled.items()
    }
    _write(session, inputs, nuggets)
    return nuggets


def _write(session: Session, inputs: Inputs, nuggets: Nuggets) -> None:
    flat = [nugget for listed in nuggets.values() for nugget in listed]
    write_nuggets(session.run.path / NUGGETS, flat, _queries(inputs))


def _queries(inputs: Inputs) -> dict[str, str]:
    return {topic_id: topic.narrative for topic_id, topic in inputs.topics.items()}


def _tell_near(session: Session, nuggets: Nuggets) -> None:
    """Tell of nuggets that nearly say the same; whether they do is for people to say."""
    near = near_duplicates(nugget for listed in nuggets.values() for nugget in listed)
    if near:
        first = max(near, key=lambda pair: pair.likeness)
        session.notice(
            f"{len(near)} pairs of nuggets nearly say the same, such as {first.first.text!r} and "
            f"{first.second.text!r} of topic {first.first.topic_id}; `rag-judge nuggets sheet` "
            "lists them"
        )


def _shown(
    session: Session, documents: Mapping[str, Sequence[Document]]
) -> dict[str, list[Document]]:
    """The documents that a prompt shows something of, after a look at the images of all windows."""
    template = session.template("nuggets/create")
    shown = {topic_id: list(filter(template.shows, docs)) for topic_id, docs in documents.items()}
    left_out = sum(map(len, documents.values())) - sum(map(len, shown.values()))
    if left_out:
        session.notice(
            f"left out {left_out} documents that have no text, only images; --images shows them "
            "to a model that takes images"
        )
    if session.settings.images:
        for window in (part for docs in shown.values() for part in chunks(docs, WINDOW)):
            images = [
                look_at(path, document.docid) for document in window for path in document.images
            ]
            check_together(images, f"documents {', '.join(document.docid for document in window)}")
    return {topic_id: docs for topic_id, docs in shown.items() if docs}


def best_first(
    corpora: Corpora, qrels: Iterable[Qrel], min_grade: int
) -> tuple[dict[str, list[Document]], dict[str, list[str]]]:
    """The documents of at least `min_grade` of each topic, the highest grades first.

    Returns:
        The documents by topic, and the docids of those that no corpus holds.
    """
    found: dict[str, list[Document]] = {}
    missing: dict[str, list[str]] = {}
    for row in sorted(qrels, key=lambda row: (row.topic_id, -row.grade)):
        if row.grade < min_grade:
            continue
        document = corpora.get(row.docid)
        if document is None:
            missing.setdefault(row.topic_id, []).append(row.docid)
        else:
            found.setdefault(row.topic_id, []).append(document)
    return found, missing


class _Creation:
    """The steps of creating nuggets, over one session and its inputs."""

    def __init__(self, session: Session, inputs: Inputs) -> None:
        self._session, self._topics = session, inputs.topics
        self._files = inputs.fingerprints("topics", "corpus", "answers", "qrels")

    async def listed(
        self, documents: Mapping[str, Sequence[Document]], missing: Mapping[str, Sequence[str]]
    ) -> dict[str, list[Nugget]]:
        """The list of each topic after its last window; missing documents fail with the first."""
        windows = {topic_id: list(chunks(docs, WINDOW)) for topic_id, docs in documents.items()}
        nuggets: dict[str, list[Nugget]] = {topic_id: [] for topic_id in windows}
        for number in range(max(map(len, windows.values()), default=1)):
            due = {t: windows[t][number] for t in nuggets if number < len(windows[t])}
            nuggets = await self._after_window(number, due, nuggets, missing if not number else {})
        return nuggets

    async def _after_window(
        self,
        number: int,
        due: Mapping[str, Sequence[Document]],
        nuggets: dict[str, list[Nugget]],
        missing: Mapping[str, Sequence[str]],
    ) -> dict[str, list[Nugget]]:
        texts = {topic_id: [n.text for n in listed] for topic_id, listed in nuggets.items()}
        template = self._session.template("nuggets/create")
        task = create.Create(template, self._topics, number, due, texts, missing)
        await self._session.judge(task, self._files)
        kept = {topic_id: listed for topic_id, listed in nuggets.items() if topic_id not in due}
        for unit in (unit for unit in task.units() if unit.docid is None):
            judgment = self._session.run.judgments.get(unit.unit_id)
            if judgment is None or judgment.status == "failed":
                what = "was not judged" if judgment is None else "failed"
                self._session.notice(
                    f"topic {unit.topic_id}: window {number + 1} {what}, no nuggets"
                )
            else:
                docids = [document.docid for document in due[unit.topic_id]]
                listed = _from_passages(judgment, docids)
                kept[unit.topic_id] = merged(unit.topic_id, nuggets[unit.topic_id], listed, docids)
        return kept

    async def weighed(self, nuggets: Nuggets) -> Nuggets:
        """The nuggets with their importance; one that failed keeps none."""
        template = self._session.template("nuggets/importance")
        labels = await self._labels(importance.Importance(template, self._topics, nuggets))
        return {
            topic_id: [
                nugget.model_copy(update={"importance": labels.get(_key(nugget))})
                for nugget in listed
            ]
            for topic_id, listed in nuggets.items()
        }

    async def mapped(self, nuggets: Nuggets) -> Nuggets:
        """The nuggets with their sub-narrative; one that belongs to none keeps none."""
        template = self._session.template("nuggets/mapping")
        labels = await self._labels(mapping.Mapping(template, self._topics, nuggets))

        def part(nugget: Nugget) -> str | None:
            label = labels.get(_key(nugget), mapping.NONE)
            return mapping.sub_narrative(self._topics[nugget.topic_id], label)

        return {
            topic_id: [n.model_copy(update={"sub_narrative": part(n)}) for n in listed]
            for topic_id, listed in nuggets.items()
        }

    async def _labels(self, task: PerNugget) -> dict[tuple[str, str], str]:
        await self._session.judge(task, self._files)
        found = (self._session.run.judgments.get(unit.unit_id) for unit in task.units())
        return {
            (j.topic_id, j.nugget_id or ""): str(j.label)
            for j in found
            if j is not None and j.label is not None
        }


def _from_passages(judgment: Judgment, docids: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    """Each text of a returned list with the documents that it came from.

    These are the passages that the judge named; of a text with which it named none, none.
    """
    texts, passages = judgment.detail["nuggets"], judgment.detail["passages"]
    return [
        (text, [docids[place] for place in places or ()])
        for text, places in zip(texts, passages, strict=True)
    ]


def merged(
    topic_id: str,
    before: Sequence[Nugget],
    listed: Sequence[tuple[str, Sequence[str]]],
    window: Sequence[str],
) -> list[Nugget]:
    """The nuggets of a returned list, with the documents of all windows they came from.

    A nugget that was there before, but for case and spaces, stays what it was. One that says
    nearly what another said, which is there no longer, takes over the documents of that one.

    Args:
        topic_id: the topic.
        before: the nuggets up to now.
        listed: the texts that were returned, and the documents that the judge named for each.
        window: the documents of this window, from which a new nugget comes that names none.
    """
    known = {folded(nugget.text): nugget for nugget in before}
    texts = {folded(text) for text, _ in listed}
    gone = [nugget for key, nugget in known.items() if key not in texts]
    return [
        _with(known[folded(text)], docids)
        if folded(text) in known
        else _new(topic_id, text, docids, gone, window)
        for text, docids in listed
    ]


def _with(nugget: Nugget, docids: Sequence[str]) -> Nugget:
    """The nugget, with further documents that it came from."""
    both = tuple(dict.fromkeys((*nugget.docids, *docids)))
    return nugget.model_copy(update={"docids": both})


def _new(
    topic_id: str, text: str, docids: Sequence[str], gone: Sequence[Nugget], window: Sequence[str]
) -> Nugget:
    earlier = most_like(text, gone, NEAR)
    sources = (*(earlier.docids if earlier else ()), *docids) or window
    return Nugget(
        nugget_id=nugget_id(text),
        topic_id=topic_id,
        text=text,
        docids=tuple(dict.fromkeys(sources)),
        source="judge",
    )


def _key(nugget: Nugget) -> tuple[str, str]:
    return nugget.topic_id, nugget.nugget_id
