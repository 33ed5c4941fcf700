"""Weights from the hub, played by a server on this machine."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from judge.llm.fetch import UnavailableError, from_hub

CONTENT = bytes(range(256)) * 4096
REPO, FILE = "someone/tiny-GGUF", "tiny.gguf"
PATH = f"/{REPO}/resolve/main/{FILE}"


class _Hub(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        if self._answer():
            self.wfile.write(CONTENT)

    def _answer(self) -> bool:
        found = self.path == PATH
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(CONTENT) if found else 0))
        self.send_header("ETag", '"abc"')
        self.send_header("X-Repo-Commit", "0" * 40)
        self.end_headers()
        return found

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Say nothing."""


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    use_hub(f"http://127.0.0.1:{server.server_port}", tmp_path, monkeypatch)
    yield server.server_name
    server.shutdown()
    thread.join()
    server.server_close()


def use_hub(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants as constants

    template = endpoint + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)


def test_the_hub_gives_the_file(
    hub: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: list[int] = []
    found = from_hub(REPO, tmp_path / FILE, len(CONTENT), lambda done, *_: seen.append(done))
    assert found == hashlib.sha256(CONTENT).hexdigest()
    assert (tmp_path / FILE).read_bytes() == CONTENT
    assert seen[0] == 0
    assert seen[-1] == len(CONTENT)
    assert capfd.readouterr().out == ""


def test_a_file_the_hub_does_not_have(hub: str, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError):
        from_hub(REPO, tmp_path / "other.gguf", 10, lambda *_: None)


def test_a_hub_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_hub("http://127.0.0.1:1", tmp_path, monkeypatch)
    with pytest.raises(UnavailableError):
        from_hub(REPO, tmp_path / FILE, len(CONTENT), lambda *_: None)


def test_the_hub_is_not_asked_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_hub("http://127.0.0.1:1", tmp_path, monkeypatch)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UnavailableError, match="offline"):
        from_hub(REPO, tmp_path / FILE, len(CONTENT), lambda *_: None)


def test_what_the_hubs_client_has_cached_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_hub("http://127.0.0.1:1", tmp_path, monkeypatch)
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *_: str(tmp_path / "blob"))
    (tmp_path / "blob").write_bytes(CONTENT)
    found = from_hub(REPO, tmp_path / FILE, len(CONTENT), lambda *_: None)
    assert found == hashlib.sha256(CONTENT).hexdigest()
    assert (tmp_path / FILE).read_bytes() == CONTENT


def test_giving_up_ends_the_download(hub: str, tmp_path: Path) -> None:
    def give_up(done: int, total: int, text: str) -> None:
        if done:
            raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):
        from_hub(REPO, tmp_path / FILE, len(CONTENT), give_up)
        pytest.fail("went on")
    assert not (tmp_path / FILE).exists()
