"""A report shown by a server of its own, to this machine alone.

The server listens on 127.0.0.1, and only under a path that holds a token made at its start: other
users of the machine, and pages in the browser that ask around on it, do not know the token.
"""

import secrets
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from judge.errors import UsageError
from judge.report.html.page import policy
from judge.report.html.write import DATA, INDEX, Written

HOST = "127.0.0.1"


class ReportServer:
    """A server that is bound, and answers once it is run.

    Attributes:
        url: where the report is, with the token.
    """

    def __init__(self, written: Written, port: int = 0) -> None:
        """Bind to a port; 0 takes any that is free.

        Raises:
            UsageError: the port cannot be had.
        """
        token = secrets.token_urlsafe(24)
        files = {f"/{token}/{name}": path for name, path in _files(written).items()}
        try:
            self._server = _Server(files, served=written.folder, port=port)
        except (OSError, OverflowError) as error:
            raise UsageError(f"cannot listen on port {port}: {error}; give another") from error
        self.url = f"http://{HOST}:{self._server.server_port}/{token}/"

    def run(self) -> None:
        """Answer until `stop` is called or Ctrl-C is pressed."""
        try:
            self._server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            return
        finally:
            self._server.server_close()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._server.shutdown()


class _Server(ThreadingHTTPServer):
    """Knows the files it gives, and the names it goes by."""

    def __init__(self, files: Mapping[str, Path], *, served: bool, port: int) -> None:
        super().__init__((HOST, port), _Handler)
        self.files, self.policy = files, policy(served=served) + "; frame-ancestors 'none'"
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}


class _Handler(BaseHTTPRequestHandler):
    """Gives the files of one report, and nothing else."""

    server: _Server

    def do_GET(self) -> None:
        """Give a file; what is not asked for by its whole name, with the token, is not found."""
        path = self.server.files.get(unquote(urlsplit(self.path).path))
        if path is None or self.headers.get("Host") not in self.server.hosts:
            self.send_error(404)
            return
        try:
            body = path.read_bytes()
        except OSError:
            self.send_error(410, "the report was written anew; start the server again")
            return
        page = path.suffix == ".html"
        kind = "text/html; charset=utf-8" if page else "application/octet-stream"
        self.send_response(200)
        for name, value in self._headers(kind, len(body)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _headers(self, kind: str, size: int) -> dict[str, str]:
        return {
            "Content-Type": kind,
            "Content-Length": str(size),
            "Content-Security-Policy": self.server.policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: the address holds the token."""


def _files(written: Written) -> dict[str, Path]:
    """What is given under which name."""
    if not written.folder:
        return {"": written.path}
    data = {f"{DATA}/{path.name}": path for path in (written.path / DATA).iterdir()}
    return {"": written.path / INDEX, **data}
