"""Manifests of earlier formats are read as those of today."""

import pytest

from judge.manifest import Manifest
from judge.migrations import FORMAT, migrated
from tests.judging import manifest

TODAY = manifest(commands=["rag-judge assess a.toml"], adapted={"temperature": False})


def test_a_manifest_of_today_stays_as_it_is() -> None:
    data = TODAY.model_dump(mode="json")
    assert data["format"] == FORMAT
    assert migrated(data) == data


def test_format_1_lacked_some_of_what_is_known_today() -> None:
    data = TODAY.model_dump(mode="json", exclude={"named", "adapted", "continued_by"})
    found = Manifest.model_validate(migrated({**data, "format": 1}))
    assert found == TODAY.model_copy(update={"adapted": {}})


def test_late_manifests_of_format_1_keep_what_they_had() -> None:
    data = TODAY.model_dump(mode="json", exclude={"named", "continued_by"})
    assert Manifest.model_validate(migrated({**data, "format": 1})) == TODAY


@pytest.mark.parametrize(
    ("noted", "read"),
    [
        ({"needed": False, "partial": False}, {"needed": False}),
        ({"needed": True, "partial": True}, {"needed": True}),
        ({"needed": False, "partial": True}, {"needed": False, "partial": True}),
    ],
)
def test_format_2_noted_partial_where_it_had_no_part(
    noted: dict[str, bool], read: dict[str, bool]
) -> None:
    stage = {"template": "t", "template_sha256": "0", "choices": noted}
    data = {**TODAY.model_dump(mode="json"), "format": 2, "stages": {"locate": stage}}
    assert Manifest.model_validate(migrated(data)).stages["locate"].choices == read


@pytest.mark.parametrize("format_", [None, 0, "1", 1.0, True])
def test_no_format_is_an_error(format_: object) -> None:
    with pytest.raises(ValueError, match="there is no format"):
        migrated({"format": format_})
