"""Where requests go: redirects, queries, proxies, certificates, through the openai client."""

import json
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from judge.errors import ModelError
from judge.llm import identity_of, open_provider
from judge.llm.providers.openai import OpenAIProvider
from tests.faults.asking import ask
from tests.faults.raw import GOOD, OPENAI, Raw, RawServer, answer, completions, opened, saying
from tests.faults.server import Response, ScriptedServer, chat

pytestmark = pytest.mark.usefixtures("direct")


# --- where requests go --------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    with ScriptedServer(lambda request, hit: "grade 3") as other:
        there = f"{other.url.replace('://', '://me:pass-word-9@')}/x?k=hidden-9"
        said = Response({}, status=status, headers={"Location": there})
        with ScriptedServer(lambda request, hit: said) as server:
            stopped = ask(server.url, OPENAI).stopped
            assert (server.hits, other.hits) == (1, 0)
    assert f"HTTP {status}: the server points to {other.url}/x, " in str(stopped)
    assert "--base-url" in str(stopped)
    assert "hidden-9" not in str(stopped)
    assert "pass-word-9" not in str(stopped)


def test_a_redirect_to_no_address_is_one_too() -> None:
    said = Response({}, status=302, headers={"Location": "http://[oops"})
    with ScriptedServer(lambda request, hit: said) as server:
        assert "an address that is none" in str(ask(server.url, OPENAI).stopped)


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_query_of_the_address_is_sent_with_every_request(raw: Raw, slash: str) -> None:
    said = answer(json.dumps(chat("grade 2024-10-21 or hidden-99")).encode())
    server = raw(saying(said, stay=True))
    url = f"{server.url}{slash}?api-version=2024-10-21&key=hidden-99&x=a%2Fb"
    line = b"POST /v1/chat/completions?api-version=2024-10-21&key=hidden-99&x=a%2Fb HTTP/1.1\r\n"
    assert completions(url, (0, 0), opened(url)) == ["grade 2024-10-21 or [redacted]"] * 2
    assert all(request.startswith(line) for request in server.requests)
    assert "hidden-99" not in str(identity_of(OPENAI, url))


def test_litellm_refuses_a_query_it_would_misplace(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match="openai/<name>"):
        open_provider("hosted_vllm/judge", "http://127.0.0.1:9/v1?api-version=1")


@pytest.mark.parametrize("key", ["sk-ünïcode", "sk-two\nlines"])
def test_a_key_that_no_header_can_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        open_provider(OPENAI)
    assert key not in str(caught.value)


def test_a_host_that_is_not_there_is_named() -> None:
    failure = ask("http://no-such-host.invalid/v1", OPENAI, attempts=1).failure
    assert failure.kind == "transport"
    assert "cannot connect to no-such-host.invalid:80" in failure.message


# --- proxies ------------------------------------------------------------------------------------


def test_a_proxy_of_the_environment_is_used(raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = raw(saying(GOOD, stay=True))
    monkeypatch.setenv("HTTP_PROXY", f"http://me:proxy-word-9@{proxy.address}")
    assert ask("http://judge.invalid/v1", OPENAI).reply.text == "grade 3"
    (request,) = proxy.requests
    assert request.startswith(b"POST http://judge.invalid/v1/chat/completions HTTP/1.1\r\n")
    assert b"proxy-authorization: basic" in request.lower()


@pytest.mark.parametrize("exempt", ["127.0.0.1", "*", "127.0.0.0/8"])
def test_a_host_can_be_exempt_from_the_proxy(
    raw: Raw, monkeypatch: pytest.MonkeyPatch, exempt: str
) -> None:
    proxy, server = raw(saying(b"")), raw(saying(GOOD))
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.address}")
    monkeypatch.setenv("NO_PROXY", exempt)
    assert ask(server.url, OPENAI).reply.text == "grade 3"
    assert proxy.connections == 0


def test_the_environment_can_be_left_out_of_account(
    raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, server = raw(saying(b"")), raw(saying(GOOD))
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.address}")
    identity = identity_of(OPENAI, server.url)
    provider = OpenAIProvider(identity, base_url=server.url, api_key="x", trust_env=False)
    assert completions(server.url, (0,), provider) == ["grade 3"]
    assert proxy.connections == 0


def test_a_proxy_that_is_not_there_or_refuses_is_a_fault(
    raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = raw(saying(answer(b"", status="407 Proxy Authentication Required")))
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:proxy-word-9@{proxy.address}")
    refused = ask("https://judge.invalid/v1", OPENAI, attempts=1).failure
    assert refused.kind == "transport"
    assert proxy.requests[0].startswith(b"CONNECT judge.invalid:443 ")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:proxy-word-9@127.0.0.1:9")
    gone = ask("https://judge.invalid/v1", OPENAI, attempts=1).failure
    assert gone.kind == "transport"
    assert "127.0.0.1:9" in gone.message
    assert "proxy-word-9" not in gone.message + refused.message


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "ftp://me:proxy-word-9@127.0.0.1"])
def test_a_proxy_of_another_kind_is_refused(
    raw: Raw, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(ModelError, match="proxy") as caught:
        ask("http://judge.invalid/v1", OPENAI)
    assert "proxy-word-9" not in str(caught.value)


# --- certificates -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 that signs itself, with its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("making a certificate needs openssl")
    path = tmp_path_factory.mktemp("tls") / "own.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=own"]
    host = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "own.pem"]
    subprocess.run(["openssl", *words, *host], cwd=path.parent, capture_output=True, check=True)
    path.write_text(path.read_text() + (path.parent / "key.pem").read_text())
    return path


def test_a_certificate_is_checked_and_ones_own_can_be_named(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with RawServer(saying(GOOD, stay=True), context) as server:
        url = f"https://{server.address}/v1"
        failure = ask(url, OPENAI, attempts=1).failure
        assert failure.kind == "transport"
        assert "certificate" in failure.message
        assert server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert ask(url, OPENAI).reply.text == "grade 3"
        assert completions(url, (0, 0), opened(url)) == ["grade 3"] * 2


def test_certificates_that_are_not_there_are_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(ModelError, match="SSL_CERT_FILE"):
        ask("https://127.0.0.1:9/v1", OPENAI)
