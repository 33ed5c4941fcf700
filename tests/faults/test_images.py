"""Images on the wire, through both clients, and `--images` on the command line."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from judge.images import look_at
from judge.types import Call
from tests.faults.asking import MODELS, SECRET, MemoryStore, ask, call_for
from tests.faults.commands import Desk, Done, Serve, desk, judgments
from tests.faults.obliging import oblige
from tests.pictures import frames, png, write_lines


@pytest.fixture
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("OPENAI_API_KEY", "HOSTED_VLLM_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    return str(request.param)


def illustrated(call: Call, *paths: Path) -> Call:
    """The call with images in its last message."""
    *others, last = call.prompt.messages
    images = tuple(look_at(str(path), "d") for path in paths)
    messages = (*others, last._replace(images=images))
    return call._replace(prompt=call.prompt._replace(messages=messages))


def parts_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of the last message of a request."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def bytes_of(body: dict[str, Any]) -> list[bytes]:
    """The images of a request, decoded."""
    urls = [part["image_url"]["url"] for part in parts_of(body) if part["type"] == "image_url"]
    return [base64.b64decode(url.removeprefix("data:image/png;base64,")) for url in urls]


@pytest.mark.parametrize("model", MODELS, indirect=True)
def test_images_go_over_the_wire_and_their_bytes_into_no_store(
    tmp_path: Path, serve: Serve, model: str
) -> None:
    paths = [tmp_path / name for name in frames(tmp_path, 2)]
    store, server = MemoryStore(), serve(lambda request, hit: "grade 3")
    call = illustrated(call_for(), *paths)
    reply = ask(server.url, model, call, store=store).reply
    (body,) = server.requests
    assert body["messages"][0] == {"role": "system", "content": "You judge."}
    assert parts_of(body)[0] == {"type": "text", "text": "How good is it?"}
    assert bytes_of(body) == [png(0), png(1)]
    (entry,) = store.entries()
    assert [part["type"] for part in entry["request"]["messages"][1]["content"]] == [
        "text",
        "image",
        "image",
    ]
    assert base64.b64encode(png()).decode() not in json.dumps(entry)
    again = ask(server.url, model, call, store=store, offline=True).reply
    assert (again.key, server.hits) == (reply.key, 1)


@pytest.mark.parametrize("model", MODELS, indirect=True)
def test_other_images_are_another_request(tmp_path: Path, serve: Serve, model: str) -> None:
    first, second = (tmp_path / name for name in frames(tmp_path, 2))
    store, server = MemoryStore(), serve(lambda request, hit: "grade 3")
    for path in (first, second, first):
        ask(server.url, model, illustrated(call_for(), path), store=store)
    ask(server.url, model, call_for(), store=store)
    assert server.hits == 3


# --- the command line ---------------------------------------------------------------------------


def world(home: Path, *videos: dict[str, Any]) -> None:
    """A topic, and an answer that cites every video."""
    write_lines(home / "topics.jsonl", {"id": "t1", "title": "What happened on the bridge?"})
    write_lines(home / "corpus.jsonl", *videos)
    cited = [video["docid"] for video in videos]
    sentences = [{"text": f"{docid} shows it.", "citations": [docid]} for docid in cited]
    about = {"team_id": "team", "run_id": "r", "narrative_id": "t1", "type": "automatic"}
    write_lines(
        home / "answers.jsonl",
        {
            "metadata": {**about, "narrative": "What happened on the bridge?"},
            "references": cited,
            "answer": sentences,
        },
    )


def videos(home: Path) -> tuple[dict[str, Any], ...]:
    names = frames(home, 3)
    return (
        {"docid": "spoken", "transcript": "The bridge fell.", "images": names[:2]},
        {"docid": "silent", "images": names[2:]},
    )


def support(at: Desk, *args: object) -> Done:
    words = ("--topics", "topics.jsonl", "--answers", "answers.jsonl", "--corpus", "corpus.jsonl")
    return at.run("support", *words, "--out", "run", *at.model, *args)


def test_frames_are_sent_with_the_flag(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    world(at.home, *videos(at.home))
    done = support(at, "--images", "--concurrency", 1)
    assert done.code == 0, done.err
    spoken, silent = at.server.requests
    assert bytes_of(spoken) == [png(0), png(1)]
    assert "Transcript:\nThe bridge fell." in parts_of(spoken)[0]["text"]
    assert bytes_of(silent) == [png(2)]
    stage = json.loads((at.home / "run/manifest.json").read_text())["stages"]["support"]
    assert stage["choices"]["images"] is True
    assert support(at, "--images").code == 0
    assert at.server.hits == 2


def test_without_the_flag_the_text_is_judged_and_mere_images_fail(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(oblige))
    world(at.home, *videos(at.home))
    done = support(at)
    assert done.code == 3
    assert "document 'silent' has no text, only 1 images; --images shows them" in done.err
    (body,) = at.server.requests
    assert isinstance(body["messages"][-1]["content"], str)
    silent = [line for line in judgments(at.home / "run") if line.get("docid") == "silent"]
    assert [(line["label"], line["failure"]) for line in silent] == [(None, "no_document")]


def test_a_run_without_images_is_not_gone_on_with_them(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    world(at.home, *videos(at.home))
    support(at)
    done = support(at, "--images")
    assert done.code == 2
    assert "choices: the run has {}, this command {'images': True}" in done.err


def test_a_missing_image_ends_the_command_before_any_call(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    spoken, silent = videos(at.home)
    world(at.home, spoken, {**silent, "images": ["gone.png"]})
    done = support(at, "--images")
    assert (done.code, at.server.hits) == (2, 0)
    assert "gone.png: an image of document 'silent': No such file or directory" in done.err


def test_what_is_no_image_ends_the_command_before_any_call(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    world(at.home, {"docid": "v", "transcript": "Said.", "images": ["corpus.jsonl"]})
    done = support(at, "--images")
    assert (done.code, at.server.hits) == (2, 0)
    assert "corpus.jsonl: not an image that models take" in done.err


def test_the_embedded_model_is_not_shown_images(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    world(at.home, *videos(at.home))
    done = support(at, "--images", "--model", "local/qwen2.5-coder-0.5b")
    assert done.code == 2
    assert "the embedded models take no images" in done.told


def test_a_plan_counts_images(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    world(at.home, *videos(at.home))
    words = ("--topics", "topics.jsonl", "--answers", "answers.jsonl", "--corpus", "corpus.jsonl")
    shown, text = (
        at.run("plan", "support", *words, *at.model, "--json", *more).json
        for more in (("--images",), ())
    )
    tokens = [plan["tasks"][-1]["prompt_tokens"] for plan in (shown, text)]
    assert tokens[0] - tokens[1] > 3 * 1200
    assert at.server.hits == 0


# --- creating nuggets ----------------------------------------------------------------------------


def create(at: Desk, *args: object) -> Done:
    words = ("--topics", "topics.jsonl", "--qrels", "qrels.txt", "--corpus", "corpus.jsonl")
    return at.run("nuggets", "create", *words, "--out", "run", *at.model, *args)


def library(home: Path, broken: int | None = None) -> None:
    """12 relevant videos, so that there are two windows; the last one has no words."""
    names = frames(home, 12)
    if broken is not None:
        names[broken] = "gone.png"
    records = [
        {"docid": f"d{i:02}", "transcript": "" if i == 11 else "Said.", "images": [name]}
        for i, name in enumerate(names)
    ]
    world(home, *records)
    rows = "".join(f"t1 0 {record['docid']} 1\n" for record in records)
    (home / "qrels.txt").write_text(rows, encoding="utf-8")


def test_nuggets_are_created_from_texts_and_mere_images_are_left_out_and_told(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(oblige))
    library(at.home)
    done = create(at)
    assert done.code == 0, done.err
    assert "left out 1 documents that have no text, only images" in done.err
    assert [bytes_of(body) for body in at.server.requests] == [[]] * at.server.hits


def test_nuggets_are_created_from_images_where_they_are_shown(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    library(at.home)
    done = create(at, "--images")
    assert done.code == 0, done.err
    assert "left out" not in done.err
    assert [len(bytes_of(body)) for body in at.server.requests[:2]] == [10, 2]


def test_a_missing_image_of_a_later_window_is_met_before_the_first_call(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(oblige))
    library(at.home, broken=11)
    done = create(at, "--images")
    assert (done.code, at.server.hits) == (2, 0)
    assert "an image of document 'd11'" in done.err


def test_a_missing_image_of_a_later_stage_is_met_before_the_first(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(oblige))
    library(at.home, broken=10)
    (at.home / "pairs.txt").write_text("t1 0 d01 1\n", encoding="utf-8")
    lines = [
        'topics = "topics.jsonl"',
        'answers = ["answers.jsonl"]',
        'corpus = ["corpus.jsonl"]',
        'relevance.pairs = "pairs.txt"',
        "judge.images = true",
    ]
    (at.home / "videos.toml").write_text("\n".join(lines), encoding="utf-8")
    words = ("--only", "relevance", "--only", "support", "--out", "run")
    done = at.run("assess", "videos.toml", *words, *at.model)
    assert (done.code, at.server.hits) == (2, 0)
    assert "an image of document 'd10'" in done.err
