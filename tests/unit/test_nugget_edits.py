"""Nuggets in the hands of people: sheets out and in, edits that are kept, what changed."""

import json
from pathlib import Path

import pytest

from judge.editing import keep_copy, marked, own_nuggets, read_any, settle
from judge.errors import InputError, RunError, UsageError
from judge.formats.nugget_sheets import read_nugget_sheet, write_nugget_sheet
from judge.formats.nuggets import nugget_id, read_nuggets, write_nuggets
from judge.formats.topics import write_topics
from judge.likeness import likeness, most_like, near_duplicates
from judge.nugget_changes import changes, counts
from judge.revising import revise, revised, write_sheet
from judge.runs import CREATED, NUGGETS, TOPICS
from judge.types import Importance, Nugget, NuggetAnswer
from tests.judging import TOPICS as KNOWN

OVERWINTER = "How do bees overwinter?"


def nugget(
    text: str,
    importance: Importance | None = "vital",
    part: str | None = OVERWINTER,
    topic_id: str = "t1",
    source: str = "judge",
) -> Nugget:
    return Nugget(
        nugget_id=nugget_id(text),
        topic_id=topic_id,
        text=text,
        importance=importance,
        sub_narrative=part,
        docids=("d1",),
        source=source,
    )


LIST = [
    nugget("bees cluster in winter"),
    nugget("bees eat honey", "okay", "New: food"),
    nugget("a hive needs 15 kg", None, None),
    nugget("-5 degrees outside", "okay", "What do they eat?", "t2"),
]


# --- sheets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sheet.tsv", "sheet.jsonl"])
def test_a_sheet_that_nobody_touched_changes_nothing(tmp_path: Path, name: str) -> None:
    awkward = [
        nugget(text)
        for text in ('say "cheese"', "=1+1", "'=1+1", "'tis", "''=x", "@home", "# five", "a,b;c")
    ]
    write_nugget_sheet(tmp_path / name, [*LIST, *awkward], KNOWN, {})
    rows = read_nugget_sheet(tmp_path / name, KNOWN)
    assert revised([*LIST, *awkward], rows, KNOWN) == [*LIST, *awkward]


def test_a_table_explains_itself_and_its_topics(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    write_nugget_sheet(path, LIST, KNOWN, {("t1", LIST[1].nugget_id): LIST[0].nugget_id})
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# One nugget a line.")
    assert "# t1 part 1: How do bees overwinter?" in lines
    assert f"t1\t{LIST[0].nugget_id}\tvital\t1\tbees cluster in winter\t" in lines
    assert f"t1\t{LIST[1].nugget_id}\tokay\tNew: food\tbees eat honey\t{LIST[0].nugget_id}" in lines
    assert f"t2\t{LIST[3].nugget_id}\tokay\t2\t'-5 degrees outside\t" in lines


def sheet(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "sheet.tsv"
    head = "topic_id\tnugget_id\timportance\tsub_narrative\ttext"
    path.write_text("\n".join(["# told", head, *rows, ""]), encoding="utf-8")
    return path


def test_edits_are_taken_over_as_post_edited(tmp_path: Path) -> None:
    ids = [n.nugget_id for n in LIST]
    path = sheet(
        tmp_path,
        f"t1\t{ids[2]}\tvital\t2\ta hive needs 15 kg",
        f"t1\t{ids[0]}\tvital\t1\tbees  form a cluster",
        "t1\t\tOkay\tNew: drones\tdrones die",
        f"t2\t{ids[3]}\tokay\t2\t'-5 degrees outside",
    )
    weighed, reworded, new, same = revised(LIST, read_nugget_sheet(path, KNOWN), KNOWN)
    assert (weighed.nugget_id, weighed.importance) == (ids[2], "vital")
    assert (weighed.sub_narrative, weighed.source) == ("What do they eat?", "post-edit")
    assert (reworded.text, reworded.nugget_id) == (
        "bees form a cluster",
        nugget_id("bees form a cluster"),
    )
    assert (reworded.docids, reworded.source) == (("d1",), "post-edit")
    assert (new.importance, new.sub_narrative, new.source) == ("okay", "New: drones", "post-edit")
    assert new.nugget_id == nugget_id("drones die")
    assert same is LIST[3]


def test_ids_of_new_nuggets_are_their_own(tmp_path: Path) -> None:
    rows = [f"t1\t{n.nugget_id}\t\t\t{n.text}" for n in LIST[:1]]
    path = sheet(tmp_path, *rows, *["t1\t\t\t\tbees cluster in winter"] * 2)
    found = revised(LIST, read_nugget_sheet(path, KNOWN), KNOWN)
    base = LIST[0].nugget_id
    assert [n.nugget_id for n in found] == [base, f"{base}-2", f"{base}-3"]


def test_a_nugget_written_again_without_its_id_is_the_same_one(tmp_path: Path) -> None:
    path = sheet(tmp_path, "t1\t\tvital\t1\tbees cluster in winter")
    assert revised(LIST, read_nugget_sheet(path, KNOWN), KNOWN) == LIST[:1]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (f"t2\t{LIST[0].nugget_id}\t\t\tbees", "nugget_id"),
        ("t1\tn_0\t\t\tbees", "nugget_id"),
        ("t9\t\t\t\tbees", "topic_id"),
        ("\t\t\t\tbees", "topic_id"),
        ("t1\t\t\t\t", "text"),
        ("t1\t\tbig\t\tbees", "importance"),
        ("t1\t\t\t3\tbees", "sub_narrative"),
    ],
)
def test_what_cannot_be_taken_over_names_line_and_field(
    tmp_path: Path, row: str, field: str
) -> None:
    path = sheet(tmp_path, f"t1\t{LIST[1].nugget_id}\t\t\tbees eat honey", row)
    with pytest.raises(InputError) as caught:
        revised(LIST, read_nugget_sheet(path, KNOWN), KNOWN)
    assert (caught.value.line, caught.value.field) == (4, field)


def test_a_nugget_twice_in_a_sheet_is_refused(tmp_path: Path) -> None:
    row = f"t1\t{LIST[1].nugget_id}\t\t\tbees eat honey"
    with pytest.raises(InputError, match="nugget_id"):
        revised(LIST, read_nugget_sheet(sheet(tmp_path, row, row), KNOWN), KNOWN)


def test_a_table_without_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    path.write_text("topic_id\tnugget_id\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column 'text'"):
        read_nugget_sheet(path, KNOWN)


# --- the round trip of a run ---------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.mkdir()
    settle(path, {"t1": LIST[:3], "t2": LIST[3:]}, {}, lambda text: None)
    write_topics(path / TOPICS, KNOWN.values())
    return path


def test_out_in_and_kept(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "edit.tsv"
    assert write_sheet(run, out) == 4
    text = out.read_text(encoding="utf-8").replace("bees eat honey", "bees eat pollen")
    out.write_text(text, encoding="utf-8")
    (change,) = revise(run, out)
    assert (change.how, change.fields) == ("changed", ("text",))
    edited = (run / NUGGETS).read_bytes()
    notices: list[str] = []
    kept = settle(run, {"t1": LIST[:3], "t2": LIST[3:]}, {}, notices.append)
    assert [n.text for n in kept["t1"]][1] == "bees eat pollen"
    assert (run / NUGGETS).read_bytes() == edited
    assert "4 nuggets, 1 of them post-edited" in notices[0]
    assert read_nuggets(run / CREATED) == LIST
    assert revise(run, out, tmp_path / "again.jsonl") == []


def test_a_list_that_nobody_edited_follows_the_judge(run: Path) -> None:
    settle(run, {"t1": LIST[:1]}, {}, lambda text: None)
    assert read_nuggets(run / NUGGETS) == LIST[:1]


def test_nuggets_that_were_given_are_revised_where_they_were_given(tmp_path: Path) -> None:
    write_nuggets(tmp_path / NUGGETS, LIST, {})
    with pytest.raises(UsageError, match="were given to it in a file"):
        revise(tmp_path, sheet(tmp_path))
    with pytest.raises(UsageError, match="--out"):
        revise(tmp_path / NUGGETS, sheet(tmp_path))


def test_a_run_without_nuggets_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the run has no nuggets\.jsonl"):
        read_any(tmp_path)


def test_hand_edits_are_marked(run: Path) -> None:
    lines = [json.loads(line) for line in (run / NUGGETS).read_text("utf-8").splitlines()]
    lines[0]["nuggets"][0]["text"] = "bees form a ball"
    lines[0]["nuggets"][1]["importance"] = "vital"
    lines[1]["nuggets"].append({"text": "it snows"})
    (run / NUGGETS).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = own_nuggets(run)
    assert [n.source for n in found] == ["post-edit", "post-edit", "judge", "judge", "post-edit"]
    assert found[0].nugget_id == nugget_id("bees form a ball")
    assert found[1].nugget_id == LIST[1].nugget_id


def test_a_text_that_becomes_anothers_has_its_own_id() -> None:
    edited = [LIST[0], LIST[1].model_copy(update={"text": LIST[0].text})]
    assert [n.nugget_id for n in marked(edited, LIST)] == [
        LIST[0].nugget_id,
        f"{LIST[0].nugget_id}-2",
    ]


def test_a_copy_grows_by_topics_and_never_loses_an_edit(tmp_path: Path) -> None:
    keep_copy(tmp_path, LIST[:3], {})
    keep_copy(tmp_path, LIST, {})
    assert read_nuggets(tmp_path / NUGGETS) == LIST
    write_nuggets(tmp_path / NUGGETS, LIST[1:], {})
    with pytest.raises(RunError, match="other nuggets of topic t1"):
        keep_copy(tmp_path, LIST, {})
    assert read_nuggets(tmp_path / NUGGETS) == LIST[1:]


# --- what changed --------------------------------------------------------------------------------


def test_changes_are_matched_by_text_then_id_then_likeness() -> None:
    after = [
        LIST[0].model_copy(update={"text": "Bees cluster in winter.", "nugget_id": "x"}),
        LIST[1].model_copy(update={"importance": "vital", "sub_narrative": None}),
        nugget("each hive needs 15 kg of honey", None, None),
        nugget("drones die"),
    ]
    found = changes(LIST, after)
    assert [(c.how, c.topic_id, c.fields) for c in found] == [
        ("changed", "t1", ("text",)),
        ("changed", "t1", ("importance", "sub_narrative")),
        ("changed", "t1", ("text",)),
        ("added", "t1", ()),
        ("removed", "t2", ()),
    ]
    assert counts(found) == {
        "added": 1,
        "removed": 1,
        "changed": 3,
        "text": 2,
        "importance": 1,
        "sub_narrative": 1,
    }
    assert found[0].likeness == 1.0
    assert found[3].data()["before"] is None
    assert changes(LIST, LIST) == []


def test_the_most_alike_are_paired_first() -> None:
    before = [nugget("bees cluster in cold winter"), nugget("bees cluster in winter")]
    after = [nugget("bees tightly cluster in winter")]
    changed, removed = changes(before, after)
    assert (changed.before, removed.before) == (before[1], before[0])


# --- likeness ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("bees cluster", "Bees  cluster.", 1.0),
        ("bees cluster in winter", "in winter the bees cluster", 1.0),
        ("bees cluster in winter", "bees sleep in winter", 0.5),
        ("bees", "wasps", 0.0),
        ("of the", "of a", 0.0),
        ("of the", "Of the", 1.0),
    ],
)
def test_likeness(one: str, other: str, alike: float) -> None:
    assert likeness(one, other) == alike == likeness(other, one)


def test_near_duplicates_are_of_one_topic_and_see_the_answers_of_questions() -> None:
    same = [nugget("bees cluster in winter"), nugget("in winter bees cluster")]
    (near,) = near_duplicates([*same, nugget("bees cluster in winter", topic_id="t2")])
    assert (near.first, near.second, near.likeness) == (same[0], same[1], 1.0)
    asked = [
        nugget("How much?").model_copy(update={"answers": (NuggetAnswer(text=text),)})
        for text in ("15 kg", "seven pounds")
    ]
    assert near_duplicates(asked) == []


def test_the_most_like_must_be_like_enough() -> None:
    assert most_like("bees eat nectar", LIST, 0.5) == LIST[1]
    assert most_like("wasps", LIST, 0.5) is None
    assert most_like("wasps", [], 0.0) is None
