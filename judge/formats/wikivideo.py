"""WikiVideo (MiRAGE): predictions with cited videos, and reference claims with their videos.

Each file is one JSON object, topic -> what there is of it. The topic's id is its name there; the
qrels and runs name it by the `query_id` that the reference claims have: `judge.formats.query_ids`
joins both. The annotators' labels are read by `judge.formats.human`.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from judge.formats.fields import Fields
from judge.formats.forms import Form
from judge.formats.nugget_fields import NuggetGroup, NuggetIds
from judge.types import Answer, Citation, Nugget, Sentence, Topic

_WATCH = re.compile(r"watch\?v=([\w-]{11})(&.*)?")


def video_id(name: str) -> str:
    """Return the id of a video that is named by its file (a/b/ID.mp4) or address (watch?v=ID)."""
    watched = _WATCH.fullmatch(name)
    return watched[1] if watched else PurePosixPath(name).name.removesuffix(".mp4")


def is_labels(record: Fields) -> bool:
    """Tell whether a file holds what annotators said of the claims of predictions."""
    return _holds_each("prediction", "claims")(record)


def _holds_each(*names: str) -> Callable[[Fields], bool]:
    def fits(record: Fields) -> bool:
        values = record.peek().values()
        return bool(values) and all(
            isinstance(value, dict) and all(name in value for name in names) for value in values
        )

    return fits


def _answer(record: Fields) -> Iterator[Answer]:
    record.skip("prediction", "claims")
    texts, cited = record.texts("sentences"), record.items("citations")
    if len(texts) != len(cited):
        expected = f"a list for each of the {len(texts)} sentences"
        raise record.error("citations", "wrong value", expected=expected, found=len(cited))
    sentences = (
        Sentence(text=text, citations=_videos(record, f"citations[{i}]", videos))
        for i, (text, videos) in enumerate(zip(texts, cited, strict=True))
    )
    yield Answer(run_id=_run_id(record), topic_id=record.key, sentences=tuple(sentences))


def _videos(record: Fields, name: str, listed: object) -> tuple[Citation, ...]:
    videos: dict[str, Citation] = {}
    for i, video in enumerate(record.to_items(name, listed)):
        mention = record.to_ident(f"{name}[{i}]", video)
        docid = video_id(mention)
        if not docid:
            expected = "the file of a video"
            raise record.error(f"{name}[{i}]", "wrong value", expected=expected, found=video)
        videos.setdefault(docid, Citation(mention=mention, docid=docid))
    return tuple(videos.values())


def _topic(record: Fields) -> Iterator[Topic]:
    record.skip("claims", "original_article", "claims_to_supporting_videos", "article")
    record.skip("query_id", "videos")
    title = record.key.replace("_", " ")
    yield Topic(topic_id=record.key, narrative=title, title=title)


def _nuggets(record: Fields) -> Iterator[NuggetGroup]:
    yield NuggetGroup(record.key, tuple(_claims(record)))


def _claims(record: Fields) -> Iterator[Nugget]:
    record.skip("claims", "original_article", "article", "query_id", "videos")
    claims, ids = record.record("claims_to_supporting_videos"), NuggetIds()
    for text in claims.names:
        claim = claims.record(text)
        claim.skip("videos_modalities")
        videos = dict.fromkeys(map(video_id, claim.idents("supporting_videos")))
        yield Nugget(
            nugget_id=ids.of(claim, text),
            topic_id=record.key,
            text=text,
            docids=tuple(videos),
            source="reference",
        )


def _run_id(record: Fields) -> str:
    """Return the run by the file's name, answers.RUN.json, as no field tells it."""
    name = PurePosixPath(record.place.path.replace("\\", "/")).name
    return name.removesuffix(".gz").removesuffix(".json").removeprefix("answers.") or name


PREDICTION: Form[Answer] = Form(
    "topic -> prediction, sentences and citations",
    _holds_each("sentences", "citations"),
    _answer,
    by_topic=True,
)
TOPIC: Form[Topic] = Form(
    "topic -> claims_to_supporting_videos and query_id",
    _holds_each("claims_to_supporting_videos"),
    _topic,
    by_topic=True,
)
CLAIMS: Form[NuggetGroup] = Form(
    "topic -> claims_to_supporting_videos",
    _holds_each("claims_to_supporting_videos"),
    _nuggets,
    by_topic=True,
)
