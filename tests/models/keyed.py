"""A provider on loopback that lists models for whoever has the key, and does nothing else."""

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

REFUSED = {"error": {"type": "authentication_error", "message": "invalid x-api-key: {key}"}}
OLLAMA = {
    "models": [
        {"name": "qwen3:8b", "details": {"family": "qwen3"}},
        {"name": "nomic-embed-text:latest", "details": {"family": "nomic-bert"}},
    ]
}


class Keyed:
    """The server. `answers` are bodies by path, sent with `status`; without one for a path that
    ends with `/models` or `/key` it answers as providers do. `asked` are the paths that it got."""

    def __init__(
        self, key: str = "", answers: Mapping[str, Any] | None = None, status: int = 200
    ) -> None:
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                status, body = server.answer(self.path, dict(self.headers))
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._key, self._answers, self._status = key, answers or {}, status
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def answer(self, path: str, headers: Mapping[str, str]) -> tuple[int, Any]:
        if path in self._answers:
            return self._status, self._answers[path]
        lower = {name.lower(): value for name, value in headers.items()}
        shown = lower.get("x-api-key") or lower.get("authorization", "").removeprefix("Bearer ")
        if not path.endswith(("/models", "/key")):
            return 404, {"error": "not found"}
        if "x-api-key" in lower and not lower.get("anthropic-version"):
            return 400, {"error": {"message": "anthropic-version: header is required"}}
        if self._key and shown != self._key:
            return 401, json.loads(json.dumps(REFUSED).replace("{key}", shown))
        return 200, {"data": [{"id": "large"}, {"id": "text-embedding-small"}]}

    def __enter__(self) -> "Keyed":
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
