"""Images: looked at before anything is asked, known by their content, sent with their bytes."""

import base64
import hashlib
import json
from pathlib import Path

import pytest

from judge import images
from judge.errors import InputError
from judge.images import check_together, data_url, look_at
from judge.llm import Identity, JudgeSettings, Request, key, key_of, request_payload
from judge.llm.tokens import prompt_tokens
from judge.llm.turns import first_request, repaired
from judge.tasks.relevance import Relevance
from judge.templates import Template, load_template
from judge.types import Call, Document, Image, Judgment, Message, Prompt, Unit
from tests.judging import TOPICS, built_in, document
from tests.pictures import frames, png

IDENTITY = Identity(kind="openai", base_url="http://host:1/v1", model="judge")
KEPT_KEY = "215609633de21c8b3dbb83a07a0eff36451eeae9658cf4d149464112ad7f809f"
"""The key of `plain()` as it was before there were images."""


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "a.png"
    path.write_bytes(png())
    return path


def request_of(*shown: Image, text: str = "naïve") -> Request:
    message = Message(role="user", content=text, images=shown)
    params = {"temperature": 0.0, "max_tokens": 5}
    return Request(identity=IDENTITY, messages=(message,), params=params)


# --- files ---------------------------------------------------------------------------------------


def test_an_image_is_known_by_its_content(picture: Path) -> None:
    found = look_at(str(picture), "d")
    assert found == Image(
        path=str(picture), sha256=hashlib.sha256(png()).hexdigest(), media_type="image/png"
    )


@pytest.mark.parametrize(
    ("start", "media_type"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
def test_the_kind_is_told_from_the_content(tmp_path: Path, start: bytes, media_type: str) -> None:
    path = tmp_path / "misnamed.txt"
    path.write_bytes(start + b"rest")
    assert look_at(str(path), "d").media_type == media_type


@pytest.mark.parametrize("content", [b"", b"text", b"RIFF\x00\x00\x00\x00WAVE", b"%PDF-1.7"])
def test_what_is_no_image_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.png: not an image .*JPEG, PNG, GIF or WebP"):
        look_at(str(path), "d")


def test_what_is_not_there_is_refused_with_its_document(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.png", tmp_path):
        with pytest.raises(InputError, match="an image of document 'd7'") as caught:
            look_at(str(path), "d7")
        assert caught.value.path == str(path)


@pytest.mark.parametrize("path", ["https://host/a.png", "data:image/png;base64,AAAA"])
def test_an_address_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="is an address; expected the path of a file"):
        look_at(path, "d")


def test_sizes_are_limited(picture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = look_at(str(picture), "d")
    with pytest.raises(InputError, match=r"too many .*at most 100, found 101"):
        check_together([found] * 101, "document 'd'")
    monkeypatch.setattr(images, "MAX_TOGETHER", 2 * len(png()))
    check_together([found] * 2, "document 'd'")
    with pytest.raises(InputError, match="document 'd': the images are too large"):
        check_together([found] * 3, "document 'd'")
    monkeypatch.setattr(images, "MAX_BYTES", len(png()) - 1)
    other = picture.with_name("b.png")
    other.write_bytes(png(1))
    with pytest.raises(InputError, match=r"b\.png: the image is too large"):
        look_at(str(other), "d")


def test_an_image_that_changed_is_looked_at_anew(picture: Path) -> None:
    before = look_at(str(picture), "d")
    picture.write_bytes(png(9) + b"more")
    assert look_at(str(picture), "d").sha256 != before.sha256


# --- requests ------------------------------------------------------------------------------------


def test_keys_without_images_are_what_they_were() -> None:
    assert key(request_of()) == KEPT_KEY
    assert request_of().wire_messages() == [{"role": "user", "content": "naïve"}]


def test_an_image_is_sent_as_a_part_after_the_text(picture: Path) -> None:
    (message,) = request_of(look_at(str(picture), "d")).wire_messages()
    text, image = message["content"]
    assert text == {"type": "text", "text": "naïve"}
    start, _, encoded = image["image_url"]["url"].partition(",")
    assert (image["type"], start) == ("image_url", "data:image/png;base64")
    assert base64.b64decode(encoded) == png()


def test_the_payload_names_the_content_and_neither_bytes_nor_path(picture: Path) -> None:
    shown = look_at(str(picture), "d")
    payload = request_payload(request_of(shown))
    part = {"type": "image", "sha256": shown.sha256, "media_type": "image/png"}
    assert payload["messages"][0]["content"][1:] == [part]
    text = json.dumps(payload)
    assert "base64" not in text
    assert str(picture) not in text
    assert key_of(json.loads(text)) == key(request_of(shown))


def test_the_key_follows_the_content_wherever_it_lies(picture: Path) -> None:
    moved, other = picture.with_name("b.png"), picture.with_name("c.png")
    moved.write_bytes(png())
    other.write_bytes(png(1))
    keys = [key(request_of(look_at(str(p), "d"))) for p in (picture, moved, other)]
    assert keys[0] == keys[1] != keys[2]
    assert keys[0] != KEPT_KEY


def test_an_image_that_changed_in_between_is_not_sent(picture: Path) -> None:
    shown = look_at(str(picture), "d")
    picture.write_bytes(png(1))
    with pytest.raises(InputError, match="has changed since the command began"):
        request_of(shown).wire_messages()
    picture.unlink()
    with pytest.raises(InputError, match=r"a\.png: an image: No such file"):
        data_url(shown)


def test_a_repair_turn_shows_the_images_again(picture: Path) -> None:
    shown = look_at(str(picture), "d")
    message = Message(role="user", content="Good?", images=(shown,))
    prompt = Prompt(template="t", sha256="0", messages=(message,))
    call = Call(units=(Unit(task="relevance", topic_id="1"),), prompt=prompt, max_tokens=5)
    request = first_request(call, IDENTITY, JudgeSettings())
    again = repaired(request, request, "no grade", 2, 3).messages[-1]
    assert again.images == (shown,)
    assert again.content.startswith("Good?\n\nYour reply to this could not be used: no grade")


def test_images_count_as_tokens(picture: Path) -> None:
    shown = look_at(str(picture), "d")
    bare, with_two = request_of().messages, request_of(shown, shown).messages
    assert prompt_tokens(with_two) - prompt_tokens(bare) == 2 * 1200


# --- prompts -------------------------------------------------------------------------------------


def video(folder: Path, count: int, text: str = "Said.", docid: str = "v") -> Document:
    paths = tuple(str(folder / name) for name in frames(folder, count))
    return Document(docid=docid, text=text, images=paths)


def test_images_are_shown_only_where_they_are_asked_for(tmp_path: Path) -> None:
    shown = video(tmp_path, 2)
    values = {"topic": TOPICS["t1"], "document": shown}
    without = load_template("relevance/trec2025").render(**values).messages[-1]
    assert without.images == ()
    assert (
        without.content
        == load_template("relevance/trec2025")
        .render(**values | {"document": shown.model_copy(update={"images": ()})})
        .messages[-1]
        .content
    )
    prompt = load_template("relevance/trec2025", images=True).render(**values).messages[-1]
    assert [Path(image.path).name for image in prompt.images] == ["frame0.png", "frame1.png"]
    note = "Images of the passage follow (2). They are part of what you judge."
    assert prompt.content == f"{without.content}\n\n{note}"


def test_images_of_several_documents_say_whose_they_are(tmp_path: Path) -> None:
    template = load_template("nuggets/create", images=True)
    (tmp_path / "a").mkdir()
    documents = [video(tmp_path / "a", 1), document("d"), video(tmp_path, 2, docid="w")]
    shown = template.render(topic=TOPICS["t1"], documents=documents, nuggets=(), most=30)
    assert len(shown.messages[-1].images) == 3
    assert "(passage 1: 1, passage 3: 2)" in shown.messages[-1].content


def test_a_document_without_images_reads_as_ever() -> None:
    values = {"topic": TOPICS["t1"], "document": document("d")}
    plain, shown = (
        load_template("relevance/trec2025", images=images).render(**values)
        for images in (False, True)
    )
    assert plain == shown


def relevance(template: Template, *documents: Document) -> list[Call | Judgment]:
    known = {d.docid: d for d in documents}
    task = Relevance(template, TOPICS, [("t1", docid) for docid in known], known.get)
    return list(task.calls(task.units()))


def test_nothing_but_images_fails_where_they_are_not_shown(tmp_path: Path) -> None:
    silent = video(tmp_path, 3, text=" \n")
    (failed,) = relevance(load_template("relevance/trec2025"), silent)
    assert isinstance(failed, Judgment)
    assert (failed.status, failed.failure) == ("failed", "no_document")
    assert failed.reason == (
        "document 'v' has no text, only 3 images; --images shows them to a model that takes images"
    )
    (asked,) = relevance(load_template("relevance/trec2025", images=True), silent)
    assert isinstance(asked, Call)
    assert len(asked.prompt.messages[-1].images) == 3


def test_a_missing_image_names_its_document(tmp_path: Path) -> None:
    gone = Document(docid="v", text="Said.", images=(str(tmp_path / "gone.png"),))
    template = load_template("relevance/trec2025", images=True)
    with pytest.raises(InputError, match="an image of document 'v'"):
        relevance(template, gone)
    assert isinstance(relevance(load_template("relevance/trec2025"), gone)[0], Call)


def test_the_hash_of_a_template_does_not_hang_on_images() -> None:
    source = dict(built_in())["relevance/trec2025"]
    plain, shown = (Template(source, place="x", images=images) for images in (False, True))
    assert plain.sha256 == shown.sha256
