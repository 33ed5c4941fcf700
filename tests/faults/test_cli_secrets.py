"""Keys and passwords appear in no file of a run or store and in nothing that is printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge_cache import open_store
from tests.faults.commands import PLANTED_KEY, Desk, Done, Serve, desk, known
from tests.faults.server import Response, error

PASSWORD = "correct-horse-battery"  # a planted one
SECRETS = (PLANTED_KEY, PLANTED_KEY.removeprefix("sk-"), PASSWORD)


def leaks(at: Desk, *commands: Done, secrets: tuple[str, ...] = SECRETS) -> list[str]:
    """Where a secret is found: in a file, in an entry of the store, in what was printed."""
    texts = {str(path): path.read_bytes() for path in at.home.rglob("*") if path.is_file()}
    with open_store(at.home / "cache") as store:
        keys = list(store.keys())
        entries = {key: json.dumps(store.get(key)).encode() for key in keys}
    assert entries
    printed = {f"command {n}": (d.out + d.err).encode() for n, d in enumerate(commands)}
    return [
        where
        for where, content in {**texts, **entries, **printed}.items()
        if any(secret.encode() in content for secret in secrets)
    ]


def telling(request: dict[str, Any], hit: int) -> str | Response:
    """Says some answers, and in its errors what it was sent."""
    said = f"key {PLANTED_KEY} of user:{PASSWORD}@host is not welcome"
    if hit < 3:
        return known(request, hit)
    return error(400, said) if hit < 5 else error(401, said, code="invalid_api_key")


def test_key_and_password_are_written_nowhere_also_when_calls_fail(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(telling))
    address = at.server.url.replace("://", f"://user:{PASSWORD}@")
    flags = ("--model", "openai/judge", "--base-url", address, "--out", "run")
    failed = at.run("support", *at.support_words(), *flags, "--concurrency", 1)
    assert failed.code == 4
    assert "is not welcome" in failed.told
    at.server.script = known
    done = at.run("support", *at.support_words(), *flags, "--json")
    assert done.code == 0
    wrong = at.run("support", *at.support_words(), *flags[:-1], "other", "--temperature", "7")
    assert wrong.code == 2
    told = (at.home / "run" / "failures.jsonl").read_text(encoding="utf-8")
    assert "[redacted]" in told
    assert leaks(at, failed, done, wrong) == []


@pytest.mark.parametrize("part", ["userinfo", "query"])
def test_an_address_with_an_at_sign_in_its_password_or_a_key_in_its_query(
    tmp_path: Path, serve: Serve, part: str
) -> None:
    at = desk(tmp_path, serve(known))
    secret = "part-two-of-it"
    plain = at.server.url
    address = plain.replace("://", f"://user:one@{secret}@")
    address = address if part == "userinfo" else f"{plain}?key={secret}"
    done = at.support("--out", "run", "--base-url", address)
    assert done.code == 0
    assert leaks(at, done, secrets=(secret,)) == []
