"""Creating nuggets: one list a topic from its relevant documents, then weighed and mapped.

The list is kept over windows of documents, the most relevant first. A topic whose list broke off
at some window gets no nuggets: half a key would favour some answers over others.
"""

from collections.abc import Iterable, Mapping, Sequence

from judge.corpora import Corpora
from judge.formats.nuggets import nugget_id, write_nuggets
from judge.loading import Inputs
from judge.runs import NUGGETS
from judge.session import Session
from judge.tasks import create, importance, mapping
from judge.tasks.batches import chunks
from judge.tasks.per_nugget import PerNugget
from judge.types import Document, Nugget, Qrel

WINDOW = 10

Windows = Mapping[str, Sequence[Sequence[Document]]]
Nuggets = Mapping[str, Sequence[Nugget]]


async def create_nuggets(
    session: Session, inputs: Inputs, qrels: Iterable[Qrel], min_grade: int = 1
) -> Nuggets:
    """Create, weigh and map the nuggets of each topic; writes nuggets.jsonl.

    Documents of at least `min_grade` are read, the best first.
    """
    work = _Creation(session, inputs)
    documents, missing = best_first(inputs.corpora, qrels, min_grade)
    if without := [topic_id for topic_id in inputs.topics if topic_id not in documents]:
        names = ", ".join(without[:3]) + (", ..." if len(without) > 3 else "")
        session.notice(
            f"no document of at least grade {min_grade} for {len(without)} topics: {names}"
        )
    listed = await work.listed(documents, missing)
    nuggets = await work.weighed(listed)
    nuggets = await work.mapped(nuggets)
    queries = {topic_id: topic.narrative for topic_id, topic in inputs.topics.items()}
    flat = [nugget for listed in nuggets.values() for nugget in listed]
    write_nuggets(session.run.path / NUGGETS, flat, queries)
    return nuggets


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
                before, docs = nuggets[unit.topic_id], due[unit.topic_id]
                kept[unit.topic_id] = merged(
                    unit.topic_id, before, judgment.detail["nuggets"], docs
                )
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


def merged(
    topic_id: str, before: Sequence[Nugget], listed: Sequence[str], documents: Sequence[Document]
) -> list[Nugget]:
    """The nuggets of a returned list; a new one keeps the documents of the window it came from."""
    known = {nugget.text: nugget for nugget in before}
    docids = tuple(document.docid for document in documents)
    return [
        known.get(text)
        or Nugget(
            nugget_id=nugget_id(text),
            topic_id=topic_id,
            text=text,
            docids=docids,
            source="judge",
        )
        for text in listed
    ]


def _key(nugget: Nugget) -> tuple[str, str]:
    return nugget.topic_id, nugget.nugget_id
